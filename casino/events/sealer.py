"""Give every committed event its gapless, commit-ordered position and a digest chained from the one before.

One sealer works at a time, under an advisory lock held until the end of its transaction; then any other can take over.
A pass is one transaction, so a sealer that dies leaves either a whole pass or nothing.
"""

import threading
from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction

from casino.events import wakeups
from casino.events.hash_chain import GENESIS, microseconds, prepared_event_digest
from casino.events.records import METADATA
from casino.events.sql import LEADER_LIMIT, execute, fetch
from casino.kernel.canonical_json import recanonical, recanonicalize_cached
from casino.observability import loop

LOCK: Final = 0x5EA1
"""The sealer's advisory lock, within this database."""

WAKEUP_WAIT: Final = 0.1
"""Seconds between polls while Redis delivers wake-ups."""

POLL: Final = 0.025
"""Seconds between polls while Redis is unavailable."""

MIN_PASS_SECONDS: Final = 0.025
"""Seconds between two passes while events keep coming: fewer, longer passes leave more of the machine to writers.

Longer than wakeups.MIN_INTERVALS, in which writers send no wake-up, so that the next poll sees what they commit.
"""

# A separate statement, because a statement that takes a lock reads the snapshot from before.
TAKE_LOCK: Final = f"SELECT pg_try_advisory_xact_lock(%s), {LEADER_LIMIT}"

# An entry whose event is missing stays in the queue for verification to report. The scalar subquery forces one look-up
# per entry, whatever the statistics say.
SELECT_UNSEALED: Final = f"""
SELECT id, transaction, stream, version, type, schema, data::text, {METADATA}::text, recorded_at,
       head.position, head.digest
FROM events_event AS event
LEFT JOIN (SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1) AS head ON true
WHERE id = ANY(ARRAY(
    SELECT event_id FROM events_unsealed AS queued
    WHERE (SELECT true FROM events_event WHERE id = queued.event_id)
    ORDER BY transaction FETCH FIRST %s ROWS WITH TIES
))
ORDER BY transaction, id
"""  # noqa: S608  (constants)

# Ids in binary and digests concatenated: formatting them as text arrays took as long as hashing.
SEAL: Final = """
WITH chained AS (
    SELECT %s::bigint + place AS position, event_id, substring(%b::bytea FROM 32 * place::integer - 31 FOR 32) AS digest
    FROM unnest(%b::bigint[]) WITH ORDINALITY AS input (event_id, place)
), drained AS (
    DELETE FROM events_unsealed
    WHERE (transaction, event_id) IN (SELECT * FROM unnest(%b::bigint[], %b::bigint[]))
), marked AS (
    INSERT INTO events_chainhead (position, digest) SELECT position, digest FROM chained ORDER BY position DESC LIMIT 1
)
INSERT INTO events_seal (position, event_id, digest) SELECT position, event_id, digest FROM chained ORDER BY position
"""


def seal_once(*, limit: int = 1000) -> int:
    """Seal up to `limit` waiting events and return how many; 0 if another process is sealing.

    Transactions come one after another, in the order of their numbers, each whole: the last may go beyond `limit`.
    """
    with transaction.atomic():
        if not fetch(TAKE_LOCK, [LOCK])[0][0]:
            return 0
        rows = fetch(SELECT_UNSEALED, [limit])
        if not rows:
            return 0
        position, previous = rows[0][9] or 0, rows[0][10] or GENESIS
        ids, transactions = [row[0] for row in rows], [row[1] for row in rows]
        execute(SEAL, [position, b"".join(_chain(rows, position, previous)), ids, transactions, ids])
        transaction.on_commit(wakeups.announce)
        return len(rows)


def seal_all(*, limit: int = 1000) -> int:
    """Seal until no event waits or another sealer is working, and return how many this one sealed."""
    total = 0
    while sealed := seal_once(limit=limit):
        total += sealed
    return total


def run(stop: threading.Event, *, limit: int = 1000) -> None:
    """Seal until `stop` is set, through restarts of the database and of Redis."""
    woken = False

    def step() -> float:
        nonlocal woken
        sealed = seal_once(limit=limit) if _has_unsealed() else 0
        if sealed >= limit:
            return 0.0
        if sealed or woken:
            woken = False
            return MIN_PASS_SECONDS
        if not wakeups.available():
            return POLL
        # Who wakes us sends no other wake-up for a moment (wakeups.MIN_INTERVALS): then poll once more.
        woken = wakeups.wait(wakeups.UNSEALED, WAKEUP_WAIT)
        return 0.0

    loop.run(step, stop, work="sealing")


def _chain(rows: Sequence[tuple[Any, ...]], position: int, previous: bytes) -> list[bytes]:
    digests = []
    for place, row in enumerate(rows, position + 1):
        event, transaction, stream, version, kind, schema, data, metadata, recorded_at, *_ = row
        previous = prepared_event_digest(
            place,
            event,
            transaction,
            version,
            schema,
            microseconds(recorded_at),
            stream.encode(),
            kind.encode(),
            recanonical(data),
            recanonicalize_cached(metadata),
            previous,
        )
        digests.append(previous)
    return digests


def _has_unsealed() -> bool:
    return bool(fetch("SELECT EXISTS (SELECT FROM events_unsealed)")[0][0])
