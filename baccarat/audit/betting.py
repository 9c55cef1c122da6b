"""Replay a round's events up to the close of betting and check each against the rules."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from baccarat.audit import kill_switches, rules_versions, shoes, witnesses
from baccarat.audit.traces import OUT_OF_PLACE, RoundSeatTrace, RoundTrace, TableTrace
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.table_rules import SpotKind, SpotsPerRound, UnderMinimumPolicy
from baccarat.domain.rules.wagers import is_makeable
from casino.kernel.money import MoneyType

CONFIRMED_LATE = "wager confirmed late"
OTHER_WAGER = "wager has another id"

_BETTING = Phase.BETTING
_DECIDING, _CONFIRMED = SeatStatus.DECIDING, SeatStatus.CONFIRMED
_ONE, _RAISE = SpotsPerRound.ONE, UnderMinimumPolicy.RAISE


def replay_round_opened(event: e.RoundOpened, table: TableTrace) -> RoundTrace:
    """Begin a round and check that the table could open it."""
    round_ = RoundTrace(
        event, table, table.collector, {s.seat: RoundSeatTrace(s.seat, s.player, s.money_type) for s in event.seats}
    )
    is_passed_over = witnesses.follows_from_replaced(table, event.witnesses)
    if not is_passed_over:
        kill_switches.check_playing(table, "no round opens")
        rules_versions.check_rules_in_force(table)
    if table.round is not None:
        round_.record_difference(OUT_OF_PLACE, "no round in hand", f"round {table.round.opened.round} runs")
    if event.number != table.rounds + 1:
        round_.record_difference("round number differs", table.rounds + 1, event.number)
    facts = table.opened.operator, table.recorded_rules.digest, table.label
    stated = event.operator, event.rules, event.rules_label
    if stated != facts:
        round_.record_difference("round's facts differ", " ".join(map(str, facts)), " ".join(map(str, stated)))
    seated = [(table_seat.seat, table_seat.player, table_seat.money_type) for table_seat in table.list_seats()]
    taken = [(seat.seat, seat.player, seat.money_type) for seat in event.seats]
    if seated != taken or not (taken or is_passed_over):
        round_.record_difference("seats of the round differ", _seats(seated), _seats(taken))
    turn = table.rules.turn_seconds
    deadline = None if turn is None else event.opened_at + timedelta(seconds=turn)
    if event.deadline_at != deadline:
        round_.record_difference("deadline differs", deadline, event.deadline_at)
    table.end_show(event.opened_at)
    table.begin_cycle(event.opened_at)
    _check_shoe(round_)
    shoes.check_terms(round_)
    table.round, table.rounds, table.coming_shoe = round_, event.number, None
    return round_


def _seats(seats: Sequence[tuple[int, UUID, MoneyType]]) -> str:
    return ", ".join(f"{seat}: {player} {money_type}" for seat, player, money_type in seats) or "nobody"


def _check_shoe(round_: RoundTrace) -> None:
    """Check the round's shoe: its own, as committed to before it opened, or the table's long shoe."""
    event, table = round_.opened, round_.table
    if not table.has_long_shoe:
        shoes.check_committed_shoe(round_)
        return
    if table.shoe is None or event.shoe != table.shoe.shoe or event.commitment is not None:
        shoe = None if table.shoe is None else table.shoe.shoe
        round_.record_difference("round is dealt from another shoe", shoe, event.shoe)
    elif table.shoe.finished:
        round_.record_difference("cut card ignored", "the shoe ends after one more round", "another round from it")


def find_acting_seat(round_: RoundTrace, number: int, *, while_suspended: bool = False) -> RoundSeatTrace | None:
    """Return the seat that acts, and record a difference if it may not; None for a seat not in the round.

    A seat cannot act in a suspended round, but it may leave it: `while_suspended`.
    """
    part = round_.seats.get(number)
    if part is None:
        round_.record_difference("seat not in the round", ", ".join(map(str, round_.seats)), number)
        return None
    if round_.phase is not _BETTING or (round_.suspension_reason is not None and not while_suspended):
        actual = round_.phase if round_.suspension_reason is None else "suspended"
        round_.record_difference(OUT_OF_PLACE, "open betting", actual, seat=number)
    elif part.status is not _DECIDING:
        round_.record_difference(OUT_OF_PLACE, "a seat that decides", part.status, seat=number)
    return part


def replay_chips_placed(round_: RoundTrace, event: e.ChipsPlaced) -> None:
    """Check chips on a spot: a valid stake, within the maximum, on no more spots than the table allows."""
    part = find_acting_seat(round_, event.seat)
    if part is None:
        return
    _check_makeable(round_, event.seat, event.amount)
    _reset_missed_turns(round_, part)
    part.placements.append({event.spot: event.amount})
    _check_limits(round_, part, part.placed_stakes())


def _check_makeable(round_: RoundTrace, seat: int, amount: int) -> None:
    if not is_makeable(amount, round_.table.rules):
        round_.record_difference("stake not makeable", f"made of {round_.table.rules.chips}", amount, seat=seat)


def replay_wager_repeated(round_: RoundTrace, event: e.StakesRebet) -> None:
    """Check stakes placed again: those that lie there, or on a cleared table the player's last confirmed wager."""
    part = find_acting_seat(round_, event.seat)
    if part is None:
        return
    table_seat = round_.table.seats.get(part.player)
    last = part.placed_stakes() or (None if table_seat is None else table_seat.last_wager)
    if event.stakes != last:
        round_.record_difference("rebet differs from the last wager", last, event.stakes, seat=event.seat)
    _reset_missed_turns(round_, part)
    part.placements.append(event.stakes)
    _check_limits(round_, part, part.placed_stakes())


def replay_placement_undone(round_: RoundTrace, event: e.PlacementUndone) -> None:
    """Check an undo: there must be something to undo."""
    part = find_acting_seat(round_, event.seat)
    if part is None:
        return
    if not part.placements:
        round_.record_difference(OUT_OF_PLACE, "placed chips", "none", seat=event.seat)
    _reset_missed_turns(round_, part)
    del part.placements[-1:]


def replay_chips_cleared(round_: RoundTrace, event: e.ChipsCleared) -> None:
    """Clear the seat's chips."""
    part = find_acting_seat(round_, event.seat)
    if part is not None:
        _reset_missed_turns(round_, part)
        part.placements.clear()


def _reset_missed_turns(round_: RoundTrace, part: RoundSeatTrace) -> None:
    """Record an action in the round; it resets the count of missed turns."""
    table_seat = round_.table.seats.get(part.player)
    if table_seat is not None:
        table_seat.missed_turns = 0


def replay_wager_confirmed(round_: RoundTrace, event: e.WagerConfirmed) -> None:
    """Check a confirmed wager: in time, by its own player, with the stakes placed plus what the rules add."""
    part = find_acting_seat(round_, event.seat)
    if part is None:
        return
    if event.player != part.player or event.money_type != part.money_type:
        actual = f"{event.player} {event.money_type}"
        round_.record_difference("wager of another player", f"{part.player} {part.money_type}", actual, seat=event.seat)
    if event.wager != (named := wager_id(round_.opened.round, event.seat)):
        round_.record_difference(OTHER_WAGER, named, event.wager, seat=event.seat)
    kill_switches.check_playing(round_.table, "no wager is taken")
    _check_time(round_, event)
    _check_stakes(round_, part, event)
    part.place = len(round_.confirmed_seats())
    part.status, part.confirmed_at, part.wager = _CONFIRMED, event.confirmed_at, event.wager
    part.stakes, part.raised, part.signature, part.debit = event.stakes, event.raised, event.signature, event.debit
    part.placements.clear()
    table_seat = round_.table.seats.get(event.player)
    if table_seat is not None:
        table_seat.last_wager, table_seat.missed_turns = event.stakes, 0
        if event.debit is not None:  # the operator's own wallet has paid
            return
        table_seat.balance -= sum(event.stakes.values())
        if table_seat.balance < 0:
            round_.record_difference("stake without funds", "0 or more", table_seat.balance, seat=event.seat)


def _check_time(round_: RoundTrace, event: e.WagerConfirmed) -> None:
    deadline, closed = round_.opened.deadline_at, round_.closed_at
    if deadline is not None and event.confirmed_at >= deadline:
        round_.record_difference(CONFIRMED_LATE, f"before {deadline}", event.confirmed_at, seat=event.seat)
    elif round_.phase is not _BETTING:
        round_.record_difference(
            CONFIRMED_LATE, f"before betting closed at {closed}", f"after it, at {event.confirmed_at}", seat=event.seat
        )
    elif event.confirmed_at < round_.opened.opened_at:
        round_.record_difference(
            "times out of order", f"from {round_.opened.opened_at}", event.confirmed_at, seat=event.seat
        )


def _check_stakes(round_: RoundTrace, part: RoundSeatTrace, event: e.WagerConfirmed) -> None:
    rules, stakes = round_.table.rules, part.placed_stakes()
    if not part.placements:  # the wager came with its stakes
        stakes = {spot: stake - event.raised.get(spot, 0) for spot, stake in event.stakes.items()}
        for stake in stakes.values():
            _check_makeable(round_, part.seat, stake)
    raised: dict[str, int] = {}
    if rules.under_minimum is _RAISE:
        for spot in (each for each in rules.spots if each.kind is SpotKind.MAIN):
            minimum = rules.limits_of(spot)[0]
            if stakes.get(spot.name, minimum) < minimum:
                raised[spot.name], stakes[spot.name] = minimum - stakes[spot.name], minimum
    if event.stakes != stakes or event.raised != raised or not stakes:
        expected, actual = (
            f"{_format_stakes(stakes)}, raised {_format_stakes(raised)}",
            f"{_format_stakes(event.stakes)}, raised {_format_stakes(event.raised)}",
        )
        round_.record_difference("wager differs from the chips", expected, actual, seat=part.seat)
    _check_limits(round_, part, event.stakes)
    for spot in rules.spots:
        minimum = rules.limits_of(spot)[0]
        if event.stakes.get(spot.name, minimum) < minimum:
            _record_stakes(round_, part, "stake under the minimum", f"{spot.name} {minimum}", event.stakes)


def _check_limits(round_: RoundTrace, part: RoundSeatTrace, stakes: dict[str, int]) -> None:
    rules = round_.table.rules
    for spot in rules.spots:
        maximum = rules.limits_of(spot)[1]
        if stakes.get(spot.name, 0) > maximum:
            _record_stakes(round_, part, "stake over the maximum", f"{spot.name} {maximum}", stakes)
        if spot.needs and spot.name in stakes and stakes.keys().isdisjoint(spot.needs):
            _record_stakes(round_, part, "stake without one that it needs", " or ".join(spot.needs), stakes)
    if stakes.keys() - set(rules.spot_names):
        _record_stakes(round_, part, "stake on no spot", " ".join(rules.spot_names), stakes)
    if len(stakes) > 1 and rules.spots_per_round is _ONE:
        _record_stakes(round_, part, "more than one spot", "one spot", stakes)


def _record_stakes(round_: RoundTrace, part: RoundSeatTrace, what: str, expected: str, stakes: dict[str, int]) -> None:
    round_.record_difference(what, expected, _format_stakes(stakes), seat=part.seat)


def _format_stakes(stakes: dict[str, int]) -> str:
    return " ".join(f"{spot} {stake}" for spot, stake in stakes.items()) or "nothing"


def replay_seat_passed(round_: RoundTrace, event: e.SeatPassed) -> None:
    part = _leave_betting(round_, event.seat, SeatStatus.PASSED)
    if part is not None:
        _reset_missed_turns(round_, part)


def replay_seat_timed_out(round_: RoundTrace, event: e.SeatTimedOut) -> None:
    """Record a time-out; `replay_betting_closed` checks whether it was due."""
    part = _leave_betting(round_, event.seat, SeatStatus.TIMED_OUT)
    table_seat = None if part is None else round_.table.seats.get(part.player)
    if table_seat is not None:
        table_seat.missed_turns += 1


def replay_round_left(round_: RoundTrace, event: e.SeatLeftRound) -> None:
    """Record that a player left or moved before confirming."""
    _leave_betting(round_, event.seat, SeatStatus.LEFT, while_suspended=True)


def _leave_betting(
    round_: RoundTrace, number: int, status: SeatStatus, *, while_suspended: bool = False
) -> RoundSeatTrace | None:
    part = find_acting_seat(round_, number, while_suspended=while_suspended)
    if part is not None:
        part.status = status
        part.placements.clear()
    return part
