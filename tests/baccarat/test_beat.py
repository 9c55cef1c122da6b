"""The dealers are woken when a turn ends, by the database's clock, and not before."""

import time

import pytest
import redis
from django.conf import settings

from baccarat.beat import LOOK, Clock, Deadlines
from baccarat.domain.rules.wagers import Spot
from casino.celery import app
from casino.events.sql import fetch
from tests.conftest import Database
from tests.services import Services
from tests.support.house import House


def waiting() -> int:
    """How many wake-ups nobody has taken yet."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        return int(client.llen("celery"))


def test_a_turn_that_ends_wakes_the_dealers_once_and_at_its_end(database: Database, services: Services) -> None:
    house = House()
    table = house.table("atlantic_city", turn_seconds=1)
    house.company(table, 2)[0].deal({Spot.TIE: 500})
    services.flush()
    clock = Deadlines()
    wait = clock.look()
    while wait:
        assert wait <= LOOK
        assert waiting() == 0
        time.sleep(wait)
        wait = clock.look()
    assert fetch("SELECT due_at <= clock_timestamp() FROM baccarat_table") == [(True,)]
    assert waiting() == 1
    assert clock.look() == LOOK
    assert waiting() == 1


def test_a_clock_without_a_deadline_looks_again_soon(database: Database) -> None:
    assert Deadlines().look() == LOOK


def test_a_broker_that_is_away_holds_nobody_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    table = house.table("atlantic_city", turn_seconds=1)
    house.company(table, 2)[0].deal({Spot.TIE: 500})
    clock = Deadlines()
    clock.look()
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    time.sleep(1.1)
    assert clock.look() == 0.0
    assert clock.look() == LOOK


def test_beat_is_the_clock() -> None:
    assert app.conf.beat_scheduler == f"{Clock.__module__}:{Clock.__name__}"
