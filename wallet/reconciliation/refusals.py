"""What is refused about reconciliation, and what to do about it."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownDiscrepancy(Refusal):
    code = "unknown_discrepancy"
    kind = RefusalKind.MISSING
    title = "There is no such difference"
    remedy = "Use an id from GET /api/v1/discrepancies."


class DiscrepancyClosed(Refusal):
    code = "discrepancy_closed"
    kind = RefusalKind.CONFLICT
    title = "The difference is not open"
    remedy = "Look at it again: somebody was quicker, or it is gone."


class DiscrepancyNoteMissing(Refusal):
    code = "discrepancy_note_missing"
    kind = RefusalKind.INVALID
    title = "What became of a difference is told in words"
    remedy = "Send a `note` of 1 to 500 characters."


class UnknownResolution(Refusal):
    code = "unknown_resolution"
    kind = RefusalKind.INVALID
    title = "There is no such resolution"
    remedy = "Send timing, provider_corrected, casino_corrected, accepted or written_off."


class DayNotOver(Refusal):
    code = "day_not_over"
    kind = RefusalKind.CONFLICT
    title = "The day is not over yet"
    remedy = "Ask for a day that has ended where the operator counts its days."
