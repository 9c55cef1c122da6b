"""Read the sealed log. Positions are gapless and in commit order, so one integer says how far a subscriber has read."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from django.db import transaction

from casino.events.records import METADATA, SealedEvent
from casino.events.sql import LEADER_LIMIT, execute, fetch

SEALED: Final = f"""
SELECT seal.position, seal.digest, event.id, event.transaction, event.stream, event.version, event.type,
       event.schema, event.data::text, {METADATA}::text, event.recorded_at
FROM (SELECT position, digest, event_id FROM events_seal WHERE position > %s ORDER BY position LIMIT %s) AS seal
JOIN events_event AS event ON event.id = seal.event_id
ORDER BY seal.position
"""  # noqa: S608  (constants)

_CLAIM: Final = f"SELECT position, {LEADER_LIMIT} FROM events_subscription WHERE name = %s FOR UPDATE SKIP LOCKED"  # noqa: S608  (constants)
_CLAIM_NEW: Final = f"""
INSERT INTO events_subscription (name, position) VALUES (%s, 0) ON CONFLICT DO NOTHING RETURNING position, {LEADER_LIMIT}
"""  # noqa: E501, S608  (constants)
_FIRST_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.02


def run_once(name: str, handle: Callable[[Sequence[SealedEvent]], object], *, limit: int = 500) -> int:
    """Pass subscriber `name` its next events and save its position, in one transaction; return how many.

    0 means that there is nothing new, or that another process is handling this subscriber's events. An exception of
    `handle` undoes its work and the new position together. A new subscriber starts before position 1.
    """
    with transaction.atomic():
        position = claim(name)
        batch = [] if position is None else read_sealed(position, limit)
        if batch:
            handle(batch)
            save_position(name, batch[-1].position)
        return len(batch)


def read_sealed(after: int, limit: int) -> list[SealedEvent]:
    """Return up to `limit` sealed events with positions above `after`, in order of position."""
    return [
        SealedEvent._make((*facts, data.encode(), metadata.encode(), recorded_at))
        for *facts, data, metadata, recorded_at in fetch(SEALED, [after, limit])
    ]


def head() -> int:
    """Return the highest sealed position, 0 if there is none."""
    return int(fetch("SELECT coalesce(max(position), 0) FROM events_seal")[0][0])


def subscriber_position(name: str) -> int:
    """Return the last position that subscriber `name` has handled, 0 before the first."""
    rows = fetch("SELECT position FROM events_subscription WHERE name = %s", [name])
    return int(rows[0][0]) if rows else 0


def wait_sealed(event: int, timeout: float) -> int | None:
    """Wait up to `timeout` seconds until the event of that id is sealed; return its position, or None.

    Call it outside the transaction that appended the event: an event is sealed only after its commit.
    """
    deadline, pause = time.monotonic() + timeout, _FIRST_PAUSE
    while True:
        rows = fetch("SELECT position FROM events_seal WHERE event_id = %s", [event])
        if rows:
            return int(rows[0][0])
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def save_position(name: str, position: int) -> None:
    """Save how far a claimed subscriber has read."""
    execute("UPDATE events_subscription SET position = %s WHERE name = %s", [position, name])


def claim(name: str) -> int | None:
    """Lock a subscriber until the transaction ends and return its position; None if another process holds it."""
    rows = fetch(_CLAIM, [name]) or fetch(_CLAIM_NEW, [name])
    return int(rows[0][0]) if rows else None
