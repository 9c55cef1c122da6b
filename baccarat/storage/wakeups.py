"""Wakes the dealers when a round is ready, with one pending message at a time. A lost one costs at most a second."""

import functools
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from celery import current_app
from celery.exceptions import OperationalError
from django.db import connection, transaction

from casino.events import wakeups

logger = logging.getLogger(__name__)

TASK: Final = "baccarat.deal_due"
TOPIC: Final = "due"
INTERVAL: Final = 0.02
"""Seconds after a wake-up in which this process sends no other one; what is due by then is sent at its end."""


def wake_dealers_on_commit() -> None:
    """Wake the dealers when the transaction commits, without waiting for the broker."""
    if all(waiting[1] is not wake_dealers_soon for waiting in connection.run_on_commit):
        transaction.on_commit(wake_dealers_soon, robust=True)


def wake_dealers_soon() -> None:
    """Let this process's sender wake the dealers."""
    _sender(os.getpid()).wake()


class WakeupSender:
    """Wakes the dealers from a thread of its own, once for all who ask within an interval."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="wake-dealers")
        self._is_asked = threading.Event()

    def wake(self) -> None:
        if not self._is_asked.is_set():
            self._is_asked.set()
            self._executor.submit(copy_context().run, self._send)  # so that the message continues the trace

    def _send(self) -> None:
        self._is_asked.clear()  # whoever asks from now on may have committed after the dealers read
        wake_dealers()
        time.sleep(INTERVAL)


@functools.cache
def _sender(process: int) -> WakeupSender:
    """Return the sender of a process: a forked one has no thread of its parent."""
    del process
    return WakeupSender()


def wake_dealers() -> None:
    """Send one wake-up to the dealers now, unless one is pending. An unavailable broker is not an error."""
    if not wakeups.claim_wakeup(TOPIC):
        return
    try:
        current_app.send_task(TASK, expires=5, retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.warning("No wake-up could be sent; the sweep will find the round: %s", error)
