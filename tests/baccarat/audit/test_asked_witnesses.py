"""The house's own audit asks the witnesses what they have signed, and finds what it does not know itself."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit import asked_witnesses, nightly
from baccarat.proofs import judge
from baccarat.services import witness_chains
from baccarat.storage.witness_chains import read_headers
from casino.events.sql import database_now
from casino.witness import compare
from casino.witness.client import ReleaseItem, SignedHeader, configured_client
from casino.witness.statements import ClosingKind, ClosingRequest
from tests.baccarat.services.witnessing import pin, play, witnessed_table, witnessing
from tests.casino.witness.running import RunningWitness
from tests.services import Services
from tests.support.house import House, fresh_database

MINUTE: Final = timedelta(minutes=1)


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


@pytest.fixture
def witness(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Generator[RunningWitness]:
    del house
    with witnessing(tmp_path / "witness", settings, monkeypatch) as running:
        yield running


def found() -> list[str]:
    """Return the kinds of what the audit finds five minutes from now."""
    return sorted({each.kind for each in asked_witnesses.audit(now=database_now() + 5 * MINUTE).findings})


def ask_for(header: SignedHeader, index: int) -> None:
    """Ask the witness for a link by a closing that the house made up, as who holds its closing key could."""
    request = ClosingRequest(header.header.chain, index, ClosingKind.PLAYED, b"\x5a" * 32)
    (sent,) = configured_client().send([ReleaseItem(header, request)])
    (given,) = sent.results.result(timeout=10)
    assert given.release.index == index


def test_a_house_that_agrees_with_its_witness_has_no_finding(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    play(house, house.seated(table), rounds=3)
    assert found() == []


def test_links_that_the_house_does_not_know_and_those_of_tables_nobody_sat_at_are_found(
    house: House, witness: RunningWitness
) -> None:
    table, empty = witnessed_table(house), house.table("atlantic_city")
    assert witness_chains.open_chains(height=8) > 0
    play(house, house.seated(table), rounds=2)
    (header,) = read_headers([empty]).values()
    ask_for(header, 0)
    assert found() == sorted([compare.NOBODY_SAT, compare.ONE_SIDED])

    report = asked_witnesses.audit(now=database_now() + 5 * MINUTE)
    (lonely,) = [each for each in report.findings if each.kind == compare.NOBODY_SAT]
    assert str(empty) in lonely.location
    assert lonely.expected == "nobody ever sat"


def test_the_night_asks_the_witnesses_and_says_which_did_not_answer(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    play(house, house.seated(table), rounds=2)
    pin()
    kinds = {str(kind): report for kind, report in nightly.run(judge.audit_sample).reports}
    assert kinds["witnesses"].ok
    assert (kinds["witnesses"].rounds, kinds["witnesses"].not_read) == (2, ())
    witness.kill()
    (unread,) = asked_witnesses.audit(now=database_now()).not_read
    assert unread.startswith("what witness.test/w1 has signed")
