"""The scoreboard of a table and its line in the lobby. Columns and rows count from 1. Pure."""

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.board import BigRoadEntry, Board
from baccarat.domain.rules.roads.derived import Colour, DerivedRoad, DerivedRoadName
from baccarat.domain.rules.roads.marks import MAX_RUN_LENGTH, OutcomeTotals, RoundMark, parse_last, parse_run, tally
from baccarat.domain.tables.state import TableState
from baccarat.queries.round_view import RoundPhase
from casino.api.shapes import AmountText, CurrencyCode, Page, Shape, Timestamp
from casino.kernel.money import MoneyType, format_amount

RECENT_RESULTS: Final = 20
"""How many of the last results the lobby shows."""

CAPACITY: Final = "Where each round has a shoe of its own: after so many marks the board is wiped."


class BoardTotals(Shape):
    """How often each outcome came in the run."""

    banker: int
    player: int
    tie: int
    hands: int

    @classmethod
    def of(cls, totals: OutcomeTotals) -> "BoardTotals":
        """Present totals."""
        return cls(**totals._asdict())


class ResultMark(Shape):
    """A round on the board; a pair is a side's first two cards of one rank."""

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
    """A win. Logical place: streak and depth in it. Display place: column and row, in six rows."""

    winner: Literal["banker", "player"]
    number: Annotated[int, Meta(description="The round's.")]
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
    """A mark. Logical place: streak and depth in it. Display place: column and row, in six rows."""

    colour: Colour
    streak: int
    depth: int
    column: int
    row: int


class AskColours(Shape):
    """The next mark of each derived road; null: none."""

    big_eye_boy: Colour | None
    small_road: Colour | None
    cockroach_pig: Colour | None

    @classmethod
    def of(cls, board: Board, winner: Outcome) -> "AskColours":
        """Present the marks that a win of `winner` would bring."""
        return cls(**{name.value: colour for name, colour in board.ask(winner).items()})


class AskRoads(Shape):
    """What the derived roads would get if the next round went to Banker or to Player."""

    banker: AskColours
    player: AskColours


class Scoreboard(Shape):
    """The board of a table's run of rounds."""

    table: UUID
    shoe: Annotated[int | None, Meta(description="The shoe's number; null where each round has its own.")]
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
    preset: str
    currency: CurrencyCode
    chips: tuple[AmountText, ...]
    minimum: AmountText
    maximum: AmountText
    turn_seconds: int | None
    caller: bool
    seats: int
    free_seats: tuple[int, ...]
    you: LobbySeat | None
    phase: RoundPhase | None
    round_number: int | None
    deadline_at: Timestamp | None
    shoe: int | None
    board_capacity: Annotated[int | None, Meta(description=CAPACITY)]
    totals: BoardTotals
    results: Annotated[tuple[ResultMark, ...], Meta(description="The last 20 marks of the run, the newest last.")]


class LobbyPage(Page[LobbyTable]):
    """Tables to play at, in the order they were opened."""


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
        big_road=BigRoad(
            leading_ties=board.leading_ties, cells=tuple(BigRoadCell.of(entry) for entry in board.big_road)
        ),
        big_eye_boy=_derived(derived[DerivedRoadName.BIG_EYE_BOY]),
        small_road=_derived(derived[DerivedRoadName.SMALL_ROAD]),
        cockroach_pig=_derived(derived[DerivedRoadName.COCKROACH_PIG]),
        ask=AskRoads(banker=AskColours.of(board, Outcome.BANKER), player=AskColours.of(board, Outcome.PLAYER)),
    )


def present_lobby_table(
    table: TableState, *, viewer: UUID, phase: str | None, number: int | None, deadline_at: datetime | None
) -> LobbyTable:
    """Present a table's line in the lobby for `viewer`; the last three are of the round in hand."""
    opened, rules, seat = table.require_opened(), table.rules, table.seat_of(viewer)
    taken = {each.seat for each in table.seats}
    shoe, capacity = _run(table)
    return LobbyTable(
        id=opened.table,
        name=opened.name,
        money_types=tuple(opened.money_types),
        preset=rules.preset,
        currency=rules.currency,
        chips=tuple(format_amount(chip, rules.currency) for chip in rules.chips),
        minimum=format_amount(rules.minimum, rules.currency),
        maximum=format_amount(rules.maximum, rules.currency),
        turn_seconds=rules.turn_seconds,
        caller=rules.caller,
        seats=rules.seats,
        free_seats=tuple(number for number in range(1, rules.seats + 1) if number not in taken),
        you=None if seat is None else LobbySeat(seat=seat.seat, money_type=seat.money_type),
        phase=phase,
        round_number=number,
        deadline_at=deadline_at,
        shoe=shoe,
        board_capacity=capacity,
        totals=BoardTotals.of(tally(table.marks)),
        results=tuple(ResultMark.of(mark) for mark in parse_last(table.marks, RECENT_RESULTS)),
    )


def _run(table: TableState) -> tuple[int | None, int | None]:
    """Which run the marks are: the number of a long shoe, or the capacity of a board without one."""
    return (table.shoes or None, None) if table.has_long_shoe() else (None, MAX_RUN_LENGTH)


def _derived(road: DerivedRoad) -> tuple[DerivedRoadCell, ...]:
    return tuple(DerivedRoadCell(colour=entry.colour, **entry.cell._asdict()) for entry in road.entries)
