"""Use cases of players at a table that move money or seats: sit down, change seat, rebuy, leave."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.refusals import WagerInPlay
from baccarat.domain.rounds.state import Standing
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.refusals import GameInterrupted, NotSeated, WrongCurrency
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import Journal
from baccarat.queries.funding import means_if_short
from baccarat.queries.table_view import table_picture
from baccarat.services.table_actor import Guest
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.kernel.money import Book
from wallet.ledger import store
from wallet.responsible_gaming.eligibility import standing

Picture = dict[str, Any]
_INTERRUPTED: Final = """
SELECT t.id FROM baccarat_table t JOIN baccarat_wager w ON w.round_id = t.round_id
 WHERE t.set_aside IS NOT NULL AND t.operator_id = %s AND w.player_id = %s LIMIT 1
"""


def take(
    *, guest: Guest, seat: int, book: Book, buy_in: int, currency: str, contribution: str | None = None
) -> Picture:
    """Sit the player down with `buy_in` minor units from the account, opening a round at an idle table.

    A `contribution` (hex) goes to the cut of the next long shoe, which may start with that very round. Also raises the
    refusals of a cut.

    Raises UnknownTable, UnknownSeat, SeatIsTaken, AlreadySeated, BookNotOffered, WrongCurrency, DebtOutstanding,
    PlayerExcluded, PlayIsStopped, PlayerIsStopped, LimitReached, InsufficientFunds, GameInterrupted.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        _require_currency(currency, journal)
        _require_no_interruption(guest)
        means = standing(repository.place_of(journal).player(guest.player, book), now=now)
        means.require_entry(buy_in)
        journal.on_table(
            tc.TakeSeat(player=guest.player, seat=seat, book=book, buy_in=buy_in, available=means.balance, now=now)
        )
        if contribution is not None:
            dealer.give_cut(journal, player=guest.player, contribution=contribution, now=now)
        if journal.table.rules.turn_seconds is not None:
            dealer.open_round(journal, fresh=repository.fresh(journal), now=now)
        repository.write([(journal, guest.metadata)])
    return _picture(journal, guest, now, balance=buy_in)


def _require_no_interruption(guest: Guest) -> None:
    """A game that was interrupted is resolved before its player joins another (GLI-19 4.16.3)."""
    waits = fetch(_INTERRUPTED, [guest.operator, guest.player])
    if waits:
        raise GameInterrupted(table=str(waits[0][0]))


def change(*, guest: Guest, seat: int) -> Picture:
    """Move the player to a free seat, out of a round in which nothing is confirmed yet.

    Raises NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        balance = _game_balance(journal, guest)
        if seat != _seat(journal, guest).seat:
            step_out(journal, tc.ChangeSeat(player=guest.player, seat=seat, now=now))
        repository.write([(journal, guest.metadata)])
    return _picture(journal, guest, now, balance=balance)


def rebuy(*, guest: Guest, amount: int, currency: str) -> Picture:
    """Move `amount` minor units from the account to the game balance, between the player's rounds.

    Raises NotSeated, WagerInPlay (with the time by which the round is dealt), WrongCurrency, DebtOutstanding,
    PlayerExcluded, LimitReached, InsufficientFunds.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        _require_currency(currency, journal)
        balance = _game_balance(journal, guest)
        _require_no_wager(journal, guest)
        means = standing(repository.place_of(journal).player(guest.player, _seat(journal, guest).book), now=now)
        means.require_entry(amount)
        journal.on_table(tc.Rebuy(player=guest.player, amount=amount, available=means.balance, now=now))
        repository.write([(journal, guest.metadata)])
    return _picture(journal, guest, now, balance=balance + amount)


def leave(*, guest: Guest) -> Picture:
    """Let the player leave: owed commission is collected, the game balance goes to the account.

    Raises NotSeated, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        balance = _game_balance(journal, guest)
        step_out(journal, tc.LeaveSeat(player=guest.player, game_balance=balance, now=now))
        repository.write([(journal, guest.metadata)])
    return _picture(journal, guest, now, balance=None)


def step_out(journal: Journal, command: tc.LeaveSeat | tc.ChangeSeat | tc.FreeSeat) -> None:
    """Take a player out of the round first, then from the seat, as the command says.

    A round that is empty now ends, and the table goes on without it. Raises WagerInPlay, and the command's refusals.
    """
    withdraw(journal, command.player, command.now)
    journal.on_table(command)
    dealer.go_on(journal, fresh=repository.fresh(journal), now=command.now)


def step_aside(journal: Journal, player: UUID, now: datetime) -> bool:
    """Take a player and the unconfirmed chips out of the round; the seat stays. Tells if anything changed."""
    withdraw(journal, player, now)
    dealer.go_on(journal, fresh=repository.fresh(journal), now=now)
    return bool(journal.pages)


def withdraw(journal: Journal, player: UUID, now: datetime) -> None:
    """Take a player out of the round in hand, which ends if it is empty then. Raises WagerInPlay."""
    dealer.withdraw(journal, player=player)
    if dealer.is_empty(journal):
        shoe = journal.round.facts().shoe
        seed = shoe_seeds.read([shoe]).get(shoe)
        if seed is not None:  # else the dealers set the round aside; nobody is kept at the table for it
            dealer.lapse_if_empty(journal, seed=seed, now=now)


def _seat(journal: Journal, guest: Guest) -> Seat:
    seat = journal.table.seat_of(guest.player)
    if seat is None:
        raise NotSeated
    return seat


def _game_balance(journal: Journal, guest: Guest) -> int:
    account = repository.place_of(journal).game(guest.player, _seat(journal, guest).book)
    return store.balances([account])[account]


def _require_no_wager(journal: Journal, guest: Guest) -> None:
    part = journal.round.seat_of(guest.player)
    if part is not None and part.standing is Standing.CONFIRMED and journal.round.is_running():
        facts = journal.round.facts()
        raise WagerInPlay(round=str(facts.round), deadline_at=facts.deadline_at)


def _require_currency(currency: str, journal: Journal) -> None:
    if currency != journal.table.rules.currency:
        raise WrongCurrency(
            f"This table plays in {journal.table.rules.currency}.", currency=journal.table.rules.currency
        )


def _picture(journal: Journal, guest: Guest, now: datetime, *, balance: int | None) -> Picture:
    means = means_if_short(journal.table, player=guest.player, balance=balance)
    return table_picture(journal.table, journal.round, viewer=guest.player, now=now, game_balance=balance, means=means)
