"""The database backend (settings.DATABASES, `ENGINE`): Django's for PostgreSQL, failing fast while it is away.

After a failed attempt to connect, all threads of the process fail at once for a moment; then one of them tries again.
Without that, each request would wait for an unreachable host. A server that is reached and does not answer, such as a
frozen one, is given up at this end: soon by who has only connected or asked whether it is there. Errors that say that
the server cannot do its work now are OperationalError, whatever class psycopg gives them.
"""

import contextlib
import os
import select
import threading
import time
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Final

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.backends.utils import debug_transaction
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader

PAUSE: Final = 0.5
"""Seconds after a failed attempt in which no thread of this process tries to connect."""

CONNECT_SECONDS: Final = 0.9
"""Seconds after which players no longer wait for a connection. The attempt, which may try several hosts, goes on."""

CHECK_AFTER: Final = 5.0
"""Seconds after which a connection is checked by a statement again, rather than by a look at its socket."""

QUIET_AFTER: Final = 0.5
"""Seconds without an answer to any thread of this process after which the next one checks by a statement, too."""

CHECK_SECONDS: Final = 0.8
"""Seconds in which that statement has to be answered."""

ANSWER_SECONDS: Final = 12.0
"""Seconds after which a statement is given up: a server that works has ended it by statement_timeout before."""

COMMIT_SECONDS: Final = 5.0
"""Seconds after which a commit, which may wait for a synchronous standby, is given up."""
_COMMIT: Final = "SET LOCAL statement_timeout = 0; COMMIT"
"""Two statements and one round trip. PostgreSQL answers a commit whose wait it cancels with success and a warning."""

READ_ONLY: Final = "25006"
"""The server is a standby or was made read only."""
_UNAVAILABLE: Final = (READ_ONLY, "25P03")
"""SQLSTATEs that psycopg does not count as operational; the second one ends a transaction that was idle too long."""


class CircuitBreaker:
    """Decides which threads may try to connect to one server: all while it answers, one at a time while it is away."""

    def __init__(self) -> None:
        self._probe: Final = threading.Lock()
        self._failed_at: float | None = None
        self._late: Final[deque[Any]] = deque()
        self.answered_at = 0.0
        """When a statement of any thread was answered last."""

    def connect(self, parameters: dict[str, Any], open_connection: Any, *, seconds: float | None = None) -> Any:
        """Open a connection. Raises OperationalError after `seconds`, and at once while the server is known to be away.

        An attempt that takes longer goes on, and the next caller gets its connection.
        """
        failed_at = self._failed_at  # read once: another thread may set it to None
        if failed_at is None:
            return self._try(parameters, open_connection, seconds)
        if time.monotonic() - failed_at < PAUSE or not self._probe.acquire(blocking=False):
            raise OperationalError("PostgreSQL could not be reached a moment ago.")
        try:
            return self._try(parameters, open_connection, seconds)
        finally:
            self._probe.release()

    def open_after_silence(self, since: float) -> None:
        """Hold that the server is away, unless it has answered another thread since then."""
        if self.answered_at < since:
            self._failed_at = time.monotonic()

    def _try(self, parameters: dict[str, Any], open_connection: Any, seconds: float | None) -> Any:
        with contextlib.suppress(IndexError):
            late = self._late.popleft()
            if not _has_input(late.fileno()):
                return late
            late.close()
        try:
            connection = self._open(parameters, open_connection, seconds) if seconds else open_connection(parameters)
        except psycopg.OperationalError:
            self._failed_at = time.monotonic()
            raise
        self._failed_at = None
        return connection

    def _open(self, parameters: dict[str, Any], open_connection: Any, seconds: float) -> Any:
        thread = ThreadPoolExecutor(1, "connect")
        try:
            attempt = thread.submit(open_connection, parameters)
        except RuntimeError:  # the process ends, and starts no threads any more
            return open_connection(parameters)
        thread.shutdown(wait=False)
        try:
            return attempt.result(seconds)
        except TimeoutError:
            attempt.add_done_callback(self._keep)
            raise psycopg.OperationalError("timeout: PostgreSQL took too long to connect.") from None

    def _keep(self, attempt: Future[Any]) -> None:
        if attempt.exception() is None:
            self._failed_at = None
            self._late.append(attempt.result())
            for _ in range(len(self._late) - 1):
                self._late.popleft().close()


_breakers: Final[dict[tuple[Any, ...], CircuitBreaker]] = {}
# A lock that another thread of the parent holds at the fork would stay locked in the child for good.
os.register_at_fork(after_in_child=_breakers.clear)


class BoundedWait:
    """Waits for the server in place of a connection's `wait`, and closes the connection if it does not answer in time.

    The outcome is unknown then: the server may yet do what it was asked, and a caller repeats the request with its key.
    """

    def __init__(self, connection: Any, breaker: CircuitBreaker) -> None:
        self._connection, self._wait, self.breaker = connection, connection.wait, breaker
        self._limit: float | None = None

    def __call__(self, generator: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Take `wait`'s arguments. Raises psycopg.OperationalError."""
        asked_at = time.monotonic()
        if timeout is None:
            timeout = self._limit or ANSWER_SECONDS
        try:
            answer = self._wait(generator, interval, timeout)
        except psycopg.OperationalError as error:
            if self._connection.info.transaction_status != TransactionStatus.ACTIVE:
                raise
            self._connection.close()
            self.breaker.open_after_silence(asked_at)
            raise psycopg.OperationalError("PostgreSQL did not answer in time.") from error
        self.breaker.answered_at = time.monotonic()
        return answer

    @contextlib.contextmanager
    def limited_to(self, seconds: float) -> Generator[None]:
        """Give up earlier in the block."""
        self._limit = seconds
        try:
            yield
        finally:
            self._limit = None

    def commit(self) -> None:
        """Commit. Raises psycopg.OperationalError if the outcome is unknown."""
        if self._connection.info.transaction_status != TransactionStatus.INTRANS:
            self._connection.commit()
            return
        with self.limited_to(COMMIT_SECONDS):
            self._connection.cursor().execute(_COMMIT, prepare=False)


class UnavailabilityWrapper(DatabaseErrorWrapper):
    """Translates psycopg's exceptions into Django's, those of `_UNAVAILABLE` into OperationalError."""

    wrapper: base.DatabaseWrapper

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sqlstate = getattr(exc_value, "sqlstate", None)
        if exc_value is not None and sqlstate in _UNAVAILABLE:
            self.wrapper.errors_occurred = True
            if sqlstate == READ_ONLY:
                self.wrapper.close_at = 0.0  # the next request connects anew, to the primary of that time
            raise OperationalError(*exc_value.args).with_traceback(traceback) from exc_value
        super().__exit__(exc_type, exc_value, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of one thread."""

    _checked_at = 0.0
    _bounded: BoundedWait | None = None

    @cached_property
    def wrap_database_errors(self) -> UnavailabilityWrapper:
        """Return the context manager that translates psycopg's exceptions."""
        return UnavailabilityWrapper(self)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection, unless the server could not be reached a moment ago. Raises OperationalError."""
        gives_up = self.settings_dict.get("GIVE_UP")
        server = tuple(conn_params.get(name) for name in ("host", "port", "dbname", "user", "options"))
        breaker = _breakers.setdefault(server, CircuitBreaker())
        connection = breaker.connect(
            conn_params, super().get_new_connection, seconds=CONNECT_SECONDS if gives_up else None
        )
        connection.adapters.register_loader("json", TextLoader)  # JSONField decodes text; Django says so of jsonb only
        self._bounded = BoundedWait(connection, breaker) if gives_up else None
        if self._bounded is not None:
            connection.wait = self._bounded
        return connection

    def _commit(self) -> None:
        if self.connection is not None:
            with debug_transaction(self, "COMMIT"), self.wrap_database_errors:
                (self._bounded or self.connection).commit()

    def is_usable(self) -> bool:
        """Return whether the connection works; without a round trip if it was checked a moment ago and had no error.

        Between requests a server has nothing to say but that it closes the connection.
        """
        now, bounded = time.monotonic(), self._bounded
        is_quiet = bounded is not None and now - bounded.breaker.answered_at > QUIET_AFTER
        if self.errors_occurred or is_quiet or now - self._checked_at > CHECK_AFTER:
            self._checked_at = now
            with contextlib.nullcontext() if bounded is None else bounded.limited_to(CHECK_SECONDS):
                return super().is_usable()
        # A statement that a time limit interrupted leaves a connection that is active or in a transaction.
        idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return not self.connection.closed and idle and not _has_input(self.connection.fileno())


def _has_input(file: int) -> bool:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(0))
