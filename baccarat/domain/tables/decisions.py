"""Decisions on a table: opening, seats, shows, stops, closing. Each returns events, or raises a refusal. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.domain.rounds.events import ShoeCommitment
from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import DEFAULT_FLOOR, theoretical_returns
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables import rules_lifecycle
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
from baccarat.domain.tables.state import Seat, TableState
from casino.kernel.money import AmountNotPositive, MoneyType
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds
from wallet.responsible_gaming.allowance import Allowance

Events = Sequence[e.TableEvent]

_STOP_REFUSALS: Final[dict[StopScope, type[PlayIsStopped]]] = {
    StopScope.GAMING: GamingIsStopped,
    StopScope.OPERATOR: OperatorIsStopped,
    StopScope.RULES: RulesAreStopped,
    StopScope.TABLE: TableIsStopped,
}


def open_table(
    state: TableState,
    *,
    table: UUID,
    operator: UUID,
    name: str,
    rules: TableRules,
    money_types: tuple[MoneyType, ...],
    edge_spots: tuple[str, ...],
    edge_accepted: bool,
    at: datetime,
    floor: int = DEFAULT_FLOOR,
    acknowledgement: str = "",
    next_shoe: ShoeCommitment | None = None,
    listed: bool = True,
    brands: tuple[UUID, ...] = (),
) -> Events:
    """Open a table. `edge_spots` are the spots whose rules favour the player, `edge_accepted` the operator's
    acceptance.

    `next_shoe` is the shoe of its first round, None if the table plays long shoes.
    """
    del state
    if MoneyType.PLAY in money_types and not rules.play_money:
        raise r.PlayMoneyNotOffered
    if MoneyType.REAL in money_types:
        rules_lifecycle.require_allowed(
            rules, floor=floor, acknowledgement=acknowledgement, edge_accepted=edge_accepted
        )
        edge_accepted = edge_accepted or bool(acknowledgement)
    return (
        e.TableOpened(
            table=table,
            operator=operator,
            name=name,
            rules=record(rules),
            money_types=money_types,
            edge_accepted=edge_spots if edge_accepted else (),
            opened_at=at,
            returns=theoretical_returns(rules),
            return_floor=floor,
            acknowledgement=acknowledgement,
            next_shoe=next_shoe,
            listed=listed,
            brands=brands,
        ),
    )


def take_seat(
    state: TableState,
    *,
    player: UUID,
    seat: int,
    money_type: MoneyType,
    buy_in: int,
    allowance: Allowance,
    at: datetime,
) -> Events:
    """Take a seat with `buy_in` minor units. The `allowance` is of the account in that money type."""
    allowance.require_buy_in(buy_in)
    if state.closed:
        raise r.TableIsClosed
    require_playing(state)
    _require_seat_number(seat, state)
    if state.seat_of(player) is not None:
        raise r.AlreadySeated
    _require_free(seat, state)
    if money_type not in state.require_opened().money_types:
        raise r.MoneyTypeNotOffered(money_types=list(state.require_opened().money_types))
    if buy_in < 0:
        raise AmountNotPositive
    if 0 < buy_in < state.rules.minimum:
        raise r.BuyInUnderMinimum(minimum=state.rules.minimum, currency=state.rules.currency)
    _require_funds(state, player, buy_in, allowance.available, money_type)
    return (
        e.SeatTaken(
            seat=seat,
            player=player,
            money_type=money_type,
            buy_in=buy_in,
            taken_at=at,
        ),
    )


def change_seat(state: TableState, *, player: UUID, seat: int, at: datetime) -> Events:
    taken = _require_seated(player, state)
    _require_seat_number(seat, state)
    if taken.seat == seat:
        return ()
    _require_free(seat, state)
    return (e.SeatChanged(player=player, from_seat=taken.seat, to_seat=seat, changed_at=at),)


def rebuy(state: TableState, *, player: UUID, amount: int, allowance: Allowance, at: datetime) -> Events:
    allowance.require_buy_in(amount)
    seat = _require_seated(player, state)
    require_no_pending_closure(state)
    if amount <= 0:
        raise AmountNotPositive
    _require_funds(state, player, amount, allowance.available, seat.money_type)
    return (
        e.Rebought(
            seat=seat.seat,
            player=player,
            money_type=seat.money_type,
            amount=amount,
            rebought_at=at,
        ),
    )


def leave_seat(state: TableState, *, player: UUID, game_balance: int, at: datetime) -> Events:
    """Leave with the `game_balance`; collects what the seat's rack holds."""
    seat = _require_seated(player, state)
    return (
        e.SeatLeft(
            seat=seat.seat,
            player=player,
            money_type=seat.money_type,
            returned=game_balance,
            commission_collected=seat.owed,
            left_at=at,
        ),
    )


def free_seat(
    state: TableState,
    *,
    player: UUID,
    game_balance: int,
    last_seen_at: datetime,
    away_after: timedelta,
    gone_after: timedelta,
    at: datetime,
) -> Events:
    """Free the seat of an absent player, with the `game_balance`, if it is no longer kept.

    `last_seen_at` is the player's last request. Players are away after `away_after`, and gone after `gone_after`.
    """
    seat = _require_seated(player, state)
    silence, kept = at - last_seen_at, state.rules.seat_kept_rounds
    if state.closure_is_pending():
        reason = e.SeatReleaseReason.TABLE_CLOSED
    elif silence >= gone_after:
        reason = e.SeatReleaseReason.DISCONNECTED
    elif kept is not None and seat.missed_turns >= kept and silence >= away_after:
        reason = e.SeatReleaseReason.MISSED_ROUNDS
    else:
        raise r.SeatIsHeld
    return (
        e.SeatReleased(
            seat=seat.seat,
            player=seat.player,
            money_type=seat.money_type,
            returned=game_balance,
            commission_collected=seat.owed,
            reason=reason,
            missed=seat.missed_turns,
            last_seen_at=last_seen_at,
            released_at=at,
        ),
    )


def request_show_skip(state: TableState, *, player: UUID, at: datetime) -> Events:
    """Ask to skip the rest of the show of the last deal."""
    seat = _require_seated(player, state)
    if state.rules.turn_seconds is None or state.betting_opens_at is None or not state.show_runs(at):
        raise r.NoShow
    if not state.rules.may_hurry:
        raise r.HurryNotAllowed(betting_opens_at=state.betting_opens_at)
    if player in state.show_skips:
        return ()
    return (e.ShowSkipRequested(seat=seat.seat, player=player, requested_at=at),)


def end_show(state: TableState, *, at: datetime) -> Events:
    """End the show at a table where no round can open."""
    if state.betting_opens_at is None:
        raise r.NoShow
    return (e.ShowEnded(ended_at=at),)


def announce_closure(state: TableState, *, by: str, reason: str, at: datetime) -> Events:
    """Stop new play at a table that will be closed permanently."""
    if state.closed or state.pending_closure is not None:
        return ()
    return (e.TableClosureAnnounced(by=by, reason=reason, announced_at=at),)


def close_table(state: TableState, *, by: str, reason: str, seeds: Mapping[UUID, str], at: datetime) -> Events:
    """Close a table without seated players permanently. `seeds` are its still secret seeds, in hex, if known.

    Reveals every commitment, so that a shoe cannot be abandoned because of its cards.
    """
    if state.closed:
        return ()
    if state.seats or state.round is not None:
        raise r.TableIsOccupied
    secret_shoes = [shoe.shoe for shoe in (state.shoe, *state.committed_shoes()) if shoe is not None]
    return (
        e.TableClosed(
            by=by,
            reason=reason,
            closed_at=at,
            seeds=tuple(e.RevealedSeed(shoe, seeds.get(shoe)) for shoe in secret_shoes),
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


def _require_funds(state: TableState, player: UUID, amount: int, available: int, money_type: MoneyType) -> None:
    if amount <= available:
        return
    account = player_account(
        operator=state.require_opened().operator,
        player=player,
        money_type=money_type,
        currency=state.rules.currency,
    )
    raise InsufficientFunds(account=account, balance=available, needed=amount)


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


def switch_play(state: TableState, event: PlayStopped | PlayResumed) -> Events:
    """Stop the table unless this switch stops it already or does not reach it, or resume it if this switch stops it."""
    is_stopped = any((stop.scope, stop.subject) == (event.scope, event.subject) for stop in state.stops)
    changes = is_stopped if isinstance(event, PlayResumed) else not is_stopped and _is_reached(state, event)
    return (event,) if changes else ()


def _is_reached(state: TableState, stopped: PlayStopped) -> bool:
    """Return whether a stop reaches the table: one of rules reaches tables that have them in force or published."""
    if stopped.scope is not StopScope.RULES:
        return True
    pending = state.current_rules_lifecycle().pending
    return stopped.subject in {state.recorded_rules.digest, "" if pending is None else pending.rules.digest}
