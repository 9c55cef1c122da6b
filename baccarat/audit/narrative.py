"""One round told in words, step by step, from its events and its table's rules. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.rules.deal import IllegalDeal, describe_steps, replay
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.events import TableOpened
from casino.kernel import money


@dataclass(frozen=True, slots=True)
class NarrativeLine:
    """One step: the version of the event that it tells of, that event's type, and the words."""

    version: int
    event: str
    text: str


def narrate(table: TableOpened, events: Iterable[tuple[int, object]]) -> Iterator[NarrativeLine]:
    """Tell a round's events, given as (version, event), in order."""
    for version, event in events:
        told = _TOLD.get(type(event))
        sentences: Iterable[str] = (f"{type(event).__name__}.",) if told is None else told(event, table)
        for sentence in sentences:
            yield NarrativeLine(version, type(event).__name__, sentence)


def _opened(event: e.RoundOpened, table: TableOpened) -> Iterator[str]:
    seats = ", ".join(str(seat.seat) for seat in event.seats)
    until = "without a time limit" if event.deadline_at is None else f"until {_time(event.deadline_at)}"
    yield f'Round {event.number} of "{table.name}" ({event.rules}, {table.rules.currency}).'
    yield f"Betting opened at {_time(event.opened_at)}, {until}, for seats: {seats}."
    if event.commitment is None:
        yield f"It is dealt from the table's shoe {event.shoe}, committed to when that shoe began."
    else:
        yield f"Its shoe {event.shoe} was committed to before the first bet: {event.commitment}."
    if event.next_shoe is not None:
        yield f"For the round after it, shoe {event.next_shoe.shoe} is committed to: {event.next_shoe.commitment}."


def _placed(event: e.ChipsPlaced, table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} placed {_stakes({event.spot: event.amount}, table.rules)}."


def _undone(event: e.PlacementUndone, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} took its last placement back."


def _cleared(event: e.ChipsCleared, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} cleared its chips off the table."


def _repeated(event: e.StakesRebet, table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} placed its last wager again: {_stakes(event.stakes, table.rules)}."


def _confirmed(event: e.WagerConfirmed, table: TableOpened) -> Iterator[str]:
    at, stakes = _time(event.confirmed_at), _stakes(event.stakes, table.rules)
    yield f"Seat {event.seat} confirmed its wager at {at}: {stakes} ({event.money_type} money)."
    if event.raised:
        least = _amount(table.rules.minimum, table.rules)
        more = _stakes(event.raised, table.rules)
        yield f"Seat {event.seat} was raised to the minimum of {least}: {more} added."


def _passed(event: e.SeatPassed, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} passed."


def _timed_out(event: e.SeatTimedOut, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} said nothing within its turn and is left out; nothing is taken."


def _withdrawn(event: e.SeatLeftRound, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} left or moved before confirming; its chips are returned."


def _cut_given(event: CutContributed, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} added {event.contribution} to the cut at {_time(event.contributed_at)}."


def _closed(event: e.BettingClosed, _table: TableOpened) -> Iterator[str]:
    yield f"Betting closed at {_time(event.closed_at)}."
    if event.contributions:
        seats = ", ".join(str(each.seat) for each in event.contributions)
        yield f"The shoe was cut by what these seats had added: {seats}. The cut is {event.cut}."


def _handed_out(event: ce.CardsHandedOut, _table: TableOpened) -> Iterator[str]:
    yield f"The Player's two cards went face down to seat {event.seat}, the highest Player wager."
    yield f"Seat {event.seat} could look at them until {_time(event.until)}."


def _looked(event: ce.CardsLookedAt, _table: TableOpened) -> Iterator[str]:
    yield f"Seat {event.seat} looked at the cards at {_time(event.looked_at)}."
    yield f"It had until {_time(event.until)} to hand them back."


def _handed_back(event: ce.CardsHandedBack, _table: TableOpened) -> Iterator[str]:
    at = _time(event.handed_back_at)
    if event.by is ce.HandedBackBy.PLAYER:
        yield f"Seat {event.seat} handed the cards back at {at}."
    else:
        yield f"The time of seat {event.seat} was over, and the Caller took the cards back at {at}."


def _turned(event: ce.HandTurned, _table: TableOpened) -> Iterator[str]:
    yield f"The Caller turned the {event.side.capitalize()}'s hand over: {' '.join(event.cards)}."


def _dealt(event: e.CardsDealt, _table: TableOpened) -> Iterator[str]:
    yield f"Cards from place {event.position} of the shoe on: {' '.join(event.cards)}."
    try:
        dealt = replay(event.cards)
    except IllegalDeal as illegal:
        yield f"No legal deal: {illegal}"
        return
    for step in describe_steps(dealt):
        yield step.text


def _settled(event: e.RoundSettled, table: TableOpened) -> Iterator[str]:
    natural = ", a natural" if event.natural else ""
    yield f"Settled as {event.outcome}: Player {event.player_total}, Banker {event.banker_total}{natural}."
    for wager in event.wagers:
        for result in wager.results:
            yield f"Seat {wager.seat}: {_result(result, table.rules)}"
        yield f"Seat {wager.seat} gets {_amount(wager.returned, table.rules)} for {_amount(wager.staked, table.rules)}."
        if wager.deferred and wager.commission:
            yield f"Seat {wager.seat} owes {_amount(wager.commission, table.rules)}, held in its rack."


def _result(result: SpotResult, rules: TableRules) -> str:
    stake = f"{_amount(result.stake, rules)} on {result.spot.capitalize()}"
    if result.result is StakeResult.LOSE:
        return f"{stake} lost."
    if result.result is StakeResult.PUSH:
        return f"{stake} pushed: the tie returns the stake."
    won = f"{stake} won {_amount(result.win, rules)} at {_pays(result.spot, rules)}"
    if result.spot is not Spot.BANKER or rules.commission is None:
        return f"{won}."
    return f"{won}; {_commission(result, rules, rules.commission)}."


def _pays(spot: Spot, rules: TableRules) -> Ratio:
    return {Spot.PLAYER: rules.player_pays, Spot.BANKER: rules.banker_pays, Spot.TIE: rules.tie_pays}[spot]


def _commission(result: SpotResult, rules: TableRules, commission: Commission) -> str:
    """Rate, exact amount, how it is rounded, what it comes to, and when it is taken."""
    exact = Fraction(result.win * commission.rate.numerator, commission.rate.denominator)
    rate = f"{commission.rate.numerator}/{commission.rate.denominator}"
    unit = commission.rounding
    if unit is None:
        rounding = "half up to the minor unit"
    else:
        chip = _amount(rules.chips[0], rules)
        rounding = f"up to {unit.numerator}/{unit.denominator} of the lowest chip ({chip})"
    when = "owed until the shoe ends" if commission.timing is CommissionTiming.DEFERRED else "taken at once"
    charged = _amount(result.commission, rules)
    return f"commission {rate} is exactly {_exact(exact, rules)}, rounded {rounding}: {charged}, {when}"


def _exact(minor: Fraction, rules: TableRules) -> str:
    """An exact amount: as money where it is whole minor units, else those with their fraction."""
    if minor.denominator == 1:
        return _amount(minor.numerator, rules)
    return f"{minor.numerator}/{minor.denominator} minor units"


def _lapsed(event: e.RoundLapsed, _table: TableOpened) -> Iterator[str]:
    yield f"The round lapsed at {_time(event.lapsed_at)}: {event.reason}. No card was dealt."


def _set_aside(event: e.RoundSuspended, _table: TableOpened) -> Iterator[str]:
    yield f"The round could not be dealt and was set aside at {_time(event.suspended_at)}: {event.reason}."


def _resumed(event: e.RoundResumed, _table: TableOpened) -> Iterator[str]:
    yield f"{event.by} sent the round back to be dealt at {_time(event.resumed_at)}."


def _void_requested(event: ve.RoundVoidRequested, _table: TableOpened) -> Iterator[str]:
    yield f"{event.by} asked at {_time(event.requested_at)} to void the round ({event.reason}): {event.note}"


def _void_declined(event: ve.RoundVoidDeclined, _table: TableOpened) -> Iterator[str]:
    yield f"{event.by} declined the void at {_time(event.declined_at)}: {event.note}"


def _voided(event: ve.RoundVoided, table: TableOpened) -> Iterator[str]:
    agreed = "" if event.approved_by is None else f", and {event.approved_by} agreed"
    yield f"{event.requested_by} voided the round{agreed}, at {_time(event.voided_at)} ({event.reason}): {event.note}"
    if event.burned:
        yield f"{event.burned} cards were burned from the shoe, as a player had seen two of them."
    for seat in event.seats:
        staked, paid = _amount(seat.staked, table.rules), _amount(seat.paid, table.rules)
        yield f"Seat {seat.seat} gets its stake of {staked} back and gives back {paid}."
        if seat.commission:
            yield f"Seat {seat.seat} is charged no commission: {_amount(seat.commission, table.rules)} undone."
        if seat.owed or seat.forgiven:
            owed, forgiven = _amount(seat.owed, table.rules), _amount(seat.forgiven, table.rules)
            yield f"Seat {seat.seat} had spent some of it: {owed} is owed, {forgiven} forgiven."


def _stakes(stakes: Mapping[Spot, int], rules: TableRules) -> str:
    return ", ".join(f"{_amount(stake, rules)} on {spot.capitalize()}" for spot, stake in stakes.items())


def _amount(minor: int, rules: TableRules) -> str:
    return money.format_amount(minor, rules.currency)


def _time(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"


_Teller = Callable[[Any, TableOpened], Iterable[str]]
_TOLD: Final[Mapping[type, _Teller]] = {
    e.RoundOpened: _opened,
    e.ChipsPlaced: _placed,
    e.PlacementUndone: _undone,
    e.ChipsCleared: _cleared,
    e.StakesRebet: _repeated,
    e.WagerConfirmed: _confirmed,
    e.SeatPassed: _passed,
    e.SeatTimedOut: _timed_out,
    e.SeatLeftRound: _withdrawn,
    CutContributed: _cut_given,
    e.BettingClosed: _closed,
    ce.CardsHandedOut: _handed_out,
    ce.CardsLookedAt: _looked,
    ce.CardsHandedBack: _handed_back,
    ce.HandTurned: _turned,
    e.CardsDealt: _dealt,
    e.RoundSettled: _settled,
    e.RoundLapsed: _lapsed,
    e.RoundSuspended: _set_aside,
    e.RoundResumed: _resumed,
    ve.RoundVoidRequested: _void_requested,
    ve.RoundVoidDeclined: _void_declined,
    ve.RoundVoided: _voided,
}
