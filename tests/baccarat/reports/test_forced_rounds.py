"""Rounds whose cards were chosen are in the money, and in no statistics of the game."""

from datetime import timedelta
from uuid import UUID

import pytest
from pytest_django import Settings

from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.domain.rounds.state import Phase
from baccarat.reports import days
from baccarat.reports.days import Figures
from baccarat.reports.play_facts import TablePlay, read_play
from baccarat.services import forcing
from casino.events import sealer
from casino.events.sql import database_now, fetch
from casino.operators import services
from casino.reports.definition import ReportScope
from tests.conftest import Database
from tests.support import voids
from tests.support.house import House, deal_all

STAKE = 50_00


@pytest.fixture
def house(database: Database, settings: Settings) -> House:
    settings.FORCED_CARDS = True
    return House(operator=services.create_operator(slug="tries", name="Tries", currencies=["EUR"], sandbox=True).id)


def force(house: House, table: UUID) -> UUID:
    cards = SCENARIOS[Scenario.SIX_CARD_TIE]
    return forcing.force(table=table, operator=house.operator, sandbox=True, cards=cards, metadata=house.metadata)


def play_of(house: House) -> list[TablePlay]:
    sealer.seal_all()
    now, position = database_now(), fetch("SELECT max(position) FROM events_seal")[0][0]
    hour = timedelta(hours=1)
    return read_play(ReportScope(house.operator, True, now - hour, now + hour, position))


def figures_of(house: House) -> Figures:
    today = days.today([house.operator])
    read = days.read_days([house.operator], first=today - timedelta(days=1), last=today)
    (played,) = (each for each in read.figures.values() if each.handle)
    return played


def test_a_chosen_result_is_in_no_return_to_player_and_in_no_hold(house: House) -> None:
    table = house.table("mini")
    player = house.seated(table)
    player.deal({"banker": STAKE})
    deal_all()
    alone, of_day = play_of(house), figures_of(house)
    force(house, table)
    player.deal({"tie": STAKE})
    deal_all()
    assert play_of(house) == alone
    with_both = figures_of(house)
    assert (with_both.handle, with_both.returned, with_both.expected) == (STAKE, of_day.returned, of_day.expected)
    assert (with_both.rounds, with_both.ggr) == (2, of_day.ggr - 8 * STAKE)
    assert alone[0].spots.keys() == {"banker"}


def test_nor_is_a_chosen_round_that_was_undone(house: House) -> None:
    table = house.table("mini")
    player = house.seated(table)
    round_ = force(house, table)
    player.deal({"banker": STAKE})
    deal_all()
    voids.void_settled(house, round_)
    assert play_of(house) == []


def test_nor_is_one_that_was_undone_before_it_was_dealt(house: House) -> None:
    table = house.table("mini")
    player = house.seated(table)
    round_ = force(house, table)
    player.deal({"banker": STAKE})
    voids.ask(house, round_)
    assert house.round(round_).phase is Phase.VOIDED
    assert play_of(house) == []
