"""One consistent look at the whole database, and its log read ahead while the events before are being judged."""

import contextlib
import gc
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import datetime
from typing import Final

from django.db import connection, transaction

from casino.events.drafts import Recorded, Sealed
from casino.events.rows import execute, fetch
from casino.events.store import recorded
from casino.events.subscriptions import read_sealed
from casino.events.verification import Head, walk
from casino.kernel.findings import Finding

CHUNK: Final = 4000
AHEAD: Final = 2
"""Batches that may wait for the judge: memory stays the same however long the log."""

_WAITING: Final = """
SELECT event.id, event.stream, event.version, event.type, event.schema, event.data::text, event.metadata::text,
       event.recorded_at
FROM events_unsealed AS queued JOIN events_event AS event ON event.id = queued.event_id
ORDER BY event.id
"""

_DISPUTED: Final = """
SELECT DISTINCT stream FROM events_event WHERE type IN ('RoundVoidRequested', 'RoundVoided')
"""

Read = Callable[[], Iterator[Sequence[Sealed]]]
_Item = Sequence[Sealed] | BaseException | None


@contextlib.contextmanager
def snapshot(name: str | None = None) -> Generator[None]:
    """This will hold one view of the database, read only, whatever is written meanwhile; `name` shares another's.

    Call it outside of any transaction.
    """
    with transaction.atomic(durable=True):
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if name is not None:
            execute(f"SET TRANSACTION SNAPSHOT '{name}'")
        yield


def share() -> str:
    """This will return the name by which another connection can have this one's snapshot."""
    return str(fetch("SELECT pg_export_snapshot()")[0][0])


def now() -> tuple[datetime, float]:
    """This will return when this snapshot was taken, by the database's clock, and its age in seconds.

    What waits is judged by the first: a long audit must not make it look older.
    """
    moment, age = fetch("SELECT now(), extract(epoch FROM clock_timestamp() - now())::float8")[0]
    return moment, age


def waiting() -> list[Recorded]:
    """This will return committed events that are not sealed yet, oldest first."""
    return recorded(fetch(_WAITING))


def disputed() -> frozenset[str]:
    """This will name the streams of rounds in which somebody asked for a void, sealed or not."""
    return frozenset(stream for (stream,) in fetch(_DISPUTED))


def before(since: int) -> Iterator[Sequence[Sealed]]:
    """This will yield the sealed events up to position `since`, unverified."""
    position = 0
    while position < since and (batch := read_sealed(position, min(CHUNK, since - position))):
        position = batch[-1].position
        yield batch


def sealed(*, since: int, findings: list[Finding], expected: Head | None) -> Iterator[Sequence[Sealed]]:
    """This will yield the sealed events above position `since`, their chain recomputed."""
    return walk(findings=findings, from_position=since, expected=expected, chunk=CHUNK)


def ahead(read: Read, *, name: str) -> Generator[Sequence[Sealed]]:
    """This will yield what `read` yields, read by a thread on a connection of its own with the snapshot `name`.

    PostgreSQL prints and sends a batch while the batch before is judged. What `read` raises is raised here.
    """
    line: queue.Queue[_Item] = queue.Queue(AHEAD)
    stop = threading.Event()
    reader = threading.Thread(target=_fill, args=(read, name, line, stop), name="log reader", daemon=True)
    reader.start()
    try:
        while (item := line.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        reader.join()


def _fill(read: Read, name: str, line: "queue.Queue[_Item]", stop: threading.Event) -> None:
    try:
        with snapshot(name):
            for batch in read():
                if not _put(line, batch, stop):
                    return
        _put(line, None, stop)
    except Exception as trouble:  # noqa: BLE001  (raised again where the batches are used)
        _put(line, trouble, stop)
    finally:
        connection.close()


def _put(line: "queue.Queue[_Item]", item: _Item, stop: threading.Event) -> bool:
    while not stop.is_set():
        with contextlib.suppress(queue.Full):
            line.put(item, timeout=0.1)
            return True
    return False


@contextlib.contextmanager
def without_collector() -> Generator[None]:
    """This will switch the cycle collector off: an audit makes millions of values and hardly a cycle among them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
