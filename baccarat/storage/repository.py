"""Loads tables with their rounds under lock, and writes decisions: events, entries and read models together."""

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import connection

from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.commitment import opens
from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.refusals import NextShoeUnreadable, UnknownTable
from baccarat.domain.tables.state import TableState
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage import projections, rows, rules_versions, shoe_seeds, wakeups
from baccarat.storage.event_registry import CATALOGUE
from casino.events import store
from casino.events.ids import new_id
from wallet.ledger import store as ledger
from wallet.ledger.entries import NewEntry

logger = logging.getLogger(__name__)

_COLUMNS: Final = "id, round_id, version, state::text"
# The outer SELECT reads the clock after the lock is held, so a command that waited is judged by the later time.
_LOCK: Final = (
    f"SELECT locked.*, clock_timestamp() FROM (SELECT {_COLUMNS} FROM baccarat_table "  # noqa: S608
    "WHERE id = %s AND operator_id = %s FOR UPDATE) AS locked"
)
_CLAIM: Final = (
    f"SELECT locked.*, clock_timestamp() FROM (SELECT {_COLUMNS} FROM baccarat_table "  # noqa: S608
    "WHERE due_at <= statement_timestamp() AND round_id IS NOT NULL "
    "AND id <> ALL (%s::uuid[]) ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED) AS locked"
)
_LOCK_MANY: Final = (
    f"SELECT locked.*, clock_timestamp() FROM (SELECT {_COLUMNS} FROM baccarat_table "  # noqa: S608
    "WHERE id = ANY (%s::uuid[]) ORDER BY id FOR UPDATE) AS locked"
)
# A separate statement, because the one that waited for the lock still sees the rounds as they were before.
_TABLE_OF: Final = "SELECT table_id FROM baccarat_round WHERE id = %s AND operator_id = %s"
_ROUNDS: Final = "SELECT id, version, state::text FROM baccarat_round WHERE id = ANY (%s::uuid[])"


class StateUnreadable(Exception):
    """A read model is damaged. Rebuild it from the events."""


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """Units of work of locked tables, ids of unreadable ones, and the database's time after locking."""

    units_of_work: list[UnitOfWork]
    unreadable: list[UUID]
    now: datetime


def lock_table(*, table: UUID, operator: UUID) -> tuple[UnitOfWork, datetime]:
    """Lock a table of this operator until the transaction ends. Raises UnknownTable for any other."""
    loaded = _load(_LOCK, [table, operator])
    if loaded.unreadable:
        raise StateUnreadable(f"table {table} has to be rebuilt from its events")
    if not loaded.units_of_work:
        raise UnknownTable
    return loaded.units_of_work[0], loaded.now


def lock_tables(tables: Sequence[UUID]) -> LoadedTables:
    """Lock tables of any operator in the order of their ids, waiting for each."""
    return _load(_LOCK_MANY, [list(tables)])


def lock_table_of_round(*, round_: UUID, operator: UUID) -> tuple[UnitOfWork, datetime]:
    """Lock the table of one of this operator's rounds, current or earlier. Raises UnknownRound."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLE_OF, [round_, operator])
        rows = cursor.fetchall()
    if not rows:
        raise UnknownRound
    return lock_table(table=rows[0][0], operator=operator)


def load_ended_round(round_: UUID) -> tuple[RoundState, int]:
    """Return an earlier round and its version, under the lock of its table. Raises StateUnreadable, UnknownRound."""
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS, [[round_]])
        rows = cursor.fetchall()
    if not rows:
        raise UnknownRound
    try:
        return projections.decode_round(rows[0][2]), rows[0][1]
    except msgspec.DecodeError as error:
        raise StateUnreadable(f"round {round_} has to be rebuilt from its events") from error


def claim_due(*, limit: int, excluding: Sequence[UUID] = ()) -> LoadedTables:
    """Lock tables with a due round that nobody else has locked, longest overdue first."""
    return _load(_CLAIM, [list(excluding), limit])


def _load(query: str, parameters: list[Any]) -> LoadedTables:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        tables = cursor.fetchall()
        in_hand = [row[1] for row in tables if row[1] is not None]
        if in_hand:
            cursor.execute(_ROUNDS, [in_hand])
        rows = cursor.fetchall() if in_hand else []
    states = {identity: (state, version) for identity, version, state in rows}
    loaded = LoadedTables(units_of_work=[], unreadable=[], now=tables[-1][4] if tables else database_now())
    for row in tables:
        try:
            loaded.units_of_work.append(_journal(row, states))
        except (msgspec.DecodeError, LookupError):
            loaded.unreadable.append(row[0])
    return loaded


def _journal(row: tuple[Any, ...], states: dict[UUID, tuple[str, int]]) -> UnitOfWork:
    """Return the unit of work of one table. Raises if the row is damaged or its round is missing."""
    _, round_id, version, state, _ = row
    table = projections.decode_table(state)
    table.require_opened()
    if round_id is None:
        return UnitOfWork(table=table, table_version=version)
    round_state, round_version = states[round_id]
    round_ = projections.decode_round(round_state)
    round_.require_opened()
    return UnitOfWork(table=table, table_version=version, round=round_, round_version=round_version)


def database_now() -> datetime:
    """Return the database's time, the only clock used for decisions."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchall()[0][0]
    return moment


def draw_entropy(
    journal: UnitOfWork, *, seeds: Mapping[UUID, bytes] | None = None, defer_seed_check: bool = False
) -> Entropy:
    """Draw new ids and a new seed from the operating system's generator.

    Includes the seed of the table's committed shoe if it is to come into play: from `seeds` if already read, otherwise
    read now. With `defer_seed_check`, the check of a round's own seed is left to the write, which reads it anyway.
    """
    table, coming = journal.table, journal.table.next_shoe
    long = table.has_long_shoe()
    trusted, available = defer_seed_check and not long, seeds or {}
    is_due = coming is not None and table.shoe is None and table.round is None and table.seats
    if coming is not None and is_due and seeds is None and not trusted:
        available = shoe_seeds.decrypt([coming.shoe])
        if not available:
            _alert(table)
    drawn = draw_shoe_seed()
    return Entropy(
        round=new_id(),
        shoe=drawn.shoe,
        seed=drawn.seed,
        committed_seed=None if coming is None else available.get(coming.shoe),
        deferred_seed_check=trusted,
    )


def draw_shoe_seed() -> ShoeSeed:
    """Draw a shoe's id and seed from the operating system's generator."""
    return ShoeSeed(shoe=new_id(), seed=secrets.token_bytes(32))


def _alert(table: TableState) -> None:
    logger.critical("ALERT table %s can't start its next shoe: the seed can't be read", table.require_opened().table)


def save(decided: Sequence[tuple[UnitOfWork, store.Metadata]]) -> None:
    """Write units of work in the caller's transaction: events, ledger entries, rows and secrets.

    Uses a fixed number of statements. Raises InsufficientFunds, VersionConflict, and NextShoeUnreadable if a round was
    opened on a shoe whose seed is missing.
    """
    written = [(journal, metadata) for journal, metadata in decided if journal.changes]
    if not written:
        return
    ledger.post(_record(written))
    _project([journal for journal, _ in written])
    _keep_secrets([journal for journal, _ in written])
    shoe_seeds.delete([shoe for journal, _ in written for shoe in journal.revealed_shoes])


def _keep_secrets(journals: Sequence[UnitOfWork]) -> None:
    """Store new seeds, and check in the same statement those of shoes used without reading them."""
    trusted = [(journal.table, shoe) for journal in journals for shoe in journal.deferred_seed_checks]
    new = [secret for journal in journals for secret in journal.new_seeds]
    seeds = shoe_seeds.store(new, also_read=[shoe.shoe for _, shoe in trusted])
    for table, shoe in trusted:
        seed = seeds.get(shoe.shoe)
        if seed is None or not opens(shoe.commitment, seed):
            _alert(table)
            raise NextShoeUnreadable


def _record(written: Sequence[tuple[UnitOfWork, store.Metadata]]) -> list[NewEntry]:
    """Append all changes in one statement and return the entries that follow from their events."""
    pages = [(journal, metadata, page) for journal, metadata in written for page in journal.changes]
    ids = store.append(
        [
            store.Append(
                stream=page.stream,
                expected_version=page.expected_version,
                events=tuple(CATALOGUE.encode(event) for event in page.events),
                metadata=metadata,
            )
            for _, metadata, page in pages
        ]
    )
    entries: list[NewEntry] = []
    for (journal, _, page), causes in zip(pages, ids, strict=True):
        place = accounts_of(journal)
        derived = (entry_for(event, cause, place) for event, cause in zip(page.events, causes, strict=True))
        entries.extend(entry for entry in derived if entry is not None)
    return entries


def accounts_of(journal: UnitOfWork) -> TableAccounts:
    """Return the ledger accounts of this table."""
    facts = journal.table.require_opened()
    return TableAccounts(operator=facts.operator, table=facts.table, currency=facts.rules.currency)


def _project(journals: Sequence[UnitOfWork]) -> None:
    tables: list[rows.TableRow] = []
    rounds_: list[rows.RoundRow] = []
    wagers: list[rows.WagerRow] = []
    for journal in journals:
        if _table_changed(journal):
            tables.append(projections.table_row(journal.table, journal.table_version, journal.round))
        for round_, version in journal.changed_rounds.values():
            rounds_.append(projections.round_row(round_, version, journal.table))
            wagers.extend(projections.wager_rows(round_, journal.table, since=journal.loaded_round))
    rows.save(tables, rounds_, wagers)
    rows.save_sittings([row for journal in journals for row in _sittings(journal)])
    _save_versions([journal for journal in journals if _speaks_of_rules(journal)])
    if any(projections.is_ready(journal.round) for journal in journals):
        wakeups.wake_dealers_on_commit()


def _sittings(journal: UnitOfWork) -> list[rows.SittingRow]:
    return projections.sitting_rows((event for page in journal.changes for event in page.events), journal.table)


def _speaks_of_rules(journal: UnitOfWork) -> bool:
    return journal.table.rules_lifecycle is not journal.loaded_table.rules_lifecycle or not journal.loaded_version


def _save_versions(journals: Sequence[UnitOfWork]) -> None:
    """Save versions of rules. They change seldom, so they are read and written separately."""
    if not journals:
        return
    known = rules_versions.load(journal.table.require_opened().table for journal in journals)
    for journal in journals:
        events = [event for page in journal.changes for event in page.events]
        facts = journal.table.require_opened()
        rules_versions.save(rules_versions.apply_events(known[facts.table], events, facts).values())


def _table_changed(journal: UnitOfWork) -> bool:
    if journal.table is not journal.loaded_table or journal.table_version != journal.loaded_version:
        return True
    before, after = journal.loaded_round, journal.round
    return (
        projections.due_at(before) != projections.due_at(after) or before.suspension_reason != after.suspension_reason
    )
