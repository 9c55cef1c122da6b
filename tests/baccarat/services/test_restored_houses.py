"""A house whose database was restored from a backup: its witness remembers links that it does not know."""

import dataclasses
import logging
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit import engine
from baccarat.audit import voiding as audited_voids
from baccarat.domain.rounds import voiding as voiding_decisions
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.domain.tables.witness_events import ShoeLinksReleased
from baccarat.services import dealing, kill_switch, voiding, witness_chains
from casino.checkpoints.cosigning import WitnessObjects
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.significant.recorder import SignificantEventKind
from casino.witness import client as witness_client
from casino.witness import compare
from casino.witness.client import configured_client
from tests.baccarat.services.witnessing import (
    assert_sound,
    company_of_witnesses,
    pin,
    play,
    rounds_of,
    witnessed_table,
    witnessing,
)
from tests.casino.witness.running import RunningWitness
from tests.conftest import pointed_at
from tests.services import Services
from tests.support.depth import deep
from tests.support.examples import B
from tests.support.house import At, House, deal_all, fresh_database, until

STAFF = Metadata(operator="", actor="shell:ops", causation="")
Backup = Callable[[], str]


@pytest.fixture
def backup(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Backup]:
    """Return what copies the house's database, and returns the address of the copy."""
    copies: list[str] = []

    def take() -> str:
        connections["default"].close()
        copies.append(dataclasses.replace(services, template=name).clone())
        return services.url(copies[-1])

    with fresh_database(services, django_db_blocker) as database:
        name = database.url.rpartition("/")[2].partition("?")[0]
        yield take
    for copy in copies:
        services.drop(copy)


@pytest.fixture
def house(backup: Backup, monkeypatch: pytest.MonkeyPatch) -> House:
    for module in (voiding, voiding_decisions, audited_voids):
        monkeypatch.setattr(module, "ANSWER_LIMIT", timedelta(seconds=0.1))
    return House()


@pytest.fixture
def witness(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Generator[RunningWitness]:
    with witnessing(tmp_path / "witness", settings, monkeypatch) as witness:
        yield witness


@pytest.fixture
def another_witness(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], AbstractContextManager[list[RunningWitness]]]:
    """Return what runs and configures a witness that has never seen this log, instead of the first."""
    return lambda: company_of_witnesses([tmp_path / "other"], settings, monkeypatch, first=2)


@pytest.mark.parametrize("preset", deep(["mini", "big_table"], list(PRESETS)))
def test_a_table_stops_at_the_first_link_that_it_does_not_know_until_its_witness_is_replaced(
    house: House, backup: Backup, witness: RunningWitness, preset: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = witnessed_table(house, preset)
    ann = house.seated(table)
    until(lambda: dealing.release_due() == 0)
    play(house, ann, rounds=3)
    pin()
    copy, known = backup(), links(house, table)
    play(house, ann, rounds=3)
    lost = links(house, table) - known
    assert len(lost) >= 3
    with pointed_at(copy):
        funds = house.game(ann)
        with caplog.at_level(logging.CRITICAL):
            bet_until_stopped(house, ann)
        assert f"ALERT table {table} was stopped" in caplog.text
        assert_stopped_once(table)
        assert house.game(ann) == funds
        assert lost <= known_to_the_witness_alone(witness)
        (chain,) = house.state(table).chains
        header = witness_chains.witness_chains.read_headers([table])[chain.chain].header
        assert configured_client().chain(header).state == "retired"

        replace_and_resume(table)
        pin()
        play(house, ann, rounds=4)
        assert len(links(house, table) - known) >= 3
        assert not links(house, table) & lost
        assert_sound(house, table)


def test_stakes_go_back_once_however_often_workers_ask(house: House, backup: Backup, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann, ben = house.company(table, 2)
    play(house, ann, ben, rounds=3)
    pin()
    copy = backup()
    play(house, ann, ben, rounds=2)
    with pointed_at(copy):
        funds = house.game(ann), house.game(ben)
        bet_until_stopped(house, ann, ben)
        for _ in range(3):
            dealing.release_due()
        assert (house.game(ann), house.game(ben)) == funds
        assert_stopped_once(table)
        kill_switch.resume(scope=StopScope.TABLE, subject=str(table), reason="Too early.", metadata=STAFF)
        bet_until_stopped(house, ann, ben)
        assert (house.game(ann), house.game(ben)) == funds
        assert_sound(house, table)


def test_a_log_that_a_witness_has_cosigned_further_goes_on_with_a_witness_that_does_not_know_it(
    house: House,
    backup: Backup,
    witness: RunningWitness,
    another_witness: Callable[[], AbstractContextManager[list[RunningWitness]]],
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    pin()
    copy, known = backup(), links(house, table)
    play(house, ann, rounds=3)
    lost = links(house, table) - known
    end_leases()
    pin()
    with pointed_at(copy):
        end_leases()
        with pytest.raises(WitnessObjects):
            pin()
        named = {each.location for each in engine.run_audit(max_wait=3600).findings}
        assert len(named) == 1
        assert "at witness.test/w1" in named.pop()
        bet_until_stopped(house, ann)
        assert_stopped_once(table)
        (chain,) = house.state(table).chains
        with another_witness():
            replace_and_resume(table, chain.release_key)
            end_leases()
            pin()
            play(house, ann, rounds=4)
            assert len(links(house, table) - known) >= 3
            assert not links(house, table) & lost
            assert_sound(house, table)
    witness_client.configured_client.cache_clear()


def test_a_chain_that_the_database_has_lost_is_not_opened_again(
    house: House, backup: Backup, witness: RunningWitness, caplog: pytest.LogCaptureFixture
) -> None:
    table = house.table("atlantic_city")
    pin()
    copy = backup()
    assert witness_chains.open_chains(height=8) == 1
    play(house, house.seated(table), rounds=3)
    with pointed_at(copy), caplog.at_level(logging.CRITICAL):
        assert witness_chains.open_chains(height=8) == 0
        assert house.state(table).chains == ()
    assert "Links of chain 1 were given out that this database does not know" in caplog.text


def bet_until_stopped(house: House, *players: At) -> None:
    """Bet until the table takes no more, and every round has ended."""
    table = players[0].guest.table

    def is_over() -> bool:
        dealing.release_due()
        return not house.in_hand(table).awaits_links()

    for _ in range(5):
        for player in players:
            player.deal({B: 2500})
        deal_all()
        until(is_over)
        if house.state(table).stops:
            until(lambda: house.state(table).round is None)
            return
    raise AssertionError("The table was never stopped.")


def known_to_the_witness_alone(witness: RunningWitness) -> set[str]:
    """Return the links that `witness --compare` names because the house does not have them."""
    file = witness.folder.parent / "kept.jsonl"
    with file.open("w", encoding="utf-8") as output:
        call_command("witness_statements", stdout=output)
    shown, kept = (compare.read_source(each, origin="") for each in (witness.url, str(file)))
    findings = compare.compare(shown, kept, now=time.time() + 3600)
    named = {each.location.partition(" index ")[2] for each in findings if each.kind == compare.ONE_SIDED}
    given = [release for release, _ in shown.releases()]
    return {each.link.hex() for each in given if f"{each.index}, number {each.number}" in named}


def end_leases() -> None:
    """Let the next process cosign at once, as when those before it have ended."""
    execute("UPDATE jobs_job SET leased_until = NULL")


def links(house: House, table: UUID) -> set[str]:
    """Return the links that a table's rounds and long shoes have followed from."""
    events = [event for _, _, event in house.events(table) if isinstance(event, ShoeLinksReleased)]
    rounds = [house.round(key) for key in rounds_of(house, table)]
    return {each.link for given in (*rounds, *events) for each in given.releases}


def assert_stopped_once(table: UUID) -> None:
    rows = fetch(
        "SELECT subject, reason FROM significant_significantevent WHERE kind = %s",
        [SignificantEventKind.TABLE_STOPPED],
    )
    assert [subject for subject, _ in rows] == [f"table:{table}"]
    assert "this database is an older copy" in rows[0][1]


def replace_and_resume(table: UUID, release_key: str = "") -> None:
    """Do what staff do: go on with the configured witness, and resume play."""
    (address,) = configured_client().addresses
    key = release_key or address.release_key.hex()
    call_command("replace_witness", key, address.name, reason="planned", table=table)
    call_command("resume", "table", str(table), reason="Another chain.")
