"""A dealer killed before each statement of a Caller's ceremony: another dealer finishes the round."""

from uuid import UUID

import pytest

from baccarat.audit import engine
from baccarat.domain.rounds.state import Phase
from baccarat.services import ceremony
from casino.events.sealer import seal_all
from casino.events.sql import fetch
from tests.conftest import Database
from tests.dying import KILLED, SURVIVED, dying
from tests.services import SHOE_KEYS
from tests.support.books import NOT_POSTED_ONCE, NOT_SETTLED_ONCE
from tests.support.examples import P
from tests.support.house import House, until

FEWEST_STATEMENTS = 4


def settled_rounds(house: House, table: UUID) -> int:
    """Return the number of the last settled round, 0 if there is none."""
    return 0 if house.state(table).last_round is None else house.last(table).require_opened().number


def test_dealers_killed_around_a_ceremony_neither_lose_the_cards_nor_deal_them_twice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.SHOE_KEYS", SHOE_KEYS)
    house = House()
    table = house.table("big_table", caller=True, look_seconds=60, hand_back_seconds=60)
    ann = house.seated(table)
    killed = 0
    with dying("baccarat.services.dealing:deal_due", database.environment) as dies_at:
        ended = ""
        while ended != SURVIVED:
            killed += 1
            ann.deal({P: 2500})
            number = house.in_hand(table).require_opened().number
            ended = dies_at(killed)  # with the cards on their way out
            until(lambda: house.in_hand(table).phase is Phase.CLOSED)  # the killed process's transaction may end later
            assert house.in_hand(table).cards == ()
            peeked = ceremony.look(actor=ann.guest).cards
            ceremony.hand_back(actor=ann.guest)
            back = dies_at(killed)  # with the cards on their way back
            until(lambda number=number: settled_rounds(house, table) == number)  # type: ignore[misc]
            assert {ended, back} <= {KILLED, SURVIVED}
            settled = house.last(table)
            assert (settled.require_opened().number, settled.phase) == (number, Phase.SETTLED)
            assert (settled.cards[0], settled.cards[2]) == peeked
            assert house.names(settled).count("CardsHandedOut") == 1
    assert killed > FEWEST_STATEMENTS
    assert fetch(NOT_SETTLED_ONCE) == []
    assert fetch(NOT_POSTED_ONCE) == []
    house.agree(table)
    seal_all()
    assert engine.run_audit().findings == ()
