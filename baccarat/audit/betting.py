"""A round's events up to the close of betting, each judged by the rules as it happens (rules, section 3)."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from baccarat.audit import kill_switches, rules_versions, shoe_commitments
from baccarat.audit.traces import Part, RoundTrace, TableTrace
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.state import Phase, Standing
from baccarat.domain.rules.chips import is_makeable
from baccarat.domain.rules.table_rules import SpotsPerRound, UnderMinimum
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import Book

OUT_OF_PLACE = "event out of place"
LATE = "wager confirmed late"

_BETTING = Phase.BETTING
_DECIDING, _CONFIRMED = Standing.DECIDING, Standing.CONFIRMED
_ONE, _RAISE = SpotsPerRound.ONE, UnderMinimum.RAISE


def opened(event: e.RoundOpened, table: TableTrace) -> RoundTrace:
    """Begin a round at a table, judged by how the table stands."""
    round_ = RoundTrace(event, table, table.notes, {s.seat: Part(s.seat, s.player, s.book) for s in event.seats})
    kill_switches.require_playing(table, "no round opens")
    rules_versions.require_in_force(table)
    if table.round is not None:
        round_.differs(OUT_OF_PLACE, "no round in hand", f"round {table.round.opened.round} runs")
    if event.number != table.rounds + 1:
        round_.differs("round number differs", table.rounds + 1, event.number)
    if event.operator != table.opened.operator or event.rules != table.label:
        round_.differs(
            "round's facts differ", f"{table.opened.operator} {table.label}", f"{event.operator} {event.rules}"
        )
    seated = [(guest.seat, guest.player, guest.book) for guest in table.seated()]
    taken = [(seat.seat, seat.player, seat.book) for seat in event.seats]
    if seated != taken or not taken:
        round_.differs("seats of the round differ", _seats(seated), _seats(taken))
    turn = table.rules.turn_seconds
    deadline = None if turn is None else event.opened_at + timedelta(seconds=turn)
    if event.deadline_at != deadline:
        round_.differs("deadline differs", deadline, event.deadline_at)
    _shoe(round_)
    table.round, table.rounds = round_, event.number
    shoe_commitments.named(table, event.next_shoe, number=event.number + 1, differs=round_.differs)
    return round_


def _seats(seats: Sequence[tuple[int, UUID, Book]]) -> str:
    return ", ".join(f"{seat}: {player} {book}" for seat, player, book in seats) or "nobody"


def _shoe(round_: RoundTrace) -> None:
    """Each round has the shoe of its own that was named for it, or is dealt from the table's long shoe."""
    event, table = round_.opened, round_.table
    if not table.long:
        shoe_commitments.used(round_)
        return
    if table.shoe is None or event.shoe != table.shoe.shoe or event.commitment is not None:
        shoe = None if table.shoe is None else table.shoe.shoe
        round_.differs("round is dealt from another shoe", shoe, event.shoe)
    elif table.shoe.over:
        round_.differs("cut card ignored", "the shoe ends after one more round", "another round from it")


def acting(round_: RoundTrace, number: int, *, while_aside: bool = False) -> Part | None:
    """Find the part of a seat that acts, and note when it may not; None for a seat not in the round.

    A round set aside takes no word from a seat, but a seat may still leave it: `while_aside`.
    """
    part = round_.parts.get(number)
    if part is None:
        round_.differs("seat not in the round", ", ".join(map(str, round_.parts)), number)
        return None
    if round_.phase is not _BETTING or (round_.set_aside is not None and not while_aside):
        found = round_.phase if round_.set_aside is None else "set aside"
        round_.differs(OUT_OF_PLACE, "open betting", found, seat=number)
    elif part.standing is not _DECIDING:
        round_.differs(OUT_OF_PLACE, "a seat that decides", part.standing, seat=number)
    return part


def placed(round_: RoundTrace, event: e.ChipsPlaced) -> None:
    """Follow chips on a spot: makeable, within the maximum, on as many spots as the table takes."""
    part = acting(round_, event.seat)
    if part is None:
        return
    if not is_makeable(event.amount, round_.table.rules):
        chips = f"made of {round_.table.rules.chips}"
        round_.differs("stake not makeable", chips, event.amount, seat=event.seat)
    _spoke(round_, part)
    part.placements.append({event.spot: event.amount})
    _limits(round_, part, part.placed())


def repeated(round_: RoundTrace, event: e.WagerRepeated) -> None:
    """Follow a rebet: the last confirmed wager of this player, on a cleared table."""
    part = acting(round_, event.seat)
    if part is None:
        return
    guest = round_.table.guests.get(part.player)
    last = None if guest is None else guest.last_wager
    if event.stakes != last or part.placements:
        round_.differs("rebet differs from the last wager", last, event.stakes, seat=event.seat)
    _spoke(round_, part)
    part.placements.append(event.stakes)
    _limits(round_, part, part.placed())


def undone(round_: RoundTrace, event: e.PlacementUndone) -> None:
    """Follow an undo: there must be something to take back."""
    part = acting(round_, event.seat)
    if part is None:
        return
    if not part.placements:
        round_.differs(OUT_OF_PLACE, "placed chips", "none", seat=event.seat)
    _spoke(round_, part)
    del part.placements[-1:]


def cleared(round_: RoundTrace, event: e.ChipsCleared) -> None:
    """Follow chips cleared off the table."""
    part = acting(round_, event.seat)
    if part is not None:
        _spoke(round_, part)
        part.placements.clear()


def _spoke(round_: RoundTrace, part: Part) -> None:
    """A word in the round, after which missed turns are counted anew."""
    guest = round_.table.guests.get(part.player)
    if guest is not None:
        guest.missed = 0


def confirmed(round_: RoundTrace, event: e.WagerConfirmed) -> None:
    """Follow a wager: in time, by its own player, what was placed and no more than the rules add."""
    part = acting(round_, event.seat)
    if part is None:
        return
    if event.player != part.player or event.book != part.book:
        found = f"{event.player} {event.book}"
        round_.differs("wager of another player", f"{part.player} {part.book}", found, seat=event.seat)
    kill_switches.require_playing(round_.table, "no wager is taken")
    _in_time(round_, event)
    _stakes(round_, part, event)
    part.standing, part.confirmed_at = _CONFIRMED, event.confirmed_at
    part.stakes, part.raised = event.stakes, event.raised
    part.placements.clear()
    guest = round_.table.guests.get(event.player)
    if guest is not None:
        guest.last_wager, guest.missed = event.stakes, 0
        guest.balance -= sum(event.stakes.values())
        if guest.balance < 0:
            round_.differs("stake without funds", "0 or more", guest.balance, seat=event.seat)


def _in_time(round_: RoundTrace, event: e.WagerConfirmed) -> None:
    deadline, closed = round_.opened.deadline_at, round_.closed_at
    if deadline is not None and event.confirmed_at >= deadline:
        round_.differs(LATE, f"before {deadline}", event.confirmed_at, seat=event.seat)
    elif round_.phase is not _BETTING:
        round_.differs(
            LATE, f"before betting closed at {closed}", f"after it, at {event.confirmed_at}", seat=event.seat
        )
    elif event.confirmed_at < round_.opened.opened_at:
        round_.differs("times out of order", f"from {round_.opened.opened_at}", event.confirmed_at, seat=event.seat)


def _stakes(round_: RoundTrace, part: Part, event: e.WagerConfirmed) -> None:
    rules, stakes = round_.table.rules, part.placed()
    raised: dict[Spot, int] = {}
    if rules.under_minimum is _RAISE:
        raised = {spot: rules.minimum - stake for spot, stake in stakes.items() if stake < rules.minimum}
        for spot, more in raised.items():
            stakes[spot] += more
    if event.stakes != stakes or event.raised != raised or not stakes:
        expected, found = (
            f"{_words(stakes)}, raised {_words(raised)}",
            f"{_words(event.stakes)}, raised {_words(event.raised)}",
        )
        round_.differs("wager differs from the chips", expected, found, seat=part.seat)
    _limits(round_, part, event.stakes)
    if min(event.stakes.values(), default=rules.minimum) < rules.minimum:
        round_.differs("stake under the minimum", rules.minimum, _words(event.stakes), seat=part.seat)


def _limits(round_: RoundTrace, part: Part, stakes: dict[Spot, int]) -> None:
    rules = round_.table.rules
    for stake in stakes.values():
        if stake > rules.maximum:
            round_.differs("stake over the maximum", rules.maximum, _words(stakes), seat=part.seat)
    if len(stakes) > 1 and rules.spots_per_round is _ONE:
        round_.differs("more than one spot", "one spot", _words(stakes), seat=part.seat)


def _words(stakes: dict[Spot, int]) -> str:
    return " ".join(f"{spot} {stake}" for spot, stake in stakes.items()) or "nothing"


def passed(round_: RoundTrace, event: e.SeatPassed) -> None:
    part = _out(round_, event.seat, Standing.PASSED)
    if part is not None:
        _spoke(round_, part)


def timed_out(round_: RoundTrace, event: e.SeatTimedOut) -> None:
    """Follow a time-out; whether its time had come is judged when betting closes."""
    part = _out(round_, event.seat, Standing.TIMED_OUT)
    guest = None if part is None else round_.table.guests.get(part.player)
    if guest is not None:
        guest.missed += 1


def withdrawn(round_: RoundTrace, event: e.SeatWithdrawn) -> None:
    """Follow a player who left or moved before confirming."""
    _out(round_, event.seat, Standing.WITHDRAWN, while_aside=True)


def _out(round_: RoundTrace, number: int, standing: Standing, *, while_aside: bool = False) -> Part | None:
    part = acting(round_, number, while_aside=while_aside)
    if part is not None:
        part.standing = standing
        part.placements.clear()
    return part
