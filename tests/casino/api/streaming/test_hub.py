"""The hub of a process, on a real log: what followers are told, what is kept, when the reader runs."""

import asyncio
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from casino.api.streaming.hub import PRELOADED_POSITIONS, Hub
from casino.events import sealer, subscriptions
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from tests.casino.events.writing import write
from tests.services import Services
from tests.support.house import fresh_database


@dataclass(frozen=True, slots=True)
class Fact:
    """An event as its position and its stream, which is its only topic."""

    position: int
    topics: tuple[str, ...]


@dataclass(eq=False)
class Ear:
    """A follower that notes what it is told, and refuses what it can't bear."""

    topics: frozenset[str]
    bears: int = 10**9
    heard: list[int] = field(default_factory=list)
    failed: bool = False

    def receive(self, fact: Fact) -> None:
        if fact.position > self.bears:
            raise ValueError("unbearable")
        self.heard.append(fact.position)

    def fail(self) -> None:
        self.failed = True


def facts(batch: Sequence[SealedEvent]) -> list[Fact]:
    return [Fact(sealed.position, (sealed.stream,)) for sealed in batch]


def hub() -> Hub[Fact]:
    return Hub(prepare=facts, on_delivered=len)


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "stream-reader"]


@pytest.fixture(scope="module")
def log(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[None]:
    """Share one log among the tests, because the hub's threads use one database."""
    with fresh_database(services, django_db_blocker):
        yield
        for reader in readers():
            reader.join(5.0)


def grow(stream: str, count: int) -> int:
    """Seal so many events more of a stream, and return the position of the last."""
    (known,) = fetch("SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s", [stream])[0]
    write(stream, expected=known, count=count)
    sealer.seal_all()
    return subscriptions.head()


def grow_elsewhere(stream: str, count: int) -> int:
    """Call `grow` in a thread that is about to end."""
    try:
        return grow(stream, count)
    finally:
        connection.close()


def test_each_follower_hears_of_its_topics_alone_and_in_order(log: None) -> None:
    red_before = grow("red", 2)
    blue_before = grow("blue", 1)

    async def scene() -> None:
        here = hub()
        await here.acquire()
        red, both = Ear(frozenset({"red"})), Ear(frozenset({"red", "blue"}))
        here.add_follower(red, after=red_before - 2)
        await here.acquire()
        here.add_follower(both, after=red_before - 1)
        assert red.heard == [red_before - 1, red_before]
        assert both.heard == [red_before, blue_before]
        last_red = await asyncio.to_thread(grow_elsewhere, "red", 1)
        last = await asyncio.to_thread(grow_elsewhere, "blue", 1)
        assert await here.wait_for_position(last)
        assert red.heard[2:] == [last_red]
        assert both.heard[2:] == [last_red, last]
        here.set_topics(red, frozenset({"blue"}))
        last = await asyncio.to_thread(grow_elsewhere, "blue", 1)
        assert await here.wait_for_position(last)
        assert red.heard[3:] == [last]
        here.release(red)
        here.release(both)

    asyncio.run(scene())


def test_the_reader_runs_from_the_first_stream_to_the_last(log: None) -> None:
    async def scene() -> None:
        here = hub()
        before = readers()
        await asyncio.gather(here.acquire(), here.acquire())
        (reader,) = [thread for thread in readers() if thread not in before]
        here.release(None)
        assert reader.is_alive()
        here.release(None)
        await asyncio.to_thread(reader.join, 5.0)
        assert not reader.is_alive()

    asyncio.run(scene())


def test_the_reader_survives_any_error_and_delivers_what_waited(log: None, caplog: pytest.LogCaptureFixture) -> None:
    failures: list[str] = []

    def fail_twice(batch: Sequence[SealedEvent]) -> list[Fact]:
        if threading.current_thread().name == "stream-reader" and len(failures) < 2:
            failures.append("secret")
            raise ValueError("secret")
        return facts(batch)

    async def scene() -> None:
        here = Hub[Fact](prepare=fail_twice, on_delivered=len)
        await here.acquire()
        ear = Ear(frozenset({"red"}))
        here.add_follower(ear, after=here.position)
        last = await asyncio.to_thread(grow_elsewhere, "red", 1)
        assert await here.wait_for_position(last)
        assert ear.heard == [last]
        here.release(ear)

    asyncio.run(scene())
    assert len(failures) == 2
    assert "ALERT streaming failed and is tried again: ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_what_one_follower_cannot_bear_ends_that_one_alone(log: None) -> None:
    last = grow("red", 3)

    async def scene() -> None:
        here = hub()
        await here.acquire()
        weak, strong = Ear(frozenset({"red"}), bears=last - 2), Ear(frozenset({"red"}))
        for ear in (weak, strong):
            here.add_follower(ear, after=last - 3)
        assert (weak.failed, weak.heard) == (True, [last - 2])
        assert (strong.failed, strong.heard) == (False, [last - 2, last - 1, last])
        here.release(weak)

    asyncio.run(scene())


def test_events_sealed_long_before_the_start_are_not_buffered(log: None) -> None:
    last = grow("noise", PRELOADED_POSITIONS + 10)

    async def scene() -> None:
        here = hub()
        await here.acquire()
        assert here.has_since(last)
        assert here.has_since(last - PRELOADED_POSITIONS)
        assert not here.has_since(last - PRELOADED_POSITIONS - 1)
        assert not here.has_since(last + 1)
        assert [fact.position for fact in here.messages_since(last - 2)] == [last - 1, last]
        here.release(None)

    asyncio.run(scene())
