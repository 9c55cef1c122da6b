"""Tables with two to four witnesses: one away, one slow, one that is wrong; and the end of their chains."""

import os
import signal
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit import voiding as audited_voids
from baccarat.domain.rounds import voiding as voiding_decisions
from baccarat.domain.rounds.refusals import WitnessUnavailable
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.tables.state import TableState
from baccarat.domain.tables.witness_events import ReplacementReason
from baccarat.services import dealing, voiding, witness_chains
from casino.events.store import Metadata
from casino.witness import statements
from casino.witness.client import configured_client
from tests.baccarat.services.witnessing import (
    assert_sound,
    cards_by_links,
    company_of_witnesses,
    pin,
    play,
    rounds_of,
    witnessed_table,
)
from tests.casino.witness import lying_witness, running, short_chains
from tests.services import Services
from tests.support.depth import deep
from tests.support.examples import B
from tests.support.house import House, deal_all, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


@pytest.mark.parametrize("count", deep([3], [2, 3, 4]))
def test_a_round_is_dealt_by_the_links_of_all_its_witnesses_also_if_one_is_away_or_slow_for_a_while(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    folders = [tmp_path / f"w{number}" for number in range(count)]
    with company_of_witnesses(folders, settings, monkeypatch, of_table=count) as company:
        table = witnessed_table(house)
        ann = house.seated(table)
        play(house, ann, rounds=3)
        company[0].kill()
        ann.deal({B: 2500})
        deal_all()
        waiting = house.in_hand(table)
        assert (waiting.awaits_links(), waiting.cards) == (True, ())
        again = running.start(company[0].folder, "--name", "witness.test/w1", port=company[0].port)
        company[0].process = again.process
        pin()
        until(lambda: dealing.release_due() > 0)
        os.killpg(company[1].process.pid, signal.SIGSTOP)
        ann.deal({B: 2500})
        deal_all()
        assert house.in_hand(table).awaits_links()
        os.killpg(company[1].process.pid, signal.SIGCONT)
        until(lambda: dealing.release_due() > 0)
        pin()
        play(house, ann, rounds=1)
        dealt = [house.round(key) for key in rounds_of(house, table)[:6]]
        assert [each.phase for each in dealt] == [Phase.SETTLED] * 6
        for round_ in dealt[2:]:
            assert len(round_.require_opened().witnesses) == len(round_.releases) == count
            assert cards_by_links(round_) == round_.cards
        assert_sound(house, table)


def test_a_link_that_is_not_on_its_chain_deals_nothing_and_the_witness_is_replaced(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "one", tmp_path / "two", tmp_path / "three"]
    with company_of_witnesses(folders, settings, monkeypatch, of_table=2, program=lying_witness.run) as company:
        table = witnessed_table(house)
        ann = house.seated(table)
        play(house, ann, rounds=3)
        (company[1].folder / "lie").touch()
        before = house.game(ann)
        ann.deal({B: 2500})
        deal_all()
        waiting = house.in_hand(table)
        assert (waiting.awaits_links(), dealing.release_due()) == (True, 0)
        for module in (voiding, voiding_decisions, audited_voids):
            monkeypatch.setattr(module, "ANSWER_LIMIT", timedelta(seconds=0.1))
        until(lambda: dealing.release_due() > 0)
        assert (house.round(waiting.require_opened().round).phase, house.game(ann)) == (Phase.VOIDED, before)
        _, wrong, other = configured_client().addresses
        witness_chains.replace(
            table=table,
            operator=house.operator,
            release_key=wrong.release_key.hex(),
            address=other,
            reason=ReplacementReason.WRONG_ANSWERS,
            metadata=Metadata(operator="", actor="staff:1", causation=""),
            height=8,
        )
        play(house, ann, rounds=2)
        last = house.last(table)
        keys = {each.release_key for each in house.state(table).chains}
        assert (len(last.releases), wrong.release_key.hex() in keys) == (2, False)
        assert cards_by_links(last) == last.cards
        assert_sound(house, table)


def test_tables_wait_at_their_chains_end_and_go_on_with_the_successor(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "MIN_HEIGHT", short_chains.HEIGHT)
    folders = [tmp_path / "one", tmp_path / "two"]
    with company_of_witnesses(folders, settings, monkeypatch, of_table=2, program=short_chains.run):
        tables = [
            witnessed_table(house, preset, height=short_chains.HEIGHT)
            for preset in deep(["mini", "big_table"], list(PRESETS))
        ]
        for table in tables:
            ann = house.seated(table)
            until(lambda: dealing.release_due() == 0)
            first = {each.chain for each in house.state(table).chains}
            assert len(first) == 2
            while not (house.state(table).lacks_links() and waits(house.state(table))):
                play(house, ann, rounds=1)
            with pytest.raises(WitnessUnavailable):
                ann.deal({B: 2500})
            assert len(rounds_of(house, table)) <= 10
            assert witness_chains.open_chains(height=short_chains.HEIGHT) > 0
            pin()
            play(house, ann, rounds=4)
            second = {each.chain for each in house.state(table).chains}
            assert first.isdisjoint(second)
            used = [
                {place.chain: place.index for place in house.round(key).require_opened().witnesses}
                for key in rounds_of(house, table)
            ]
            assert [each for each in used if each and each.keys() not in (first, second)] == []
            assert {0} in [set(each.values()) for each in used if each.keys() == second]
            assert_sound(house, table)


def waits(table: TableState) -> bool:
    """Return whether no round is open, nor can open on terms that are fixed already."""
    return table.round is None and table.fixed_terms() is None
