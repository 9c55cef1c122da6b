"""A round's usual course up to the last word of its seats: every check of the general steps in fewer of our own.

A step does to round and table what the general one does (`baccarat.audit.betting`). Where any of its checks fails it
returns False and has changed nothing: the round is then handed to the general steps, which say what is wrong.
"""

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainPart, PlainRound, moment
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.chips import is_makeable
from baccarat.domain.rules.table_rules import SpotsPerRound, TableRules, UnderMinimumPolicy
from baccarat.domain.rules.wagers import Spot

_BETTING = Phase.BETTING
_DECIDING, _CONFIRMED = SeatStatus.DECIDING, SeatStatus.CONFIRMED
_PASSED, _TIMED_OUT = SeatStatus.PASSED, SeatStatus.TIMED_OUT
_ONE, _RAISE = SpotsPerRound.ONE, UnderMinimumPolicy.RAISE


def _acting(round_: PlainRound, seat: int) -> PlainPart | None:
    part = round_.parts.get(seat)
    return part if part is not None and part.standing is _DECIDING and round_.phase is _BETTING else None


def placed(round_: PlainRound, event: f.ChipsPlaced) -> bool:
    """Follow chips on a spot."""
    part, rules = _acting(round_, event.seat), round_.table.rules
    if part is None or not is_makeable(event.amount, rules):
        return False
    total = part.placed.get(event.spot, 0) + event.amount
    if total > rules.maximum or (part.placed and rules.spots_per_round is _ONE and event.spot not in part.placed):
        return False
    part.placed[event.spot] = total
    part.placements.append({event.spot: event.amount})
    part.guest.missed_turns = 0
    return True


def repeated(round_: PlainRound, event: f.WagerRepeated) -> bool:
    """Follow a rebet on a cleared table."""
    part = _acting(round_, event.seat)
    if part is None or part.placements or event.stakes != part.guest.last_wager or not _limits(round_, event.stakes):
        return False
    part.placed, part.guest.missed_turns = dict(event.stakes), 0
    part.placements.append(event.stakes)
    return True


def undone(round_: PlainRound, event: f.PlacementUndone) -> bool:
    """Follow a placement that is taken back."""
    part = _acting(round_, event.seat)
    if part is None or not part.placements:
        return False
    del part.placements[-1]
    part.placed, part.guest.missed_turns = {}, 0
    for placement in part.placements:
        for spot, amount in placement.items():
            part.placed[spot] = part.placed.get(spot, 0) + amount
    return True


def cleared(round_: PlainRound, event: f.ChipsCleared) -> bool:
    """Follow chips cleared off the table."""
    part = _acting(round_, event.seat)
    if part is None:
        return False
    part.placements.clear()
    part.placed, part.guest.missed_turns = {}, 0
    return True


def _limits(round_: PlainRound, stakes: dict[Spot, int]) -> bool:
    rules = round_.table.rules
    if len(stakes) > 1 and rules.spots_per_round is _ONE:
        return False
    return not stakes or max(stakes.values()) <= rules.maximum


def confirmed(round_: PlainRound, event: f.WagerConfirmed) -> bool:
    """Follow a wager: in time, by its own player, of what was placed, and covered."""
    part, rules = _acting(round_, event.seat), round_.table.rules
    if part is None or event.player != part.player or event.book is not part.book:
        return False
    said, deadline, stakes = event.confirmed_at, round_.deadline_at, event.stakes
    at = round_.opened_at if said == round_.opened.opened_at else moment(said)
    if at < round_.opened_at or (deadline is not None and at >= deadline) or not stakes:
        return False
    if not _is_what_was_placed(part.placed, event, rules) or not _limits(round_, stakes):
        return False
    guest, staked = part.guest, sum(stakes.values())
    if min(stakes.values()) < rules.minimum or guest.balance < staked:
        return False
    part.standing, part.confirmed_at, part.wager = _CONFIRMED, at, event
    guest.last_wager, guest.missed_turns = stakes, 0
    guest.balance -= staked
    return True


def _is_what_was_placed(placed: dict[Spot, int], event: f.WagerConfirmed, rules: TableRules) -> bool:
    if rules.under_minimum is not _RAISE:
        return event.stakes == placed and not event.raised
    raised = {spot: rules.minimum - stake for spot, stake in placed.items() if stake < rules.minimum}
    return event.raised == raised and event.stakes == {
        spot: stake + raised.get(spot, 0) for spot, stake in placed.items()
    }


def passed(round_: PlainRound, event: f.SeatPassed) -> bool:
    return _out(round_, event.seat, _PASSED, missed=False)


def timed_out(round_: PlainRound, event: f.SeatTimedOut) -> bool:
    """Follow a time-out, judged when betting closes."""
    return _out(round_, event.seat, _TIMED_OUT, missed=True)


def _out(round_: PlainRound, seat: int, standing: SeatStatus, *, missed: bool) -> bool:
    part = _acting(round_, seat)
    if part is None:
        return False
    part.standing = standing
    part.guest.missed_turns = part.guest.missed_turns + 1 if missed else 0
    return True
