"""Give every committed event its gapless, commit-ordered position and a digest chained from the one before.

One sealer at a time, by an advisory lock that lives as long as its transaction: whoever comes next takes over. A pass
is one transaction, so a sealer that dies anywhere leaves either a whole pass or nothing.
"""

import logging
from collections.abc import Sequence
from typing import Any, Final, Protocol

from django.db import Error, connection, transaction

from casino.events import wakeups
from casino.events.broadcast import announce
from casino.events.digest import GENESIS, microseconds, prepared_event_digest
from casino.events.sql import execute, fetch
from casino.kernel.canonical_json import recanonical, recanonicalize_cached

logger = logging.getLogger(__name__)

LOCK: Final = 0x5EA1
"""The advisory lock of the sealer, in this database."""

WAKEUP_WAIT: Final = 0.1
"""Seconds between looks while Redis wakes us."""

POLL: Final = 0.025
"""Seconds between looks while Redis is away."""

MIN_PASS_SECONDS: Final = 0.025
"""Seconds between two passes while events keep coming: fewer, longer passes leave more of the machine to writers.

Longer than writers spare us a hint (hints.SPARED), so that what they commit meanwhile is seen by the next look.
"""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0

# In a statement of its own: a statement that waits or wins a lock keeps the snapshot from before. A sealer that freezes
# in mid-pass loses its transaction, and so the lock, after ten seconds.
TAKE_LOCK: Final = """
SELECT pg_try_advisory_xact_lock(%s), set_config('idle_in_transaction_session_timeout', '10s', true)
"""

# An entry whose event is gone stays in the queue for verification to name. The scalar subquery keeps this a look-up per
# entry, whatever the statistics say.
SELECT_UNSEALED: Final = """
SELECT id, stream, version, type, schema, data::text, metadata::text, recorded_at, head.position, head.digest
FROM events_event
LEFT JOIN (SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1) AS head ON true
WHERE id = ANY(ARRAY(
    SELECT event_id FROM events_unsealed AS queued
    WHERE (SELECT true FROM events_event WHERE id = queued.event_id)
    ORDER BY event_id LIMIT %s
))
ORDER BY id
"""

# Ids in binary and digests end to end: writing them as an array's text took as long as hashing.
SEAL: Final = """
WITH chained AS (
    SELECT %s::bigint + place AS position, event_id, substring(%b::bytea FROM 32 * place::integer - 31 FOR 32) AS digest
    FROM unnest(%b::bigint[]) WITH ORDINALITY AS given (event_id, place)
), drained AS (
    DELETE FROM events_unsealed WHERE event_id = ANY(%b::bigint[])
), marked AS (
    INSERT INTO events_chainhead (position, digest) SELECT position, digest FROM chained ORDER BY position DESC LIMIT 1
)
INSERT INTO events_seal (position, event_id, digest) SELECT position, event_id, digest FROM chained ORDER BY position
"""


class StopSignal(Protocol):
    """What `run` asks whether to end: a threading.Event is one."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


def seal_once(*, limit: int = 1000) -> int:
    """Seal up to `limit` waiting events, lowest ids first, and return how many; 0 if another is sealing."""
    with transaction.atomic():
        if not fetch(TAKE_LOCK, [LOCK])[0][0]:
            return 0
        rows = fetch(SELECT_UNSEALED, [limit])
        if not rows:
            return 0
        position, previous = rows[0][8] or 0, rows[0][9] or GENESIS
        ids = [row[0] for row in rows]
        execute(SEAL, [position, b"".join(_chain(rows, position, previous)), ids, ids])
        transaction.on_commit(announce)
        return len(rows)


def seal_all(*, limit: int = 1000) -> int:
    """Seal until nothing waits (or another sealer is at it), and return how many were sealed here."""
    total = 0
    while sealed := seal_once(limit=limit):
        total += sealed
    return total


def run(stop: StopSignal, *, limit: int = 1000) -> None:
    """Seal until `stop` is set, through restarts of the database and of Redis."""
    pause, woken = 0.0, False
    while not stop.is_set():
        try:
            sealed = seal_once(limit=limit) if _anything_waits() else 0
        except Error as trouble:
            if not pause:
                logger.warning("The database does not answer, sealing waits: %s", trouble)
            pause = min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
            connection.close()
            stop.wait(pause)
            continue
        if pause:
            logger.warning("The database is back, sealing goes on.")
            pause = 0.0
        if sealed < limit:
            woken = stop.wait(MIN_PASS_SECONDS) if sealed or woken else _rest(stop)
    connection.close()


def _chain(rows: Sequence[tuple[Any, ...]], position: int, previous: bytes) -> list[bytes]:
    digests = []
    for place, (event, stream, version, kind, schema, data, metadata, moment, *_) in enumerate(rows, position + 1):
        recorded, name, word = microseconds(moment), stream.encode(), kind.encode()
        text, about = recanonical(data), recanonicalize_cached(metadata)
        previous = prepared_event_digest(place, event, version, schema, recorded, name, word, text, about, previous)
        digests.append(previous)
    return digests


def _anything_waits() -> bool:
    return bool(fetch("SELECT EXISTS (SELECT FROM events_unsealed)")[0][0])


def _rest(stop: StopSignal) -> bool:
    """Wait for something to seal; True when a hint came: whoever sent it is silent for a while, so look twice."""
    if wakeups.available():
        return wakeups.wait(wakeups.UNSEALED, WAKEUP_WAIT)
    stop.wait(POLL)
    return False
