"""Wake-ups and announcements through Redis: best effort. Whoever waits polls the database anyway.

A wake-up is taken by one waiter. It sets a key that lives for a second and, only if the key was not set, pushes to a
short list. The waiter deletes the key before it reads the database, so it sees what was committed before a wake-up that
the key suppressed. An announcement that the log has grown reaches every listener in every process.
"""

import functools
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final, cast

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.retry import Retry

from casino.database.redis_client import redis_client

logger = logging.getLogger(__name__)

UNSEALED: Final = "unsealed"
"""The topic of events that wait for the sealer."""

MIN_INTERVALS: Final = {UNSEALED: 0.02}
"""Seconds after a wake-up in which this process sends no other on commit: the waiter polls again by then."""

PAUSE_AFTER_FAILURE: Final = 1.0
LONGEST_PAUSE: Final = 8.0
"""Seconds for which Redis is not contacted after a failure; the pause doubles until it answers again."""

SEALED_CHANNEL: Final = "casino:sealed"
REDIS_TIMEOUT: Final = 0.2
"""Seconds within which Redis must answer."""

_LONGEST_WAIT: Final = 5.0
_WARNING_INTERVAL: Final = 60.0
_WAKE: Final = """
for _, topic in ipairs(ARGV) do
    if redis.call('SET', 'casino:wakeup:' .. topic, '1', 'NX', 'PX', 1000) then
        redis.call('RPUSH', 'casino:wake:' .. topic, '1')
        redis.call('PEXPIRE', 'casino:wake:' .. topic, 5000)
    end
end
return 1
"""
_ERRORS: Final = (redis.RedisError, OSError, ValueError)


class _Health:
    """A circuit breaker: when Redis last failed in this process, when that was logged, which topics were woken."""

    def __init__(self) -> None:
        self.unavailable_until = 0.0
        self.pause = 0.0
        self.no_warning_until = 0.0
        self.suppressed_until: dict[str, float] = {}

    def is_unavailable(self) -> bool:
        return time.monotonic() < self.unavailable_until

    def may_try(self) -> bool:
        """Return whether to contact Redis; after a failure and its pause, only one caller may."""
        if self.is_unavailable():
            return False
        if self.pause:
            self.unavailable_until = time.monotonic() + self.pause
        return True

    def answered(self) -> None:
        self.unavailable_until = self.pause = 0.0

    def failed(self, error: Exception) -> None:
        now = time.monotonic()
        self.pause = min(max(self.pause * 2, PAUSE_AFTER_FAILURE), LONGEST_PAUSE)
        self.unavailable_until = now + self.pause
        if now >= self.no_warning_until:
            self.no_warning_until = now + _WARNING_INTERVAL
            logger.warning("Redis does not answer, wake-ups wait for the next poll: %s", error)


_health: Final = _Health()


def available() -> bool:
    """Return whether Redis answered last time; if not, waiters poll faster."""
    return not _health.is_unavailable()


def wake(*topics: str) -> None:
    """Wake one waiter for each topic, in one round trip. Never raises: a lost wake-up only costs time."""
    if topics:
        _ask(lambda client: client.eval(_WAKE, 0, *topics))


def wait(topic: str, seconds: float) -> bool:
    """Wait up to `seconds` (5 s at most) for a wake-up and return whether one came.

    Either way, read the database now. Returns False at once while Redis is unavailable; the caller sleeps instead.
    """
    return wait_for_any([topic], seconds) is not None


def wait_for_any(topics: Sequence[str], seconds: float) -> str | None:
    """Wait like `wait` for a wake-up of any of the topics, and return the one that came."""
    seconds = min(seconds, _LONGEST_WAIT)

    def pop(client: "redis.Redis") -> str | None:
        item = client.blpop([f"casino:wake:{topic}" for topic in topics], timeout=cast("int", seconds))
        topic = cast("bytes", item[0]).decode().removeprefix("casino:wake:") if item else None
        client.delete(*(f"casino:wakeup:{each}" for each in ([topic] if topic else topics)))
        return topic

    return cast("str | None", _ask(pop, timeout=seconds + REDIS_TIMEOUT))


def claim_wakeup(topic: str) -> bool:
    """Claim the next wake-up of `topic`; return False if another process did since it was last cleared.

    For wake-ups that are sent another way, such as a task queue: only the first claimant sends one. A claim lasts a
    second at most, so a lost wake-up delays nobody for longer. Returns False while Redis is unavailable.
    """
    return bool(_ask(lambda client: client.set(f"casino:wakeup:{topic}", "1", nx=True, px=1000)))


def clear(topic: str) -> None:
    """Let the next wake-up of `topic` be claimed; call it before reading the database."""
    _ask(lambda client: client.delete(f"casino:wakeup:{topic}"))


def _ask(command: Callable[["redis.Redis"], object], *, timeout: float = REDIS_TIMEOUT) -> object:
    """Return what Redis answers, or None if it is unavailable or does not answer in time."""
    if not _health.may_try():
        return None
    try:
        result = command(_client(settings.REDIS_URL, timeout))
    except _ERRORS as error:
        _health.failed(error)
        return None
    _health.answered()
    return result


def forget_failures() -> None:
    """Contact Redis again at the next call, whatever happened before."""
    _health.answered()
    _health.no_warning_until = 0.0
    _health.suppressed_until.clear()


def wake_on_commit(*topics: str) -> None:
    """Wake when the transaction commits, or now outside of one; a transaction sends all its topics together."""
    connection = connections[DEFAULT_DB_ALIAS]
    if not connection.in_atomic_block:
        _send(topics)
        return
    for _, callback, *_ in connection.run_on_commit:
        if isinstance(callback, _Wake):
            callback.topics.update(topics)
            return
    connection.on_commit(_Wake(set(topics)), robust=True)


class _Wake:
    """The wake-ups of a whole transaction; Django drops the callback when the transaction rolls back."""

    __slots__ = ("topics",)

    def __init__(self, topics: set[str]) -> None:
        self.topics = topics

    def __call__(self) -> None:
        _send(sorted(self.topics))


def _send(topics: Sequence[str]) -> None:
    """Wake all topics but those whose waiter polls again by itself."""
    now, suppressed = time.monotonic(), _health.suppressed_until
    due = [topic for topic in topics if suppressed.get(topic, 0.0) <= now]
    if due:
        suppressed.update({topic: now + MIN_INTERVALS[topic] for topic in due if topic in MIN_INTERVALS})
        wake(*due)


def announce() -> None:
    """Announce to all listeners that something was sealed. Never raises: a lost announcement only costs time."""
    _ask(lambda client: client.publish(SEALED_CHANNEL, b""))


class Listener:
    """Receives announcements. For one thread only."""

    def __init__(self) -> None:
        self._pubsub: PubSub | None = None
        self._unavailable_until = 0.0

    def wait(self, seconds: float) -> bool | None:
        """Wait up to `seconds` for an announcement and return whether one came; several count as one.

        Returns None at once while Redis is unavailable; the caller sleeps instead.
        """
        if time.monotonic() < self._unavailable_until:
            return None
        try:
            pubsub = self._subscribed()
            announced = pubsub.get_message(timeout=seconds) is not None
            while announced and pubsub.get_message(timeout=0) is not None:
                pass
        except _ERRORS:
            self.close()
            self._unavailable_until = time.monotonic() + PAUSE_AFTER_FAILURE
            return None
        return announced

    def close(self) -> None:
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            pubsub.close()

    def _subscribed(self) -> PubSub:
        if self._pubsub is None:
            self._pubsub = _client(settings.REDIS_URL).pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
            self._pubsub.subscribe(SEALED_CHANNEL)
        return self._pubsub


@functools.cache
def _client(url: str, timeout: float = REDIS_TIMEOUT) -> "redis.Redis":
    """Return one client for each URL and timeout; redis-py reconnects after a fork and is thread-safe."""
    return redis_client(
        url,
        socket_timeout=timeout,
        socket_connect_timeout=REDIS_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )
