"""Announcements reach all who listen, and nobody is held up when Redis is away."""

import time

import pytest
from django.conf import settings

from casino.events import hints, sealer
from casino.events.broadcast import Listener, announce
from tests.casino.events.writing import write
from tests.conftest import Database


def listening(count: int) -> list[Listener]:
    ears = [Listener() for _ in range(count)]
    for ear in ears:
        while ear.wait(0.05):  # what others announced meanwhile
            pass
    return ears


def test_an_announcement_reaches_all_who_listen_and_several_count_as_one(database: Database) -> None:
    ears = listening(3)
    announce()
    announce()
    assert [ear.wait(5.0) for ear in ears] == [True, True, True]
    for ear in ears:
        ear.close()


def test_what_is_sealed_is_announced(database: Database) -> None:
    (ear,) = listening(1)
    write("red", count=2)
    sealer.seal_all()
    assert ear.wait(5.0)
    ear.close()


def test_without_redis_the_listener_says_so_at_once_and_the_sealer_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    hints.forget_failures()
    ear = Listener()
    began = time.monotonic()
    assert ear.wait(60.0) is None
    assert ear.wait(60.0) is None
    write("red", count=2)
    assert sealer.seal_all() == 2
    assert time.monotonic() - began < 30.0
    hints.forget_failures()
