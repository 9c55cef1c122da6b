"""Use cases of players at a table that move money or seats: sit down, change seat, rebuy, leave."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.refusals import CutChangedTooOften, NoShoeToCut, WagerInPlay
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.kill_switch import STOPS
from baccarat.domain.tables.refusals import (
    AlreadySeated,
    BuyInUnderMinimum,
    GameInterrupted,
    MoneyTypeNotOffered,
    NextShoeUnreadable,
    NotSeated,
    RulesAreRetired,
    SeatIsTaken,
    TableIsClosed,
    TableIsClosing,
    UnknownSeat,
    UnknownTable,
    WrongCurrency,
)
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.offered import is_seated_or_offered
from baccarat.queries.table_view import TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from wallet.ledger import store as ledger
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds
from wallet.responsible_gaming.eligibility import load_eligibility
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayerIsBlocked, PlayLimitReached

_INTERRUPTED: Final = """
SELECT t.id FROM baccarat_table t JOIN baccarat_wager w ON w.round_id = t.round_id
 WHERE t.suspension_reason IS NOT NULL AND t.operator_id = %s AND w.player_id = %s LIMIT 1
"""

TAKING: Final = (
    *STOPS,
    UnknownTable,
    UnknownSeat,
    SeatIsTaken,
    AlreadySeated,
    TableIsClosed,
    TableIsClosing,
    RulesAreRetired,
    MoneyTypeNotOffered,
    BuyInUnderMinimum,
    WrongCurrency,
    InsufficientFunds,
    DebtOutstanding,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    GameInterrupted,
    NextShoeUnreadable,
    NoShoeToCut,
    CutChangedTooOften,
)
CHANGING: Final = (UnknownTable, NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay, NextShoeUnreadable)
REBUYING: Final = (
    UnknownTable,
    NotSeated,
    WagerInPlay,
    WrongCurrency,
    InsufficientFunds,
    DebtOutstanding,
    PlayerExcluded,
    PlayLimitReached,
)
LEAVING: Final = (UnknownTable, NotSeated, WagerInPlay, NextShoeUnreadable)


@dataclass(frozen=True, slots=True)
class TableActor:
    """A player acting at one table."""

    table: UUID
    operator: UUID
    player: UUID
    metadata: Metadata
    brand: UUID | None = None


def lock(actor: TableActor) -> tuple[UnitOfWork, datetime]:
    """Lock the actor's table until the transaction ends. Raises UnknownTable, also for one of another brand."""
    uow, now = repository.lock_table(table=actor.table, operator=actor.operator)
    if not is_seated_or_offered(uow.table, player=actor.player, brand=actor.brand):
        raise UnknownTable
    return uow, now


def take(
    *, actor: TableActor, seat: int, money_type: MoneyType, buy_in: int, currency: str, contribution: str | None = None
) -> TableStateResponse:
    """Seat the player with `buy_in` minor units from the account, opening a round at an idle table.

    A `contribution` (hex) goes to the cut of the next shoe; at a table without terms yet, that of the very next round.

    Raises UnknownTable, UnknownSeat, SeatIsTaken, AlreadySeated, MoneyTypeNotOffered, WrongCurrency,
    DebtOutstanding,
    PlayerExcluded, PlayIsStopped, PlayerIsBlocked, PlayLimitReached, InsufficientFunds, GameInterrupted, and the
    refusals of a cut.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        require_currency(currency, uow)
        _require_no_interruption(actor)
        eligibility = load_eligibility(repository.accounts_of(uow).player(actor.player, money_type), now=now)
        eligibility.require_buy_in(buy_in)
        uow.decide_on_table(
            tc.TakeSeat(
                player=actor.player,
                seat=seat,
                money_type=money_type,
                buy_in=buy_in,
                available=eligibility.balance,
                now=now,
            )
        )
        if contribution is not None:
            dealer.contribute_to_cut(uow, player=actor.player, contribution=contribution, now=now)
        entropy = repository.draw_entropy(uow, now=now)
        dealer.fix_terms(uow, entropy=entropy, now=now)
        if uow.table.rules.turn_seconds is not None:
            dealer.open_round(uow, entropy=entropy, now=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=buy_in)


def change(*, actor: TableActor, seat: int) -> TableStateResponse:
    """Move the player to a free seat, leaving a round in which the player has confirmed nothing.

    Raises NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        if seat != require_seat(uow, actor.player).seat:
            leave_round_and_seat(uow, tc.ChangeSeat(player=actor.player, seat=seat, now=now))
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def rebuy(*, actor: TableActor, amount: int, currency: str) -> TableStateResponse:
    """Move `amount` minor units from the account to the game balance, between the player's rounds.

    Raises NotSeated, WagerInPlay (with the time by which the round is dealt), WrongCurrency, DebtOutstanding,
    PlayerExcluded, PlayLimitReached, InsufficientFunds.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        require_currency(currency, uow)
        balance = game_balance(uow, actor.player)
        _require_no_wager(uow, actor.player)
        money_type = require_seat(uow, actor.player).money_type
        eligibility = load_eligibility(repository.accounts_of(uow).player(actor.player, money_type), now=now)
        eligibility.require_buy_in(amount)
        uow.decide_on_table(tc.Rebuy(player=actor.player, amount=amount, available=eligibility.balance, now=now))
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance + amount)


def leave(*, actor: TableActor) -> TableStateResponse:
    """Leave the table: collect owed commission and move the game balance to the account.

    Raises NotSeated, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        leave_round_and_seat(uow, tc.LeaveSeat(player=actor.player, game_balance=balance, now=now))
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=None)


def leave_round_and_seat(uow: UnitOfWork, command: tc.LeaveSeat | tc.ChangeSeat | tc.FreeSeat) -> None:
    """Take a player out of the round, then apply the command to the seat.

    Ends the round if it is now empty, and the table continues without it. Raises WagerInPlay, and the command's
    refusals.
    """
    leave_round(uow, command.player, command.now)
    uow.decide_on_table(command)
    dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=command.now), now=command.now)


def leave_round_only(uow: UnitOfWork, player: UUID, now: datetime) -> bool:
    """Take a player and any unconfirmed chips out of the round, keeping the seat. Returns whether anything changed."""
    leave_round(uow, player, now)
    dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=now), now=now)
    return bool(uow.changes)


def leave_round(uow: UnitOfWork, player: UUID, now: datetime) -> None:
    """Take a player out of the current round, and end it if it is then empty. Raises WagerInPlay."""
    dealer.leave_round(uow, player=player)
    if dealer.is_empty(uow):
        shoe = uow.round.require_opened().shoe
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is not None:  # otherwise the dealers suspend the round; the player may leave anyway
            dealer.lapse_if_empty(uow, seed=seed, now=now)


def require_seat(uow: UnitOfWork, player: UUID) -> Seat:
    """Return the player's seat. Raises NotSeated."""
    seat = uow.table.seat_of(player)
    if seat is None:
        raise NotSeated
    return seat


def game_balance(uow: UnitOfWork, player: UUID) -> int:
    """Return a seated player's game balance in minor units. Raises NotSeated."""
    account = repository.accounts_of(uow).game(player, require_seat(uow, player).money_type)
    return ledger.balances([account])[account]


def require_currency(currency: str, uow: UnitOfWork) -> None:
    """Check that amounts are in the table's currency. Raises WrongCurrency."""
    expected = uow.table.rules.currency
    if currency != expected:
        raise WrongCurrency(f"This table plays in {expected}.", currency=expected)


def _require_no_wager(uow: UnitOfWork, player: UUID) -> None:
    """Check that the player has no confirmed wager in a running round. Raises WagerInPlay."""
    seat = uow.round.seat_of(player)
    if seat is not None and seat.status is SeatStatus.CONFIRMED and uow.round.is_running():
        opened = uow.round.require_opened()
        raise WagerInPlay(round=str(opened.round), deadline_at=opened.deadline_at)


def _require_no_interruption(actor: TableActor) -> None:
    """Check that the player has no interrupted game, which must be resolved first (GLI-19 4.16.3)."""
    tables = fetch(_INTERRUPTED, [actor.operator, actor.player])
    if tables:
        raise GameInterrupted(table=str(tables[0][0]))
