"""The due loop deals what is due by PostgreSQL's clock, needs no message, and survives the database's restarts."""

import threading
import time

import pytest
from django.conf import settings
from django.db import connection

from baccarat.services import dealing, due_loop
from baccarat.storage import repository
from casino.events.sql import fetch
from tests.support.house import House


@pytest.fixture
def loop(database, monkeypatch):
    """Run a due loop in a thread, without Redis, until the test ends."""
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    stop = threading.Event()
    thread = due_loop.start_thread(stop)
    yield thread
    stop.set()
    thread.join(30)
    assert not thread.is_alive()


def is_settled(house, table):
    return house.state(table).last_round is not None


def drop_connections(database):
    with database.owner() as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_wager_is_dealt_without_a_message(loop):
    house = House()
    table = house.table("mini")
    house.seated(table).deal({"tie": 500})
    assert wait_for(lambda: is_settled(house, table))


def test_a_turn_is_dealt_when_it_ends_and_not_before(loop):
    house = House()
    table = house.table("atlantic_city", turn_seconds=1)
    house.company(table, 2)[0].deal({"tie": 500})
    ((deadline,),) = fetch("SELECT due_at FROM baccarat_duetable WHERE table_id = %s", [table])
    assert wait_for(lambda: is_settled(house, table))
    ((settled,),) = fetch("SELECT recorded_at FROM events_event WHERE type = 'RoundSettled'")
    assert settled >= deadline


def test_nothing_is_due_at_an_empty_casino(database):
    assert repository.next_due() == (False, False, float("inf"))


def test_the_loop_knows_when_the_next_turn_ends(database):
    house = House()
    table = house.table("atlantic_city", turn_seconds=30)
    house.company(table, 2)[0].deal({"tie": 500})
    is_due, _, seconds = repository.next_due()
    assert not is_due
    assert 0 < seconds <= 30


def test_the_loop_goes_on_after_the_database_dropped_its_connection(database, loop):
    house = House()
    table = house.table("mini")
    player = house.seated(table)
    drop_connections(database)
    connection.close()
    player.deal({"tie": 500})
    assert wait_for(lambda: is_settled(house, table))


def test_the_loop_survives_any_error_and_tries_again(database, loop, monkeypatch, caplog):
    real, failures = dealing.deal_due, []

    def fail_twice(**options):
        if len(failures) < 2:
            failures.append(True)
            raise ValueError("secret cards")
        return real(**options)

    monkeypatch.setattr(dealing, "deal_due", fail_twice)
    house = House()
    table = house.table("mini")
    house.seated(table).deal({"tie": 500})
    assert wait_for(lambda: is_settled(house, table))
    assert "ALERT dealing failed and is tried again: ValueError" in caplog.text
    assert "secret cards" not in caplog.text


def wait_for(holds, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()
