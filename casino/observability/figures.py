"""Counts and times of this process. Its heartbeat adds them to those of all others, in PostgreSQL.

Each is declared here once, and counted where it happens. A metric whose labels or bounds change needs another name:
what was counted before stays.
"""

import contextlib
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of a histogram's buckets, in seconds; the last bucket has none."""

Series = tuple[str, tuple[str, ...]]
"""The name of a metric, and the values of its labels."""


class _Store:
    """What was counted since the last drain: one number of a counter; of a histogram the buckets, then the sum."""

    def __init__(self) -> None:
        self.lock: Final = threading.Lock()
        self.numbers: dict[Series, list[float]] = {}


_store = _Store()
_gauges: Final[dict[Series, Callable[[], float]]] = {}


@dataclass(frozen=True, slots=True)
class Counter:
    """How often something happened."""

    name: str
    help: str
    labels: tuple[str, ...]

    def count(self, *values: str) -> None:
        """Count one occurrence with these values of the labels."""
        with _store.lock:
            _store.numbers.setdefault((self.name, values), [0.0])[0] += 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """How long something took."""

    name: str
    help: str
    labels: tuple[str, ...]

    def observe(self, seconds: float, *values: str) -> None:
        """Add one time with these values of the labels."""
        bucket = bisect_left(BOUNDS, seconds)
        with _store.lock:
            numbers = _store.numbers.setdefault((self.name, values), [0.0] * (len(BOUNDS) + 2))
            numbers[bucket] += 1
            numbers[-1] += seconds

    @contextlib.contextmanager
    def time(self, *values: str) -> Generator[None]:
        """Add the time that the block takes, also if it fails."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.observe(time.perf_counter() - began, *values)


REQUESTS: Final = Histogram("casino_request_seconds", "Time until a response began.", ("operation",))
RESPONSES: Final = Counter("casino_responses_total", "Responses by status.", ("status",))
REFUSALS: Final = Counter("casino_refusals_total", "Problems returned by the API, by code.", ("code",))
STEPS: Final = Histogram("casino_step_seconds", "Time of a step of a transaction at tables.", ("work", "step"))
TASKS: Final = Histogram("casino_task_seconds", "Time of a periodic job or a Celery task.", ("task",))
TASK_FAILURES: Final = Counter("casino_task_failures_total", "Jobs and tasks that failed.", ("task",))
METRICS: Final[tuple[Counter | Histogram, ...]] = (REQUESTS, RESPONSES, REFUSALS, STEPS, TASKS, TASK_FAILURES)

OPEN_STREAMS: Final = "casino_open_streams"
POOL_REQUESTS: Final = "casino_pool_requests"
POOL_THREADS: Final = "casino_pool_threads"
GAUGES: Final = {
    OPEN_STREAMS: "Live streams that are open.",
    POOL_REQUESTS: "Requests that run or wait for a thread.",
    POOL_THREADS: "Threads for requests, each with a database connection.",
}
"""What each `web` has now, by its pool of threads."""


def gauge(name: str, pool: str, read: Callable[[], float]) -> None:
    """Let a gauge of this process be read for its heartbeats."""
    _gauges[name, (pool,)] = read


def read_gauges() -> dict[str, dict[str, float]]:
    """Return the gauges of this process by name and pool."""
    read: dict[str, dict[str, float]] = {}
    for (name, (pool,)), value in _gauges.items():
        read.setdefault(name, {})[pool] = value()
    return read


def drain() -> dict[Series, list[float]]:
    """Return what was counted since the last call."""
    with _store.lock:
        numbers, _store.numbers = _store.numbers, {}
    return numbers


def restore(numbers: Mapping[Series, Iterable[float]]) -> None:
    """Add what could not be written to what has been counted since."""
    with _store.lock:
        for series, each in numbers.items():
            since = _store.numbers.get(series)
            _store.numbers[series] = list(each) if since is None else [a + b for a, b in zip(each, since, strict=True)]


class StepTimer(threading.local):
    """Times the steps of this thread's current transaction."""

    _work = ""
    _began = 0.0

    def begin(self, work: str) -> None:
        """Begin the first step."""
        self._work, self._began = work, time.perf_counter()

    def end(self, step: str) -> None:
        """End a step and begin the next one."""
        now = time.perf_counter()
        STEPS.observe(now - self._began, self._work, step)
        self._began = now


steps: Final = StepTimer()


def _forget() -> None:
    """Count anew in a forked process, whose parent writes what it counted before; its lock may be held, too."""
    global _store  # noqa: PLW0603
    _store = _Store()


os.register_at_fork(after_in_child=_forget)
