"""Use cases of players at a table that move money or seats: sit down, change seat, rebuy, leave."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.refusals import WagerInPlay
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.refusals import GameInterrupted, NotSeated, WrongCurrency
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.table_state import load_table_state
from baccarat.queries.table_view import TableStateResponse
from baccarat.services.table_actor import TableActor
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.responsible_gaming.eligibility import load_eligibility

_INTERRUPTED: Final = """
SELECT t.id FROM baccarat_table t JOIN baccarat_wager w ON w.round_id = t.round_id
 WHERE t.suspension_reason IS NOT NULL AND t.operator_id = %s AND w.player_id = %s LIMIT 1
"""


def take(
    *, actor: TableActor, seat: int, money_type: MoneyType, buy_in: int, currency: str, contribution: str | None = None
) -> TableStateResponse:
    """Seat the player with `buy_in` minor units from the account, opening a round at an idle table.

    A `contribution` (hex) goes to the cut of the next long shoe, which may start with that very round.

    Raises UnknownTable, UnknownSeat, SeatIsTaken, AlreadySeated, MoneyTypeNotOffered, WrongCurrency, DebtOutstanding,
    PlayerExcluded, PlayIsStopped, PlayerIsBlocked, PlayLimitReached, InsufficientFunds, GameInterrupted, and the
    refusals of a cut.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        _require_currency(currency, journal)
        _require_no_interruption(actor)
        means = load_eligibility(repository.accounts_of(journal).player(actor.player, money_type), now=now)
        means.require_buy_in(buy_in)
        journal.decide_on_table(
            tc.TakeSeat(
                player=actor.player, seat=seat, money_type=money_type, buy_in=buy_in, available=means.balance, now=now
            )
        )
        if contribution is not None:
            dealer.contribute_to_cut(journal, player=actor.player, contribution=contribution, now=now)
        if journal.table.rules.turn_seconds is not None:
            dealer.open_round(journal, entropy=repository.draw_entropy(journal), now=now)
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=buy_in)


def _require_no_interruption(guest: TableActor) -> None:
    """Check that the player has no interrupted game, which must be resolved first (GLI-19 4.16.3)."""
    waits = fetch(_INTERRUPTED, [guest.operator, guest.player])
    if waits:
        raise GameInterrupted(table=str(waits[0][0]))


def change(*, actor: TableActor, seat: int) -> TableStateResponse:
    """Move the player to a free seat, leaving a round in which the player has confirmed nothing.

    Raises NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        balance = _game_balance(journal, actor)
        if seat != _seat(journal, actor).seat:
            leave_round_and_seat(journal, tc.ChangeSeat(player=actor.player, seat=seat, now=now))
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=balance)


def rebuy(*, actor: TableActor, amount: int, currency: str) -> TableStateResponse:
    """Move `amount` minor units from the account to the game balance, between the player's rounds.

    Raises NotSeated, WagerInPlay (with the time by which the round is dealt), WrongCurrency, DebtOutstanding,
    PlayerExcluded, PlayLimitReached, InsufficientFunds.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        _require_currency(currency, journal)
        balance = _game_balance(journal, actor)
        _require_no_wager(journal, actor)
        means = load_eligibility(
            repository.accounts_of(journal).player(actor.player, _seat(journal, actor).money_type), now=now
        )
        means.require_buy_in(amount)
        journal.decide_on_table(tc.Rebuy(player=actor.player, amount=amount, available=means.balance, now=now))
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=balance + amount)


def leave(*, actor: TableActor) -> TableStateResponse:
    """Leave the table: collect owed commission and move the game balance to the account.

    Raises NotSeated, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        balance = _game_balance(journal, actor)
        leave_round_and_seat(journal, tc.LeaveSeat(player=actor.player, game_balance=balance, now=now))
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=None)


def leave_round_and_seat(journal: UnitOfWork, command: tc.LeaveSeat | tc.ChangeSeat | tc.FreeSeat) -> None:
    """Take a player out of the round, then apply the command to the seat.

    Ends the round if it is now empty, and the table continues without it. Raises WagerInPlay, and the command's
    refusals.
    """
    leave_round(journal, command.player, command.now)
    journal.decide_on_table(command)
    dealer.open_next_round(journal, entropy=repository.draw_entropy(journal), now=command.now)


def leave_round_only(journal: UnitOfWork, player: UUID, now: datetime) -> bool:
    """Take a player and any unconfirmed chips out of the round, keeping the seat. Returns whether anything changed."""
    leave_round(journal, player, now)
    dealer.open_next_round(journal, entropy=repository.draw_entropy(journal), now=now)
    return bool(journal.changes)


def leave_round(journal: UnitOfWork, player: UUID, now: datetime) -> None:
    """Take a player out of the current round, and end it if it is then empty. Raises WagerInPlay."""
    dealer.leave_round(journal, player=player)
    if dealer.is_empty(journal):
        shoe = journal.round.require_opened().shoe
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is not None:  # otherwise the dealers suspend the round; the player may leave anyway
            dealer.lapse_if_empty(journal, seed=seed, now=now)


def _seat(journal: UnitOfWork, guest: TableActor) -> Seat:
    seat = journal.table.seat_of(guest.player)
    if seat is None:
        raise NotSeated
    return seat


def _game_balance(journal: UnitOfWork, guest: TableActor) -> int:
    account = repository.accounts_of(journal).game(guest.player, _seat(journal, guest).money_type)
    return store.balances([account])[account]


def _require_no_wager(journal: UnitOfWork, guest: TableActor) -> None:
    part = journal.round.seat_of(guest.player)
    if part is not None and part.status is SeatStatus.CONFIRMED and journal.round.is_running():
        facts = journal.round.require_opened()
        raise WagerInPlay(round=str(facts.round), deadline_at=facts.deadline_at)


def _require_currency(currency: str, journal: UnitOfWork) -> None:
    if currency != journal.table.rules.currency:
        raise WrongCurrency(
            f"This table plays in {journal.table.rules.currency}.", currency=journal.table.rules.currency
        )
