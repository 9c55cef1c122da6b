"""Tell every process at once that the log has grown: best effort, through Redis. Readers look at the log all the same.

Unlike a hint (casino.events.wakeups), which one waiter takes, an announcement reaches all who listen.
"""

import functools
import logging
import time
from typing import Final

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.retry import Retry

from casino.events import wakeups

logger = logging.getLogger(__name__)

CHANNEL: Final = "casino:sealed"
REDIS_TIMEOUT: Final = 0.2
"""Seconds that Redis may take to answer."""


def announce() -> None:
    """Tell all listeners that something was sealed; never raises: a lost announcement costs time only."""
    if not wakeups.available():
        return
    try:
        _client(settings.REDIS_URL).publish(CHANNEL, b"")
    except (redis.RedisError, OSError, ValueError) as trouble:
        logger.debug("Redis does not answer, readers find out by looking: %s", trouble)


class Listener:
    """One reader's ear. Not for two threads at once."""

    def __init__(self) -> None:
        self._ear: PubSub | None = None
        self._away_until = 0.0

    def wait(self, seconds: float) -> bool | None:
        """Wait for an announcement, at most so many seconds, and say whether one came.

        None at once when Redis is away: the caller sleeps instead. Several announcements count as one.
        """
        if time.monotonic() < self._away_until:
            return None
        try:
            ear = self._listening()
            came = ear.get_message(timeout=seconds) is not None
            while came and ear.get_message(timeout=0) is not None:
                pass
        except (redis.RedisError, OSError, ValueError):
            self.close()
            self._away_until = time.monotonic() + wakeups.PAUSE_AFTER_FAILURE
            return None
        return came

    def close(self) -> None:
        ear, self._ear = self._ear, None
        if ear is not None:
            ear.close()

    def _listening(self) -> PubSub:
        if self._ear is None:
            self._ear = _client(settings.REDIS_URL).pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
            self._ear.subscribe(CHANNEL)
        return self._ear


@functools.cache
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(
        url, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT, retry=Retry(NoBackoff(), 0)
    )
