"""Refusals of decisions on a table, and of drafting, publishing and retiring rules. Each has its own code."""

from datetime import datetime
from uuid import UUID

from casino.kernel.errors import Amount, Forbidden, Invalid, Missing, Refusal
from casino.kernel.money import MoneyType


class UnknownTable(Missing):
    title = "There is no such table"
    remedy = "List the tables and use the id of one of them."


class WitnessNotInUse(Missing):
    title = "The table uses no chain of this witness"
    remedy = "Name a witness of the table by the release key of its chain."


class UnknownSeat(Missing):
    title = "The table has no such seat"
    remedy = "Choose a seat number that the table has."
    fact_types = {"seats": int}


class NicknameConfusable(Refusal):
    title = "Somebody at your table shows a nickname that looks the same"
    remedy = "Show it once one of you has left the table, or have another nickname registered."


class UnknownShoe(Missing):
    title = "The table has had no such shoe"
    remedy = "Send the number of a shoe that the table has begun, or leave it out for the one in play."


class SeatIsTaken(Refusal):
    title = "Another player has this seat"
    remedy = "Choose a free seat."
    fact_types = {"seat": int}


class AlreadySeated(Refusal):
    title = "You have a seat at this table"
    remedy = "Change seat instead, or leave first."


class GameInterrupted(Refusal):
    title = "Your round at another table was interrupted and is waiting for the house"
    remedy = "Your wager is held. Take a seat once that round is settled or void; `table` is its table."
    fact_types = {"table": UUID}


class NotSeated(Refusal):
    title = "You have no seat at this table"
    remedy = "Take a seat first."


class BettingNotOpen(Refusal):
    """`betting_opens_at` is when the show of the last deal ends, or the least time of a round."""

    title = "The next round has not opened yet"
    remedy = "Wait until `betting_opens_at`."
    fact_types = {"betting_opens_at": datetime}


class HurryNotAllowed(Refusal):
    """`betting_opens_at` is when the show of the last deal ends."""

    title = "Every hand is shown in full at this table"
    remedy = "Wait until `betting_opens_at`."
    fact_types = {"betting_opens_at": datetime}


class NoShow(Refusal):
    title = "No hand is being shown"
    remedy = "There is nothing to skip: bet, or wait for the next round."


class SeatIsHeld(Refusal):
    code = "seat_is_kept"
    title = "The seat is kept for its player"
    remedy = "Wait until the player has been away for longer."


class MoneyTypeNotOffered(Invalid):
    title = "The table does not accept this type of money"
    remedy = "Sit down with one of the table's `money_types`."
    fact_types = {"money_types": list[MoneyType] | None}


class BuyInUnderMinimum(Invalid):
    title = "The buy-in is under the table's minimum stake"
    remedy = "Bring at least `minimum` to the table."
    fact_types = {"minimum": Amount, "currency": str}


class PlayMoneyNotOffered(Invalid):
    title = "These rules offer no play money"
    remedy = "Open the table for real money only, or with rules that offer play money."


class OddsTooHigh(Invalid):
    title = "A spot pays more than this installation allows for real money"
    remedy = "Lower the odds of these spots to `highest_odds`, or offer the table for play money only."
    fact_types = {"spots": list[str], "highest_odds": dict[str, str]}


class WinTooLarge(Invalid):
    title = "One wager can win more than this installation allows for real money"
    remedy = "Lower the maximum of the spots that pay most to one by which a wager wins `highest_win` at most."
    fact_types = {"largest_win": Amount, "highest_win": Amount, "currency": str}


class PlayerEdgeNotAccepted(Invalid):
    title = "These rules give the player an edge"
    remedy = "For real money, send accept_player_edge: true; the odds page shows the edge."
    fact_types = {"spots": list[str], "required_acknowledgement": str}


class ShoeIsRunning(Refusal):
    title = "The table's shoe is not finished"
    remedy = "Play the shoe to its end."


class NoShoe(Refusal):
    title = "The table has no shoe in play"
    remedy = "A shoe starts with the next round."


class NoShoeCommitted(Refusal):
    title = "The table has not committed to its next shoe"
    remedy = "Play on: the table commits to its next shoe with the next round."


class ShoeIsCommitted(Refusal):
    title = "The table has committed to its next shoe"
    remedy = "Play that shoe first."


class NextShoeUnreadable(Refusal):
    title = "The table can't open a round now"
    remedy = "Choose another table: staff must attend to this one first."


class TableIsClosed(Refusal):
    title = "This table is permanently closed"
    remedy = "Choose another table."


class TableIsClosing(Refusal):
    title = "This table is about to close permanently"
    remedy = "Confirmed wagers are dealt and settled, then your chips return to your account. Choose another table."


class TableIsOccupied(Refusal):
    title = "A player is seated at this table, or a round is running"
    remedy = "Wait until all have left and the round has ended."


class CloseReasonInvalid(Invalid):
    title = "The reason for closing the table is missing or too long"
    remedy = "Send 1 to 500 characters on one line."


class SeedUnreadable(Refusal):
    title = "A seed of this table can't be revealed now"
    remedy = "Put the key that encrypted it back on the key ring, then close the table."


class TableNotOffered(Forbidden):
    title = "The table is not for players of this brand"
    remedy = "Name one of the table's brands as the player's, or choose another table."


class WrongCurrency(Invalid):
    title = "The table plays in another currency"
    remedy = "Send amounts in the table's currency."
    fact_types = {"currency": str | None}


class ReturnUnderFloor(Invalid):
    title = "A spot returns less than the operator's floor"
    remedy = (
        "For real money, send `required_acknowledgement` as the acknowledgement, word for word, or raise the return."
    )
    fact_types = {"spots": list[str], "required_acknowledgement": str}


class AcknowledgementDiffers(Invalid):
    title = "The acknowledgement differs from the required sentence"
    remedy = "Send `required_acknowledgement`, word for word."
    fact_types = {"required_acknowledgement": str}


class AcknowledgementNotNeeded(Invalid):
    title = "There is nothing to acknowledge in these rules"
    remedy = "Leave the acknowledgement out."


class RulesUnchanged(Refusal):
    title = "The table already plays by these rules, or is about to"
    remedy = "Change a field."


class ShuffleIsFixed(Invalid):
    title = "A table cannot change when it shuffles"
    remedy = "Open another table for rules with a shoe, or without one."


class CommittedShoeConflict(Refusal):
    code = "next_shoe_committed_to_other_rules"
    title = "The table's next shoe is committed to the shape of other published rules"
    remedy = "Keep decks, burn, cut card and fixed order of those rules, or publish once they are in force."


class RetiredRulesCannotWait(Refusal):
    title = "These rules must wait for a shoe to end, but the rules in force are retired"
    remedy = "Keep decks, burn, cut card, fixed order and commission, or close the table and open another."


class SeatsAreTaken(Refusal):
    title = "Players are in seats that these rules do not have"
    remedy = "Wait until those seats are free, or keep them."
    fact_types = {"seats": list[int]}


class DraftPending(Refusal):
    title = "A draft of this table is waiting for another person"
    remedy = "Publish or reject it first."
    fact_types = {"version": int}


class UnknownVersion(Missing):
    title = "The table's rules have no such version"
    remedy = "List the table's versions."


class UnknownDraft(Missing):
    title = "This table has no draft of this version"
    remedy = "List the table's versions: it may already be published or rejected."


class VersionNotInForce(Refusal):
    title = "The table does not play by this version"
    remedy = "Retire the version in `in_force` if you mean that one."
    fact_types = {"in_force": int}


class VersionReasonMissing(Invalid):
    title = "The reason for rejecting or retiring rules is missing or too long"
    remedy = "Give a reason of at most 500 characters."


class RulesAreRetired(Forbidden):
    code = "rules_retired"
    title = "The rules of this table are retired"
    remedy = "You can still leave. Play continues when the table has new rules."
