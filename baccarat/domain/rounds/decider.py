"""Decisions of a round. `decide` checks a command against the state and returns events, or raises a refusal."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds import dealing, voiding
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.forcing import CardsForced, require_dealable
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import INITIAL, Phase, RoundSeat, RoundState, SeatStatus, evolve
from baccarat.domain.rules.table_rules import SpotKind, SpotsPerRound, TableRules, UnderMinimumPolicy
from baccarat.domain.rules.wagers import require_makeable
from casino.kernel.decider import Decider
from casino.kernel.money import format_amount
from wallet.ledger.accounts import game_account
from wallet.ledger.refusals import InsufficientFunds

Events = Sequence[e.RoundEvent]
_StakingCommand = c.PlaceChips | c.RepeatWager | c.DoubleStakes | c.ConfirmWager


def decide(command: c.RoundCommand, state: RoundState) -> Events:
    """Return the events that follow from a command, none if it changes nothing. Raises a Refusal."""
    return _DECIDE[type(command)](command, state)


def _open(command: c.OpenRound, state: RoundState) -> Events:
    if state.phase is not Phase.UNOPENED:
        raise r.RoundIsOpen
    return (
        e.RoundOpened(
            round=command.round,
            table=command.table,
            operator=command.operator,
            number=command.number,
            rules=command.rules,
            rules_label=command.rules_label,
            shoe=command.shoe,
            commitment=command.commitment,
            seats=command.seats,
            opened_at=command.now,
            deadline_at=command.deadline_at,
            contributions=command.contributions,
            terms=command.terms,
            witnesses=command.witnesses,
        ),
    )


def _require_turn(command: c.PlayerCommand, state: RoundState) -> RoundSeat:
    """Return the player's seat if it may still act: betting is open and the seat has not acted."""
    _require_open(state, command.now)
    seat = state.seat_of(command.player)
    if seat is None:
        raise r.NotYourTurn
    if seat.status is SeatStatus.CONFIRMED:
        raise r.AlreadyConfirmed
    if seat.status is not SeatStatus.DECIDING:
        raise r.NotYourTurn
    return seat


def _require_open(state: RoundState, now: datetime) -> None:
    if state.phase is Phase.UNOPENED:
        raise r.NoOpenRound
    if state.phase is not Phase.BETTING or state.suspension_reason is not None:
        raise r.BettingIsClosed
    deadline = state.require_opened().deadline_at
    if deadline is not None and now >= deadline:
        raise r.BettingIsClosed(deadline_at=deadline)


def _place(command: c.PlaceChips, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    require_makeable(command.amount, command.rules)
    stakes = _add_stakes(seat.placed_stakes(), {command.spot: command.amount})
    _require_within_rules(stakes, command.rules)
    _require_funds(stakes, seat, command, state)
    return (e.ChipsPlaced(seat=seat.seat, spot=command.spot, amount=command.amount),)


def _undo(command: c.UndoPlacement, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    if not seat.placements:
        raise r.NoChipsPlaced
    return (e.PlacementUndone(seat=seat.seat),)


def _clear(command: c.ClearChips, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    return (e.ChipsCleared(seat=seat.seat),) if seat.placements else ()


def _repeat(command: c.RepeatWager, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    if seat.placements:
        raise r.ChipsAlreadyPlaced
    if not command.stakes:
        raise r.NothingToRepeat
    _require_within_rules(command.stakes, command.rules)
    _require_funds(command.stakes, seat, command, state)
    return (e.StakesRebet(seat=seat.seat, stakes=dict(command.stakes)),)


def _double(command: c.DoubleStakes, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    placed = seat.placed_stakes()
    if not placed:
        raise r.NoChipsPlaced
    stakes = _add_stakes(placed, placed)
    _require_within_rules(stakes, command.rules)
    _require_funds(stakes, seat, command, state)
    return (e.StakesRebet(seat=seat.seat, stakes=placed),)


def _confirm(command: c.ConfirmWager, state: RoundState) -> Events:
    seat = _require_turn(command, state)
    placed = command.stakes or seat.placed_stakes()
    if not placed:
        raise r.NoChipsPlaced
    for stake in command.stakes.values():
        require_makeable(stake, command.rules)
    _require_within_rules(placed, command.rules)
    raised = _shortfalls(placed, command.rules)
    stakes = _add_stakes(placed, raised)
    _require_within_rules(stakes, command.rules)
    _require_funds(stakes, seat, command, state)
    return (
        *((e.ChipsCleared(seat=seat.seat),) if command.stakes and seat.placements else ()),
        e.WagerConfirmed(
            wager=wager_id(state.require_opened().round, seat.seat),
            seat=seat.seat,
            player=seat.player,
            money_type=seat.money_type,
            stakes=stakes,
            raised=raised,
            confirmed_at=command.now,
            signature=command.signature,
            debit=command.debit,
        ),
    )


def _shortfalls(placed: Mapping[str, int], rules: TableRules) -> dict[str, int]:
    """Return by how much stakes are under their minimum. Raises UnderMinimum unless the table raises such stakes.

    Only stakes on main spots are raised.
    """
    under = [(spot, rules.limits_of(spot)[0]) for spot in rules.spots if placed.get(spot.name, 0) > 0]
    under = [(spot, minimum) for spot, minimum in under if placed[spot.name] < minimum]
    raises = rules.under_minimum is UnderMinimumPolicy.RAISE
    refused = {spot.name: minimum for spot, minimum in under if not raises or spot.kind is not SpotKind.MAIN}
    if refused:
        spots, minimum = _alike(refused)
        raise r.UnderMinimum(minimum=format_amount(minimum, rules.currency), currency=rules.currency, spots=spots)
    return {spot.name: minimum - placed[spot.name] for spot, minimum in under}


def _add_stakes(stakes: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    return {spot: stakes.get(spot, 0) + more.get(spot, 0) for spot in (*stakes, *(more.keys() - stakes.keys()))}


def _require_within_rules(stakes: Mapping[str, int], rules: TableRules) -> None:
    unknown = sorted(stakes.keys() - set(rules.spot_names))
    if unknown:
        raise r.UnknownSpot(unknown=unknown, spots=list(rules.spot_names))
    staked = [spot for spot in rules.spots if spot.name in stakes]
    over = {spot.name: rules.limits_of(spot)[1] for spot in staked if stakes[spot.name] > rules.limits_of(spot)[1]}
    if over:
        spots, maximum = _alike(over)
        raise r.OverMaximum(maximum=format_amount(maximum, rules.currency), currency=rules.currency, spots=spots)
    if rules.spots_per_round is SpotsPerRound.ONE and len(stakes) > 1:
        raise r.OneSpotOnly
    alone = next((spot for spot in staked if spot.needs and stakes.keys().isdisjoint(spot.needs)), None)
    if alone:
        raise r.SpotNeedsAnother(spot=alone.name, needs=list(alone.needs))


def _alike(limits: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the spots whose limit is the first one's, and that limit."""
    limit = next(iter(limits.values()))
    return sorted(spot for spot, each in limits.items() if each == limit), limit


def _require_funds(stakes: Mapping[str, int], seat: RoundSeat, command: _StakingCommand, state: RoundState) -> None:
    total = sum(stakes.values())
    if total <= command.available:
        return
    round_ = state.require_opened()
    account = game_account(
        operator=round_.operator,
        player=seat.player,
        table=round_.table,
        money_type=seat.money_type,
        currency=command.rules.currency,
    )
    raise InsufficientFunds(account=account, balance=command.available, needed=total)


def _pass(command: c.PassTurn, state: RoundState) -> Events:
    return (e.SeatPassed(seat=_require_turn(command, state).seat),)


def _force(command: c.ForceCards, state: RoundState) -> Events:
    """Choose the cards once, before any seat has acted: whoever wagers can know that they are chosen."""
    _require_open(state, command.now)
    if state.forced or not all(seat.status in {SeatStatus.DECIDING, SeatStatus.LEFT} for seat in state.seats):
        raise r.TooLateToForce
    return (CardsForced(cards=require_dealable(command.cards, decks=command.decks), forced_at=command.now),)


def _leave(command: c.LeaveRound, state: RoundState) -> Events:
    if not state.is_running():
        return ()
    seat = state.seat_of(command.player)
    if seat is None or seat.status in {SeatStatus.PASSED, SeatStatus.TIMED_OUT, SeatStatus.LEFT}:
        return ()
    if seat.status is SeatStatus.CONFIRMED:
        raise r.WagerInPlay(round=str(state.require_opened().round), deadline_at=state.require_opened().deadline_at)
    return (e.SeatLeftRound(seat=seat.seat),)


_DECIDE: Final[dict[type, Callable[[Any, RoundState], Events]]] = {
    c.OpenRound: _open,
    c.PlaceChips: _place,
    c.UndoPlacement: _undo,
    c.ClearChips: _clear,
    c.RepeatWager: _repeat,
    c.DoubleStakes: _double,
    c.ConfirmWager: _confirm,
    c.PassTurn: _pass,
    c.ForceCards: _force,
    c.LeaveRound: _leave,
    **dealing.DECIDE,
    **voiding.DECIDE,
}

ROUND: Final[Decider[c.RoundCommand, RoundState, e.RoundEvent]] = Decider(initial=INITIAL, decide=decide, evolve=evolve)
