"""Compare the database with the replayed state: ledger entries, read models, other streams, and the ledger itself."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from baccarat.audit import daily_caps, log_reader, pending, rules_versions
from baccarat.audit.log_reader import IncrementalScope
from baccarat.audit.log_replay import LogReplay, ReplayedEvent
from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.domain.postings import entry_for
from baccarat.domain.rounds.state import INITIAL, RoundState
from baccarat.storage import projections
from baccarat.storage.projections import DUE_TABLES, KILL_SWITCHES, ROUNDS, SITTINGS, TABLES, WAGERS
from baccarat.storage.rules_versions import VERSIONS
from casino.events.ids import first_id
from casino.events.netting import in_parts, net, run_checks
from casino.events.projections import ProjectionTable, Row
from casino.events.sql import fetch
from casino.events.verification import LogRange, inspect, inspect_range
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding, Findings
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
EXTRA_OF_RANGE_SQL: Final = {
    ROUNDS.table: """SELECT id::text FROM baccarat_round AS kept WHERE id BETWEEN %s AND %s AND NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.id AND version = 1) ORDER BY 1""",
    WAGERS.table: """SELECT id::text FROM baccarat_wager AS kept WHERE id BETWEEN %s AND %s AND NOT EXISTS (
        SELECT FROM events_event WHERE stream = 'round-' || kept.round_id AND version = 1) ORDER BY 1""",
}
_ENTRIES_OF_RANGE: Final = "SELECT count(*) FROM wallet_entry WHERE cause > %s AND cause <= %s"
_FORCED: Final = """
SELECT round.id FROM baccarat_round round LEFT JOIN operators_operator operator ON operator.id = round.operator_id
 WHERE round.forced AND operator.sandbox IS NOT TRUE ORDER BY round.id
"""
_RECORDED_AT: Final = """
SELECT recorded_at FROM events_seal JOIN events_event AS event ON event.id = event_id WHERE position = %s
"""

# Each returns rows of (transaction or wager, expected, found).
REMOTE_CHECKS: Final[Mapping[str, str]] = {
    "debit without its wager": """
        SELECT debit.id, debit.amount::text, coalesce(wager.staked::text, 'no wager')
          FROM wallet_remote debit LEFT JOIN baccarat_wager wager
            ON wager.id = debit.wager_id AND wager.player_id = debit.player_id AND wager.money_type = 'real'
         WHERE debit.kind = 'debit' AND wager.staked IS DISTINCT FROM debit.amount
           AND (debit.status = 'accepted' OR debit.reason = 'round_void') ORDER BY 1""",
    "stake was not taken back": """
        SELECT debit.id, 'rolled back', debit.status
          FROM wallet_remote debit JOIN baccarat_wager wager ON wager.id = debit.wager_id
         WHERE debit.kind = 'debit' AND debit.status = 'accepted'
           AND wager.voided_at IS NOT NULL AND wager.settled_at IS NULL ORDER BY 1""",
    "win was not paid back": """
        SELECT debit.wager_id, wager.returned::text, coalesce(credit.amount::text, 'nothing')
          FROM wallet_remote debit JOIN baccarat_wager wager ON wager.id = debit.wager_id
          LEFT JOIN wallet_remote credit ON credit.wager_id = debit.wager_id AND credit.kind = 'credit'
         WHERE debit.kind = 'debit' AND debit.status = 'accepted' AND wager.settled_at IS NOT NULL
           AND credit.amount IS DISTINCT FROM wager.returned ORDER BY 1""",
    "payment without its round": """
        SELECT paid.id, 'a settled wager', 'none'
          FROM wallet_remote paid LEFT JOIN baccarat_wager wager ON wager.id = paid.wager_id
         WHERE paid.kind <> 'debit' AND wager.settled_at IS NULL ORDER BY 1""",
    "correction without its void": """
        SELECT paid.id, 'a void', 'none'
          FROM wallet_remote paid JOIN baccarat_wager wager ON wager.id = paid.wager_id
         WHERE paid.kind = 'correction' AND wager.voided_at IS NULL ORDER BY 1""",
}

Rows = Mapping[Any, tuple[Any, ...]]


def compare_batch(replay: LogReplay, replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Compare the ledger entries of a batch of events, and the rows of rounds that ended in it."""
    _in_parts(compare_entries, replayed, notes, lambda each: f"event {each[0]}, its entry")
    compare_rounds(replay.ended, notes)


def check_tables(replay: LogReplay, notes: FindingCollector, *, max_wait: float) -> Collection[UUID]:
    """Check tables, unfinished rounds and their secrets; return the shoes in play."""
    now, _ = log_reader.snapshot_time()
    tables, running = list(replay.tables.values()), list(replay.running.values())
    compare_rounds([*running, *replay.disputed_rounds.values()], notes)
    compare_tables(tables, notes)
    notes.findings.extend(in_parts(tables, replay.switches.check_tables, _table_name))
    notes.findings.extend(in_parts(tables, rules_versions.compare_versions, _table_name))
    waiting = partial(pending.check_rounds, now=now, max_wait=max_wait)
    _in_parts(waiting, running, notes, _round_name)
    with net(notes.findings, "secrets of shoes"):
        return pending.check_secrets(replay, notes)
    return ()


def _table_name(table: TableTrace) -> str:
    return f"table {table.opened.table}"


def _round_name(round_: RoundTrace) -> str:
    return f"round {round_.opened.round}"


def _in_parts(
    compare: Callable[[Sequence[Any], FindingCollector], object],
    items: Sequence[Any],
    notes: FindingCollector,
    name: Callable[[Any], str],
) -> None:
    """Compare many things at once; if that raises, each half, so that only what is damaged goes uncompared."""

    def check(some: Sequence[Any]) -> Findings:
        found = FindingCollector()
        compare(some, found)
        return found.findings

    notes.findings.extend(in_parts(items, check, name))


def check_other_streams(replay: LogReplay, notes: FindingCollector, *, only: LogRange | None = None) -> None:
    """Check wallets, chats and kill switches; with a range, `only` what changed in it."""
    with net(notes.findings, "rows of kill switches"):
        compare_kill_switches(replay.switches.rows.values(), notes)
    replay.wallets.check_state(entries=None if only is None else (only.first_id, only.last_id))
    is_part = only is not None
    notes.extend(
        run_checks(
            ("rows of chats", lambda: replay.chats.check_state(partial=is_part)),
            ("rows of changes", lambda: replay.changes.check_state(partial=is_part)),
            ("rows of erasures", lambda: replay.erasures.check_state(partial=is_part)),
            ("rows of complaints", lambda: replay.complaints.check_state(partial=is_part)),
        )
    )


def check_range(notes: FindingCollector, log: LogRange, *, max_wait: float = 0.0) -> None:
    """Check what needs no replay of a range of the log: queue and streams, rows of rounds, entries."""
    _, age = log_reader.snapshot_time()
    notes.findings.extend(inspect_range(log, max_wait_seconds=max_wait + age))
    for table, statement in EXTRA_OF_RANGE_SQL.items():
        notes.findings.extend(run_checks((f"rows of {table}", partial(_extra_rows, table, statement, _round_ids(log)))))
    notes.extend(ledger.check_range(log.first_id, log.last_id))


def _extra_rows(table: str, statement: str, parameters: Sequence[object] = ()) -> Iterator[Finding]:
    for (key,) in fetch(statement, parameters):
        yield Finding("row is extra", f"{table} {key}", "none", "a row")


def check_balances(notes: FindingCollector) -> None:
    """Compare the balances of all accounts with their last postings."""
    notes.extend(ledger.check_balances())


def _round_ids(log: LogRange) -> list[UUID]:
    """Return the ids between which rounds lie that opened in a range. Ranges that adjoin leave out none."""
    first, last = (fetch(_RECORDED_AT, [position]) for position in (log.since, log.upto))
    lowest = first_id(first[0][0]) if first else UUID(int=0)
    return [lowest, first_id(last[0][0]) if last and not log.is_open else UUID(int=2**128 - 1)]


def check_database(notes: FindingCollector, *, max_wait: float, scope: IncrementalScope | None = None) -> None:
    """Check what needs no replay: queue and streams, orphaned rows, the ledger.

    With a `scope`, check only its streams and accounts, and no orphaned rows.
    """
    _, age = log_reader.snapshot_time()
    notes.findings.extend(run_checks(("forced rounds", find_forced), ("daily caps", daily_caps.check)))
    if scope is not None:
        notes.findings.extend(inspect(max_wait_seconds=max_wait + age, streams=scope.streams))
        check_ledger(notes, since=scope.since)
        return
    notes.findings.extend(inspect(max_wait_seconds=max_wait + age))
    find_extra(notes)
    check_remote_wagers(notes)
    check_ledger(notes)


def find_forced() -> Iterator[Finding]:
    """Yield rounds whose cards were chosen at a table of an operator that is no sandbox."""
    for (round_,) in fetch(_FORCED):
        yield Finding("cards chosen outside a sandbox", f"round {round_}", "cards of the shoe", "chosen cards")


def compare_entries(replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Record every difference between the stored entries of some events and the derived ones."""
    derived = []
    for one in replayed:
        try:
            entry = _entry(one)
        except UnbalancedEntry as error:
            notes.add(UNBALANCED, f"event {one[0]}", "postings that sum to zero", error)
            continue
        if entry is not None:
            derived.append(entry)
    notes.extend(ledger.compare_batch([cause for cause, _, _ in replayed], derived))


def _entry(followed: ReplayedEvent) -> NewEntry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_ledger(notes: FindingCollector, *, since: int = 0) -> None:
    """Check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With a position `since`, check only what moved after it.
    """
    notes.extend(ledger.check(since=since))


def count_entries(only: LogRange | None = None) -> int:
    if only is None:
        return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])
    return int(fetch(_ENTRIES_OF_RANGE, [only.first_id, only.last_id])[0][0])


def compare_rounds(rounds: Sequence[RoundTrace], notes: FindingCollector) -> None:
    """Compare rounds and their wagers with their rows."""
    for some in _chunks(rounds):
        _in_parts(_compare_rounds, some, notes, _round_name)


def _compare_rounds(some: Sequence[RoundTrace], notes: FindingCollector) -> None:
    states = [(one.state(), one) for one in some]
    ids = [one.opened.round for one in some]
    rows = [projections.round_row(state, one.table.initial_state) for state, one in states]
    _compare(ROUNDS, rows, _stored(ROUNDS, "id", ids), notes)
    wagers = [
        row for state, one in states for row in projections.wager_rows(state, one.table.initial_state, since=INITIAL)
    ]
    _compare(WAGERS, wagers, _stored(WAGERS, "round_id", ids), notes)


def compare_tables(tables: Sequence[TableTrace], notes: FindingCollector) -> None:
    """Compare tables and their seats with the rows."""
    for some in _chunks(tables):
        _in_parts(_compare_tables, some, notes, _table_name)


def _compare_tables(some: Sequence[TableTrace], notes: FindingCollector) -> None:
    states = [(one.state(), one.version, *_current_round(one)) for one in some]
    ids = [one.opened.table for one in some]
    _compare(TABLES, [projections.table_row(*one) for one in states], _stored(TABLES, "id", ids), notes)
    due_rows = [projections.due_row(table, round_) for table, _, round_, _ in states]
    _compare(DUE_TABLES, due_rows, _stored(DUE_TABLES, "table_id", ids), notes)
    sittings = [row for one in some for row in one.sittings.values()]
    _compare(SITTINGS, sittings, _stored(SITTINGS, "table_id", ids), notes)


def _current_round(table: TableTrace) -> tuple[RoundState, int]:
    return (INITIAL, 0) if table.round is None else (table.round.state(), table.round.version)


def compare_kill_switches(switches: Iterable[Row], notes: FindingCollector) -> None:
    names = ", ".join(name for name, _ in KILL_SWITCHES.columns)
    stored = {row[0]: row for row in fetch(f"SELECT {names} FROM {KILL_SWITCHES.table}")}  # noqa: S608  (constants)
    _compare(KILL_SWITCHES, switches, stored, notes)


def find_extra(notes: FindingCollector, *, of_rounds: bool = True) -> None:
    """Record rows of tables, and `of_rounds` and wagers, that do not exist."""
    for table, statement in EXTRA_ROWS_SQL.items():
        if table in EXTRA_OF_RANGE_SQL and not of_rounds:
            continue
        notes.findings.extend(run_checks((f"rows of {table}", partial(_extra_rows, table, statement))))


def check_remote_wagers(notes: FindingCollector) -> None:
    """Compare wagers with what operators' own wallets paid and got back; rows are compared with events elsewhere."""
    for name, statement in REMOTE_CHECKS.items():
        notes.findings.extend(run_checks((name, partial(_remote, name, statement))))


def _remote(name: str, statement: str) -> Iterator[Finding]:
    for where, expected, found in fetch(statement):
        yield Finding(name, f"wallet transaction or wager {where}", expected, found)


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
