"""Compares read models with the replayed state, row by row and column by column."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from baccarat.audit.findings import FindingCollector
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.domain.rounds.state import INITIAL
from baccarat.storage import projections
from baccarat.storage.rows import ROUNDS, SITTINGS, SWITCHES, TABLES, WAGERS, SwitchRow
from baccarat.storage.rules_versions import VERSIONS
from casino.events.projections import ProjectionTable
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical

CHUNK: Final = 500

EXTRA_ROWS_SQL: Final = {
    TABLES.table: """SELECT id::text FROM baccarat_table AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.id AND version = 1) ORDER BY 1""",
    ROUNDS.table: """SELECT id::text FROM baccarat_round AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.id AND version = 1) ORDER BY 1""",
    VERSIONS.table: """SELECT id FROM baccarat_rulesversion AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.table_id AND version = 1) ORDER BY 1""",
    SITTINGS.table: """SELECT id FROM baccarat_sitting AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.table_id AND version = 1) ORDER BY 1""",
    WAGERS.table: """SELECT id FROM baccarat_wager AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.round_id AND version = 1) ORDER BY 1""",
}
"""Rows without a stream; rows of known tables and rounds are compared one by one."""

Rows = Mapping[Any, tuple[Any, ...]]


def compare_rounds(rounds: Sequence[RoundTrace], notes: FindingCollector) -> None:
    """Compare rounds and their wagers with their rows."""
    for some in _chunks(rounds):
        states = [(each.state(), each) for each in some]
        ids = [each.opened.round for each in some]
        rows = [projections.round_row(state, each.version, each.table.initial_state) for state, each in states]
        _compare(ROUNDS, rows, _stored(ROUNDS, "id", ids), notes)
        wagers = [
            row
            for state, each in states
            for row in projections.wager_rows(state, each.table.initial_state, since=INITIAL)
        ]
        _compare(WAGERS, wagers, _stored(WAGERS, "round_id", ids), notes)


def compare_tables(tables: Sequence[TableTrace], notes: FindingCollector) -> None:
    """Compare tables and their seats with the rows."""
    for some in _chunks(tables):
        rows = [
            projections.table_row(each.state(), each.version, INITIAL if each.round is None else each.round.state())
            for each in some
        ]
        ids = [each.opened.table for each in some]
        _compare(TABLES, rows, _stored(TABLES, "id", ids), notes)
        sittings = [row for each in some for row in each.sittings.values()]
        _compare(SITTINGS, sittings, _stored(SITTINGS, "table_id", ids), notes)


def compare_switches(switches: Iterable[SwitchRow], notes: FindingCollector) -> None:
    names = ", ".join(name for name, _ in SWITCHES.columns)
    stored = {row[0]: row for row in fetch(f"SELECT {names} FROM {SWITCHES.table}")}  # noqa: S608  (constants)
    _compare(SWITCHES, switches, stored, notes)


def find_extra(notes: FindingCollector) -> None:
    """Record rows of tables, rounds and wagers that do not exist."""
    for table, statement in EXTRA_ROWS_SQL.items():
        for (key,) in fetch(statement):
            notes.add("row is extra", f"{table} {key}", "none", "a row")


def _stored(relation: ProjectionTable, column: str, ids: list[UUID]) -> Rows:
    columns = ", ".join(f"{name}::text" if kind == "jsonb" else name for name, kind in relation.columns)
    rows = fetch(f"SELECT {columns} FROM {relation.table} WHERE {column} = ANY (%s::uuid[])", [ids])  # noqa: S608
    places = _json_places(relation)
    return {row[0]: _canonical(row, places) for row in rows}


def _json_places(relation: ProjectionTable) -> list[int]:
    return [place for place, (_, kind) in enumerate(relation.columns) if kind == "jsonb"]


def _canonical(row: tuple[Any, ...], places: Iterable[int]) -> tuple[Any, ...]:
    """Return the row with its JSON as canonical text, as the mapping writes it."""
    values = list(row)
    for place in places:
        values[place] = recanonical(values[place]).decode()
    return tuple(values)


def _compare(
    relation: ProjectionTable, expected: Iterable[tuple[Any, ...]], stored: Rows, notes: FindingCollector
) -> None:
    wanted = {row[0]: row for row in expected}
    for key, row in wanted.items():
        found = stored.get(key)
        if found is None:
            notes.add("row is missing", f"{relation.table} {key}", "a row", "none")
        elif found != row:
            _differences(relation, row, found, notes)
    for key in stored.keys() - wanted.keys():
        notes.add("row is extra", f"{relation.table} {key}", "none", "a row")


def _differences(
    relation: ProjectionTable, expected: tuple[Any, ...], found: tuple[Any, ...], notes: FindingCollector
) -> None:
    for (name, _), due, has in zip(relation.columns, expected, found, strict=True):
        if due != has:
            notes.add("row differs", f"{relation.table} {expected[0]} {name}", *_around(str(due), str(has)))


def _around(expected: str, found: str) -> tuple[str, str]:
    """Return both texts from shortly before their first difference."""
    same = next((place for place, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), 0)
    start = max(0, same - 40)
    return expected[start:], found[start:]


def _chunks(traces: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (traces[start : start + CHUNK] for start in range(0, len(traces), CHUNK))
