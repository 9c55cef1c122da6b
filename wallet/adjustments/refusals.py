"""What is refused about corrections by hand, and what to do about it."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownAdjustment(Refusal):
    code = "unknown_adjustment"
    kind = RefusalKind.MISSING
    title = "There is no such adjustment"
    remedy = "Use an id from GET /api/v1/adjustments."


class AdjustmentDecided(Refusal):
    code = "adjustment_decided"
    kind = RefusalKind.CONFLICT
    title = "The adjustment has been decided before"
    remedy = "Look at it again: somebody was quicker."


class AdjustmentRequiresSecondPerson(Refusal):
    code = "adjustment_requires_second_person"
    kind = RefusalKind.FORBIDDEN
    title = "Who asked for an adjustment can't decide it"
    remedy = "Have another person look at it."


class AdjustmentNoteMissing(Refusal):
    code = "adjustment_note_missing"
    kind = RefusalKind.INVALID
    title = "An adjustment is explained in words"
    remedy = "Send a `note` of 1 to 500 characters."


class InvalidAdjustmentChoice(Refusal):
    code = "invalid_adjustment_choice"
    kind = RefusalKind.INVALID
    title = "An adjustment has one of the known ways and reasons"
    remedy = "Choose from the lists."


class NoDebtInPlayMoney(Refusal):
    code = "no_debt_in_play_money"
    kind = RefusalKind.INVALID
    title = "Nobody owes play money"
    remedy = "Take no more than the balance."
