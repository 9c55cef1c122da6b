"""What a table tells of its shoes: what was committed to, who cut, what is revealed, and single cards proven.

Seeds that are still secret are read in here to open cards that lie on the table, and leave it in no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from baccarat import projections, shoe_secrets
from baccarat.catalogue import CATALOGUE
from baccarat.fairness.cut import Contribution
from baccarat.fairness.openings import Opening, openings
from baccarat.picture import contributions_picture
from baccarat.rounds.cutting import listed
from baccarat.rounds.refusals import RoundIsRunning, UnknownRound
from baccarat.rounds.state import INITIAL as NO_ROUND
from baccarat.rounds.state import Phase, RoundState
from baccarat.tables.events import ShoeEnded, ShoeStarted
from baccarat.tables.refusals import UnknownTable
from baccarat.tables.shoe_events import TableClosed
from baccarat.tables.state import TableState
from casino.events.rows import fetch

LATEST: Final = 20
"""Revealed shoes that are listed, the newest first."""

_TABLE: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_ROUND: Final = "SELECT state::text FROM baccarat_round WHERE id = %s AND operator_id = %s"
_DECKS: Final = "SELECT (rules->>'decks')::int FROM baccarat_rulesversion WHERE table_id = %s AND label = %s"
_REVEALED: Final = """
SELECT data->>'seed' FROM events_event WHERE stream = %s AND type = 'ShoeRevealed' AND data->>'shoe' = %s
"""
_IN_HAND: Final = "SELECT state::text FROM baccarat_round WHERE id = %s"
_ENDED: Final = """
SELECT state::text FROM baccarat_round WHERE table_id = %s AND ended_at IS NOT NULL ORDER BY number DESC LIMIT %s
"""
_SHOES: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND type IN ('ShoeStarted', 'ShoeEnded', 'TableClosed') ORDER BY version DESC LIMIT %s
"""
_SHOE: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND (type IN ('ShoeStarted', 'ShoeEnded') AND data->>'shoe' = %s OR type = 'TableClosed')
ORDER BY version
"""


@dataclass(frozen=True, slots=True)
class RoundsShoe:
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
    turned: Opening | None
    openings: tuple[Opening, ...]


def shoe_of(*, round_: UUID, operator: UUID) -> RoundsShoe:
    """This will tell what is known of the shoe of a round that has ended. Raises UnknownRound, RoundIsRunning."""
    rows = fetch(_ROUND, [round_, operator])
    if not rows:
        raise UnknownRound
    state = projections.decode_round(rows[0][0])
    if state.is_running():
        raise RoundIsRunning
    decks = fetch(_DECKS, [state.facts().table, state.facts().rules])[0][0]
    return _long_shoe(state, decks) if state.facts().commitment is None else _own_shoe(state, decks)


def _own_shoe(state: RoundState, decks: int) -> RoundsShoe:
    facts = state.facts()
    return RoundsShoe(
        shoe=facts.shoe,
        number=None,
        decks=decks,
        commitment=facts.commitment or "",
        contributions=listed(state.given),
        cut=state.cut or "",
        root=None,
        seed=state.seed or _late(facts.table, facts.shoe),
        position=state.position,
        turned=None,
        openings=(),
    )


def _late(table: UUID, shoe: UUID) -> str | None:
    """The seed of a void round's shoe that could only be read later."""
    return next((row[0] for row in fetch(_REVEALED, [f"table-{table}", str(shoe)])), None)


def _long_shoe(state: RoundState, decks: int) -> RoundsShoe:
    facts = state.facts()
    started, revealed = _long_shoe_events(facts.table, facts.shoe)
    dealt = () if state.position is None else range(state.position, state.position + len(state.cards))
    seed = bytes.fromhex(revealed) if revealed is not None else shoe_secrets.read([facts.shoe]).get(facts.shoe)
    opened: tuple[Opening, ...] = ()
    if seed is not None and started.root is not None:
        opened = openings(seed, cut=bytes.fromhex(started.cut), decks=decks, positions=[0, *dealt])
    return RoundsShoe(
        shoe=facts.shoe,
        number=started.number,
        decks=decks,
        commitment=started.commitment,
        contributions=started.contributions,
        cut=started.cut,
        root=started.root,
        seed=revealed,
        position=state.position,
        turned=opened[0] if opened and started.turned is not None else None,
        openings=opened[1:],
    )


def _long_shoe_events(table: UUID, shoe: UUID) -> tuple[ShoeStarted, str | None]:
    """How a long shoe started, and its seed in hex if that is revealed. Raises LookupError for one never started."""
    events = [CATALOGUE.decode(*row) for row in fetch(_SHOE, [f"table-{table}", str(shoe)])]
    started = next((event for event in events if isinstance(event, ShoeStarted)), None)
    if started is None:
        raise LookupError(f"shoe {shoe} never started")
    return started, next((seed for event in events for each, seed in _revealed_by(event) if each == shoe), None)


def _revealed_by(event: object) -> list[tuple[UUID, str | None]]:
    match event:
        case ShoeEnded():
            return [(event.shoe, event.seed)]
        case TableClosed():
            return [(each.shoe, each.seed) for each in event.seeds]
        case _:
            return []


def fairness(*, table: UUID, operator: UUID) -> dict[str, Any]:
    """This will show the shoe in play, the next one, who has cut them, and the latest that are revealed.

    The same for everyone who may see the table. Raises UnknownTable.
    """
    state = _table(table=table, operator=operator)
    in_hand = NO_ROUND
    for (row,) in fetch(_IN_HAND, [state.round]) if state.round is not None else []:
        in_hand = projections.decode_round(row)
    return {
        "table": str(table),
        "decks": state.rules.decks,
        "shuffle": state.rules.shuffle,
        "rounds": state.rounds,
        "voids": state.voids,
        "closed": state.closed,
        "shoe": _long_now(state) if state.has_long_shoe() else _own_now(in_hand),
        "next": _next(state),
        "revealed": _revealed_long(state) if state.has_long_shoe() else _revealed_own(table),
    }


def _table(*, table: UUID, operator: UUID) -> TableState:
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0])


def _shown(*, contributions: Sequence[Contribution], **named: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("cut", "root", "cards_out", "round", "decks"))
    return {**nothing, **named, "contributions": contributions_picture(contributions)}


def _long_now(state: TableState) -> dict[str, Any] | None:
    shoe = state.shoe
    if shoe is None:
        return None
    started, _ = _long_shoe_events(state.facts().table, shoe.shoe)
    return _shown(
        id=str(shoe.shoe),
        number=shoe.number,
        commitment=shoe.commitment,
        contributions=started.contributions,
        cut=shoe.cut,
        root=shoe.root,
        cards_out=shoe.out,
        decks=state.rules.decks,
        open=False,
    )


def _own_now(round_: RoundState) -> dict[str, Any] | None:
    if round_.opened is None:
        return None
    facts = round_.opened
    return _shown(
        id=str(facts.shoe),
        number=facts.number,
        round=str(facts.round),
        commitment=facts.commitment,
        contributions=listed(round_.given),
        cut=round_.cut,
        open=round_.phase is Phase.BETTING and round_.set_aside is None,
    )


def _next(state: TableState) -> dict[str, Any] | None:
    coming, shape = state.next_shoe, state.bound_shape()
    if coming is None:
        return None
    return _shown(
        id=str(coming.shoe),
        number=coming.number,
        commitment=coming.commitment,
        contributions=listed(coming.given),
        open=True,
        decks=None if shape is None else shape.decks,
    )


def _revealed_own(table: UUID) -> list[dict[str, Any]]:
    found = (projections.decode_round(row) for (row,) in fetch(_ENDED, [table, LATEST]))
    return [_own_revealed(round_) for round_ in found if round_.seed is not None]


def _own_revealed(round_: RoundState) -> dict[str, Any]:
    facts = round_.facts()
    return {
        **_shown(
            id=str(facts.shoe),
            number=facts.number,
            round=str(facts.round),
            commitment=facts.commitment,
            contributions=listed(round_.given),
            cut=round_.cut,
            open=False,
        ),
        "seed": round_.seed,
        "ended_at": round_.ended_at,
    }


def _revealed_long(state: TableState) -> list[dict[str, Any]]:
    rows = fetch(_SHOES, [f"table-{state.facts().table}", 2 * LATEST + 2])
    events = [CATALOGUE.decode(*row) for row in rows]
    started = {event.shoe: event for event in events if isinstance(event, ShoeStarted)}
    return [
        _long_revealed(started[shoe], event, seed)
        for event in events
        for shoe, seed in _revealed_by(event)
        if seed is not None and shoe in started
    ][:LATEST]


def _long_revealed(started: ShoeStarted, by: ShoeEnded | TableClosed, seed: str) -> dict[str, Any]:
    return {
        **_shown(
            id=str(started.shoe),
            number=started.number,
            commitment=started.commitment,
            contributions=started.contributions,
            cut=started.cut,
            root=started.root,
            cards_out=by.dealt if isinstance(by, ShoeEnded) else None,
            open=False,
        ),
        "seed": seed,
        "ended_at": by.ended_at if isinstance(by, ShoeEnded) else by.closed_at,
    }
