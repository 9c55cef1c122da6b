"""Announcements reach all who listen, and nobody is held up when Redis is away."""

import itertools
import time
from collections.abc import Callable

import pytest
from django.conf import settings

from casino.events import sealer, wakeups
from casino.events.broadcast import Listener, announce
from tests.casino.events.writing import write
from tests.conftest import Database


def heard(*ears: Listener, after: Callable[[], object]) -> bool:
    """Whether all hear of what is done; it is done again, as a slow Redis may lose one announcement."""
    deaf, until = list(ears), time.monotonic() + 20.0
    while deaf and time.monotonic() < until:
        after()
        deaf = [ear for ear in deaf if not ear.wait(0.5)]
    return not deaf


def test_an_announcement_reaches_all_who_listen(database: Database) -> None:
    ears = [Listener() for _ in range(3)]
    assert heard(*ears, after=announce)
    for ear in ears:
        ear.close()


def test_what_is_sealed_is_announced(database: Database) -> None:
    ear, known = Listener(), itertools.count()

    def seal_more() -> None:
        write("red", expected=next(known))
        sealer.seal_all()

    assert heard(ear, after=seal_more)
    ear.close()


def test_without_redis_the_listener_says_so_at_once_and_the_sealer_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    wakeups.forget_failures()
    ear = Listener()
    began = time.monotonic()
    assert ear.wait(60.0) is None
    assert ear.wait(60.0) is None
    write("red", count=2)
    assert sealer.seal_all() == 2
    assert time.monotonic() - began < 30.0
    wakeups.forget_failures()
