"""Refusals of manual adjustments."""

from casino.kernel.errors import Invalid, Missing


class UnknownAdjustment(Missing):
    title = "There is no such adjustment"
    remedy = "Use an id from GET /api/v1/adjustments."


class AdjustmentNoteMissing(Invalid):
    title = "The adjustment needs a note"
    remedy = "Send a `note` of 1 to 500 characters."


class InvalidAdjustmentChoice(Invalid):
    title = "Unknown direction or reason"
    remedy = "Choose one of the documented values."


class NoDebtInPlayMoney(Invalid):
    title = "There are no debts in play money"
    remedy = "Debit at most the balance."
