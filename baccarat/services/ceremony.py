"""Use cases of the Caller's ceremony: look at the Player's cards, hand them back. Each is one transaction."""

from typing import Any

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.commands import HandBackCards, LookAtCards
from baccarat.domain.rounds.refusals import NoCeremony
from baccarat.domain.tables.refusals import NotSeated
from baccarat.queries.funding import means_if_short
from baccarat.queries.table_view import table_picture
from baccarat.services.table_actor import Guest
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.shoe_seeds import SecretLost
from wallet.ledger import store


def look(*, guest: Guest) -> dict[str, Any]:
    """Show the Player's two cards to the player who holds them: {"cards": [...], "until": time to hand back}.

    Looking again shows the same. What is recorded names no card, and the answer must be kept nowhere. Raises
    UnknownTable, NoCeremony, NotYourCards, CardsAreHandedBack, and SecretLost where the shoe's seed can't be read.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        journal.on_round(LookAtCards(player=guest.player, rules=journal.table.rules, now=now))
        shoe, ceremony = journal.round.facts().shoe, journal.round.ceremony
        seed = shoe_seeds.read([shoe]).get(shoe)
        if seed is None:
            raise SecretLost(f"shoe {shoe} has no readable seed")
        if ceremony is None:
            raise NoCeremony
        repository.write([(journal, guest.metadata)])
    return {"cards": list(dealer.players_cards(journal, seed)), "until": ceremony.until}


def hand_back(*, guest: Guest) -> dict[str, Any]:
    """Hand the cards back to the Caller, who turns the hands over; returns the table as it then stands.

    Raises UnknownTable, NotSeated, NoCeremony, NotYourCards, CardsAreHandedBack.
    """
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        seat = journal.table.seat_of(guest.player)
        if seat is None:
            raise NotSeated
        journal.on_round(HandBackCards(player=guest.player, now=now))
        account = repository.place_of(journal).game(guest.player, seat.book)
        balance = store.balances([account])[account]
        repository.write([(journal, guest.metadata)])
    means = means_if_short(journal.table, player=guest.player, balance=balance)
    return table_picture(journal.table, journal.round, viewer=guest.player, now=now, game_balance=balance, means=means)
