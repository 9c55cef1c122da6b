"""Heartbeats: a thread of each process renews the process's row, so that others see that it runs.

A beat says that the process lives, not that it gets on with its work: what it leaves undone is found by the checks of
what is overdue. `HEARTBEAT_FILE`, if it is set, is touched with each beat, for health checks of containers; that is
done without a database, too, because a restart would not bring it back.
"""

import contextlib
import functools
import json
import os
import socket
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import Error

from casino.compliance import release_manifest
from casino.events.sql import execute, fetch
from casino.observability import figures, loop

BEAT_SECONDS: Final = 3.0
DEAD_SECONDS: Final = 12.0
"""Seconds after its last beat at which a process counts as dead."""
FORGET_SECONDS: Final = 600.0
"""Seconds after its last beat at which a dead process is forgotten, if another has taken its place."""
FILE: Final = "HEARTBEAT_FILE"

_ending: Final[list[Finalize]] = []
LATE_SECONDS: Final = 3 * BEAT_SECONDS
"""A beat that comes later than this after the one before was held up, as by an outage of PostgreSQL."""
_BEAT: Final = f"""
UPDATE alerts_heartbeat
   SET beat_at = clock_timestamp(), gauges = %s::jsonb,
       steady_since = CASE WHEN beat_at < clock_timestamp() - interval '{LATE_SECONDS} seconds'
                           THEN clock_timestamp() ELSE steady_since END
 WHERE (kind, host, pid) = (%s, %s, %s)
"""  # noqa: S608  (a constant)
_START: Final = """
INSERT INTO alerts_heartbeat (kind, host, pid, version) VALUES (%s, %s, %s, %s)
    ON CONFLICT (kind, host, pid) DO UPDATE
   SET started_at = clock_timestamp(), beat_at = clock_timestamp(), steady_since = clock_timestamp(),
       version = excluded.version
"""
_END: Final = "DELETE FROM alerts_heartbeat WHERE (kind, host, pid) = (%s, %s, %s)"
_PROCESSES: Final = """
SELECT kind, host, pid, version, started_at, beat_at, extract(epoch FROM clock_timestamp() - beat_at)::float8,
       extract(epoch FROM clock_timestamp() - steady_since)::float8
  FROM alerts_heartbeat ORDER BY kind, host, pid
"""
_ADD: Final = """
INSERT INTO alerts_figure AS kept (name, labels, numbers)
SELECT name, labels, numbers
  FROM jsonb_to_recordset(%s::jsonb) AS counted (name text, labels text[], numbers float8[]) ORDER BY name, labels
    ON CONFLICT (name, labels) DO UPDATE
   SET numbers = ARRAY(SELECT before + since FROM unnest(kept.numbers, excluded.numbers)
                         WITH ORDINALITY AS pair (before, since, place) ORDER BY place)
"""
_FORGET: Final = """
DELETE FROM alerts_heartbeat USING unnest(%s::text[], %s::text[], %s::int[]) AS dead (kind, host, pid)
 WHERE (alerts_heartbeat.kind, alerts_heartbeat.host, alerts_heartbeat.pid) = (dead.kind, dead.host, dead.pid)
   AND beat_at < clock_timestamp() - make_interval(secs => %s)
"""


class ProcessState(NamedTuple):
    """A process as its row has it: seconds since its last beat, and for how many of them no beat was late."""

    kind: str
    host: str
    pid: int
    version: str
    started_at: datetime
    beat_at: datetime
    silent: float
    steady: float

    @property
    def is_dead(self) -> bool:
        return self.silent > DEAD_SECONDS


def start(kind: str) -> None:
    """Beat in a thread of this process until it ends."""
    own, ends = (kind, socket.gethostname(), os.getpid()), threading.Event()
    thread = loop.start(_beating(own), ends, work="the heartbeat")
    # Runs at the end of multiprocessing's processes, too, unlike atexit, and not in those forked from this one.
    _ending[:] = [Finalize(None, _end, args=[own, ends, thread], exitpriority=1)]


def end() -> None:
    """Remove this process's row; one that is killed leaves it."""
    for finalizer in _ending:
        finalizer()


def _end(own: tuple[str, str, int], ends: threading.Event, thread: threading.Thread) -> None:
    ends.set()
    thread.join(BEAT_SECONDS)  # a beat after the end would add the row again
    with contextlib.suppress(Error):
        add_figures()
        execute(_END, own)


def beat(own: tuple[str, str, int]) -> None:
    """Renew a process's row, or add it."""
    if not execute(_BEAT, [json.dumps(figures.read_gauges()), *own]):
        execute(_START, [*own, _version()])


def add_figures() -> None:
    """Add what this process counted since the last time to what all have counted. Raises Error, and then keeps it."""
    counted = figures.drain()
    rows = [{"name": name, "labels": labels, "numbers": numbers} for (name, labels), numbers in counted.items()]
    if not rows:
        return
    try:
        execute(_ADD, [json.dumps(rows)])
    except Error:
        figures.restore(counted)
        raise


def touch() -> None:
    """Touch the file by which containers are checked."""
    if file := os.environ.get(FILE):
        with contextlib.suppress(OSError):
            Path(file).touch()


def _beating(own: tuple[str, str, int]) -> Callable[[], float]:
    known = False

    def step() -> float:
        nonlocal known
        touch()
        if not known:
            execute(_START, [*own, _version()])  # also where a process of another start had this number
        beat(own)
        known = True
        add_figures()
        forget_replaced()
        return BEAT_SECONDS

    return step


@functools.cache
def _version() -> str:
    return release_manifest.code(settings.BASE_DIR).digest[:12]


def list_processes() -> list[ProcessState]:
    """Return every process that runs, that died in the last ten minutes, or that was not replaced."""
    return [ProcessState(*row) for row in fetch(_PROCESSES)]


def unreplaced(processes: Iterable[ProcessState]) -> list[ProcessState]:
    """Return the dead processes in whose place no other of their kind has started since."""
    rows = list(processes)
    dead = sorted((row for row in rows if row.is_dead), key=lambda row: row.beat_at)
    fresh = [row for row in rows if not row.is_dead]
    left = []
    for row in dead:
        successor = next((one for one in fresh if one.kind == row.kind and one.started_at > row.beat_at), None)
        if successor is None:
            left.append(row)
        else:
            fresh.remove(successor)
    return left


def forget_replaced() -> None:
    """Remove the rows of processes that are dead for long and have been replaced."""
    processes = list_processes()
    left = {*unreplaced(processes)}
    replaced = [each[:3] for each in processes if each.silent > FORGET_SECONDS and each not in left]
    if replaced:
        execute(_FORGET, [*map(list, zip(*replaced, strict=True)), FORGET_SECONDS])
