"""The use case of a player who cuts: adds to a shoe after its seed was committed to. One transaction."""

from typing import Any

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.tables.refusals import NotSeated
from baccarat.queries.funding import means_if_short
from baccarat.queries.table_view import table_picture
from baccarat.services.table_actor import Guest
from baccarat.storage import repository
from wallet.ledger import store


def give(*, guest: Guest, contribution: str) -> dict[str, Any]:
    """Note the seat's contribution, 1 to 32 bytes in lower-case hex; its last one counts.

    It goes to the round's own shoe while betting is open, or to the next long shoe. Returns the table as it then
    stands. Raises UnknownTable, NotSeated, NoShoeToCut, CutGivenTooOften, NoOpenRound, NotYourTurn, BettingIsClosed.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        seat = journal.table.seat_of(guest.player)
        if seat is None:
            raise NotSeated
        dealer.give_cut(journal, player=guest.player, contribution=contribution, now=now)
        account = repository.place_of(journal).game(guest.player, seat.book)
        balance = store.balances([account])[account]
        repository.write([(journal, guest.metadata)])
    means = means_if_short(journal.table, player=guest.player, balance=balance)
    return table_picture(journal.table, journal.round, viewer=guest.player, now=now, game_balance=balance, means=means)
