"""The scoreboard of a table and its line in the lobby. Columns and rows count from 1. Pure."""

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads import (
    MAX_RUN_LENGTH,
    BigRoadEntry,
    Board,
    Colour,
    DerivedRoad,
    DerivedRoadEntry,
    DerivedRoadName,
    OutcomeTotals,
    RoundMark,
    parse_last,
    parse_run,
    tally,
)
from baccarat.domain.rules.spots import WrittenSpot
from baccarat.domain.rules.table_rules import SpotsPerRound, UnderMinimumPolicy
from baccarat.domain.tables.state import TableState
from baccarat.queries.round_view import BETTING_OPENS_AT, RoundPhase
from baccarat.queries.rules_view import PresetName, present_spots
from baccarat.queries.table_view import FUNDING
from casino.api.shapes import AmountText, CurrencyCode, Page, Shape, Timestamp
from casino.kernel.money import MoneyType, format_amount
from wallet.funding.events import Funding

RECENT_RESULTS: Final = 20
"""How many of the last results the lobby shows."""

LOBBY_COLUMNS: Final = 24
"""How many columns of the big road the lobby shows."""

CAPACITY: Final = "If each round has its own shoe: the board is cleared after this many marks."


class BoardTotals(Shape):
    """Number of rounds of the run by outcome."""

    banker: int
    player: int
    tie: int
    hands: int

    @classmethod
    def of(cls, totals: OutcomeTotals) -> "BoardTotals":
        """Present totals."""
        return cls(**totals._asdict())


class ResultMark(Shape):
    """A round on the board. A pair is two first cards of one rank."""

    number: int
    outcome: Outcome
    player_pair: bool
    banker_pair: bool
    natural: bool

    @classmethod
    def of(cls, mark: RoundMark) -> "ResultMark":
        """Present one round's mark."""
        return cls(**mark._asdict())


class Bead(ResultMark):
    """A round on the bead plate."""

    column: int
    row: int


class BigRoadCell(Shape):
    """A win. Its logical position is streak and depth, its display position column and row, in six rows."""

    winner: Literal["banker", "player"]
    number: Annotated[int, Meta(description="The round's number.")]
    ties: Annotated[int, Meta(description="Ties after this win and before the next.")]
    streak: int
    depth: int
    column: int
    row: int

    @classmethod
    def of(cls, entry: BigRoadEntry) -> "BigRoadCell":
        """Present one entry of the big road."""
        winner: Literal["banker", "player"] = "banker" if entry.winner is Outcome.BANKER else "player"
        return cls(winner=winner, number=entry.number, ties=entry.ties, **entry.cell._asdict())


class BigRoad(Shape):
    """The big road."""

    leading_ties: Annotated[int, Meta(description="Ties before the first win; drawn on the first cell.")]
    cells: tuple[BigRoadCell, ...]


class DerivedRoadCell(Shape):
    """A mark. Its logical position is streak and depth, its display position column and row, in six rows."""

    colour: Colour
    streak: int
    depth: int
    column: int
    row: int

    @classmethod
    def of(cls, entry: DerivedRoadEntry) -> "DerivedRoadCell":
        """Present one entry of a derived road."""
        return cls(colour=entry.colour, **entry.cell._asdict())


class AskMarks(Shape):
    """The next mark of each road, null if a derived road gets none."""

    big_road: BigRoadCell
    big_eye_boy: DerivedRoadCell | None
    small_road: DerivedRoadCell | None
    cockroach_pig: DerivedRoadCell | None

    @classmethod
    def of(cls, board: Board, winner: Outcome) -> "AskMarks":
        """Present the marks that a win of `winner` would add."""
        prediction = board.predict(winner)
        derived = {
            name.value: None if entry is None else DerivedRoadCell.of(entry)
            for name, entry in prediction.derived.items()
        }
        return cls(big_road=BigRoadCell.of(prediction.big_road), **derived)


class AskRoads(Shape):
    """The marks that a win of Banker or of Player would add to the roads."""

    banker: AskMarks
    player: AskMarks


class Scoreboard(Shape):
    """The scoreboard of a table's run of rounds."""

    table: UUID
    shoe: Annotated[int | None, Meta(description="The shoe's number, null if each round has its own shoe.")]
    board_capacity: Annotated[int | None, Meta(description=CAPACITY)]
    totals: BoardTotals
    columns: Annotated[tuple[str, ...], Meta(description="B, P and - for a tie.", examples=[["BB-", "P"]])]
    bead_plate: tuple[Bead, ...]
    big_road: BigRoad
    big_eye_boy: tuple[DerivedRoadCell, ...]
    small_road: tuple[DerivedRoadCell, ...]
    cockroach_pig: tuple[DerivedRoadCell, ...]
    ask: AskRoads


class LobbySeat(Shape):
    """The caller's own seat."""

    seat: int
    money_type: MoneyType


class LobbyTable(Shape):
    """A table in the lobby."""

    id: UUID
    name: str
    money_types: tuple[MoneyType, ...]
    funding: Annotated[Funding, Meta(description=FUNDING)]
    preset: PresetName
    currency: CurrencyCode
    chips: tuple[AmountText, ...]
    minimum: AmountText
    maximum: AmountText
    turn_seconds: int | None
    caller: Annotated[bool, Meta(description="Whether a player looks at the Player's cards first (squeeze).")]
    spots_per_round: SpotsPerRound
    spots: tuple[WrittenSpot, ...]
    under_minimum: UnderMinimumPolicy
    seats: int
    players: Annotated[int, Meta(description="How many seats are taken.")]
    free_seats: tuple[int, ...]
    you: LobbySeat | None
    last_visited_at: Annotated[
        Timestamp | None, Meta(description="When you last sat down, changed seats or left here; null if never.")
    ]
    phase: RoundPhase | None
    round_number: int | None
    betting_opens_at: Annotated[Timestamp | None, Meta(description=BETTING_OPENS_AT)]
    deadline_at: Timestamp | None
    shoe: int | None
    board_capacity: Annotated[int | None, Meta(description=CAPACITY)]
    totals: BoardTotals
    results: Annotated[tuple[ResultMark, ...], Meta(description="The last 20 marks of the run, the newest last.")]
    big_road: Annotated[BigRoad, Meta(description="The last 24 columns of the big road.")]


class LobbyPage(Page[LobbyTable]):
    """Open tables, in the order they were opened."""


def present_board(table: TableState) -> Scoreboard:
    """Present the statistics of a table's run: totals, columns, bead plate, roads and "ask"."""
    board = Board(parse_run(table.marks))
    shoe, capacity = _run(table)
    derived = board.derived
    return Scoreboard(
        table=table.require_opened().table,
        shoe=shoe,
        board_capacity=capacity,
        totals=BoardTotals.of(board.totals()),
        columns=tuple(board.columns),
        bead_plate=tuple(
            Bead(**mark._asdict(), column=column, row=row)
            for mark, (column, row) in zip(board.marks, board.bead_plate(), strict=True)
        ),
        big_road=_big_road(board),
        big_eye_boy=_derived(derived[DerivedRoadName.BIG_EYE_BOY]),
        small_road=_derived(derived[DerivedRoadName.SMALL_ROAD]),
        cockroach_pig=_derived(derived[DerivedRoadName.COCKROACH_PIG]),
        ask=AskRoads(banker=AskMarks.of(board, Outcome.BANKER), player=AskMarks.of(board, Outcome.PLAYER)),
    )


def present_lobby_table(
    table: TableState,
    *,
    viewer: UUID,
    phase: str | None,
    number: int | None,
    opened_at: datetime | None,
    deadline_at: datetime | None,
    last_visited_at: datetime | None,
    funding: Funding,
) -> LobbyTable:
    """Present a table's line in the lobby for `viewer`. Phase, number, opening and deadline are the current round's."""
    opened, rules, seat = table.require_opened(), table.rules, table.seat_of(viewer)
    taken = {each.seat for each in table.seats}
    shoe, capacity = _run(table)
    return LobbyTable(
        id=opened.table,
        name=opened.name,
        money_types=tuple(opened.money_types),
        funding=funding,
        preset=rules.preset,
        currency=rules.currency,
        chips=tuple(format_amount(chip, rules.currency) for chip in rules.chips),
        minimum=format_amount(rules.minimum, rules.currency),
        maximum=format_amount(rules.maximum, rules.currency),
        turn_seconds=rules.turn_seconds,
        caller=rules.caller,
        spots_per_round=rules.spots_per_round,
        spots=present_spots(rules),
        under_minimum=rules.under_minimum,
        seats=rules.seats,
        players=len(taken),
        free_seats=tuple(number for number in range(1, rules.seats + 1) if number not in taken),
        you=None if seat is None else LobbySeat(seat=seat.seat, money_type=seat.money_type),
        last_visited_at=last_visited_at,
        phase=phase,
        round_number=number,
        betting_opens_at=table.betting_opens_at if opened_at is None else opened_at,
        deadline_at=deadline_at,
        shoe=shoe,
        board_capacity=capacity,
        totals=BoardTotals.of(tally(table.marks)),
        results=tuple(ResultMark.of(mark) for mark in parse_last(table.marks, RECENT_RESULTS)),
        big_road=_big_road(Board(parse_run(table.marks)), columns=LOBBY_COLUMNS),
    )


def _run(table: TableState) -> tuple[int | None, int | None]:
    """Return the number of the long shoe, or the capacity of a board without one; the other is None."""
    return (table.shoes or None, None) if table.has_long_shoe() else (None, MAX_RUN_LENGTH)


def _big_road(board: Board, *, columns: int | None = None) -> BigRoad:
    """Present the big road, or its last `columns` columns."""
    last = max((entry.cell.column for entry in board.big_road), default=0)
    first = 1 if columns is None else last - columns + 1
    cells = tuple(BigRoadCell.of(entry) for entry in board.big_road if entry.cell.column >= first)
    return BigRoad(leading_ties=board.leading_ties, cells=cells)


def _derived(road: DerivedRoad) -> tuple[DerivedRoadCell, ...]:
    return tuple(DerivedRoadCell.of(entry) for entry in road.entries)
