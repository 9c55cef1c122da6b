"""Refusals of decisions on a table, and of drafting, publishing and retiring rules. Each has its own code."""

from datetime import datetime
from uuid import UUID

from casino.kernel.errors import Amount, Refusal, RefusalKind
from casino.kernel.money import MoneyType


class UnknownTable(Refusal):
    code = "unknown_table"
    kind = RefusalKind.MISSING
    title = "There is no such table"
    remedy = "List the tables and use the id of one of them."


class WitnessNotInUse(Refusal):
    code = "witness_not_in_use"
    kind = RefusalKind.MISSING
    title = "The table uses no chain of this witness"
    remedy = "Name a witness of the table by the release key of its chain."


class UnknownSeat(Refusal):
    code = "unknown_seat"
    kind = RefusalKind.MISSING
    title = "The table has no such seat"
    remedy = "Choose a seat number that the table has."
    fact_types = {"seats": int}


class NicknameConfusable(Refusal):
    code = "nickname_confusable"
    title = "Somebody at your table shows a nickname that looks the same"
    remedy = "Show it once one of you has left the table, or have another nickname registered."


class UnknownShoe(Refusal):
    code = "unknown_shoe"
    kind = RefusalKind.MISSING
    title = "The table has had no such shoe"
    remedy = "Send the number of a shoe that the table has begun, or leave it out for the one in play."


class SeatIsTaken(Refusal):
    code = "seat_is_taken"
    title = "Another player has this seat"
    remedy = "Choose a free seat."
    fact_types = {"seat": int}


class AlreadySeated(Refusal):
    code = "already_seated"
    title = "You have a seat at this table"
    remedy = "Change seat instead, or leave first."


class GameInterrupted(Refusal):
    code = "game_interrupted"
    title = "Your round at another table was interrupted and is waiting for the house"
    remedy = "Your wager is held. Take a seat once that round is settled or void; `table` is its table."
    fact_types = {"table": UUID}


class NotSeated(Refusal):
    code = "not_seated"
    title = "You have no seat at this table"
    remedy = "Take a seat first."


class BettingNotOpen(Refusal):
    """`betting_opens_at` is when the show of the last deal ends, or the least time of a round."""

    code = "betting_not_open"
    title = "The next round has not opened yet"
    remedy = "Wait until `betting_opens_at`."
    fact_types = {"betting_opens_at": datetime}


class HurryNotAllowed(Refusal):
    """`betting_opens_at` is when the show of the last deal ends."""

    code = "hurry_not_allowed"
    title = "Every hand is shown in full at this table"
    remedy = "Wait until `betting_opens_at`."
    fact_types = {"betting_opens_at": datetime}


class NoShow(Refusal):
    code = "no_show"
    title = "No hand is being shown"
    remedy = "There is nothing to skip: bet, or wait for the next round."


class SeatIsHeld(Refusal):
    code = "seat_is_kept"
    title = "The seat is kept for its player"
    remedy = "Wait until the player has been away for longer."


class MoneyTypeNotOffered(Refusal):
    code = "money_type_not_offered"
    kind = RefusalKind.INVALID
    title = "The table does not accept this type of money"
    remedy = "Sit down with one of the table's `money_types`."
    fact_types = {"money_types": list[MoneyType] | None}


class BuyInUnderMinimum(Refusal):
    code = "buy_in_under_minimum"
    kind = RefusalKind.INVALID
    title = "The buy-in is under the table's minimum stake"
    remedy = "Bring at least `minimum` to the table."
    fact_types = {"minimum": Amount, "currency": str}


class PlayMoneyNotOffered(Refusal):
    code = "play_money_not_offered"
    kind = RefusalKind.INVALID
    title = "These rules offer no play money"
    remedy = "Open the table for real money only, or with rules that offer play money."


class OddsTooHigh(Refusal):
    code = "odds_too_high"
    kind = RefusalKind.INVALID
    title = "A spot pays more than this installation allows for real money"
    remedy = "Lower the odds of these spots to `highest_odds`, or offer the table for play money only."
    fact_types = {"spots": list[str], "highest_odds": dict[str, str]}


class WinTooLarge(Refusal):
    code = "win_too_large"
    kind = RefusalKind.INVALID
    title = "One wager can win more than this installation allows for real money"
    remedy = "Lower the maximum of the spots that pay most to one by which a wager wins `highest_win` at most."
    fact_types = {"largest_win": Amount, "highest_win": Amount, "currency": str}


class PlayerEdgeNotAccepted(Refusal):
    code = "player_edge_not_accepted"
    kind = RefusalKind.INVALID
    title = "These rules give the player an edge"
    remedy = "For real money, send accept_player_edge: true; the odds page shows the edge."
    fact_types = {"spots": list[str], "required_acknowledgement": str}


class ShoeIsRunning(Refusal):
    code = "shoe_is_running"
    title = "The table's shoe is not finished"
    remedy = "Play the shoe to its end."


class NoShoe(Refusal):
    code = "no_shoe"
    title = "The table has no shoe in play"
    remedy = "A shoe starts with the next round."


class NoShoeCommitted(Refusal):
    code = "no_shoe_committed"
    title = "The table has not committed to its next shoe"
    remedy = "Play on: the table commits to its next shoe with the next round."


class ShoeIsCommitted(Refusal):
    code = "shoe_is_committed"
    title = "The table has committed to its next shoe"
    remedy = "Play that shoe first."


class NextShoeUnreadable(Refusal):
    code = "next_shoe_unreadable"
    title = "The table can't open a round now"
    remedy = "Choose another table: staff must attend to this one first."


class TableIsClosed(Refusal):
    code = "table_is_closed"
    title = "This table is permanently closed"
    remedy = "Choose another table."


class TableIsClosing(Refusal):
    code = "table_is_closing"
    title = "This table is about to close permanently"
    remedy = "Confirmed wagers are dealt and settled, then your chips return to your account. Choose another table."


class TableIsOccupied(Refusal):
    code = "table_is_occupied"
    title = "A player is seated at this table, or a round is running"
    remedy = "Wait until all have left and the round has ended."


class CloseReasonInvalid(Refusal):
    code = "close_reason_invalid"
    kind = RefusalKind.INVALID
    title = "The reason for closing the table is missing or too long"
    remedy = "Send 1 to 500 characters on one line."


class SeedUnreadable(Refusal):
    code = "seed_unreadable"
    title = "A seed of this table can't be revealed now"
    remedy = "Put the key that encrypted it back on the key ring, then close the table."


class TableNotOffered(Refusal):
    code = "table_not_offered"
    kind = RefusalKind.FORBIDDEN
    title = "The table is not for players of this brand"
    remedy = "Name one of the table's brands as the player's, or choose another table."


class WrongCurrency(Refusal):
    code = "wrong_currency"
    kind = RefusalKind.INVALID
    title = "The table plays in another currency"
    remedy = "Send amounts in the table's currency."
    fact_types = {"currency": str | None}


class ReturnUnderFloor(Refusal):
    code = "return_under_floor"
    kind = RefusalKind.INVALID
    title = "A spot returns less than the operator's floor"
    remedy = (
        "For real money, send `required_acknowledgement` as the acknowledgement, word for word, or raise the return."
    )
    fact_types = {"spots": list[str], "required_acknowledgement": str}


class AcknowledgementDiffers(Refusal):
    code = "acknowledgement_differs"
    kind = RefusalKind.INVALID
    title = "The acknowledgement differs from the required sentence"
    remedy = "Send `required_acknowledgement`, word for word."
    fact_types = {"required_acknowledgement": str}


class AcknowledgementNotNeeded(Refusal):
    code = "acknowledgement_not_needed"
    kind = RefusalKind.INVALID
    title = "There is nothing to acknowledge in these rules"
    remedy = "Leave the acknowledgement out."


class RulesUnchanged(Refusal):
    code = "rules_unchanged"
    title = "The table already plays by these rules, or is about to"
    remedy = "Change a field."


class ShuffleIsFixed(Refusal):
    code = "shuffle_is_fixed"
    kind = RefusalKind.INVALID
    title = "A table cannot change when it shuffles"
    remedy = "Open another table for rules with a shoe, or without one."


class CommittedShoeConflict(Refusal):
    code = "next_shoe_committed_to_other_rules"
    title = "The table's next shoe is committed to the shape of other published rules"
    remedy = "Keep decks, burn, cut card and fixed order of those rules, or publish once they are in force."


class RetiredRulesCannotWait(Refusal):
    code = "retired_rules_cannot_wait"
    title = "These rules must wait for a shoe to end, but the rules in force are retired"
    remedy = "Keep decks, burn, cut card, fixed order and commission, or close the table and open another."


class SeatsAreTaken(Refusal):
    code = "seats_are_taken"
    title = "Players are in seats that these rules do not have"
    remedy = "Wait until those seats are free, or keep them."
    fact_types = {"seats": list[int]}


class DraftPending(Refusal):
    code = "draft_pending"
    title = "A draft of this table is waiting for another person"
    remedy = "Publish or reject it first."
    fact_types = {"version": int}


class UnknownVersion(Refusal):
    code = "unknown_version"
    kind = RefusalKind.MISSING
    title = "The table's rules have no such version"
    remedy = "List the table's versions."


class UnknownDraft(Refusal):
    code = "unknown_draft"
    kind = RefusalKind.MISSING
    title = "This table has no draft of this version"
    remedy = "List the table's versions: it may already be published or rejected."


class VersionNotInForce(Refusal):
    code = "version_not_in_force"
    title = "The table does not play by this version"
    remedy = "Retire the version in `in_force` if you mean that one."
    fact_types = {"in_force": int}


class VersionReasonMissing(Refusal):
    code = "version_reason_missing"
    kind = RefusalKind.INVALID
    title = "The reason for rejecting or retiring rules is missing or too long"
    remedy = "Give a reason of at most 500 characters."


class RulesAreRetired(Refusal):
    code = "rules_retired"
    kind = RefusalKind.FORBIDDEN
    title = "The rules of this table are retired"
    remedy = "You can still leave. Play continues when the table has new rules."
