"""Refusals of reconciliation."""

from typing import Literal

from casino.kernel.errors import Forbidden, Invalid, Missing, Refusal


class UnknownDiscrepancy(Missing):
    title = "There is no such discrepancy"
    remedy = "Use an id from GET /api/v1/discrepancies."


class DiscrepancyClosed(Refusal):
    title = "The discrepancy is not open"
    remedy = "Read it again: another person was quicker, or it was cleared."
    fact_types = {"current_status": Literal["resolved", "cleared"]}


class MessageNotApplicable(Refusal):
    """A fault here, such as a damaged record; nothing was changed."""

    title = "The message can't be applied: something fails here"
    remedy = "Nothing was changed. Ask whoever runs the service: its log has the error."


class OwnPayment(Forbidden):
    """Whoever let a payment go out doesn't say why it differs."""

    title = "You decided about this payment yourself"
    remedy = "Have another person resolve it."


class DiscrepancyNoteMissing(Invalid):
    title = "The resolution needs a note"
    remedy = "Send a `note` of 1 to 500 characters."


class UnknownResolution(Invalid):
    title = "There is no such resolution"
    remedy = "Send timing, provider_corrected, casino_corrected, accepted or written_off."


class DayNotOver(Refusal):
    title = "The day is not over yet"
    remedy = "Choose a day that has ended in the operator's time zone."
