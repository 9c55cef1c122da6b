"""The one loop of services goes on through outages and errors, tells of them once, and stops at once."""

import asyncio
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.db import OperationalError

from casino.observability import loop

OUTAGE = OperationalError("connection refused\nDETAIL: a row")
Run = Callable[[Callable[[], float], float], None]


def in_a_thread(step: Callable[[], float], seconds: float) -> None:
    """Run the loop until `step` raises StopIteration, at most so many seconds."""
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    loop.run(ending(step, stop), stop, work="counting")
    timer.cancel()


def on_an_event_loop(step: Callable[[], float], seconds: float) -> None:
    async def scene() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(seconds, stop.set)
        called = ending(step, stop)

        async def call() -> float:
            return called()

        await loop.run_async(call, stop, work="counting")

    asyncio.run(scene())


def ending(step: Callable[[], float], stop: threading.Event | asyncio.Event) -> Callable[[], float]:
    def call() -> float:
        try:
            return step()
        except StopIteration:
            stop.set()
            return 0.0

    return call


@pytest.fixture(params=[in_a_thread, on_an_event_loop])
def run(request: pytest.FixtureRequest) -> Run:
    chosen: Run = request.param
    return chosen


def does(*results: float | Exception) -> Callable[[], float]:
    """Return a step that returns and raises these, and then ends the loop."""
    left = iter(results)

    def step() -> float:
        result = next(left)
        if isinstance(result, Exception):
            raise result
        return result

    return step


def test_it_rests_as_long_as_its_step_says(run: Run) -> None:
    began = time.monotonic()
    run(does(0.0, 0.05, 0.0, 0.05), 10.0)
    assert 0.1 <= time.monotonic() - began < 1.0


def test_an_outage_is_told_once_with_its_end_and_tried_through_with_growing_pauses(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.monotonic()
    run(does(OUTAGE, OUTAGE, 0.0, OUTAGE, 0.0), 10.0)
    assert 0.2 <= time.monotonic() - began < 1.0
    told, over = (
        "The database does not answer, counting waits: connection refused",
        "After an error, counting continues.",
    )
    assert [record.getMessage() for record in caplog.records] == [told, over, told, over]


def test_any_other_error_is_an_alert_by_its_type_and_place_alone(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    run(does(ValueError("secret cards"), 0.0), 10.0)
    assert "ALERT counting failed and is tried again: ValueError at " in caplog.text
    assert "test_loop.py" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("result", [60.0, OUTAGE], ids=["resting", "in an outage"])
def test_it_stops_while_it_waits(run: Run, result: float | Exception) -> None:
    began = time.monotonic()
    run(does(*[result] * 99), 0.2)
    assert time.monotonic() - began < 1.0


def test_a_thread_keeps_its_connection_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    connection = SimpleNamespace(close=lambda: closed.append(threading.current_thread().name))
    monkeypatch.setattr(loop, "connection", connection)
    stop, steps = threading.Event(), threading.Semaphore(0)

    def step() -> float:
        steps.release()
        return 0.001

    thread = loop.start(step, stop, work="counting")
    for _ in range(3):
        assert steps.acquire(timeout=10)
    assert closed == []
    stop.set()
    thread.join(10)
    assert closed == ["counting"]
