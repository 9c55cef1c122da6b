"""Refusals of decisions on a round. Each has its own code."""

from datetime import datetime
from uuid import UUID

from casino.kernel.errors import Amount, Forbidden, Invalid, Missing, Refusal


class BettingIsClosed(Refusal):
    title = "No more bets"
    remedy = "Wait for the next round to open."
    fact_types = {"deadline_at": datetime | None}


class DailyWinsReached(Forbidden):
    title = "This casino takes no more real-money bets today"
    remedy = "Confirmed wagers are dealt and settled; you can still leave and withdraw. Come back tomorrow."


class WitnessUnavailable(Refusal):
    """`since` is when a witness of the table answered last, or when the oldest closing was made that waits for one."""

    title = "The table's witness does not answer, so no cards could be dealt"
    remedy = "Wait, and bet again: the table continues by itself when the witness answers."
    fact_types = {"since": datetime | None}


class WitnessesNotReady(Refusal):
    """`wanted` is how many witnesses the table is to have, `ready` for how many of them it has chains of links."""

    title = "The table has no chain of each of its witnesses yet, so its cards could be chosen"
    remedy = "Wait some seconds, and try again: the witnesses make the chains by themselves."
    fact_types = {"wanted": int, "ready": int}


class NoOpenRound(Refusal):
    title = "No round is open at this table"
    remedy = "Request a new game, or wait until the next round opens."


class TooLateToForce(Refusal):
    title = "A seat has acted in this round, or its cards are chosen already"
    remedy = "Choose the cards of the next round once betting on it is open, before anybody confirms a wager or passes."


class CardsNotDealable(Invalid):
    """`reason` is what the rules say of the cards."""

    title = "No round is dealt these cards"
    remedy = (
        "Name the four to six cards in deal order: Player, Banker, Player, Banker, then the third cards that follow."
    )
    fact_types = {"reason": str}


class NotYourTurn(Refusal):
    title = "Your seat has no turn in this round"
    remedy = "Wait for the next round: you sat down, moved, passed or ran out of time during this one."


class AlreadyConfirmed(Refusal):
    title = "Your wager in this round is confirmed"
    remedy = "It can't be changed any more; the cards decide."


class NoShoeToCut(Refusal):
    code = "no_open_cut"
    title = "No shoe accepts your contribution now"
    remedy = "Contribute when the table shows a committed shoe that has not started."


class CutChangedTooOften(Refusal):
    code = "too_many_contributions"
    title = "You have changed your contribution to this shoe too often"
    remedy = "Your last contribution counts. You can contribute again to the next shoe."
    fact_types = {"max_changes": int}


class NoCeremony(Refusal):
    title = "No cards are handed out now"
    remedy = "Wait until betting has closed at a table with a Caller and the cards are with your seat."


class NotYourCards(Forbidden):
    title = "The cards are with another seat"
    remedy = "Wait: the hand is turned over when that seat hands it back or its time is over."
    fact_types = {"seat": int}


class CardsAreHandedBack(Refusal):
    title = "The cards are handed back, or your time with them is over"
    remedy = "Wait: the hands are turned over now."


class NoChipsPlaced(Refusal):
    title = "You have no chips on the table"
    remedy = "Place chips first, or pass."


class ChipsAlreadyPlaced(Refusal):
    title = "Rebet needs a cleared table"
    remedy = "Clear your chips, then rebet."


class NothingToRepeat(Refusal):
    code = "nothing_to_rebet"
    title = "You have no earlier wager at this table"
    remedy = "Place chips yourself this time."


class OverMaximum(Invalid):
    title = "The stake is over the table's maximum"
    remedy = "Stake at most the maximum on each spot."
    fact_types = {"maximum": Amount, "currency": str, "spots": list[str]}


class UnderMinimum(Invalid):
    title = "The stake is under the table's minimum"
    remedy = "Stake at least the minimum on each spot that you bet on."
    fact_types = {"minimum": Amount, "currency": str, "spots": list[str]}


class UnknownSpot(Invalid):
    """`unknown` are the spots named that the layout does not have, `spots` those that it has."""

    title = "The table has no such spot"
    remedy = "Bet on the spots that the table's rules list. New rules may have dropped one."
    fact_types = {"unknown": list[str], "spots": list[str]}


class SpotNeedsAnother(Invalid):
    title = "This spot takes a stake only beside another one"
    remedy = "Bet on one of the spots that it needs first."
    fact_types = {"spot": str, "needs": list[str]}


class OneSpotOnly(Invalid):
    title = "This table accepts bets on one spot per round"
    remedy = "Clear your chips to choose another spot."


class WagerSignatureInvalid(Invalid):
    title = "The signature is not of this wager"
    remedy = "Sign the terms in force with the stakes as you ask for them, and a nonce of your own."
    fact_types = {"terms": str}


class ContributionSignatureInvalid(Invalid):
    title = "The signature is not of this contribution"
    remedy = "Sign the contribution for the commitment of the shoe that is cut now, with the number of your seat."
    fact_types = {"commitment": str}


class RoundIsOpen(Refusal):
    title = "A round is already open"
    remedy = "Bet or pass in this round; the next one opens by itself."


class RoundIsNotDue(Refusal):
    title = "The round can't be dealt yet"
    remedy = "Wait until all seats have acted or the turn is over."


class WagerInPlay(Refusal):
    title = "Your wager in this round is in play"
    remedy = "Try again when this round is settled."
    fact_types = {"round": UUID, "deadline_at": datetime | None}


class RoundNotSuspended(Refusal):
    title = "The round is not suspended"
    remedy = "Only a suspended round can be resumed."


class RoundIsRunning(Refusal):
    title = "The round has not ended"
    remedy = "Try again when it is settled, voided or lapsed."


class UnknownRound(Missing):
    title = "There is no such round"
    remedy = "List the rounds and use the id of one of them."


class RoundNotVoidable(Refusal):
    title = "There is nothing to void in this round"
    remedy = "Only a round in play, suspended or settled can be voided: a lapsed round moved no money."


class RoundAlreadyVoided(Refusal):
    title = "The round is already void"
    remedy = "See the round: it has been undone completely."


class VoidNeedsSecondPerson(Forbidden):
    code = "void_requires_second_person"
    title = "The cards may be known: another person has to agree to the void"
    remedy = "Request it as a change, which another person confirms."


class UnknownVoidReason(Invalid):
    title = "Unknown reason for a void"
    remedy = "Choose one of the listed reasons."
    fact_types = {"reasons": list[str]}


class VoidNoteInvalid(Invalid):
    title = "The note must explain the void"
    remedy = "Write 1 to 500 characters."
