"""The use case of a player who cuts: adds to a shoe after its seed was committed to. One transaction."""

from typing import Any

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.tables.refusals import NotSeated
from baccarat.queries.funding import funding_options_if_low
from baccarat.queries.table_view import present_table
from baccarat.services.table_actor import TableActor
from baccarat.storage import repository
from wallet.ledger import store


def contribute(*, actor: TableActor, contribution: str) -> dict[str, Any]:
    """Note the seat's contribution, 1 to 32 bytes in lower-case hex; its last one counts.

    It goes to the round's own shoe while betting is open, or to the next long shoe. Returns the table as it then
    stands. Raises UnknownTable, NotSeated, NoShoeToCut, CutGivenTooOften, NoOpenRound, NotYourTurn, BettingIsClosed.
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
    means = funding_options_if_low(journal.table, player=actor.player, balance=balance)
    return present_table(
        journal.table, journal.round, viewer=actor.player, now=now, game_balance=balance, funding_options=means
    )
