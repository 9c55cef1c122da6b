"""The dealers are woken when a turn ends, by the database's clock, and not before."""

import time

import pytest
import redis
from django.conf import settings

from baccarat.beat import CHECK_INTERVAL, DeadlineScheduler, DeadlineWatcher
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
    clock = DeadlineWatcher()
    wait = clock.wake_if_due()
    while wait:
        assert wait <= CHECK_INTERVAL
        assert waiting() == 0
        time.sleep(wait)
        wait = clock.wake_if_due()
    assert fetch("SELECT due_at <= clock_timestamp() FROM baccarat_table") == [(True,)]
    assert waiting() == 1
    assert clock.wake_if_due() == CHECK_INTERVAL
    assert waiting() == 1


def test_a_clock_without_a_deadline_looks_again_soon(database: Database) -> None:
    assert DeadlineWatcher().wake_if_due() == CHECK_INTERVAL


def test_a_broker_that_is_away_holds_nobody_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    table = house.table("atlantic_city", turn_seconds=1)
    house.company(table, 2)[0].deal({Spot.TIE: 500})
    clock = DeadlineWatcher()
    clock.wake_if_due()
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    time.sleep(1.1)
    assert clock.wake_if_due() == 0.0
    assert clock.wake_if_due() == CHECK_INTERVAL


def test_beat_is_the_clock() -> None:
    assert app.conf.beat_scheduler == f"{DeadlineScheduler.__module__}:{DeadlineScheduler.__name__}"
