"""Read models of rounds of the usual course that ended, compared as text with what their events come to.

Only whether they are just that is told here; what differs is for those who compare column by column.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainPart, PlainRound
from baccarat.model_rows import ROUNDS, WAGERS, Relation
from baccarat.rounds.state import Phase, Standing
from baccarat.rules.cards import Card
from baccarat.rules.deal import Outcome
from baccarat.rules.wagers import Spot
from casino.events.rows import fetch
from casino.kernel.money import Book

_CONFIRMED: Final = Standing.CONFIRMED
_AS_TEXT: Final = frozenset({"uuid", "jsonb"})


class SeatState(f.Form):
    """A seat of a round's state."""

    seat: int
    player: str
    book: Book
    standing: Standing
    placements: tuple[dict[Spot, int], ...]
    stakes: dict[Spot, int] | None
    raised: dict[Spot, int] | None
    confirmed_at: str | None
    settled: f.SeatSettled | None


class State(f.Form):
    """The state of a round that was settled, with nothing unusual about it."""

    phase: Phase
    opened: f.RoundOpened
    seats: tuple[SeatState, ...]
    closed_at: str
    position: int
    cards: tuple[Card, ...]
    outcome: Outcome
    player_total: int
    banker_total: int
    natural: bool
    ended_at: str
    seed: str | None
    cut: str
    lapse_reason: None
    set_aside: None
    void_request: None
    voided: None
    ceremony: None
    given: tuple[f.Contribution, ...]


_state: Final = msgspec.json.Decoder(State).decode
_stakes: Final = msgspec.json.Decoder(dict[Spot, int]).decode


def different(rounds: Sequence[PlainRound]) -> list[PlainRound]:
    """This will return those of some ended rounds whose row or wagers' rows are not just what they should be."""
    ids = [each.opened.round for each in rounds]
    stored = _stored(ROUNDS, "id", ids)
    wagers: dict[str, list[tuple[Any, ...]]] = {}
    for row in _stored(WAGERS, "round_id", ids):
        wagers.setdefault(row[1], []).append(row)
    kept: Mapping[str, tuple[Any, ...]] = {row[0]: row for row in stored}
    return [each for each in rounds if not _is_as_kept(each, kept.get(each.opened.round), wagers)]


def _stored(relation: Relation, column: str, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    columns = ", ".join(f"{name}::text" if kind in _AS_TEXT else name for name, kind in relation.columns)
    wanted = f"{{{','.join(ids)}}}"
    statement = f"SELECT {columns} FROM {relation.table} WHERE {column} = ANY (%s::uuid[]) ORDER BY 1"  # noqa: S608
    return fetch(statement, [wanted])


def _is_as_kept(round_: PlainRound, row: tuple[Any, ...] | None, wagers: Mapping[str, list[tuple[Any, ...]]]) -> bool:
    try:
        if row is None or row[:-1] != _round_row(round_) or _state(row[-1]) != _state_of(round_):
            return False
        found = [(*each[:9], _stakes(each[9]), *each[10:]) for each in wagers.get(round_.opened.round, ())]
    except msgspec.DecodeError:
        return False
    return found == sorted(_wager_rows(round_))


def _round_row(round_: PlainRound) -> tuple[Any, ...]:
    event, settled = round_.opened, _settled(round_)
    return (
        event.round, event.table, event.operator, event.number, event.rules, round_.table.rules.currency,
        round_.phase, round_.opened_at, round_.deadline_at, round_.ended_at,
        " ".join(round_.cards), settled.outcome, settled.player_total, settled.banker_total, len(settled.wagers),
        None, False, round_.version,
    )  # fmt: skip


def _wager_rows(round_: PlainRound) -> Iterator[tuple[Any, ...]]:
    event, settled, rules = round_.opened, _settled(round_), round_.table.rules
    parts = [part for part in round_.parts.values() if part.wager is not None]
    for part, one in zip(parts, settled.wagers, strict=True):
        if part.wager is not None:
            yield (
                f"{event.round}/{part.seat}", event.round, event.table, event.operator, part.player, part.seat,
                rules.preset, part.book, rules.currency, part.wager.stakes, one.staked, one.won, one.commission,
                one.returned, part.confirmed_at, round_.ended_at, None,
            )  # fmt: skip


def _state_of(round_: PlainRound) -> State:
    settled, wagers = _settled(round_), {each.seat: each for each in _settled(round_).wagers}
    return State(
        round_.phase,
        round_.opened,
        tuple(_seat_state(part, wagers.get(part.seat)) for part in round_.parts.values()),
        round_.closed.closed_at if round_.closed is not None else "",
        round_.position,
        round_.cards,
        settled.outcome,
        settled.player_total,
        settled.banker_total,
        settled.natural,
        settled.settled_at,
        settled.seed,
        "",
        None,
        None,
        None,
        None,
        None,
        (),
    )


def _seat_state(part: PlainPart, settled: f.SeatSettled | None) -> SeatState:
    wager = part.wager
    if wager is None:
        return SeatState(part.seat, part.player, part.book, part.standing, (), None, None, None, None)
    return SeatState(
        part.seat, part.player, part.book, _CONFIRMED, (), wager.stakes, wager.raised, wager.confirmed_at, settled
    )


def _settled(round_: PlainRound) -> f.RoundSettled:
    if round_.settled is None:
        raise LookupError("only a round that was settled has rows to compare")
    return round_.settled
