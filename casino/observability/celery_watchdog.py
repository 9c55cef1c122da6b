"""A worker that has gone deaf ends itself, and whoever watches over it starts another.

After its broker was lost and came back, Celery's consumer sometimes takes no more messages though its process lives on
(celery issues 8030, 8091, 10205). The sign is a broker that answers, messages that wait, and a worker without work.
"""

import logging
import os
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

import redis
from celery import bootsteps
from celery.signals import task_received, worker_ready
from celery.worker import state
from django.conf import settings

logger = logging.getLogger(__name__)

STALL_TIMEOUT: Final = 8.0
"""Seconds for which messages may wait for a worker that has nothing to do."""

CHECK_INTERVAL: Final = 1.0
EXIT_STATUS: Final = 70
"""EX_SOFTWARE of sysexits.h."""


class StallDetector:
    """Whether a worker still hears; told of every look and every message."""

    def __init__(self) -> None:
        self._ignored_since: float | None = None

    def message_received(self) -> None:
        """Note that a message was taken."""
        self._ignored_since = None

    def is_stalled(self, *, now: float, waiting: int, busy: bool) -> bool:
        """Tell whether messages wait too long for a worker that is not busy; `now` is in seconds."""
        if busy or not waiting:
            self._ignored_since = None
        elif self._ignored_since is None:
            self._ignored_since = now
        return self._ignored_since is not None and now - self._ignored_since >= STALL_TIMEOUT


_ear: Final = StallDetector()


class WatchdogStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """The step of a worker's start that has it watched, from when it is ready, by a thread that ends with it."""

    def start(self, parent: Any) -> None:
        """Wait for the worker to be ready."""
        queues = sorted(parent.app.amqp.queues.consume_from)
        thread = threading.Thread(target=_watch, args=[queues], name="ear", daemon=True)
        task_received.connect(lambda **_: _ear.message_received(), weak=False)
        worker_ready.connect(lambda **_: thread.start(), weak=False)


def _watch(queues: Sequence[str]) -> None:
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as broker:
        while True:
            time.sleep(CHECK_INTERVAL)
            if _ear.is_stalled(
                now=time.monotonic(), waiting=_waiting(broker, queues), busy=bool(state.active_requests)
            ):
                logger.critical("ALERT this worker takes no messages any more and ends; another has to be started.")
                os._exit(EXIT_STATUS)


def _waiting(broker: "redis.Redis", queues: Sequence[str]) -> int:
    """How many messages wait; none while the broker is away, which the worker sees for itself."""
    try:
        return sum(int(broker.llen(queue)) for queue in queues)
    except (redis.RedisError, OSError):
        return 0
