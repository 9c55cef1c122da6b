"""Use cases of the Caller's ceremony: look at the Player's cards, hand them back. Each is one transaction."""

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.commands import HandBackCards, LookAtCards
from baccarat.domain.rounds.refusals import NoCeremony
from baccarat.domain.tables.refusals import NotSeated
from baccarat.queries.round_view import PeekedCards
from baccarat.queries.table_state import load_table_state
from baccarat.queries.table_view import TableStateResponse
from baccarat.services.table_actor import TableActor
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.shoe_seeds import SeedUnavailable
from wallet.ledger import store


def look(*, actor: TableActor) -> PeekedCards:
    """Return the Player's two cards to the player who holds them, and the deadline for handing them back.

    Looking again returns the same cards. The event names no card, and the response must not be stored. Raises
    UnknownTable, NoCeremony, NotYourCards, CardsAreHandedBack, and SeedUnavailable if the shoe's seed cannot be read.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        journal.decide_on_round(LookAtCards(player=actor.player, rules=journal.table.rules, now=now))
        shoe, ceremony = journal.round.require_opened().shoe, journal.round.ceremony
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is None:
            raise SeedUnavailable(f"shoe {shoe} has no readable seed")
        if ceremony is None:
            raise NoCeremony
        repository.save([(journal, actor.metadata)])
    return PeekedCards(cards=tuple(dealer.players_cards(journal, seed)), until=ceremony.until)


def hand_back(*, actor: TableActor) -> TableStateResponse:
    """Hand the cards back to the Caller, who turns the hands over. Returns the new state of the table.

    Raises UnknownTable, NotSeated, NoCeremony, NotYourCards, CardsAreHandedBack.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=actor.table, operator=actor.operator)
        seat = journal.table.seat_of(actor.player)
        if seat is None:
            raise NotSeated
        journal.decide_on_round(HandBackCards(player=actor.player, now=now))
        account = repository.accounts_of(journal).game(actor.player, seat.money_type)
        balance = store.balances([account])[account]
        repository.save([(journal, actor.metadata)])
    return load_table_state(journal.table, journal.round, viewer=actor.player, now=now, balance=balance)
