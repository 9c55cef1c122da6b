"""Compare the database with the replayed state: ledger entries, read models, other streams, and the ledger itself."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from baccarat.audit import log_reader, pending, rules_versions
from baccarat.audit.log_reader import IncrementalScope
from baccarat.audit.log_replay import LogReplay, ReplayedEvent
from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.domain.postings import entry_for
from baccarat.domain.rounds.state import INITIAL, RoundState
from baccarat.storage import projections
from baccarat.storage.projections import DUE_TABLES, KILL_SWITCHES, ROUNDS, SITTINGS, TABLES, WAGERS
from baccarat.storage.rules_versions import VERSIONS
from casino.events.projections import ProjectionTable, Row
from casino.events.sql import fetch
from casino.events.verification import inspect
from casino.kernel.canonical_json import recanonical
from wallet.events import EVENTS as WALLET_EVENTS
from wallet.events import entry_for as wallet_entry_for
from wallet.ledger import audit as ledger
from wallet.ledger.entries import NewEntry, UnbalancedEntry

UNBALANCED: Final = "event moves no balanced money"
CHUNK: Final = 500

EXTRA_ROWS_SQL: Final = {
    TABLES.table: """SELECT id::text FROM baccarat_table AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.id AND version = 1) ORDER BY 1""",
    DUE_TABLES.table: """SELECT table_id::text FROM baccarat_duetable AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.table_id AND version = 1) ORDER BY 1""",
    ROUNDS.table: """SELECT id::text FROM baccarat_round AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.id AND version = 1) ORDER BY 1""",
    VERSIONS.table: """SELECT id FROM baccarat_rulesversion AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.table_id AND version = 1) ORDER BY 1""",
    SITTINGS.table: """SELECT id FROM baccarat_sitting AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'table-' || kept.table_id AND version = 1) ORDER BY 1""",
    WAGERS.table: """SELECT id::text FROM baccarat_wager AS kept WHERE NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.round_id AND version = 1) ORDER BY 1""",
}
"""Rows without a stream; rows of known tables and rounds are compared one by one."""

Rows = Mapping[Any, tuple[Any, ...]]


def compare_batch(replay: LogReplay, replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Compare the ledger entries of a batch of events, and the rows of rounds that ended in it."""
    compare_entries(replayed, notes)
    compare_rounds(replay.ended, notes)


def check_tables(replay: LogReplay, notes: FindingCollector, *, max_wait: float) -> Collection[UUID]:
    """Check tables, unfinished rounds and their secrets; return the shoes in play."""
    now, _ = log_reader.snapshot_time()
    compare_rounds([*replay.running.values(), *replay.disputed_rounds.values()], notes)
    compare_tables(list(replay.tables.values()), notes)
    notes.findings.extend(replay.switches.check_tables(replay.tables.values()))
    notes.findings.extend(rules_versions.compare_versions(replay.tables.values()))
    pending.check_rounds(replay, notes, now=now, max_wait=max_wait)
    return pending.check_secrets(replay, notes)


def check_other_streams(replay: LogReplay, notes: FindingCollector) -> None:
    """Check wallets, chats and kill switches."""
    compare_kill_switches(replay.switches.rows.values(), notes)
    replay.wallets.check_state()
    for finding in replay.chats.check_state():
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def check_database(notes: FindingCollector, *, max_wait: float, scope: IncrementalScope | None = None) -> None:
    """Check what needs no replay: queue and streams, orphaned rows, the ledger.

    With a `scope`, check only its streams and accounts, and no orphaned rows.
    """
    _, age = log_reader.snapshot_time()
    if scope is not None:
        notes.findings.extend(inspect(max_wait_seconds=max_wait + age, streams=scope.streams))
        check_ledger(notes, since=scope.since)
        return
    notes.findings.extend(inspect(max_wait_seconds=max_wait + age))
    find_extra(notes)
    check_ledger(notes)


def compare_entries(replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Record every difference between the stored entries of some events and the derived ones."""
    derived = []
    for each in replayed:
        try:
            entry = _entry(each)
        except UnbalancedEntry as error:
            notes.add(UNBALANCED, f"event {each[0]}", "postings that sum to zero", error)
            continue
        if entry is not None:
            derived.append(entry)
    for finding in ledger.compare_batch([cause for cause, _, _ in replayed], derived):
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def _entry(followed: ReplayedEvent) -> NewEntry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_ledger(notes: FindingCollector, *, since: int = 0) -> None:
    """Check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With a position `since`, check only what moved after it.
    """
    for finding in ledger.check(since=since):
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def count_entries() -> int:
    return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])


def compare_rounds(rounds: Sequence[RoundTrace], notes: FindingCollector) -> None:
    """Compare rounds and their wagers with their rows."""
    for some in _chunks(rounds):
        states = [(each.state(), each) for each in some]
        ids = [each.opened.round for each in some]
        rows = [projections.round_row(state, each.table.initial_state) for state, each in states]
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
        states = [(each.state(), each.version, *_current_round(each)) for each in some]
        ids = [each.opened.table for each in some]
        _compare(TABLES, [projections.table_row(*each) for each in states], _stored(TABLES, "id", ids), notes)
        due_rows = [projections.due_row(table, round_) for table, _, round_, _ in states]
        _compare(DUE_TABLES, due_rows, _stored(DUE_TABLES, "table_id", ids), notes)
        sittings = [row for each in some for row in each.sittings.values()]
        _compare(SITTINGS, sittings, _stored(SITTINGS, "table_id", ids), notes)


def _current_round(table: TableTrace) -> tuple[RoundState, int]:
    return (INITIAL, 0) if table.round is None else (table.round.state(), table.round.version)


def compare_kill_switches(switches: Iterable[Row], notes: FindingCollector) -> None:
    names = ", ".join(name for name, _ in KILL_SWITCHES.columns)
    stored = {row[0]: row for row in fetch(f"SELECT {names} FROM {KILL_SWITCHES.table}")}  # noqa: S608  (constants)
    _compare(KILL_SWITCHES, switches, stored, notes)


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
        values[place] = None if values[place] is None else recanonical(values[place]).decode()
    return tuple(values)


def _compare(
    relation: ProjectionTable, expected: Iterable[tuple[Any, ...]], stored: Rows, notes: FindingCollector
) -> None:
    expected_rows = {row[0]: row for row in expected}
    for key, row in expected_rows.items():
        actual = stored.get(key)
        if actual is None:
            notes.add("row is missing", f"{relation.table} {key}", "a row", "none")
        elif actual != row:
            _differences(relation, row, actual, notes)
    for key in stored.keys() - expected_rows.keys():
        notes.add("row is extra", f"{relation.table} {key}", "none", "a row")


def _differences(
    relation: ProjectionTable, expected: tuple[Any, ...], actual: tuple[Any, ...], notes: FindingCollector
) -> None:
    for (name, _), expected_value, actual_value in zip(relation.columns, expected, actual, strict=True):
        if expected_value != actual_value:
            notes.add(
                "row differs",
                f"{relation.table} {expected[0]} {name}",
                *_around(str(expected_value), str(actual_value)),
            )


def _around(expected: str, actual: str) -> tuple[str, str]:
    """Return both texts from shortly before their first difference."""
    same = next((place for place, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b), 0)
    start = max(0, same - 40)
    return expected[start:], actual[start:]


def _chunks(traces: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (traces[start : start + CHUNK] for start in range(0, len(traces), CHUNK))
