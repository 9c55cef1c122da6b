"""What is refused about reconciliation, and what to do about it."""

from casino.kernel.errors import Kind, Refusal


class UnknownDifference(Refusal):
    code = "unknown_difference"
    kind = Kind.MISSING
    title = "There is no such difference"
    remedy = "Use an id from GET /api/v1/differences."


class DifferenceClosed(Refusal):
    code = "difference_closed"
    kind = Kind.CONFLICT
    title = "The difference is not open"
    remedy = "Look at it again: somebody was quicker, or it is gone."


class DifferenceNoteMissing(Refusal):
    code = "difference_note_missing"
    kind = Kind.INVALID
    title = "What became of a difference is told in words"
    remedy = "Send a `note` of 1 to 500 characters."


class UnknownResolution(Refusal):
    code = "unknown_resolution"
    kind = Kind.INVALID
    title = "There is no such resolution"
    remedy = "Send timing, provider_corrected, corrected_here, accepted or written_off."


class DayNotOver(Refusal):
    code = "day_not_over"
    kind = Kind.CONFLICT
    title = "The day is not over yet"
    remedy = "Ask for a day that has ended where the operator counts its days."
