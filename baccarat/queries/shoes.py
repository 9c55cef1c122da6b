"""Reads the shoe of a round: its seed if revealed, else the round's own, or single cards with proofs.

Uses secret seeds to open cards that were dealt, and never returns them.
"""

from collections.abc import Collection
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta

from baccarat.domain.fairness.commitment import CardOpening, open_cards
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.refusals import RoundIsRunning
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted, TableClosed
from baccarat.domain.tables.witness_events import links_of_shoe
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.rules_versions import decode_rules
from casino.api.shapes import HexText, Shape
from casino.events.sql import fetch

_RULES: Final = "SELECT rules::text FROM baccarat_rulesversion WHERE table_id = %s AND digest = %s"
_REVEALED: Final = """
SELECT data->>'seed' FROM events_event WHERE stream = %s AND type = 'ShoeRevealed' AND data->>'shoe' = %s
"""
_SHOE: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND (
    type IN ('ShoeCutClosed', 'ShoeLinksReleased', 'ShoeStarted', 'ShoeEnded') AND data->>'shoe' = ANY (%s::text[])
    OR type = 'TableClosed')
ORDER BY version
"""

LongShoeFacts = tuple[ShoeStarted, str | None, tuple[Link, ...]]
"""A long shoe's start, its seed in hex if revealed, and its links."""


class RoundShoe(Shape):
    """The shoe of an ended round: its seed if revealed, otherwise the round's own seed, or its cards with proofs."""

    round: UUID
    shoe: UUID
    number: Annotated[int | None, Meta(description="Number of the long shoe; null for a round's own shoe.")]
    decks: int
    commitment: HexText
    contributions: tuple[Contribution, ...]
    cut: HexText
    root: HexText | None
    seed: Annotated[HexText | None, Meta(description="Null while a long shoe is in play, or if it is lost.")]
    round_seed: Annotated[
        HexText | None, Meta(description="What the round drew its cards by, if it drew from what was left of a shoe.")
    ]
    shoe_position: Annotated[int | None, Meta(description="Position of the round's first card.")]
    turned_card: Annotated[
        CardOpening | None, Meta(description="The long shoe's first card, turned before the burning.")
    ]
    openings: Annotated[
        tuple[CardOpening, ...], Meta(description="The round's cards in deal order; shoes of fixed order only.")
    ]
    dealt: Annotated[
        tuple[Card, ...], Meta(description="Cards of the shoe that were out before, if the round drew from those left.")
    ]


def disclose_shoe(*, round_: UUID, operator: UUID) -> RoundShoe:
    """Return the public facts about the shoe of an ended round. Raises UnknownRound, RoundIsRunning."""
    state = repository.read_round(round_=round_, operator=operator)
    if state.is_running():
        raise RoundIsRunning
    opened = state.require_opened()
    rules = decode_rules(fetch(_RULES, [opened.table, opened.rules])[0][0])
    return _long_shoe(state, rules) if opened.commitment is None else _own_shoe(state, rules.decks)


def _own_shoe(state: RoundState, decks: int) -> RoundShoe:
    opened = state.require_opened()
    return RoundShoe(
        round=opened.round,
        shoe=opened.shoe,
        number=None,
        decks=decks,
        commitment=opened.commitment or "",
        contributions=opened.contributions,
        cut=state.cut or "",
        root=None,
        seed=state.seed or _revealed_later(opened.table, opened.shoe),
        round_seed=None,
        shoe_position=state.shoe_position,
        turned_card=None,
        openings=(),
        dealt=(),
    )


def _revealed_later(table: UUID, shoe: UUID) -> str | None:
    """Return the seed of a void round's shoe that could only be read later."""
    return next((row[0] for row in fetch(_REVEALED, [f"table-{table}", str(shoe)])), None)


def _long_shoe(state: RoundState, rules: TableRules) -> RoundShoe:
    opened = state.require_opened()
    started, revealed, links = long_shoe_events(opened.table, opened.shoe)
    openings: tuple[CardOpening, ...] = ()
    if not rules.draws_by_round:
        openings = _open_cards(state, started, revealed, links, decks=rules.decks)
    return RoundShoe(
        round=opened.round,
        shoe=opened.shoe,
        number=started.number,
        decks=rules.decks,
        commitment=started.commitment,
        contributions=started.contributions,
        cut=started.cut,
        root=started.root,
        seed=revealed,
        round_seed=state.seed,
        shoe_position=state.shoe_position,
        turned_card=openings[0] if openings and started.turned_card is not None else None,
        openings=openings[1:],
        dealt=_cards_before(opened, started) if rules.draws_by_round else (),
    )


def _open_cards(
    state: RoundState, started: ShoeStarted, revealed: str | None, links: tuple[Link, ...], *, decks: int
) -> tuple[CardOpening, ...]:
    """Open the turned card and those of the round, none if the seed can't be read."""
    shoe, first = started.shoe, state.shoe_position
    dealt = () if first is None else range(first, first + len(state.cards))
    seed = bytes.fromhex(revealed) if revealed is not None else shoe_seeds.decrypt([shoe]).get(shoe)
    if seed is None:
        return ()
    return open_cards(seed, cut=bytes.fromhex(started.cut), decks=decks, positions=[0, *dealt], links=links)


def _cards_before(opened: RoundOpened, started: ShoeStarted) -> tuple[Card, ...]:
    """Return the cards that were dealt from a round's long shoe before it, the turned card first."""
    turned = () if started.turned_card is None else (started.turned_card,)
    rounds = repository.read_cards_from_shoe(opened.table, first_round=started.first_round, before=opened.number)
    return (*turned, *rounds)


def long_shoe_events(table: UUID, shoe: UUID) -> LongShoeFacts:
    """Return a long shoe's start, its seed in hex if revealed, and its links. Raises LookupError if not started."""
    return read_long_shoes(table, [shoe])[shoe]


def read_long_shoes(table: UUID, shoes: Collection[UUID]) -> dict[UUID, LongShoeFacts]:
    """Return the facts of those of these shoes that have started, with one query."""
    rows = fetch(_SHOE, [f"table-{table}", list(map(str, shoes))]) if shoes else []
    events = [CATALOGUE.decode(*row) for row in rows]
    seeds = {shoe: seed for event in events for shoe, seed in revealed_seeds(event)}
    started = {event.shoe: event for event in events if isinstance(event, ShoeStarted)}
    return {shoe: (event, seeds.get(shoe), links_of_shoe(shoe, events)) for shoe, event in started.items()}


def revealed_seeds(event: object) -> list[tuple[UUID, str | None]]:
    """List the shoes whose seeds an event reveals, with the seeds in hex, None for one that is lost."""
    match event:
        case ShoeEnded():
            return [(event.shoe, event.seed)]
        case TableClosed():
            return [(each.shoe, each.seed) for each in event.seeds]
        case _:
            return []
