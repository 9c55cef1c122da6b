"""Use case of cutting: a player contributes to a shoe after its seed is committed to. One transaction."""

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.tables.refusals import NotSeated
from baccarat.queries.table_state import load_table_state
from baccarat.queries.table_view import TableStateResponse
from baccarat.services.table_actor import TableActor
from baccarat.storage import repository
from wallet.ledger import store


def contribute(*, actor: TableActor, contribution: str) -> TableStateResponse:
    """Record the seat's contribution, 1 to 32 bytes in lower-case hex, replacing its earlier one.

    It goes to the round's own shoe while betting is open, or to the next long shoe. Returns the new state of the table.
    Raises UnknownTable, NotSeated, NoShoeToCut, CutChangedTooOften, NoOpenRound, NotYourTurn, BettingIsClosed.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        seat = journal.table.seat_of(actor.player)
        if seat is None:
            raise NotSeated
        dealer.contribute_to_cut(journal, player=actor.player, contribution=contribution, now=now)
        account = repository.accounts_of(journal).game(actor.player, seat.money_type)
        balance = store.balances([account])[account]
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=balance)
