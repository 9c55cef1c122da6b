"""Refusals of the table decider."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownTable(Refusal):
    code = "unknown_table"
    kind = RefusalKind.MISSING
    title = "There is no such table"
    remedy = "List the tables and use the id of one of them."


class UnknownSeat(Refusal):
    code = "unknown_seat"
    kind = RefusalKind.MISSING
    title = "The table has no such seat"
    remedy = "Choose a seat number that the table has."


class UnknownShoe(Refusal):
    code = "unknown_shoe"
    kind = RefusalKind.MISSING
    title = "The table has had no such shoe"
    remedy = "Send the number of a shoe that the table has begun, or leave it out for the one in play."


class SeatIsTaken(Refusal):
    code = "seat_is_taken"
    title = "Another player has this seat"
    remedy = "Choose a free seat."


class AlreadySeated(Refusal):
    code = "already_seated"
    title = "You have a seat at this table"
    remedy = "Change seat instead, or leave first."


class GameInterrupted(Refusal):
    code = "game_interrupted"
    title = "A round of yours was interrupted at another table, and waits for the house"
    remedy = "Its wager is held. Take a seat once that round is settled or void; `table` is where it waits."


class NotSeated(Refusal):
    code = "not_seated"
    title = "You have no seat at this table"
    remedy = "Take a seat first."


class SeatIsHeld(Refusal):
    code = "seat_is_kept"
    title = "The seat is kept for its player"
    remedy = "Wait until the player has been away for longer."


class MoneyTypeNotOffered(Refusal):
    code = "money_type_not_offered"
    kind = RefusalKind.INVALID
    title = "The table does not take this kind of money"
    remedy = "Sit down with one of the table's `money_types`."


class PlayMoneyNotOffered(Refusal):
    code = "play_money_not_offered"
    kind = RefusalKind.INVALID
    title = "These rules offer no play money"
    remedy = "Open the table for real money only, or with rules that offer play money."


class PlayerEdgeNotAccepted(Refusal):
    code = "player_edge_not_accepted"
    kind = RefusalKind.INVALID
    title = "These rules give the player an edge"
    remedy = "For real money, say accept_player_edge: true; the odds page shows the edge."


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
    remedy = "Choose another table: this one has to be looked after by its house first."


class TableIsClosed(Refusal):
    code = "table_is_closed"
    title = "This table is closed for good"
    remedy = "Choose another table."


class TableIsClosing(Refusal):
    code = "table_is_closing"
    title = "This table is about to close for good"
    remedy = "What is confirmed is dealt and settled, then your chips go back to your account. Choose another table."


class TableIsOccupied(Refusal):
    code = "table_is_occupied"
    title = "Somebody sits at this table, or a round runs"
    remedy = "Wait until all have left and the round has ended."


class CloseReasonInvalid(Refusal):
    code = "close_reason_invalid"
    kind = RefusalKind.INVALID
    title = "Say in your own words why the table is closed"
    remedy = "Send 1 to 500 characters on one line."


class SeedUnreadable(Refusal):
    code = "seed_unreadable"
    title = "A seed of this table can't be revealed now"
    remedy = "Have the key that sealed it put back on the ring, and close the table then."


class WrongCurrency(Refusal):
    code = "wrong_currency"
    kind = RefusalKind.INVALID
    title = "The table plays in another currency"
    remedy = "Send amounts in the table's currency."
