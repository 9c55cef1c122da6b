"""Repairs a Celery worker: reconnects a consumer that stalled, and ends a worker whose whole pool has died.

After a broker was lost and came back, Celery's consumer sometimes receives no more messages while its process lives on
(celery issues 8030, 8091, 10205). The symptom: the broker answers, messages wait, and the worker is idle. The processes
of its pool deal without messages meanwhile, so the worker must not be killed for it. But while the consumer waits for a
lost broker, Celery replaces no process that died: a worker without any ends, so that its supervisor starts another.
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

from casino.database.redis_client import redis_client

logger = logging.getLogger(__name__)

STALL_TIMEOUT: Final = 8.0
"""Seconds for which messages may wait for an idle worker."""

CHECK_INTERVAL: Final = 1.0
MAX_CHECKS_WITHOUT_POOL: Final = 3
EXIT_STATUS: Final = 70
"""EX_SOFTWARE of sysexits.h."""


class StallDetector:
    """Decides whether a worker has stalled, from every check and every received message."""

    def __init__(self) -> None:
        self._waiting_since: float | None = None

    def message_received(self) -> None:
        self._waiting_since = None

    def is_stalled(self, *, now: float, waiting: int, busy: bool) -> bool:
        """Return whether messages have waited too long for a worker that is not busy; `now` is in seconds."""
        if busy or not waiting:
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = now
        return self._waiting_since is not None and now - self._waiting_since >= STALL_TIMEOUT


_detector: Final = StallDetector()


class WatchdogStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """Starts the watchdog's threads with the worker."""

    requires = ("celery.worker.components:Pool",)

    def start(self, parent: Any) -> None:
        threading.Thread(target=_watch_pool, args=[parent], name="pool-watchdog", daemon=True).start()
        consumer = threading.Thread(target=_watch_consumer, args=[parent], name="celery-watchdog", daemon=True)
        task_received.connect(lambda **_: _detector.message_received(), weak=False)
        worker_ready.connect(lambda **_: consumer.start(), weak=False)


def _watch_pool(worker: Any) -> None:
    """End the worker when its pool has had no living process for some seconds."""
    checks = 0
    while checks < MAX_CHECKS_WITHOUT_POOL:
        time.sleep(CHECK_INTERVAL)
        processes = list(getattr(getattr(worker.pool, "_pool", None), "_pool", []))
        checks = checks + 1 if processes and not any(process.exitcode is None for process in processes) else 0
    logger.critical("ALERT every process of this worker's pool has died; the worker ends and must be restarted.")
    os._exit(EXIT_STATUS)


def _watch_consumer(worker: Any) -> None:
    """Reconnect the consumer whenever it has stalled."""
    queues = sorted(worker.app.amqp.queues.consume_from)
    with redis_client(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as broker:
        while True:
            time.sleep(CHECK_INTERVAL)
            waiting, busy = _count_waiting(broker, queues), bool(state.active_requests)
            if _detector.is_stalled(now=time.monotonic(), waiting=waiting, busy=busy):
                logger.critical("ALERT this worker receives no messages any more; its consumer reconnects.")
                _detector.message_received()
                worker.hub.call_soon(_fail_connection)


def _fail_connection() -> None:
    """Raise an error of the broker on the worker's event loop, which makes the consumer reconnect."""
    raise redis.ConnectionError("The consumer has stalled.")


def _count_waiting(broker: "redis.Redis", queues: Sequence[str]) -> int:
    """Return how many messages wait; 0 while the broker is away, which the worker notices itself."""
    try:
        return sum(int(broker.llen(queue)) for queue in queues)
    except (redis.RedisError, OSError):
        return 0
