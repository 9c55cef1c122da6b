"""Set-up of long-running processes: start callbacks, and the TLS context of outgoing connections."""

import ctypes
import functools
import gc
import os
import signal
import ssl
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

import httpx

_PR_SET_PDEATHSIG: Final = 1
_callbacks: Final[list[Callable[[str], object]]] = []


def on_process_start(callback: Callable[[str], object]) -> None:
    """Call `callback` with the kind of process when one starts: one of casino.variables.PROCESSES.

    Apps register their callbacks in AppConfig.ready().
    """
    _callbacks.append(callback)


def process_started(process: str) -> None:
    """Run the callbacks, and keep what is loaded."""
    for callback in _callbacks:
        callback(process)
    keep_loaded()


def keep_loaded() -> None:
    """Leave all that is loaded out of garbage collections: looking at it again takes 100 ms, and stops every thread."""
    gc.collect()
    gc.freeze()


def stop_at_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def end_with_parent(*, after: float, grace: float) -> None:
    """End this process so many seconds after the one that started it died (prctl(2)); on Linux only.

    Until then it serves, beside those that replace it. What has not ended after the grace period is killed.
    """
    if sys.platform == "linux":

        def end() -> None:
            time.sleep(after)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(grace)
            os.kill(os.getpid(), signal.SIGKILL)

        def handle_death(_signal: int, _frame: FrameType | None) -> None:
            threading.Thread(target=end, name="orphan", daemon=True).start()

        signal.signal(signal.SIGUSR1, handle_death)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGUSR1, 0, 0, 0)


@functools.cache
def ssl_context() -> ssl.SSLContext:
    """Return httpx's default TLS context, created once: loading the certificate authorities takes some 40 ms."""
    return httpx.create_ssl_context()
