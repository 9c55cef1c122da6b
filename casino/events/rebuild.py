"""Compare projections with the events, and rebuild them while play goes on.

A check fills temporary tables from the events of one snapshot and compares them with the projections in the same
snapshot. A rebuild fills tables of the same definition in a schema of their own, follows the log until little is left,
and then swaps them in: one short transaction locks the projections, handles the last events and moves the tables.
Temporary tables, and that schema, come first in the search path, so projectors use the ordinary names.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.apps import apps
from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable, QueryCanceled

from casino.events import sealer, subscriptions
from casino.events.records import RecordedEvent, SealedEvent
from casino.events.sql import execute, fetch
from casino.events.store import COLUMNS, to_recorded_events

logger = logging.getLogger(__name__)

Events = Sequence[SealedEvent | RecordedEvent]
BATCH: Final = 2000
"""Events in one transaction."""
SHORT: Final = 200
"""The most events that may be left for the transaction that swaps."""
LOCK_TIMEOUT: Final = "500ms"
"""The longest that a swap or a drop waits for its locks, with everybody waiting behind it.

It is less than `deadlock_timeout`: where the two wait for each other, the rebuild gives way before anybody is refused.
"""
PAUSE: Final = 0.5
"""Seconds between two tries to swap or drop."""
TRIES: Final = 240
READERS_LOCK: Final = 0x5EA2
"""The advisory lock, within this database, that long readers share and the swap takes alone."""
REBUILD_LOCK: Final = 0x5EA3
"""The advisory lock, within this database, of the session that rebuilds."""
SHADOWS: Final = "rebuilding"
REPLACED: Final = "replaced"

_REST: Final = f"""
    SELECT {COLUMNS} FROM events_event AS event
     WHERE id IN (SELECT event_id FROM events_seal WHERE position > %s UNION ALL SELECT event_id FROM events_unsealed)
     ORDER BY id
"""  # noqa: S608  (constants)
_TEMPORARY: Final = """
    CREATE TEMPORARY TABLE {0} (LIKE public.{0} INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING INDEXES)
"""
_SHADOW: Final = "CREATE TABLE {1}.{0} (LIKE public.{0} INCLUDING ALL EXCLUDING INDEXES)"
# What LIKE leaves out, or would give another name: storage, constraints with an index, foreign keys, other indexes,
# triggers and rights.
_DEFINITION: Final = """
    WITH original AS (SELECT oid, relname, reloptions, relacl, relowner FROM pg_class WHERE oid = %(name)s::regclass)
    SELECT 1, format('ALTER TABLE %%I.%%I SET (%%s)', %(schema)s::text, relname, array_to_string(reloptions, ', '))
      FROM original WHERE reloptions IS NOT NULL
    UNION ALL
    SELECT 2, format('ALTER TABLE %%I.%%I ADD CONSTRAINT %%I %%s', %(schema)s::text, relname, conname,
                     pg_get_constraintdef(rule.oid))
      FROM original JOIN pg_constraint rule ON conrelid = original.oid AND contype IN ('p', 'u', 'x', 'f')
    UNION ALL
    SELECT 3, replace(pg_get_indexdef(indexrelid), format(' ON public.%%I ', relname),
                      format(' ON %%I.%%I ', %(schema)s::text, relname))
      FROM original JOIN pg_index ON indrelid = original.oid
     WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = original.oid)
    UNION ALL
    SELECT 4, replace(pg_get_triggerdef(rule.oid), format(' ON public.%%I ', relname),
                      format(' ON %%I.%%I ', %(schema)s::text, relname))
      FROM original JOIN pg_trigger rule ON tgrelid = original.oid AND NOT tgisinternal
    UNION ALL
    SELECT 5, format('ALTER TABLE %%I.%%I %%s TRIGGER %%I', %(schema)s::text, relname,
                     CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'DISABLE' END,
                     tgname)
      FROM original JOIN pg_trigger ON tgrelid = original.oid AND NOT tgisinternal AND tgenabled <> 'O'
    UNION ALL
    SELECT 6, format('GRANT %%s ON %%I.%%I TO %%s%%s', privilege_type, %(schema)s::text, relname,
                     CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
                     CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
      FROM original CROSS JOIN LATERAL aclexplode(relacl) WHERE grantee <> relowner
    ORDER BY 1, 2
"""
_DIFFERENT: Final = """
    SELECT coalesce(derived.key, stored.key)
      FROM (SELECT ({1})::text AS key, md5(row({2})::text) AS content FROM pg_temp.{0}) AS derived
      FULL JOIN (SELECT ({1})::text AS key, md5(row({2})::text) AS content FROM public.{0}) AS stored
        ON stored.key = derived.key
     WHERE derived.content IS DISTINCT FROM stored.content ORDER BY 1
"""


class CannotRebuild(Exception):
    """The events contradict each other, as `audit` reports, or the tables can't be swapped now."""


@dataclass(frozen=True, slots=True)
class Projector:
    """Derives the rows of some tables, each with an SQL expression for its key, from events.

    `project` gets each event once, those of one stream in order. `finish` adds what follows from no event; it runs more
    than once. `repair` puts right what depends on the rows but isn't derived, under the lock of the `repaired` tables.
    """

    tables: Mapping[str, str]
    project: Callable[[Events], object]
    finish: Callable[[], object] = lambda: None
    repair: Callable[[], object] = lambda: None
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The number of rows of each table that follow from the events, and the stored rows that differed from them."""

    rows: dict[str, int]
    changed: tuple[str, ...] = ()


def keep_projections() -> None:
    """Prevent that projections are swapped before the transaction ends: its snapshot would find the new ones empty.

    Call it first in a transaction that reads projections from one snapshot for long. Raises CannotRebuild during a
    swap, which takes less than a second.
    """
    if not fetch("SELECT pg_try_advisory_xact_lock_shared(%s)", [READERS_LOCK])[0][0]:
        raise CannotRebuild("Projections are being replaced at this moment; try again.")


def check(*projectors: Projector) -> RebuildResult:
    """Compare every projection with the events in one snapshot; nobody waits and nothing is written.

    Raises CannotRebuild if the events contradict each other.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        keep_projections()
        execute("SET LOCAL search_path = pg_temp, public")
        for table in _tables(projectors):
            execute(_TEMPORARY.format(table))
        execute("SET TRANSACTION READ ONLY")  # temporary tables may still be written
        for events in _events():
            _project(projectors, events)
        _finish(projectors)
        rows = _counts(projectors, "pg_temp")
        changed = tuple(
            f"{table} {key}"
            for table, expression in _tables(projectors).items()
            for (key,) in fetch(_DIFFERENT.format(table, expression, _columns(table)))
        )
        transaction.set_rollback(True)
    return RebuildResult(rows, changed)


def rebuild(*projectors: Projector) -> RebuildResult:
    """Replace every projection by one derived from the events, while play goes on. Needs the owner's role.

    Raises CannotRebuild, with nothing changed.
    """
    if not fetch("SELECT has_database_privilege(current_database(), 'CREATE')")[0][0]:
        raise CannotRebuild("A rebuild needs the owner of the database: DATABASE_ROLE=owner and the owner's URL.")
    if not fetch("SELECT pg_try_advisory_lock(%s)", [REBUILD_LOCK])[0][0]:
        raise CannotRebuild("Another rebuild is running; wait for its end.")
    try:
        return _rebuild(projectors)
    finally:
        connection.close()  # and with its session the lock ends


def _rebuild(projectors: Sequence[Projector]) -> RebuildResult:
    sealer.seal_all()
    _drop_leftovers()
    _create_shadows(projectors)
    position = _catch_up(projectors, 0)
    for table in _tables(projectors):
        execute(f"VACUUM (ANALYZE) {SHADOWS}.{table}")
    for _ in range(TRIES):
        position = _catch_up(projectors, position)
        with _unless_in_use():
            result = _swap(projectors, position)
            break
    else:
        _drop_leftovers()
        raise CannotRebuild("The projections were in use all the time, perhaps by an audit or report; try again later.")
    _drop_leftovers()
    return result


@contextlib.contextmanager
def _unless_in_use() -> Iterator[None]:
    """Skip the rest of the block if it can't get its locks in time, and pause."""
    try:
        yield
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable | QueryCanceled):
            raise
        logger.info("The tables are in use; tried again soon.")
        time.sleep(PAUSE)


def _create_shadows(projectors: Sequence[Projector]) -> None:
    with transaction.atomic(durable=True):
        execute(f"CREATE SCHEMA {SHADOWS}")
        for table in _tables(projectors):
            execute(_SHADOW.format(table, SHADOWS))
            for _, statement in fetch(_DEFINITION, {"name": f"public.{table}", "schema": SHADOWS}):
                execute(statement)


def _catch_up(projectors: Sequence[Projector], position: int) -> int:
    """Project sealed events until few are left; return the position of the last."""
    while True:
        with transaction.atomic(durable=True):
            _use_shadows()
            events = subscriptions.read_sealed(position, BATCH)
            _project(projectors, events)
            if len(events) < SHORT:
                _finish(projectors)
        position = events[-1].position if events else position
        if len(events) < SHORT:
            return position


def _swap(projectors: Sequence[Projector], position: int) -> RebuildResult:
    """Lock the projections, project the last events, and put the new tables in the place of the old ones."""
    tables = _tables(projectors)
    repaired = [table for projector in projectors for table in projector.repaired]
    locked = [*(f"public.{table}" for table in (*tables, *repaired)), *(f"{SHADOWS}.{table}" for table in tables)]
    rows = _counts(projectors, SHADOWS)
    with transaction.atomic(durable=True):
        execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        execute(f"SET LOCAL statement_timeout = '{LOCK_TIMEOUT}'")
        fetch("SELECT pg_advisory_xact_lock(%s)", [READERS_LOCK])
        execute(f"LOCK TABLE {', '.join(locked)} IN ACCESS EXCLUSIVE MODE")
        execute("SET LOCAL statement_timeout = 0")
        _use_shadows()
        _project(projectors, to_recorded_events(fetch(_REST, [position])))
        _finish(projectors)
        for projector in projectors:
            projector.repair()
        execute(f"CREATE SCHEMA {REPLACED}")
        for table in tables:
            execute(f"ALTER TABLE public.{table} SET SCHEMA {REPLACED}")
            execute(f"ALTER TABLE {SHADOWS}.{table} SET SCHEMA public")
    return RebuildResult(rows)


def _drop_leftovers() -> None:
    """Drop replaced tables, and those of a rebuild that did not end, each in a transaction of its own.

    A statement that was prepared before the swap locks the old tables once more, one after another, before it is
    planned again. A drop of several at once would wait for it, and it for the drop.
    """
    for _ in range(TRIES):
        with _unless_in_use():
            for schema in (SHADOWS, REPLACED):
                for (table,) in fetch("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [schema]):
                    with transaction.atomic(durable=True):
                        execute(f"SET LOCAL statement_timeout = '{LOCK_TIMEOUT}'")
                        execute(f"DROP TABLE {schema}.{table} CASCADE")
                execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            return
    raise CannotRebuild("Tables that a rebuild replaced are in use, perhaps by a backup; try again later.")


def _use_shadows() -> None:
    execute(f"SET LOCAL search_path = {SHADOWS}, public")


def _project(projectors: Sequence[Projector], events: Events) -> None:
    for projector in projectors if events else ():
        projector.project(events)


def _finish(projectors: Sequence[Projector]) -> None:
    for projector in projectors:
        projector.finish()


def _events() -> Iterator[Events]:
    """Yield all events of the snapshot in batches: sealed ones by position, then the rest."""
    position = 0
    while events := subscriptions.read_sealed(position, BATCH):
        position = events[-1].position
        yield events
    yield to_recorded_events(fetch(_REST, [position]))


def _tables(projectors: Sequence[Projector]) -> dict[str, str]:
    return {table: key for projector in projectors for table, key in projector.tables.items()}


def _columns(table: str) -> str:
    """Return the columns that this release knows: a later one, beside which it runs, may have added others.

    All of them for a table without a model.
    """
    options = (model._meta for model in apps.get_models())  # noqa: SLF001  (documented by Django)
    fields = next((each.concrete_fields for each in options if each.db_table == table), ())
    return ", ".join(f'"{field.column}"' for field in fields) or f"{table}.*"


def _counts(projectors: Sequence[Projector], schema: str) -> dict[str, int]:
    return {
        table: int(fetch(f"SELECT count(*) FROM {schema}.{table}")[0][0])  # noqa: S608  (names are constants)
        for table in _tables(projectors)
    }
