"""Refusals of reconciliation."""

from typing import Literal

from casino.kernel.errors import Refusal, RefusalKind


class UnknownDiscrepancy(Refusal):
    code = "unknown_discrepancy"
    kind = RefusalKind.MISSING
    title = "There is no such discrepancy"
    remedy = "Use an id from GET /api/v1/discrepancies."


class DiscrepancyClosed(Refusal):
    code = "discrepancy_closed"
    kind = RefusalKind.CONFLICT
    title = "The discrepancy is not open"
    remedy = "Read it again: another person was quicker, or it was cleared."
    fact_types = {"current_status": Literal["resolved", "cleared"]}


class MessageNotApplicable(Refusal):
    """A fault here, such as a damaged record; nothing was changed."""

    code = "message_not_applicable"
    kind = RefusalKind.CONFLICT
    title = "The message can't be applied: something fails here"
    remedy = "Nothing was changed. Ask whoever runs the service: its log has the error."


class OwnPayment(Refusal):
    """Whoever let a payment go out doesn't say why it differs."""

    code = "own_payment"
    kind = RefusalKind.FORBIDDEN
    title = "You decided about this payment yourself"
    remedy = "Have another person resolve it."


class DiscrepancyNoteMissing(Refusal):
    code = "discrepancy_note_missing"
    kind = RefusalKind.INVALID
    title = "The resolution needs a note"
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
    remedy = "Choose a day that has ended in the operator's time zone."
