"""Wake-ups through Redis: best effort, coalesced, never trusted. Whoever waits looks at the database all the same.

A hint sets a key that lives a second and, only if it was not set, pushes to a short list. The waiter deletes the key
before it looks: what was committed before a hint was swallowed by the key is then seen by that look.
"""

import functools
import logging
import time
from collections.abc import Sequence
from typing import Final, cast

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

UNSEALED: Final = "unsealed"
"""Events wait for the sealer."""

MIN_INTERVALS: Final = {UNSEALED: 0.02}
"""Seconds after a hint in which this process sends no other on commit: the waiter looks again by itself after that."""

PAUSE_AFTER_FAILURE: Final = 1.0
"""Seconds for which Redis is left alone after it failed."""

_LONGEST_WAIT: Final = 5.0
_SILENCE: Final = 60.0
_HINT: Final = """
for _, topic in ipairs(ARGV) do
    if redis.call('SET', 'casino:hint:' .. topic, '1', 'NX', 'PX', 1000) then
        redis.call('RPUSH', 'casino:wake:' .. topic, '1')
        redis.call('PEXPIRE', 'casino:wake:' .. topic, 5000)
    end
end
return 1
"""


class _Health:
    """When Redis last failed in this process, and when that was last said."""

    def __init__(self) -> None:
        self.away_until = 0.0
        self.silent_until = 0.0
        self.spared_until: dict[str, float] = {}

    def away(self) -> bool:
        return time.monotonic() < self.away_until

    def failed(self, trouble: Exception) -> None:
        now = time.monotonic()
        self.away_until = now + PAUSE_AFTER_FAILURE
        if now >= self.silent_until:
            self.silent_until = now + _SILENCE
            logger.warning("Redis does not answer, wake-ups wait for the next poll: %s", trouble)


_health: Final = _Health()


def wake(*topics: str) -> None:
    """Wake whoever waits for these topics, in one round trip; never raises: a lost hint costs time only."""
    if not topics or _health.away():
        return
    try:
        _client(settings.REDIS_URL, 0.2).eval(_HINT, 0, *topics)
    except (redis.RedisError, OSError, ValueError) as trouble:
        _health.failed(trouble)


def wait(topic: str, seconds: float) -> bool:
    """Wait for a hint, at most `seconds` (5 s at the longest), and say whether one came.

    Whether or not, look at the database now. Returns at once, False, when Redis is away: the caller sleeps instead.
    """
    if _health.away():
        return False
    try:
        client = _client(settings.REDIS_URL, _LONGEST_WAIT + 1)
        came = client.blpop([f"casino:wake:{topic}"], timeout=cast("int", min(seconds, _LONGEST_WAIT)))
        client.delete(f"casino:hint:{topic}")
    except (redis.RedisError, OSError, ValueError) as trouble:
        _health.failed(trouble)
        return False
    return came is not None


def available() -> bool:
    """Say whether Redis answered when last asked: if not, waiters poll faster."""
    return not _health.away()


def claim_wakeup(topic: str) -> bool:
    """Say whether nobody asked for `topic` since it was last cleared, and note that we do now.

    For wake-ups that go by another road, such as a task queue: only the first asker sends one. The note lives for a
    second at most, so that a wake-up that got lost holds nobody up for longer. False when Redis is away.
    """
    if _health.away():
        return False
    try:
        return bool(_client(settings.REDIS_URL, 0.2).set(f"casino:hint:{topic}", "1", nx=True, px=1000))
    except (redis.RedisError, OSError, ValueError) as trouble:
        _health.failed(trouble)
        return False


def clear(topic: str) -> None:
    """Let the next asker for `topic` be the first again; call it before looking at the database."""
    if _health.away():
        return
    try:
        _client(settings.REDIS_URL, 0.2).delete(f"casino:hint:{topic}")
    except (redis.RedisError, OSError, ValueError) as trouble:
        _health.failed(trouble)


def forget_failures() -> None:
    """Make the next hint or wait ask Redis again, whatever happened before."""
    _health.away_until = _health.silent_until = 0.0
    _health.spared_until.clear()


def wake_on_commit(*topics: str) -> None:
    """Hint when the transaction commits (now, outside of one); all topics of a transaction go together."""
    own = connections[DEFAULT_DB_ALIAS]
    if not own.in_atomic_block:
        _send(topics)
        return
    for _, function, *_ in own.run_on_commit:
        if isinstance(function, _Wake):
            function.topics.update(topics)
            return
    own.on_commit(_Wake(set(topics)), robust=True)


class _Wake:
    """One hint for a whole transaction; Django drops it by itself when the transaction rolls back."""

    __slots__ = ("topics",)

    def __init__(self, topics: set[str]) -> None:
        self.topics = topics

    def __call__(self) -> None:
        _send(sorted(self.topics))


def _send(topics: Sequence[str]) -> None:
    """Hint all topics but those of which the waiter will look again by itself."""
    now, spared = time.monotonic(), _health.spared_until
    asked = [topic for topic in topics if spared.get(topic, 0.0) <= now]
    if asked:
        spared.update({topic: now + MIN_INTERVALS[topic] for topic in asked if topic in MIN_INTERVALS})
        wake(*asked)


@functools.cache
def _client(url: str, timeout: float) -> "redis.Redis":
    """One client for each address and patience; redis-py opens new sockets after a fork and is safe for threads."""
    return redis.Redis.from_url(
        url, socket_timeout=timeout, socket_connect_timeout=0.2, retry=Retry(NoBackoff(), 0), health_check_interval=0
    )
