"""Reads the database in one snapshot, with the log prefetched by a second connection on the same snapshot."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from baccarat.audit.rows import BATCH_SIZE
from casino.events.hash_chain import CheckedEvent
from casino.events.prefetch import open_prefetch_stream
from casino.events.records import RecordedEvent
from casino.events.sql import accept_any_timestamp, execute, fetch
from casino.events.store import to_recorded_events
from casino.events.verification import walk
from casino.kernel.findings import Finding

_WAITING: Final = """
SELECT event.id, event.stream, event.version, event.type, event.schema, event.data::text, event.metadata::text,
       event.recorded_at
FROM events_unsealed AS queued JOIN events_event AS event ON event.id = queued.event_id
ORDER BY event.id
"""

_DISPUTED: Final = """
SELECT DISTINCT stream FROM events_event WHERE type IN ('RoundVoidRequested', 'RoundVoided')
"""


@contextlib.contextmanager
def snapshot() -> Generator[None]:
    """Hold one read-only snapshot of the database.

    Call it outside of any transaction.
    """
    with accept_any_timestamp(), transaction.atomic(durable=True):
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextlib.contextmanager
def shared_snapshot(name: str) -> Generator[None]:
    """Use the snapshot that another connection exported under that name, read only."""
    with accept_any_timestamp(), transaction.atomic(durable=True):
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        execute(f"SET TRANSACTION SNAPSHOT '{name}'")
        yield


def export_snapshot() -> str:
    """Export this connection's snapshot and return its name."""
    return str(fetch("SELECT pg_export_snapshot()")[0][0])


def snapshot_time() -> tuple[datetime, float]:
    """Return when this snapshot was taken, by the database's clock, and its age in seconds.

    Compare waiting times with the first, so that a long audit does not make them look longer.
    """
    moment, age = fetch("SELECT now(), extract(epoch FROM clock_timestamp() - now())::float8")[0]
    return moment, age


def read_unsealed() -> list[RecordedEvent]:
    """Return committed events that are not sealed yet, oldest first."""
    return to_recorded_events(fetch(_WAITING))


def disputed_streams(among: Sequence[str] | None = None) -> frozenset[str]:
    """Return the streams of rounds with a request to void, sealed or not; of all, or `among` some."""
    rows = fetch(_DISPUTED) if among is None else fetch(f"{_DISPUTED} AND stream = ANY (%s::text[])", [list(among)])
    return frozenset(stream for (stream,) in rows)


def read_sealed(*, since: int, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield the sealed events above position `since`, and check the chain. Prefetches the next ones."""
    with open_prefetch_stream(snapshot=export_snapshot()) as stream:
        yield from walk(findings=findings, from_position=since, chunk=BATCH_SIZE, stream=stream)
