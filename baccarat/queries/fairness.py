"""Reads a table's shoes: commitments, contributions to the cut, and revealed seeds.

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
from baccarat.domain.rounds.events import CardsDealt
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.tables.events import ShoeCommitted, ShoeEnded, ShoeStarted, TableClosed, TableOpened
from baccarat.domain.tables.state import TableState
from baccarat.queries.shoes import long_shoe_events, revealed_seeds
from baccarat.queries.voids import VoidsByCause, voids_by_cause
from baccarat.storage import repository
from baccarat.storage.event_registry import CATALOGUE
from casino.api.shapes import HexText, Shape, Timestamp
from casino.events.sql import fetch

MAX_REVEALED_SHOES: Final = 20
"""Revealed shoes that are listed, the newest first."""

_ENDED: Final = """
SELECT id FROM baccarat_round WHERE table_id = %s AND ended_at IS NOT NULL ORDER BY number DESC LIMIT %s
"""
_SHOES: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND type IN ('ShoeCommitted', 'ShoeStarted', 'ShoeEnded', 'TableClosed')
ORDER BY version DESC LIMIT %s
"""
_CLOSED: Final = "SELECT type, schema, data::text FROM events_event WHERE stream = %s AND type = 'TableClosed'"
_ANNOUNCING: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND type IN ('TableOpened', 'TermsFixed') AND data #>> '{next_shoe,shoe}' = ANY (%s::text[])
ORDER BY version
"""
_ANNOUNCING_CARDS: Final = """
SELECT event.id, event.type, schema, data::text FROM events_event AS event JOIN baccarat_round AS round
    ON stream = 'round-' || round.id AND round.table_id = %s AND number > %s - 2
WHERE event.type = 'CardsDealt'
ORDER BY number
"""
_DECK_COUNTS: Final = """
SELECT first_round, (rules->>'decks')::int FROM baccarat_rulesversion
WHERE table_id = %s AND first_round IS NOT NULL ORDER BY first_round DESC
"""


class ShoeResponse(Shape, kw_only=True):
    """A shoe: committed to, then cut, then dealt. Fields that do not apply or are not known yet are null."""

    id: UUID
    number: Annotated[int, Meta(description="The long shoe's number at its table, or the number of its round.")]
    round: Annotated[UUID | None, Meta(description="The round whose own shoe it is.")]
    commitment: Annotated[HexText, Meta(description="To the seed, for this drawing only.")]
    contributions: tuple[Contribution, ...]
    cut: Annotated[HexText | None, Meta(description="Null until it is fixed.")]
    root: Annotated[HexText | None, Meta(description="Merkle root of the cards of a long shoe of fixed order.")]
    cards_used: int | None
    decks: Annotated[int | None, Meta(description="Number of decks, fixed with the commitment.")]
    accepts_contributions: bool


class RevealedShoe(ShoeResponse, kw_only=True):
    """A revealed shoe: with seed and cut anyone can recompute its cards."""

    seed: HexText
    ended_at: Timestamp


class TableFairness(Shape):
    """The shoes of a table."""

    table: UUID
    decks: int
    shuffle: Shuffle
    fixed_order: Annotated[
        bool, Meta(description="Whether the order of a long shoe is fixed as it starts, so that the house knows it.")
    ]
    rounds: Annotated[int, Meta(description="Number of rounds at this table, numbered without a gap.")]
    voids: Annotated[int, Meta(description="Number of voided rounds.")]
    voids_by_cause: Annotated[
        tuple[VoidsByCause, ...],
        Meta(description="By cause, with what they would have won for the house."),
    ]
    closed: Annotated[bool, Meta(description="Whether the table is closed permanently.")]
    shoe: Annotated[
        ShoeResponse | None,
        Meta(description="The shoe in play: the long shoe, or that of the current round, or of the next one."),
    ]
    next_shoe: Annotated[
        ShoeResponse | None,
        Meta(description="The shoe that players cut now: the next long shoe, or that of a later round."),
    ]
    revealed_shoes: Annotated[tuple[RevealedShoe, ...], Meta(description="The latest ones, newest first.")]


def table_fairness(*, table: UUID, operator: UUID) -> TableFairness:
    """Return the shoe in play, the next one, their contributions, and the latest revealed ones. Raises UnknownTable."""
    state = repository.read_table(table=table, operator=operator)
    round_ = NO_ROUND if state.round is None else repository.read_round(round_=state.round, operator=operator)
    return TableFairness(
        table=table,
        decks=state.rules.decks,
        shuffle=state.rules.shuffle,
        fixed_order=state.rules.fixed_order,
        rounds=state.rounds,
        voids=state.voids,
        voids_by_cause=voids_by_cause(state),
        closed=state.closed,
        shoe=_long_shoe_in_play(state) if state.has_long_shoe() else _own_shoe_in_play(state, round_),
        next_shoe=_next_shoe(state),
        revealed_shoes=tuple(
            _revealed_long_shoes(state) if state.has_long_shoe() else _revealed_shoes_of_rounds(state)
        ),
    )


def _long_shoe_in_play(state: TableState) -> ShoeResponse | None:
    shoe = state.shoe
    if shoe is None:
        return None
    started, _, _ = long_shoe_events(state.require_opened().table, shoe.shoe)
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
        return _coming_shoe(state)
    opened = round_.opened
    return ShoeResponse(
        id=opened.shoe,
        number=opened.number,
        round=opened.round,
        commitment=opened.commitment or "",
        contributions=opened.contributions,
        cut=round_.cut,
        root=None,
        cards_used=None,
        decks=state.rules.decks,
        accepts_contributions=False,
    )


def _coming_shoe(state: TableState) -> ShoeResponse | None:
    """Present the shoe of the next round, whose terms are fixed."""
    shoe, terms = state.coming_shoe, state.fixed_terms()
    if shoe is None or terms is None:
        return None
    return ShoeResponse(
        id=shoe.shoe,
        number=shoe.number,
        round=None,
        commitment=shoe.commitment,
        contributions=terms.contributions,
        cut=terms.terms.cut,
        root=None,
        cards_used=None,
        decks=shoe.shape.decks,
        accepts_contributions=False,
    )


def _next_shoe(state: TableState) -> ShoeResponse | None:
    shoe = state.next_shoe
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
        decks=shoe.shape.decks,
        accepts_contributions=True,
    )


def _revealed_shoes_of_rounds(state: TableState) -> list[RevealedShoe]:
    table = state.require_opened().table
    ended = [key for (key,) in fetch(_ENDED, [table, MAX_REVEALED_SHOES])]
    states = repository.read_rounds(ended)
    rounds = [states[key] for key in ended]
    decks = _DeckCounts(table)
    return _unused_shoes(state) + [
        _present_shoe_of_round(round_, round_.seed, round_.ended_at, decks)
        for round_ in rounds
        if round_.seed is not None and round_.ended_at is not None
    ]


def _present_shoe_of_round(round_: RoundState, seed: str, ended_at: datetime, decks: "_DeckCounts") -> RevealedShoe:
    opened = round_.require_opened()
    return RevealedShoe(
        id=opened.shoe,
        number=opened.number,
        round=opened.round,
        commitment=opened.commitment or "",
        contributions=opened.contributions,
        cut=round_.cut,
        root=None,
        cards_used=None,
        decks=decks.of(opened.number),
        accepts_contributions=False,
        seed=seed,
        ended_at=ended_at,
    )


def _unused_shoes(state: TableState) -> list[RevealedShoe]:
    """Return the shoes, revealed, that a closed table had committed to for rounds that never opened, newest first."""
    if not state.closed:
        return []
    table = state.require_opened().table
    stream = f"table-{table}"
    closures: list[TableClosed] = [CATALOGUE.decode(*row) for row in fetch(_CLOSED, [stream])]
    seeds = {each.shoe: (each.seed, event.closed_at) for event in closures for each in event.seeds}
    ids = [str(shoe) for shoe in seeds]
    announcing = [CATALOGUE.decode(*row) for row in fetch(_ANNOUNCING, [stream, ids])]
    cards = fetch(_ANNOUNCING_CARDS, [table, state.rounds])
    dealt: list[CardsDealt] = [CATALOGUE.decode(*row) for _, *row in cards]
    shoes = {
        1 if isinstance(event, TableOpened) else event.number + 1: event.next_shoe
        for event in (*announcing, *(event.next_terms for event in dealt))
        if event is not None and event.next_shoe is not None and event.next_shoe.shoe in seeds
    }
    return [
        RevealedShoe(
            id=shoe.shoe,
            number=number,
            round=None,
            commitment=shoe.commitment,
            contributions=(),
            cut=None,
            root=None,
            cards_used=None,
            decks=shoe.shape.decks,
            accepts_contributions=False,
            seed=seed,
            ended_at=closed_at,
        )
        for number, shoe in sorted(shoes.items(), reverse=True)
        for seed, closed_at in (seeds.get(shoe.shoe, (None, None)),)
        if seed is not None and closed_at is not None
    ]


class _DeckCounts:
    """Numbers of decks at a table: each applies from one round on."""

    def __init__(self, table: UUID) -> None:
        self._since = fetch(_DECK_COUNTS, [table])

    def of(self, number: int) -> int:
        """Return the number of decks of a round."""
        return int(next(decks for first, decks in self._since if first <= number))


def _revealed_long_shoes(state: TableState) -> list[RevealedShoe]:
    table = state.require_opened().table
    events = [CATALOGUE.decode(*row) for row in fetch(_SHOES, [f"table-{table}", 3 * MAX_REVEALED_SHOES + 3])]
    starts: dict[UUID, ShoeStarted | ShoeCommitted] = {
        event.shoe: event for event in events if isinstance(event, ShoeCommitted)
    }
    starts.update((event.shoe, event) for event in events if isinstance(event, ShoeStarted))
    decks = _DeckCounts(table)
    revealed = (
        _present_long_shoe(starts[shoe], event, seed, decks)
        for event in events
        for shoe, seed in revealed_seeds(event)
        if seed is not None and shoe in starts
    )
    return list(islice(revealed, MAX_REVEALED_SHOES))


def _present_long_shoe(
    start: ShoeStarted | ShoeCommitted, end: ShoeEnded | TableClosed, seed: str, decks: _DeckCounts
) -> RevealedShoe:
    """Present a long shoe that ended or whose table closed; one that never started has only its commitment and seed."""
    contributions: Sequence[Contribution] = ()
    cut = root = deck_count = None
    if isinstance(start, ShoeStarted):
        contributions, cut, root = start.contributions, start.cut, start.root
        deck_count = decks.of(start.first_round)
    else:
        deck_count = start.shape.decks
    return RevealedShoe(
        id=start.shoe,
        number=start.number,
        round=None,
        commitment=start.commitment,
        contributions=tuple(contributions),
        cut=cut,
        root=root,
        cards_used=end.cards_dealt if isinstance(end, ShoeEnded) else None,
        decks=deck_count,
        accepts_contributions=False,
        seed=seed,
        ended_at=end.ended_at if isinstance(end, ShoeEnded) else end.closed_at,
    )
