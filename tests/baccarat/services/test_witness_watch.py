"""A witness that is silent is found with the tables that stand because of it, or as one of several."""

import os
import signal
from collections.abc import Generator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker, Settings

from baccarat.services import dealing, witness_watch
from casino.observability.conditions import Observation
from tests.baccarat.services.witnessing import company_of_witnesses, pin, play, witnessed_table
from tests.casino.witness.running import RunningWitness
from tests.processes import wait_until
from tests.services import Services
from tests.support.examples import B
from tests.support.house import House, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


@pytest.fixture
def company(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Generator[list[RunningWitness]]:
    """Two witnesses, of which tables use the first; a silence counts at once."""
    monkeypatch.setattr(witness_watch, "MAX_SILENCE_SECONDS", 0.0)
    with company_of_witnesses([tmp_path / "one", tmp_path / "other"], settings, monkeypatch) as company:
        yield company


def freeze(witness: RunningWitness) -> None:
    pid = witness.process.pid
    assert pid is not None
    os.killpg(pid, signal.SIGSTOP)


def found(name: str) -> list[Observation]:
    return witness_watch.find(name)


def test_a_frozen_witness_is_found_with_its_tables_and_when_their_bets_are_voided(
    house: House, company: list[RunningWitness]
) -> None:
    waiting, idle = witnessed_table(house, "mini"), witnessed_table(house, "mini")
    ann = house.seated(waiting)
    until(lambda: dealing.release_due() == 0)
    play(house, ann, rounds=2)
    pin()
    assert found(witness_watch.TABLES_WAIT) == found(witness_watch.AWAY) == []

    freeze(company[0])
    ann.deal({B: 2500})
    dealing.deal_due()
    assert wait_until(lambda: len(found(witness_watch.TABLES_WAIT)) == 1)
    (standing,) = found(witness_watch.TABLES_WAIT)
    closed = house.in_hand(waiting).closed_at
    assert isinstance(closed, datetime)
    assert standing.effect.startswith("Tables that wait for witness witness.test/w1 since ")
    assert standing.effect.endswith(f"; bets there are voided at {closed + timedelta(seconds=45):%H:%M:%S} UTC")
    assert (standing.cause, standing.stops) == ("It does not answer", True)
    assert set(standing.where) == {f"table:{waiting}", f"table:{idle}"}
    assert found(witness_watch.AWAY) == []


def test_a_witness_that_no_table_uses_is_a_warning(house: House, company: list[RunningWitness]) -> None:
    witnessed_table(house, "mini")
    freeze(company[1])
    assert wait_until(lambda: len(found(witness_watch.AWAY)) == 1)
    (away,) = found(witness_watch.AWAY)
    assert away.effect.startswith("No table waits for it, but witness witness.test/w2 has been away since ")
    assert not away.stops
    assert found(witness_watch.TABLES_WAIT) == []
