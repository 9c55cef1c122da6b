"""Who sits at a table, as text, and what its rules make of a wager: worked out once between two of its own events."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from baccarat.audit import kill_switches
from baccarat.audit.plain import forms as f
from baccarat.audit.traces import MAX_CACHED_SETTLEMENTS, SeatTrace, TableTrace
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.table_rules import CeremonySeconds, TableRules
from baccarat.domain.rules.wagers import Spot


class Due(NamedTuple):
    """What a wager comes to, in minor units; `stakes`, and `tail` from what was staked on, as PostgreSQL prints it."""

    commission: int
    deferred: bool
    results: tuple[f.SpotResult, ...]
    returned: int
    staked: int
    won: int
    stakes: str
    tail: str


Dues = dict[tuple[object, ...], Due]


@dataclass(slots=True)
class Seating:
    """A table's seats in the order of rounds, with their guests; `plays` says that rounds may go the usual course.

    `shape` is that of single rounds' shoes, None where a long one is played. `accounts` are by seat, and
    `words` what its rows have in common, written down by who asks for them (`plain.money`, `plain.texts`).
    """

    table: TableTrace
    plays: bool
    operator: str
    shoe: str | None
    shape: f.ShoeShape | None
    seats: tuple[f.SeatInRound, ...]
    guests: tuple[SeatTrace, ...]
    rules: TableRules
    turn: timedelta | None
    ceremony: CeremonySeconds | None
    dues: Dues
    accounts: dict[int, Any] = field(default_factory=dict)
    words: Any = None

    def due(self, stakes: dict[Spot, int], outcome: Outcome) -> Due:
        """Settle one seat's stakes; the same ones only once. Raises UnknownStake."""
        wager = outcome, *stakes.items()
        found = self.dues.get(wager)
        if found is None:
            if len(self.dues) >= MAX_CACHED_SETTLEMENTS:
                self.dues.clear()
            found = self.dues[wager] = _due(self.rules, stakes, outcome)
        return found


def seat(table: TableTrace) -> Seating:
    """Write down who sits at a table now; it holds until the table's next own event."""
    guests, ruled, rules = tuple(table.list_seats()), table.rules_lifecycle, table.rules
    unruled = ruled is None or (not ruled.retired and ruled.pending is None)
    return Seating(
        table=table,
        plays=kill_switches.is_playing(table) and unruled and bool(guests),
        operator=str(table.opened.operator),
        shoe=None if table.shoe is None else str(table.shoe.shoe),
        shape=None if table.has_long_shoe else f.ShoeShape(rules.burn, rules.cut_cards_from_end, rules.decks),
        seats=tuple(f.SeatInRound(guest.money_type, str(guest.player), guest.seat) for guest in guests),
        guests=guests,
        rules=rules,
        turn=None if rules.turn_seconds is None else timedelta(seconds=rules.turn_seconds),
        ceremony=rules.ceremony_seconds(),
        dues=_dues(rules),
    )


@functools.lru_cache(maxsize=256)
def _dues(_rules: TableRules) -> Dues:
    """What wagers came to under these rules; decoded rules have exact types, so that equal ones are alike."""
    return {}


def _due(rules: TableRules, stakes: dict[Spot, int], outcome: Outcome) -> Due:
    one = settle(rules, stakes, outcome)
    results = tuple(
        f.SpotResult(each.commission, each.result, each.returned, each.spot, each.stake, each.win)
        for each in one.results
    )
    tail = f'"staked": {one.staked}, "results": [{", ".join(map(_printed, results))}], '
    tail += f'"deferred": {truth(one.deferred)}, "returned": {one.returned}, "commission": {one.commission}'
    return Due(one.commission, one.deferred, results, one.returned, one.staked, one.won, printed_stakes(stakes), tail)


def _printed(result: f.SpotResult) -> str:
    return (
        f'{{"win": {result.win}, "spot": "{result.spot}", "stake": {result.stake}, "result": "{result.result}", '
        f'"returned": {result.returned}, "commission": {result.commission}}}'
    )


def truth(value: object) -> str:
    """Write whether something holds as PostgreSQL prints it in a jsonb."""
    return "true" if value else "false"


def printed_stakes(stakes: Mapping[Spot, int]) -> str:
    """Write stakes as PostgreSQL prints a jsonb: shorter names first, then by letters."""
    if not stakes:
        return "{}"
    spots = sorted(stakes, key=lambda spot: (len(spot), spot))
    said = ", ".join([f'"{spot}": {stakes[spot]}' for spot in spots])
    return f"{{{said}}}"
