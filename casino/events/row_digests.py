"""Digests of the rows of working tables, so that a row that the application did not write is found.

Some facts are rows that change: members of staff and their roles, keys, operators' settings, texts. A trigger on each
such table adds the digest of every new content of a row, or null for a removed one, to the append-only table
`events_rowdigest`, with the database role that wrote it; manifests cover that table. The audit compares each row with
its newest digest.

Somebody who skips the trigger leaves a row without its digest; who does not is named by the role; and whoever acts as
the application's role itself leaves a digest at its place in the order, which cannot be taken back. Personal columns
are encrypted, so their digests tell nothing after an erasure; a personal column in plain text is not counted.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from django.db import migrations
from django.db.migrations.loader import MigrationLoader

from casino.events.immutability import app_role, safe_identifier
from casino.events.sql import fetch
from casino.kernel.findings import Finding

DIFFERS: Final = "row differs from its digest"
FOREIGN: Final = "row was not written by the application"

_KEY: Final = "concat_ws(',', {columns})"
_CONTENT: Final = "to_jsonb({row}) - '{{{ignored}}}'::text[]"
_PRESENT: Final = """
    SELECT '{table}' AS table_name, {key} AS row_key, sha256(convert_to(({content})::text, 'UTF8')) AS digest
      FROM {table} AS stored
"""
_COMPARE: Final = """
    WITH present AS ({present}), newest AS (
        SELECT DISTINCT ON (table_name, row_key) table_name, row_key, digest FROM events_rowdigest
         ORDER BY table_name, row_key, number DESC
    )
    SELECT coalesce(present.table_name, newest.table_name), coalesce(present.row_key, newest.row_key),
           coalesce(encode(newest.digest, 'hex'), 'no row'), coalesce(encode(present.digest, 'hex'), 'no row')
      FROM present FULL JOIN newest ON (newest.table_name, newest.row_key) = (present.table_name, present.row_key)
     WHERE newest.digest IS DISTINCT FROM present.digest ORDER BY 1, 2
"""
_HOLD: Final = """
    CREATE TRIGGER {name}_digests AFTER INSERT OR UPDATE OR DELETE ON {name}
    FOR EACH ROW EXECUTE FUNCTION events_record_digest('{key}', '{ignored}', '{act}', '{own}')
"""
_RECORD: Final = """
    INSERT INTO events_rowdigest (table_name, row_key, digest, written_by)
    SELECT table_name, row_key, digest, '{role}' FROM ({present}) AS present
"""
_FOREIGN: Final = """
    SELECT number, table_name, row_key, written_by FROM events_rowdigest WHERE written_by <> %s
     ORDER BY number
"""


class HeldTable(NamedTuple):
    """The columns that name a row of a table, and those that are not counted.

    `own` are those that no act needs to change, if only acts change the others: an event in the same transaction. If
    they `come_and_go`, rows are added and removed without one.
    """

    key: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    own: tuple[str, ...] | None = None
    come_and_go: bool = False


def hold_rows(table: str, held: HeldTable) -> tuple[str, ...]:
    """Return the statements after which every change of a row of `table` is recorded, and which record its rows.

    For `HoldRows`, after `casino.events` 0001_initial. A migration that writes rows of such a table later does it as
    the application's role (SET LOCAL ROLE). To count other columns: `release_rows`, then `hold_rows` again. Raises
    ImproperlyConfigured for a name that is not plain.
    """
    name = safe_identifier(table)
    key, ignored, own = (",".join(map(safe_identifier, names or ())) for names in (held.key, held.ignored, held.own))
    act = "" if held.own is None else "UPDATE" if held.come_and_go else "act"
    return (
        _HOLD.format(name=name, key=key, ignored=ignored, act=act, own=own),
        f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {name}_digests",
        _RECORD.format(role=app_role(), present=_present(name, held)),
    )


def release_rows(table: str) -> str:
    """Return the statement that undoes `hold_rows(table)`; what was recorded stays."""
    name = safe_identifier(table)
    return f"DROP TRIGGER {name}_digests ON {name}"


class HoldRows(migrations.RunSQL):
    """The operation of a migration that holds the rows of a table."""

    def __init__(self, table: str, held: HeldTable) -> None:
        super().__init__(sql=hold_rows(table, held), reverse_sql=release_rows(table))
        self.table: Final = table
        self.held: Final = held


@cache
def held_tables() -> Mapping[str, HeldTable]:
    """Return the tables that the migrations of the code hold."""
    loaded = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    operations = (each for migration in loaded.values() for each in migration.operations)
    return {each.table: each.held for each in operations if isinstance(each, HoldRows)}


def check() -> list[Finding]:
    """Return the rows that differ from their newest digests, and the digests that somebody else's change left."""
    present = " UNION ALL ".join(_present(table, held) for table, held in held_tables().items())
    role = app_role()
    return [
        *(
            Finding(DIFFERS, f"{table} {key}", expected, actual)
            for table, key, expected, actual in fetch(_COMPARE.format(present=present))
        ),
        *(
            Finding(FOREIGN, f"{table} {key}, digest {number}", role, writer)
            for number, table, key, writer in fetch(_FOREIGN, [role])
        ),
    ]


def _present(table: str, held: HeldTable) -> str:
    content = _CONTENT.format(row="stored", ignored=",".join(held.ignored))
    key = _KEY.format(columns=", ".join(f"to_jsonb(stored) ->> '{column}'" for column in held.key))
    return _PRESENT.format(table=table, key=key, content=content)
