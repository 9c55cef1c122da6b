"""Decisions of a table. `decide` checks a command against the state and returns events, or raises a refusal."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.versions import theoretical_returns
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables import rules_lifecycle, shoes
from baccarat.domain.tables.evolve import GameEvent, evolve
from baccarat.domain.tables.kill_switch import (
    GamingIsStopped,
    OperatorIsStopped,
    PlayIsStopped,
    PlayResumed,
    PlayStopped,
    RulesAreStopped,
    StopScope,
    TableIsStopped,
)
from baccarat.domain.tables.state import INITIAL, Seat, TableState
from casino.kernel.decider import Decider
from casino.kernel.money import AmountNotPositive, MoneyType
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds

Events = Sequence[e.TableEvent]

_STOP_REFUSALS: Final[dict[StopScope, type[PlayIsStopped]]] = {
    StopScope.GAMING: GamingIsStopped,
    StopScope.OPERATOR: OperatorIsStopped,
    StopScope.RULES: RulesAreStopped,
    StopScope.TABLE: TableIsStopped,
}


def decide(command: c.TableCommand, state: TableState) -> Events:
    """Return the events that follow from a command. Raises a Refusal."""
    return _DECIDE[type(command)](command, state)


def _open(command: c.OpenTable, state: TableState) -> Events:
    if MoneyType.PLAY in command.money_types and not command.rules.play_money:
        raise r.PlayMoneyNotOffered
    accepted, acknowledgement = command.edge_accepted, command.acknowledgement
    if MoneyType.REAL in command.money_types:
        rules_lifecycle.require_allowed(
            command.rules, floor=command.floor, acknowledgement=acknowledgement, edge_accepted=accepted
        )
        accepted = accepted or bool(acknowledgement)
    return (
        e.TableOpened(
            table=command.table,
            operator=command.operator,
            name=command.name,
            rules=record(command.rules),
            money_types=command.money_types,
            edge_accepted=command.edge_spots if accepted else (),
            opened_at=command.now,
            returns=theoretical_returns(command.rules),
            return_floor=command.floor,
            acknowledgement=acknowledgement,
            next_shoe=command.next_shoe,
            listed=command.listed,
            brands=command.brands,
        ),
    )


def _take(command: c.TakeSeat, state: TableState) -> Events:
    if state.closed:
        raise r.TableIsClosed
    require_playing(state)
    _require_seat_number(command.seat, state)
    if state.seat_of(command.player) is not None:
        raise r.AlreadySeated
    _require_free(command.seat, state)
    if command.money_type not in state.require_opened().money_types:
        raise r.MoneyTypeNotOffered(money_types=list(state.require_opened().money_types))
    if command.buy_in < 0:
        raise AmountNotPositive
    if 0 < command.buy_in < state.rules.minimum:
        raise r.BuyInUnderMinimum(minimum=state.rules.minimum, currency=state.rules.currency)
    _require_funds(command.buy_in, command, command.money_type, state)
    return (
        e.SeatTaken(
            seat=command.seat,
            player=command.player,
            money_type=command.money_type,
            buy_in=command.buy_in,
            taken_at=command.now,
        ),
    )


def _change(command: c.ChangeSeat, state: TableState) -> Events:
    seat = _require_seated(command.player, state)
    _require_seat_number(command.seat, state)
    if seat.seat == command.seat:
        return ()
    _require_free(command.seat, state)
    return (e.SeatChanged(player=command.player, from_seat=seat.seat, to_seat=command.seat, changed_at=command.now),)


def _rebuy(command: c.Rebuy, state: TableState) -> Events:
    seat = _require_seated(command.player, state)
    require_no_pending_closure(state)
    if command.amount <= 0:
        raise AmountNotPositive
    _require_funds(command.amount, command, seat.money_type, state)
    return (
        e.Rebought(
            seat=seat.seat,
            player=command.player,
            money_type=seat.money_type,
            amount=command.amount,
            rebought_at=command.now,
        ),
    )


def _leave(command: c.LeaveSeat, state: TableState) -> Events:
    seat = _require_seated(command.player, state)
    return (
        e.SeatLeft(
            seat=seat.seat,
            player=command.player,
            money_type=seat.money_type,
            returned=command.game_balance,
            commission_collected=seat.owed,
            left_at=command.now,
        ),
    )


def _free(command: c.FreeSeat, state: TableState) -> Events:
    seat = _require_seated(command.player, state)
    absence = _absence_reason(command, seat, kept_rounds=state.rules.seat_kept_rounds)
    reason = e.SeatReleaseReason.TABLE_CLOSED if state.closure_is_pending() else absence
    if reason is None:
        raise r.SeatIsHeld
    return (
        e.SeatReleased(
            seat=seat.seat,
            player=seat.player,
            money_type=seat.money_type,
            returned=command.game_balance,
            commission_collected=seat.owed,
            reason=reason,
            missed=seat.missed_turns,
            last_seen_at=command.last_seen_at,
            released_at=command.now,
        ),
    )


def _absence_reason(command: c.FreeSeat, seat: Seat, *, kept_rounds: int | None) -> e.SeatReleaseReason | None:
    silence = command.now - command.last_seen_at
    if silence >= command.gone_after:
        return e.SeatReleaseReason.DISCONNECTED
    if kept_rounds is not None and seat.missed_turns >= kept_rounds and silence >= command.away_after:
        return e.SeatReleaseReason.MISSED_ROUNDS
    return None


def _request_show_skip(command: c.RequestShowSkip, state: TableState) -> Events:
    seat = _require_seated(command.player, state)
    if state.rules.turn_seconds is None or state.betting_opens_at is None or not state.show_runs(command.now):
        raise r.NoShow
    if not state.rules.may_hurry:
        raise r.HurryNotAllowed(betting_opens_at=state.betting_opens_at)
    if command.player in state.show_skips:
        return ()
    return (e.ShowSkipRequested(seat=seat.seat, player=command.player, requested_at=command.now),)


def _end_show(command: c.EndShow, state: TableState) -> Events:
    if state.betting_opens_at is None:
        raise r.NoShow
    return (e.ShowEnded(ended_at=command.now),)


def _announce_closure(command: c.AnnounceTableClosure, state: TableState) -> Events:
    if state.closed or state.pending_closure is not None:
        return ()
    return (e.TableClosureAnnounced(by=command.by, reason=command.reason, announced_at=command.now),)


def _close(command: c.CloseTable, state: TableState) -> Events:
    """Close permanently. Reveals every commitment, so that a shoe cannot be abandoned because of its cards."""
    if state.closed:
        return ()
    if state.seats or state.round is not None:
        raise r.TableIsOccupied
    secret_shoes = [shoe.shoe for shoe in (state.shoe, *state.committed_shoes()) if shoe is not None]
    return (
        e.TableClosed(
            by=command.by,
            reason=command.reason,
            closed_at=command.now,
            seeds=tuple(e.RevealedSeed(shoe, command.seeds.get(shoe)) for shoe in secret_shoes),
        ),
    )


def _require_seated(player: UUID, state: TableState) -> Seat:
    seat = state.seat_of(player)
    if seat is None:
        raise r.NotSeated
    return seat


def _require_seat_number(number: int, state: TableState) -> None:
    pending = state.current_rules_lifecycle().pending
    seats = state.rules.seats if pending is None else min(state.rules.seats, pending.rules.decoded.seats)
    if not 1 <= number <= seats:
        raise r.UnknownSeat(f"The table has seats 1 to {seats}.", seats=seats)


def _require_free(number: int, state: TableState) -> None:
    if state.seat_at(number) is not None:
        raise r.SeatIsTaken(seat=number)


def _require_funds(amount: int, command: c.TakeSeat | c.Rebuy, money_type: MoneyType, state: TableState) -> None:
    if amount <= command.available:
        return
    account = player_account(
        operator=state.require_opened().operator,
        player=command.player,
        money_type=money_type,
        currency=state.rules.currency,
    )
    raise InsufficientFunds(account=account, balance=command.available, needed=amount)


def require_playing(state: TableState) -> None:
    """Check that nothing stops the table.

    Raises the refusal of the widest stop that applies, TableIsClosing, RulesAreRetired.
    """
    stop = state.widest_stop()
    if stop is not None:
        raise _STOP_REFUSALS[stop.scope](stop.message, since=stop.since)
    require_no_pending_closure(state)
    if state.rules_are_retired():
        raise r.RulesAreRetired


def require_show_over(state: TableState, now: datetime) -> None:
    """Check that the next turn need not wait for the last deal's show or the least cycle. Raises BettingNotOpen."""
    if state.show_runs(now):
        raise r.BettingNotOpen(betting_opens_at=state.turn_opens_at())


def require_no_pending_closure(state: TableState) -> None:
    """Check that the table is not about to close permanently. Raises TableIsClosing."""
    if state.closure_is_pending():
        raise r.TableIsClosing


def _stop(command: c.StopPlay, state: TableState) -> Events:
    """Stop the table. Change nothing if the switch already stops it or does not reach it."""
    if _is_stopped_by(command, state) or not _is_reached(command, state):
        return ()
    return (PlayStopped(command.scope, command.subject, command.message, command.reason, command.by, command.now),)


def _resume(command: c.ResumePlay, state: TableState) -> Events:
    """Resume the table. Change nothing if this switch does not stop it."""
    if not _is_stopped_by(command, state):
        return ()
    return (PlayResumed(command.scope, command.subject, command.reason, command.by, command.now),)


def _is_reached(command: c.StopPlay, state: TableState) -> bool:
    """Return whether a stop reaches the table: one of rules reaches tables that have them in force or published."""
    if command.scope is not StopScope.RULES:
        return True
    pending = state.current_rules_lifecycle().pending
    return command.subject in {state.recorded_rules.digest, "" if pending is None else pending.rules.digest}


def _is_stopped_by(command: c.StopCommand, state: TableState) -> bool:
    return any((stop.scope, stop.subject) == (command.scope, command.subject) for stop in state.stops)


_DECIDE: Final[dict[type, Callable[[Any, TableState], Events]]] = {
    c.OpenTable: _open,
    c.TakeSeat: _take,
    c.ChangeSeat: _change,
    c.Rebuy: _rebuy,
    c.LeaveSeat: _leave,
    c.FreeSeat: _free,
    c.RequestShowSkip: _request_show_skip,
    c.EndShow: _end_show,
    c.StopPlay: _stop,
    c.ResumePlay: _resume,
    **shoes.DECIDE,
    c.AnnounceTableClosure: _announce_closure,
    c.CloseTable: _close,
    **rules_lifecycle.DECIDE,
}

TABLE: Final[Decider[c.TableCommand, TableState, GameEvent]] = Decider(initial=INITIAL, decide=decide, evolve=evolve)
