"""Rebuilds all projections from the events alone, while writers wait."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.state import INITIAL as NO_TABLE
from baccarat.domain.tables.state import TableState
from baccarat.storage import projections, rules_versions
from baccarat.storage import rows as model_rows
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.rows import RoundRow, SittingRow, SwitchRow, WagerRow
from casino.events.projections import RebuildResult
from casino.events.sql import execute, fetch
from casino.events.store import COLUMNS, RecordedEvent, to_recorded_events
from wallet.ledger.rebuild import rebuild_balances

CHUNK: Final = 2000
RELATIONS: Final = (*model_rows.RELATIONS, rules_versions.VERSIONS)
BALANCES: Final = "wallet_balance"
KEYS: Final = {**{relation.table: relation.columns[0][0] for relation in RELATIONS}, BALANCES: "account_id"}
"""Every projection with its key. Locked in this order, tables first, as writers do."""

_NEXT: Final = f"SELECT {COLUMNS} FROM events_event WHERE id > %s ORDER BY id LIMIT %s"  # noqa: S608  (constants)
_ROUND: Final = "SELECT state::text, version FROM baccarat_round WHERE id = %s::uuid"


class CannotRebuild(Exception):
    """The events contradict each other; `audit` reports how."""


@dataclass(slots=True)
class _Fold:
    """Current tables and rounds with their versions, and rows of rounds that ended."""

    tables: dict[UUID, tuple[TableState, int]] = field(default_factory=dict)
    running: dict[str, tuple[RoundState, int]] = field(default_factory=dict)
    round_rows: list[RoundRow] = field(default_factory=list)
    wager_rows: list[WagerRow] = field(default_factory=list)
    sittings: dict[str, SittingRow] = field(default_factory=dict)
    switches: dict[str, SwitchRow] = field(default_factory=dict)
    versions: dict[UUID, rules_versions.VersionRows] = field(default_factory=dict)

    def follow(self, row: RecordedEvent) -> None:
        event = CATALOGUE.decode(row.type, row.schema, row.data)
        if row.stream.startswith("stop-"):
            self.switches[row.stream] = projections.switch_row(event, row.version)
            return
        if row.stream.startswith("table-"):
            table = UUID(row.stream.removeprefix("table-"))
            state = evolve_table(self.tables.get(table, (NO_TABLE, 0))[0], event)
            self.tables[table] = state, row.version
            rules_versions.apply_events(self.versions.setdefault(table, {}), [event], state.require_opened())
            self.sittings.update((sitting.id, sitting) for sitting in projections.sitting_rows([event], state))
            return
        if isinstance(event, RoundOpened):
            self.running[row.stream] = NO_ROUND, 0
        if row.stream not in self.running:
            self.running[row.stream] = self._ended(row.stream)
        round_ = evolve_round(self.running[row.stream][0], event)
        self.running[row.stream] = round_, row.version
        table = round_.require_opened().table
        state, version = self.tables[table]
        self.tables[table] = evolve_table(state, event), version
        if not round_.is_running():
            self.write(row.stream)

    def _ended(self, stream: str) -> tuple[RoundState, int]:
        """Load a round that ended and gets another event, such as a void; its row exists. Raises LookupError."""
        self.save()
        for state, version in fetch(_ROUND, [stream.removeprefix("round-")]):
            return projections.decode_round(state), version
        raise LookupError(stream)

    def write(self, stream: str) -> None:
        round_, version = self.running.pop(stream)
        table = self.tables[round_.require_opened().table][0]
        self.round_rows.append(projections.round_row(round_, version, table))
        self.wager_rows.extend(projections.wager_rows(round_, table, since=NO_ROUND))

    def save(self) -> None:
        model_rows.save([], self.round_rows, self.wager_rows)
        self.round_rows.clear()
        self.wager_rows.clear()


def rebuild_projections(*, compare: bool = False) -> RebuildResult:
    """Make every projection again in one transaction, holding writers out; with `compare`, name what changed.

    Raises Unfoldable, with nothing changed, when the events contradict each other.
    """
    with transaction.atomic():
        execute(f"LOCK TABLE {', '.join(KEYS)} IN EXCLUSIVE MODE")
        if compare:
            _keep()
        for relation in reversed(RELATIONS):
            execute(f"DELETE FROM {relation.table}")  # noqa: S608  (names are constants)
        _make()
        rebuild_balances()
        changed = tuple(_changed()) if compare else ()
        rows = {table: int(fetch(f"SELECT count(*) FROM {table}")[0][0]) for table in KEYS}  # noqa: S608
        return RebuildResult(rows, changed)


def _make() -> None:
    fold = _Fold()
    for row in _events():
        try:
            fold.follow(row)
        except (LookupError, StopIteration) as trouble:
            where = f"{row.stream} version {row.version}, {row.type}"
            raise CannotRebuild(f"{where} follows from nothing before it; run the audit.") from trouble
        if len(fold.round_rows) >= CHUNK:
            fold.save()
    _finish(fold)


def _finish(fold: _Fold) -> None:
    """Write what remains: running rounds, and the tables with them."""
    in_hand: dict[UUID | None, RoundState] = {
        round_.require_opened().round: round_ for round_, _ in fold.running.values()
    }
    for stream in list(fold.running):
        fold.write(stream)
    fold.save()
    rows = [
        projections.table_row(table, version, in_hand.get(table.round, NO_ROUND))
        for table, version in fold.tables.values()
    ]
    model_rows.save(rows, [], [])
    model_rows.save_sittings(list(fold.sittings.values()))
    model_rows.save_switches(list(fold.switches.values()))
    rules_versions.save(row for rows in fold.versions.values() for row in rows.values())


def _events() -> Iterator[RecordedEvent]:
    """Yield all events of tables and rounds. Ids ascend in the order in which a table's events were decided."""
    last = 0
    while rows := fetch(_NEXT, [last, CHUNK]):
        last = rows[-1][0]
        yield from (row for row in to_recorded_events(rows) if row.type in CATALOGUE)


def _keep() -> None:
    for table, key in KEYS.items():
        execute(
            f"CREATE TEMPORARY TABLE before_{table} ON COMMIT DROP AS "  # noqa: S608  (names are constants)
            f"SELECT {key}::text AS key, md5(kept::text) AS content FROM {table} AS kept"
        )


def _changed() -> Iterator[str]:
    for table, key in KEYS.items():
        rows = fetch(
            f"SELECT coalesce(was.key, now.key) FROM before_{table} AS was "  # noqa: S608  (names are constants)
            f"FULL JOIN (SELECT {key}::text AS key, md5(kept::text) AS content FROM {table} AS kept) AS now "
            "ON now.key = was.key WHERE was.content IS DISTINCT FROM now.content ORDER BY 1"
        )
        yield from (f"{table} {row[0]}" for row in rows)
