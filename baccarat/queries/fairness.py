"""The shoes of a table: commitments with their decks, who cut, and what is revealed.

The same for everyone who may see the table.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.cut import as_contributions
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.shoe_events import ShoeCommitted, TableClosed
from baccarat.domain.tables.state import TableState
from baccarat.queries.shoes import long_shoe_events, revealed_seeds
from baccarat.storage import projections
from baccarat.storage.event_registry import CATALOGUE
from casino.api.shapes import HexText, Shape, Timestamp
from casino.events.sql import fetch

MAX_REVEALED_SHOES: Final = 20
"""Revealed shoes that are listed, the newest first."""

_TABLE: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_IN_HAND: Final = "SELECT state::text FROM baccarat_round WHERE id = %s"
_ENDED: Final = """
SELECT state::text FROM baccarat_round WHERE table_id = %s AND ended_at IS NOT NULL ORDER BY number DESC LIMIT %s
"""
_SHOES: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND type IN ('ShoeCommitted', 'ShoeStarted', 'ShoeEnded', 'TableClosed')
ORDER BY version DESC LIMIT %s
"""
_CLOSED: Final = "SELECT type, schema, data::text FROM events_event WHERE stream = %s AND type = 'TableClosed'"
_DECKS: Final = """
SELECT first_round, (rules->>'decks')::int FROM baccarat_rulesversion
WHERE table_id = %s AND first_round IS NOT NULL ORDER BY first_round DESC
"""


class ShoeResponse(Shape, kw_only=True):
    """A shoe: committed to, then cut, then dealt. What does not concern it, or is not known yet, is null."""

    id: UUID
    number: Annotated[int, Meta(description="The long shoe's at its table, or that of the round it is for.")]
    round: Annotated[UUID | None, Meta(description="The round whose own shoe it is.")]
    commitment: Annotated[HexText, Meta(description="SHA-256 over a tag and the seed.")]
    contributions: tuple[Contribution, ...]
    cut: Annotated[HexText | None, Meta(description='Once it is fixed; "" if nobody contributed.')]
    root: Annotated[HexText | None, Meta(description="Of a long shoe: the Merkle root of its cards.")]
    cards_used: int | None
    decks: Annotated[int | None, Meta(description="What it is made of, bound with the commitment.")]
    accepts_contributions: bool


class RevealedShoe(ShoeResponse, kw_only=True):
    """A shoe whose seed is revealed: with seed and cut anyone can recompute its order."""

    seed: HexText
    ended_at: Timestamp


class TableFairness(Shape):
    """The shoes of a table."""

    table: UUID
    decks: int
    shuffle: Shuffle
    rounds: Annotated[int, Meta(description="Rounds begun at this table: their numbers have no gap.")]
    voids: Annotated[int, Meta(description="How many of them were voided.")]
    closed: Annotated[bool, Meta(description="Whether the table is closed for good.")]
    shoe: Annotated[
        ShoeResponse | None, Meta(description="The one in play: the long one, or that of the round in hand.")
    ]
    next_shoe: Annotated[
        ShoeResponse | None,
        Meta(description="The one committed to ahead: the long shoe that players cut now, or the next round's."),
    ]
    revealed_shoes: Annotated[tuple[RevealedShoe, ...], Meta(description="The latest, the newest first.")]


def table_fairness(*, table: UUID, operator: UUID) -> TableFairness:
    """Return the shoe in play, the next one, who has cut them, and the latest that are revealed.

    Raises UnknownTable.
    """
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    state = projections.decode_table(rows[0][0])
    in_hand = NO_ROUND
    for (row,) in fetch(_IN_HAND, [state.round]) if state.round is not None else []:
        in_hand = projections.decode_round(row)
    return TableFairness(
        table=table,
        decks=state.rules.decks,
        shuffle=state.rules.shuffle,
        rounds=state.rounds,
        voids=state.voids,
        closed=state.closed,
        shoe=_long_shoe_in_play(state) if state.has_long_shoe() else _own_shoe_in_play(state, in_hand),
        next_shoe=_next_shoe(state),
        revealed_shoes=tuple(_revealed_long(state) if state.has_long_shoe() else _revealed_own(state)),
    )


def _long_shoe_in_play(state: TableState) -> ShoeResponse | None:
    shoe = state.shoe
    if shoe is None:
        return None
    started, _ = long_shoe_events(state.require_opened().table, shoe.shoe)
    return ShoeResponse(
        id=shoe.shoe,
        number=shoe.number,
        round=None,
        commitment=shoe.commitment,
        contributions=started.contributions,
        cut=shoe.cut,
        root=shoe.root,
        cards_used=shoe.cards_used,
        decks=state.rules.decks,
        accepts_contributions=False,
    )


def _own_shoe_in_play(state: TableState, round_: RoundState) -> ShoeResponse | None:
    if round_.opened is None:
        return None
    opened = round_.opened
    return ShoeResponse(
        id=opened.shoe,
        number=opened.number,
        round=opened.round,
        commitment=opened.commitment or "",
        contributions=as_contributions(round_.contributions),
        cut=round_.cut,
        root=None,
        cards_used=None,
        decks=state.rules.decks,
        accepts_contributions=round_.phase is Phase.BETTING and round_.suspension_reason is None,
    )


def _next_shoe(state: TableState) -> ShoeResponse | None:
    shoe, shape = state.next_shoe, state.committed_shape()
    if shoe is None:
        return None
    return ShoeResponse(
        id=shoe.shoe,
        number=shoe.number,
        round=None,
        commitment=shoe.commitment,
        contributions=as_contributions(shoe.contributions),
        cut=None,
        root=None,
        cards_used=None,
        decks=None if shape is None else shape.decks,
        accepts_contributions=state.has_long_shoe(),  # that of a round does while its round is open
    )


def _revealed_own(state: TableState) -> list[RevealedShoe]:
    table = state.require_opened().table
    rounds = [projections.decode_round(row) for (row,) in fetch(_ENDED, [table, MAX_REVEALED_SHOES])]
    decks = _Decks(table)
    return _unused(state, rounds[0] if rounds else NO_ROUND) + [
        _revealed_of_round(round_, round_.seed, round_.ended_at, decks)
        for round_ in rounds
        if round_.seed is not None and round_.ended_at is not None
    ]


def _revealed_of_round(round_: RoundState, seed: str, ended_at: datetime, decks: "_Decks") -> RevealedShoe:
    opened = round_.require_opened()
    return RevealedShoe(
        id=opened.shoe,
        number=opened.number,
        round=opened.round,
        commitment=opened.commitment or "",
        contributions=as_contributions(round_.contributions),
        cut=round_.cut,
        root=None,
        cards_used=None,
        decks=decks.of(opened.number),
        accepts_contributions=False,
        seed=seed,
        ended_at=ended_at,
    )


def _unused(state: TableState, last: RoundState) -> list[RevealedShoe]:
    """Return the shoe that a closed table had committed to for a round that never opened."""
    shoe = state.require_opened().next_shoe if last.opened is None else last.opened.next_shoe
    if shoe is None or not state.closed:
        return []
    events = fetch(_CLOSED, [f"table-{state.require_opened().table}"])
    closed: list[TableClosed] = [CATALOGUE.decode(*row) for row in events]
    return [
        RevealedShoe(
            id=shoe.shoe,
            number=state.rounds + 1,
            round=None,
            commitment=shoe.commitment,
            contributions=(),
            cut=None,
            root=None,
            cards_used=None,
            decks=shoe.shape.decks,
            accepts_contributions=False,
            seed=each.seed,
            ended_at=event.closed_at,
        )
        for event in closed
        for each in event.seeds
        if each.shoe == shoe.shoe and each.seed is not None
    ]


class _Decks:
    """Number of decks of a table, by the round from which it applies."""

    def __init__(self, table: UUID) -> None:
        self._since = fetch(_DECKS, [table])

    def of(self, number: int) -> int:
        """Return the number of decks of a round; 0 is the table's first."""
        return int(next((decks for first, decks in self._since if first <= number), self._since[-1][1]))


def _revealed_long(state: TableState) -> list[RevealedShoe]:
    table = state.require_opened().table
    events = [CATALOGUE.decode(*row) for row in fetch(_SHOES, [f"table-{table}", 3 * MAX_REVEALED_SHOES + 3])]
    begun: dict[UUID, ShoeStarted | ShoeCommitted] = {
        event.shoe: event for event in events if isinstance(event, ShoeCommitted)
    }
    begun.update((event.shoe, event) for event in events if isinstance(event, ShoeStarted))
    decks = _Decks(table)
    revealed = (
        _revealed_long_shoe(begun[shoe], event, seed, decks)
        for event in events
        for shoe, seed in revealed_seeds(event)
        if seed is not None and shoe in begun
    )
    return list(islice(revealed, MAX_REVEALED_SHOES))


def _revealed_long_shoe(
    begun: ShoeStarted | ShoeCommitted, by: ShoeEnded | TableClosed, seed: str, decks: _Decks
) -> RevealedShoe:
    """Return a long shoe, up to the table's closure; or one that never started because the table closed."""
    contributions: Sequence[Contribution] = ()
    cut = root = deck_count = None
    if isinstance(begun, ShoeStarted):
        contributions, cut, root = begun.contributions, begun.cut, begun.root
        deck_count = decks.of(begun.first_round)
    elif begun.shape is not None:
        deck_count = begun.shape.decks
    return RevealedShoe(
        id=begun.shoe,
        number=begun.number,
        round=None,
        commitment=begun.commitment,
        contributions=tuple(contributions),
        cut=cut,
        root=root,
        cards_used=by.cards_dealt if isinstance(by, ShoeEnded) else None,
        decks=deck_count,
        accepts_contributions=False,
        seed=seed,
        ended_at=by.ended_at if isinstance(by, ShoeEnded) else by.closed_at,
    )
