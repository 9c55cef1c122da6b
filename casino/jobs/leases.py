"""Leases: of all processes that ask, one holds a name, and another takes over when it dies or freezes.

A lease only saves work: whoever froze may go on with what another does by now, which must do no harm.
"""

import os
import secrets
import socket
import time
from typing import Final

from casino.events.sql import execute, fetch

LEASE_SECONDS: Final = 5.0
RENEWAL_SECONDS: Final = 1.5

FREE: Final = f"""coalesce(
    leased_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + interval '{LEASE_SECONDS} s', true
)"""
"""That nobody has a lease: none is longer, so one that ends later was not taken by us."""

_ADD: Final = "INSERT INTO jobs_job (name) VALUES (%s) ON CONFLICT DO NOTHING"
_TAKE: Final = f"""
UPDATE jobs_job SET holder = %s, leased_until = clock_timestamp() + make_interval(secs => %s)
 WHERE name = %s AND (holder = %s OR {FREE})
RETURNING name
"""  # noqa: S608  (constants)


def new_holder() -> str:
    """Return a name for this process that no other has."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


class Lease:
    """A lease by the database's clock. It ends by itself: ask before each piece of work."""

    def __init__(self, name: str) -> None:
        self._name, self._holder = name, new_holder()
        self._renew_at: float | None = None

    def is_held(self) -> bool:
        """Take or renew the lease if nobody else holds it, and return whether it is ours."""
        now = time.monotonic()
        if self._renew_at is None:
            execute(_ADD, [self._name])
        elif now < self._renew_at:
            return True
        held = bool(fetch(_TAKE, [self._holder, LEASE_SECONDS, self._name, self._holder]))
        self._renew_at = now + RENEWAL_SECONDS if held else 0.0
        return held
