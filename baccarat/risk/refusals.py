"""Refusals of the risk desk."""

from casino.kernel.errors import Refusal, RefusalKind


class InvalidRiskRule(Refusal):
    code = "invalid_risk_rule"
    kind = RefusalKind.INVALID
    title = "This rule can't be set"
    remedy = "Correct its terms."


class InvalidPlayerStatus(Refusal):
    code = "invalid_player_status"
    kind = RefusalKind.INVALID
    title = "This status can't be set"
    remedy = "Give `kyc`, `tags` or both; up to 20 tags of small letters, digits and hyphens, 30 characters each."


class InvalidScreening(Refusal):
    code = "invalid_screening"
    kind = RefusalKind.INVALID
    title = "This screening can't be recorded"
    remedy = "Give a source of 1 to 200 characters, and a date that is not in the future."


class ReceivedInFuture(Refusal):
    code = "received_in_future"
    kind = RefusalKind.INVALID
    title = "A complaint can't be received in the future"
    remedy = "Send the time at which it was received, or leave it out."


class PlayerTextMissing(Refusal):
    code = "player_text_missing"
    kind = RefusalKind.INVALID
    title = "The text must not be empty"
    remedy = "Write what happened."
