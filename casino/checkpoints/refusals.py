"""Refusals of requests for checkpoints and proofs."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownCheckpoint(Refusal):
    code = "unknown_checkpoint"
    kind = RefusalKind.MISSING
    title = "There is no such checkpoint"
    remedy = "List the checkpoints; they are numbered from 1 without gaps."


class NotInCheckpoint(Refusal):
    code = "not_in_checkpoint"
    kind = RefusalKind.CONFLICT
    title = "The checkpoint does not hold this position"
    remedy = "Name a newer checkpoint, or wait for the next: positions are signed within minutes."


class CheckpointsReversed(Refusal):
    code = "checkpoints_reversed"
    kind = RefusalKind.INVALID
    title = "The first checkpoint is newer than the second"
    remedy = "Give the older checkpoint as `from` and the newer one as `to`."
