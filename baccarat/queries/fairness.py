"""What a table tells of its shoes: what was committed to and with how many decks, who cut, and what is revealed.

The same for everyone who may see the table.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.cut import as_contributions
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.shoe_events import ShoeCommitted, TableClosed
from baccarat.domain.tables.state import TableState
from baccarat.queries.round_view import present_contributions
from baccarat.queries.shoes import long_shoe_events, revealed_seeds
from baccarat.storage import projections
from baccarat.storage.event_registry import CATALOGUE
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


def fairness(*, table: UUID, operator: UUID) -> dict[str, Any]:
    """Show the shoe in play, the next one, who has cut them, and the latest that are revealed.

    Raises UnknownTable.
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
        "shoe": _long_now(state) if state.has_long_shoe() else _own_now(state, in_hand),
        "next": _next(state),
        "revealed": _revealed_long(state) if state.has_long_shoe() else _revealed_own(state),
    }


def _table(*, table: UUID, operator: UUID) -> TableState:
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0])


def _shown(*, contributions: Sequence[Contribution], **named: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("cut", "root", "cards_used", "round", "decks"))
    return {**nothing, **named, "contributions": present_contributions(contributions)}


def _long_now(state: TableState) -> dict[str, Any] | None:
    shoe = state.shoe
    if shoe is None:
        return None
    started, _ = long_shoe_events(state.require_opened().table, shoe.shoe)
    return _shown(
        id=str(shoe.shoe),
        number=shoe.number,
        commitment=shoe.commitment,
        contributions=started.contributions,
        cut=shoe.cut,
        root=shoe.root,
        cards_used=shoe.cards_used,
        decks=state.rules.decks,
        open=False,
    )


def _own_now(state: TableState, round_: RoundState) -> dict[str, Any] | None:
    if round_.opened is None:
        return None
    open_ = round_.phase is Phase.BETTING and round_.suspension_reason is None
    return _own(round_, decks=state.rules.decks, open=open_)


def _own(round_: RoundState, **named: Any) -> dict[str, Any]:
    facts = round_.require_opened()
    return _shown(
        id=str(facts.shoe),
        number=facts.number,
        round=str(facts.round),
        commitment=facts.commitment,
        contributions=as_contributions(round_.contributions),
        cut=round_.cut,
        **named,
    )


def _next(state: TableState) -> dict[str, Any] | None:
    coming, shape = state.next_shoe, state.committed_shape()
    if coming is None:
        return None
    return _shown(
        id=str(coming.shoe),
        number=coming.number,
        commitment=coming.commitment,
        contributions=as_contributions(coming.contributions),
        open=state.has_long_shoe(),  # that of a round takes contributions while its round is open
        decks=None if shape is None else shape.decks,
    )


def _revealed_own(state: TableState) -> list[dict[str, Any]]:
    table = state.require_opened().table
    found = [projections.decode_round(row) for (row,) in fetch(_ENDED, [table, MAX_REVEALED_SHOES])]
    decks = _Decks(table)
    return _given_up(state, found[0] if found else NO_ROUND) + [
        {
            **_own(round_, decks=decks.of(round_.require_opened().number), open=False),
            "seed": round_.seed,
            "ended_at": round_.ended_at,
        }
        for round_ in found
        if round_.seed is not None
    ]


def _given_up(state: TableState, last: RoundState) -> list[dict[str, Any]]:
    """The shoe that a closed table had named for a round which it never opened."""
    named = state.require_opened().next_shoe if last.opened is None else last.opened.next_shoe
    events = fetch(_CLOSED, [f"table-{state.require_opened().table}"]) if state.closed and named is not None else []
    closed: list[TableClosed] = [CATALOGUE.decode(*row) for row in events]
    return [
        {
            **_shown(
                id=str(named.shoe),
                number=state.rounds + 1,
                commitment=named.commitment,
                contributions=(),
                decks=named.shape.decks,
                open=False,
            ),
            "seed": each.seed,
            "ended_at": event.closed_at,
        }
        for event in closed
        for each in event.seeds
        if named is not None and each.shoe == named.shoe and each.seed is not None
    ]


class _Decks:
    """How many decks a table played with from which round on."""

    def __init__(self, table: UUID) -> None:
        self._since = fetch(_DECKS, [table])

    def of(self, number: int) -> int:
        """Tell how many decks a round was dealt from; 0 stands for the table's first."""
        return int(next((decks for first, decks in self._since if first <= number), self._since[-1][1]))


def _revealed_long(state: TableState) -> list[dict[str, Any]]:
    table = state.require_opened().table
    events = [CATALOGUE.decode(*row) for row in fetch(_SHOES, [f"table-{table}", 3 * MAX_REVEALED_SHOES + 3])]
    begun: dict[UUID, ShoeStarted | ShoeCommitted] = {
        event.shoe: event for event in events if isinstance(event, ShoeCommitted)
    }
    begun.update((event.shoe, event) for event in events if isinstance(event, ShoeStarted))
    decks = _Decks(table)
    return [
        _long_revealed(begun[shoe], event, seed, decks)
        for event in events
        for shoe, seed in revealed_seeds(event)
        if seed is not None and shoe in begun
    ][:MAX_REVEALED_SHOES]


def _long_revealed(
    begun: ShoeStarted | ShoeCommitted, by: ShoeEnded | TableClosed, seed: str, decks: _Decks
) -> dict[str, Any]:
    """A long shoe that was played, as far as its table was; or one that never started, as its table was closed."""
    told: dict[str, Any] = {"contributions": (), "decks": None}
    if isinstance(begun, ShoeStarted):
        told = {"contributions": begun.contributions, "cut": begun.cut, "root": begun.root}
        told["decks"] = decks.of(begun.first_round)
    elif begun.shape is not None:
        told["decks"] = begun.shape.decks
    return {
        **_shown(
            id=str(begun.shoe),
            number=begun.number,
            commitment=begun.commitment,
            cards_used=by.dealt if isinstance(by, ShoeEnded) else None,
            open=False,
            **told,
        ),
        "seed": seed,
        "ended_at": by.ended_at if isinstance(by, ShoeEnded) else by.closed_at,
    }
