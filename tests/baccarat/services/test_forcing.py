"""Forced cards: a sandbox operator chooses what its own table deals, and everything says so."""

from uuid import UUID, uuid4

import pytest
from pytest_django import Settings

from baccarat.audit import engine
from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.domain.rounds.refusals import NoOpenRound, TooLateToForce
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.services import ceremony, forcing
from baccarat.services.forcing import ForcedCardsAreOff
from baccarat.storage.models import Round
from casino.events import sealer
from casino.events.sql import execute
from casino.operators.refusals import SandboxOnly
from casino.operators.services import create_operator
from tests.support.house import House, deal_all

TIE = SCENARIOS[Scenario.SIX_CARD_TIE]
FOUND = "cards chosen outside a sandbox"


@pytest.fixture(autouse=True)
def _allowed(settings: Settings) -> None:
    settings.FORCED_CARDS = True


def force(house: House, table: UUID, scenario: Scenario = Scenario.SIX_CARD_TIE, *, sandbox: bool = True) -> UUID:
    cards = SCENARIOS[scenario]
    return forcing.force(table=table, operator=house.operator, sandbox=sandbox, cards=cards, metadata=house.metadata)


@pytest.mark.parametrize("preset", ["overview", "mini", "classic", "atlantic_city", "big_table"])
def test_the_round_is_dealt_the_chosen_cards_and_the_next_one_the_shoes(house: House, preset: str) -> None:
    table = house.table(preset)
    player = house.seated(table)
    round_ = force(house, table)
    player.deal({"banker": 50_00})
    deal_all()
    dealt = house.round(round_)
    assert (dealt.cards, dealt.outcome) == (TIE, Outcome.TIE)
    assert house.names(dealt).index("CardsForced") == 1
    player.deal({"banker": 50_00})
    deal_all()
    assert house.last(table).forced == ()
    house.agree(table)
    assert list(Round.objects.filter(table_id=table, forced=True).values_list("id", flat=True)) == [round_]


def test_the_caller_hands_the_chosen_cards_out(house: House) -> None:
    table = house.table("big_table", caller=True)
    player = house.seated(table)
    round_ = force(house, table, Scenario.PLAYER_NATURAL)
    player.deal({"player": 50_00})
    deal_all()
    assert ceremony.look(actor=player.guest).cards == ("9s", "Kh")
    ceremony.hand_back(actor=player.guest)
    deal_all()
    assert house.round(round_).outcome is Outcome.PLAYER


def test_only_a_sandbox_operator_forces_cards_at_its_own_table(house: House, settings: Settings) -> None:
    table = house.table("mini")
    house.seated(table)
    with pytest.raises(SandboxOnly):
        force(house, table, sandbox=False)
    with pytest.raises(UnknownTable):
        force(House(), table)
    settings.FORCED_CARDS = False
    with pytest.raises(ForcedCardsAreOff):
        force(house, table)
    assert not Round.objects.filter(table_id=table, forced=True).exists()


def test_cards_are_chosen_before_anybody_acts_and_for_somebody(house: House) -> None:
    table = house.table("atlantic_city")
    with pytest.raises(NoOpenRound):
        force(house, table)
    first, _ = house.company(table, 2)
    first.deal({"tie": 50_00})
    with pytest.raises(TooLateToForce):
        force(house, table)


def test_the_audit_finds_chosen_cards_of_an_operator_that_is_no_sandbox(house: House) -> None:
    table = house.table("mini")
    house.seated(table)
    round_ = force(house, table)

    def findings() -> list[str]:
        sealer.seal_all()
        found = engine.run_audit(max_wait=3600).findings
        return [each.location for each in found if each.kind == FOUND]

    assert f"round {round_}" in findings()
    sandbox = create_operator(slug=f"s{uuid4().hex[:8]}", name="Sandbox", currencies=["EUR"], sandbox=True)
    other = House(sandbox.id)
    tried = other.table("mini")
    other.seated(tried)
    chosen = force(other, tried)
    assert f"round {chosen}" not in findings()
    execute("UPDATE operators_operator SET sandbox = false WHERE id = %s", [sandbox.id])
    assert f"round {chosen}" in findings()
