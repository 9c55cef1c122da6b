"""Commits that wait for a synchronous standby: never cancelled, but given up.

PostgreSQL answers a commit whose wait is cancelled, also by statement_timeout, with success and a warning, although
only the primary has it. So where a statement's time is limited commits run without, and after GIVE_UP seconds the
connection is closed at this end: the caller learns that the outcome is unknown and repeats the request with its key,
and the server goes on waiting.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Generator
from typing import Any, Final

from psycopg.pq import TransactionStatus

GIVE_UP: Final = 5.0
CHECK_EVERY: Final = 0.5
COMMIT: Final = "SET LOCAL statement_timeout = 0; COMMIT"
"""Two statements and one round trip."""


class CommitWatch:
    """Shuts down the sockets of this process's connections whose commit has been under way for GIVE_UP seconds."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._waiting: Final[dict[int, tuple[float, Any]]] = {}
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def watched(self, connection: Any) -> Generator[None]:
        """Watch a connection while the block runs."""
        thread = threading.get_ident()
        with self._lock:
            self._waiting[thread] = (time.monotonic() + GIVE_UP, connection)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="commit-watch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:  # so that none is shut down after its commit
                del self._waiting[thread]

    def _watch(self) -> None:
        while True:
            time.sleep(CHECK_EVERY)
            now = time.monotonic()
            with self._lock:
                for thread, (gives_up_at, connection) in self._waiting.items():
                    if now >= gives_up_at:
                        self._waiting[thread] = (float("inf"), connection)
                        _shut_down(connection.fileno())


def _shut_down(file: int) -> None:
    """Close both directions of a socket that libpq holds: who waits on it finds it closed by the server."""
    with socket.socket(fileno=os.dup(file)) as own, contextlib.suppress(OSError):
        own.shutdown(socket.SHUT_RDWR)


_watches: Final[list[CommitWatch]] = [CommitWatch()]


def _renew() -> None:
    """Begin anew in a forked process, which has no thread that watches."""
    _watches[0] = CommitWatch()


os.register_at_fork(after_in_child=_renew)


def commit(connection: Any) -> None:
    """Commit a transaction of psycopg. Raises psycopg.OperationalError if its outcome is unknown."""
    if connection.info.transaction_status != TransactionStatus.INTRANS:
        connection.commit()
        return
    with _watches[0].watched(connection):
        connection.cursor().execute(COMMIT, prepare=False)
