"""What is told of the shoe that a round was dealt from: its seed where that is revealed, else single cards, proven.

Seeds that are still secret are read in here to open cards that lie on the table, and leave it in no answer.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.openings import CardOpening, open_cards
from baccarat.domain.rounds.cut import as_contributions
from baccarat.domain.rounds.refusals import RoundIsRunning, UnknownRound
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.domain.tables.shoe_events import TableClosed
from baccarat.storage import projections, shoe_seeds
from baccarat.storage.event_registry import CATALOGUE
from casino.events.sql import fetch

_ROUND: Final = "SELECT state::text FROM baccarat_round WHERE id = %s AND operator_id = %s"
_DECKS: Final = "SELECT (rules->>'decks')::int FROM baccarat_rulesversion WHERE table_id = %s AND label = %s"
_REVEALED: Final = """
SELECT data->>'seed' FROM events_event WHERE stream = %s AND type = 'ShoeRevealed' AND data->>'shoe' = %s
"""
_SHOE: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND (type IN ('ShoeStarted', 'ShoeEnded') AND data->>'shoe' = %s OR type = 'TableClosed')
ORDER BY version
"""


@dataclass(frozen=True, slots=True)
class ShoeDisclosure:
    """The shoe that a round was dealt from, as far as it may be told now.

    `seed`, in hex, is None while the shoe is in play (or lost); then `openings` prove the round's cards, and `turned`
    the first card of the shoe, against `root`. `number` is None for a round's own shoe; `position` is the place of the
    round's first card, None where none was dealt.
    """

    shoe: UUID
    number: int | None
    decks: int
    commitment: str
    contributions: tuple[Contribution, ...]
    cut: str
    root: str | None
    seed: str | None
    position: int | None
    first_card: CardOpening | None
    openings: tuple[CardOpening, ...]


def disclose_shoe(*, round_: UUID, operator: UUID) -> ShoeDisclosure:
    """Tell what is known of the shoe of a round that has ended. Raises UnknownRound, RoundIsRunning."""
    rows = fetch(_ROUND, [round_, operator])
    if not rows:
        raise UnknownRound
    state = projections.decode_round(rows[0][0])
    if state.is_running():
        raise RoundIsRunning
    decks = fetch(_DECKS, [state.require_opened().table, state.require_opened().rules])[0][0]
    return _long_shoe(state, decks) if state.require_opened().commitment is None else _own_shoe(state, decks)


def _own_shoe(state: RoundState, decks: int) -> ShoeDisclosure:
    facts = state.require_opened()
    return ShoeDisclosure(
        shoe=facts.shoe,
        number=None,
        decks=decks,
        commitment=facts.commitment or "",
        contributions=as_contributions(state.contributions),
        cut=state.cut or "",
        root=None,
        seed=state.seed or _late(facts.table, facts.shoe),
        position=state.position,
        first_card=None,
        openings=(),
    )


def _late(table: UUID, shoe: UUID) -> str | None:
    """The seed of a void round's shoe that could only be read later."""
    return next((row[0] for row in fetch(_REVEALED, [f"table-{table}", str(shoe)])), None)


def _long_shoe(state: RoundState, decks: int) -> ShoeDisclosure:
    facts = state.require_opened()
    started, revealed = long_shoe_events(facts.table, facts.shoe)
    dealt = () if state.position is None else range(state.position, state.position + len(state.cards))
    seed = bytes.fromhex(revealed) if revealed is not None else shoe_seeds.decrypt([facts.shoe]).get(facts.shoe)
    opened: tuple[CardOpening, ...] = ()
    if seed is not None and started.root is not None:
        opened = open_cards(seed, cut=bytes.fromhex(started.cut), decks=decks, positions=[0, *dealt])
    return ShoeDisclosure(
        shoe=facts.shoe,
        number=started.number,
        decks=decks,
        commitment=started.commitment,
        contributions=started.contributions,
        cut=started.cut,
        root=started.root,
        seed=revealed,
        position=state.position,
        first_card=opened[0] if opened and started.turned is not None else None,
        openings=opened[1:],
    )


def long_shoe_events(table: UUID, shoe: UUID) -> tuple[ShoeStarted, str | None]:
    """How a long shoe started, and its seed in hex if that is revealed. Raises LookupError for one never started."""
    events = [CATALOGUE.decode(*row) for row in fetch(_SHOE, [f"table-{table}", str(shoe)])]
    started = next((event for event in events if isinstance(event, ShoeStarted)), None)
    if started is None:
        raise LookupError(f"shoe {shoe} never started")
    return started, next((seed for event in events for each, seed in revealed_seeds(event) if each == shoe), None)


def revealed_seeds(event: object) -> list[tuple[UUID, str | None]]:
    """List the shoes whose seeds an event reveals, with these in hex, None for one that is lost."""
    match event:
        case ShoeEnded():
            return [(event.shoe, event.seed)]
        case TableClosed():
            return [(each.shoe, each.seed) for each in event.seeds]
        case _:
            return []
