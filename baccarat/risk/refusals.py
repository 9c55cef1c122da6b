"""Refusals of the risk desk."""

from casino.kernel.errors import Invalid


class InvalidRiskRule(Invalid):
    title = "This rule can't be set"
    remedy = "Correct its terms."


class InvalidPlayerStatus(Invalid):
    title = "This status can't be set"
    remedy = "Give `kyc`, `tags` or both; up to 20 tags of small letters, digits and hyphens, 30 characters each."


class InvalidScreening(Invalid):
    title = "This screening can't be recorded"
    remedy = "Give a source of 1 to 200 characters, and a date that is not in the future."


class ReceivedInFuture(Invalid):
    title = "A complaint can't be received in the future"
    remedy = "Send the time at which it was received, or leave it out."


class PlayerTextMissing(Invalid):
    title = "The text must not be empty"
    remedy = "Write what happened."
