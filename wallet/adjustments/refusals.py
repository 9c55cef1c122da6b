"""Refusals of manual adjustments."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownAdjustment(Refusal):
    code = "unknown_adjustment"
    kind = RefusalKind.MISSING
    title = "There is no such adjustment"
    remedy = "Use an id from GET /api/v1/adjustments."


class AdjustmentNoteMissing(Refusal):
    code = "adjustment_note_missing"
    kind = RefusalKind.INVALID
    title = "The adjustment needs a note"
    remedy = "Send a `note` of 1 to 500 characters."


class InvalidAdjustmentChoice(Refusal):
    code = "invalid_adjustment_choice"
    kind = RefusalKind.INVALID
    title = "Unknown direction or reason"
    remedy = "Choose one of the documented values."


class NoDebtInPlayMoney(Refusal):
    code = "no_debt_in_play_money"
    kind = RefusalKind.INVALID
    title = "There are no debts in play money"
    remedy = "Debit at most the balance."
