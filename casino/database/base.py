"""The database backend (settings.DATABASES, `ENGINE`): Django's for PostgreSQL, failing fast while it is away.

After a failed attempt to connect, all threads of the process fail at once for a moment; then one of them tries again.
Without that, each request would wait for the whole connect_timeout of an unreachable host. Errors that say that the
server cannot do its work now are OperationalError, whatever class psycopg gives them.
"""

import os
import select
import threading
import time
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

from casino.database.commits import commit

PAUSE: Final = 0.5
"""Seconds after a failed attempt in which no thread of this process tries to connect."""

CHECK_AFTER: Final = 5.0
"""Seconds after which a connection is checked by a statement again, rather than by a look at its socket."""

READ_ONLY: Final = "25006"
"""The server is a standby or was made read only."""
_UNAVAILABLE: Final = (READ_ONLY, "25P03")
"""SQLSTATEs that psycopg does not count as operational; the second one ends a transaction that was idle too long."""


class CircuitBreaker:
    """Decides which threads may try to connect to one server: all while it answers, one at a time while it is away."""

    def __init__(self) -> None:
        self._probe: Final = threading.Lock()
        self._failed_at: float | None = None

    def connect(self, parameters: dict[str, Any], open_connection: Any) -> Any:
        """Open a connection. Raises OperationalError at once while the server is known to be away."""
        failed_at = self._failed_at  # read once: another thread may set it to None
        if failed_at is None:
            return self._try(parameters, open_connection)
        if time.monotonic() - failed_at < PAUSE or not self._probe.acquire(blocking=False):
            raise OperationalError("PostgreSQL could not be reached a moment ago.")
        try:
            return self._try(parameters, open_connection)
        finally:
            self._probe.release()

    def _try(self, parameters: dict[str, Any], open_connection: Any) -> Any:
        try:
            connection = open_connection(parameters)
        except psycopg.OperationalError:
            self._failed_at = time.monotonic()
            raise
        self._failed_at = None
        return connection


_breakers: Final[dict[tuple[Any, ...], CircuitBreaker]] = {}
# A lock that another thread of the parent holds at the fork would stay locked in the child for good.
os.register_at_fork(after_in_child=_breakers.clear)


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

    @cached_property
    def wrap_database_errors(self) -> UnavailabilityWrapper:
        """Return the context manager that translates psycopg's exceptions."""
        return UnavailabilityWrapper(self)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection, unless the server could not be reached a moment ago. Raises OperationalError."""
        server = tuple(conn_params.get(name) for name in ("host", "port", "dbname", "user"))
        connection = _breakers.setdefault(server, CircuitBreaker()).connect(conn_params, super().get_new_connection)
        connection.adapters.register_loader("json", TextLoader)  # JSONField decodes text; Django says so of jsonb only
        return connection

    def _commit(self) -> None:
        if self.connection is not None:
            with debug_transaction(self, "COMMIT"), self.wrap_database_errors:
                if self.settings_dict.get("GIVE_UP_COMMITS"):
                    commit(self.connection)
                else:
                    self.connection.commit()

    def is_usable(self) -> bool:
        """Return whether the connection works; without a round trip if it was checked a moment ago and had no error.

        Between requests a server has nothing to say but that it closes the connection.
        """
        now = time.monotonic()
        if self.errors_occurred or now - self._checked_at > CHECK_AFTER:
            self._checked_at = now
            return super().is_usable()
        # A statement that a time limit interrupted leaves a connection that is active or in a transaction.
        idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return not self.connection.closed and idle and not _has_input(self.connection.fileno())


def _has_input(file: int) -> bool:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(0))
