"""Reasons why a round cannot be proven, or not yet, or not to this reader."""

from casino.kernel.errors import Refusal, RefusalKind


class NothingToProve(Refusal):
    code = "round_not_provable"
    title = "Only a round that was settled or voided can be proven"
    remedy = "Ask again when the round has ended."


class RoundNotSealed(Refusal):
    code = "round_not_sealed"
    title = "The round's last event has no place in the log yet"
    remedy = "Ask again in a second."


class NotInThatRound(Refusal):
    code = "not_in_round"
    kind = RefusalKind.FORBIDDEN
    title = "You were not in this round"
    remedy = "Ask for a round in which you had a seat."


class UnknownPackUrl(Refusal):
    code = "unknown_dispute_pack"
    kind = RefusalKind.MISSING
    title = "There is no dispute pack at this address, or its link has expired"
    remedy = "Ask whoever gave you the link for a new one."
