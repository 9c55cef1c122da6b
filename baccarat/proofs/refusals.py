"""Reasons why a round cannot be proven, or not yet, or not to this reader."""

from casino.kernel.errors import Forbidden, Missing, Refusal


class NothingToProve(Refusal):
    code = "round_not_provable"
    title = "Only a round that was settled or voided can be proven"
    remedy = "Ask again when the round has ended."


class RoundNotSealed(Refusal):
    title = "The round's last event has no place in the log yet"
    remedy = "Ask again in a second."


class NotInThatRound(Forbidden):
    code = "not_in_round"
    title = "You were not in this round"
    remedy = "Ask for a round in which you had a seat."


class UnknownPackUrl(Missing):
    code = "unknown_dispute_pack"
    title = "There is no dispute pack at this address, or its link has expired"
    remedy = "Ask whoever gave you the link for a new one."
