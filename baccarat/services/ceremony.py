"""Use cases of the player who holds the Player's cards at a table with a Caller: look at them, and hand them back.

Each is one transaction under the table's lock.
"""

from typing import Final

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds import dealing
from baccarat.domain.rounds.refusals import CardsAreHandedBack, NoCeremony, NotYourCards
from baccarat.domain.tables.refusals import NotSeated, UnknownTable
from baccarat.queries.round_view import PeekedCards
from baccarat.queries.table_view import TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.services.seats import TableActor, game_balance, lock
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.shoe_seeds import SeedUnavailable

REFUSALS: Final = (UnknownTable, NotSeated, NoCeremony, NotYourCards, CardsAreHandedBack)


def look(*, actor: TableActor) -> PeekedCards:
    """Return the Player's two cards to the player who holds them, and the deadline for handing them back.

    Looking again returns the same cards. The event names no card, and the response must not be stored. Raises
    UnknownTable, NoCeremony, NotYourCards, CardsAreHandedBack, and SeedUnavailable if the shoe's seed cannot be read.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        uow.on_round(dealing.look_at_cards, player=actor.player, rules=uow.table.rules, at=now)
        shoe, ceremony = uow.round.require_opened().shoe, uow.round.ceremony
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is None:
            raise SeedUnavailable(f"shoe {shoe} has no readable seed")
        if ceremony is None:
            raise NoCeremony
        repository.save([(uow, actor.metadata)])
    return PeekedCards(cards=tuple(dealer.players_cards(uow, seed)), until=ceremony.until)


def hand_back(*, actor: TableActor) -> TableStateResponse:
    """Hand the cards back to the Caller, who turns the hands over. Returns the new state of the table.

    Raises UnknownTable, NotSeated, NoCeremony, NotYourCards, CardsAreHandedBack.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        uow.on_round(dealing.hand_back_cards, player=actor.player, at=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)
