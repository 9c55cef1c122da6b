"""Refusals of requests for checkpoints and proofs."""

from casino.kernel.errors import Invalid, Missing, Refusal, Unavailable


class UnknownCheckpoint(Missing):
    title = "There is no such checkpoint"
    remedy = "Name the size of one that you were given, or wait for the first."


class NotInCheckpoint(Refusal):
    title = "The checkpoint does not hold this position"
    remedy = "Name a newer checkpoint, or wait for the next: positions are signed within minutes."


class CheckpointsReversed(Invalid):
    title = "The first checkpoint is newer than the second"
    remedy = "Give the older checkpoint as `from` and the newer one as `to`."


class ArchiveNotConfigured(Unavailable):
    title = "There is no storage of archives"
    remedy = "Set ARCHIVE_STORAGE."


class InvalidMonth(Invalid):
    code = "archive_month_invalid"
    title = "This is not a month"
    remedy = "Name a month of UTC such as 2026-01."


class MonthTooYoung(Refusal):
    code = "archive_month_too_young"
    title = "The month ended too recently"
    remedy = "Wait, or set ARCHIVE_AFTER_DAYS to fewer days."


class MonthUnderLegalHold(Refusal):
    code = "archive_legal_hold"
    title = "The month is under legal hold"
    remedy = "Archive it when LEGAL_HOLD is lifted."


class MonthEmpty(Missing):
    code = "archive_month_empty"
    title = "No round ended in that month"
    remedy = "Name another month."


class MonthNotCovered(Refusal):
    code = "archive_month_not_covered"
    title = "The month is not sealed, signed, cosigned and audited yet"
    remedy = "Run the nightly audit, which signs a state at the newest checkpoint, and repeat the command."
