"""Loads tables with their rounds under lock, and writes decisions: events, entries and read models together."""

import logging
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.links import LogHead
from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rounds.state import RoundState, fold_round
from baccarat.domain.rules.cards import Card
from baccarat.domain.tables.refusals import NextShoeUnreadable, UnknownTable
from baccarat.domain.tables.state import OpenClosing, Shoe, TableState
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage import projections, rules_versions, shoe_seeds, wakeups
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.models import Round
from casino.checkpoints import notes
from casino.events import store
from casino.events.ids import new_id
from casino.events.projections import Row, read_histories
from casino.events.sql import database_now, fetch
from casino.observability.figures import steps
from casino.observability.logging import bind
from casino.operators.daily_caps import LOCK_CAPS
from wallet.ledger import store as ledger
from wallet.ledger.store import Recording

logger = logging.getLogger(__name__)

_COLUMNS: Final = "id, round_id, version, state::text, round_version, round_state::text"
# The outer SELECT reads the clock after the lock is held, so a command that waited is judged by the later time.
_LOCK: Final = f"""SELECT locked.*, clock_timestamp() FROM (
    SELECT {_COLUMNS} FROM baccarat_table WHERE id = %s AND operator_id = %s FOR UPDATE) AS locked"""  # noqa: S608
# Cards wait for an operator's own wallet that was asked for stakes, but not beyond the grace.
_STAKES_ASKED_FOR: Final = """SELECT FROM wallet_remote AS debit WHERE debit.round_id = due.round_id
    AND debit.kind = 'debit' AND debit.status = 'requested' AND debit.answer_by > statement_timestamp()"""
# A table whose round another dealer has just dealt, or whose show it has ended, has another round by now.
_CLAIM: Final = f"""
SELECT {_COLUMNS}, clock_timestamp(), {LOCK_CAPS}(operator_id),
       (SELECT digest FROM events_seal ORDER BY position DESC LIMIT 1) FROM (
    SELECT kept.* FROM baccarat_table AS kept
      JOIN baccarat_duetable AS due ON due.table_id = kept.id AND due.round_id IS NOT DISTINCT FROM kept.round_id
     WHERE due.due_at <= statement_timestamp() AND NOT due.closes AND due.table_id <> ALL (%s::uuid[])
       AND NOT EXISTS ({_STAKES_ASKED_FOR}) ORDER BY due.due_at LIMIT %s FOR UPDATE OF kept SKIP LOCKED
) AS locked
"""  # noqa: S608  (constants)
_NEXT_DUE: Final = f"""
SELECT EXISTS (SELECT FROM baccarat_duetable AS due
                WHERE due_at <= statement_timestamp() AND NOT closes AND NOT EXISTS ({_STAKES_ASKED_FOR})),
       EXISTS (SELECT FROM baccarat_duetable WHERE links_due_at <= statement_timestamp()),
       (SELECT extract(epoch FROM min(due_at) - clock_timestamp())::float8 FROM baccarat_duetable
         WHERE due_at > statement_timestamp())
"""  # noqa: S608  (constants)
_LINKS_OF: Final = "SELECT id, state::text FROM baccarat_table WHERE id = ANY (%s::uuid[])"
_LINKS_DUE: Final = """
SELECT kept.id, kept.state::text FROM baccarat_duetable AS due JOIN baccarat_table AS kept ON kept.id = due.table_id
 WHERE due.links_due_at <= statement_timestamp() ORDER BY due.links_due_at LIMIT 256
"""
_UNANSWERED: Final = """
SELECT kept.id, kept.operator_id FROM baccarat_duetable AS due JOIN baccarat_table AS kept ON kept.id = due.table_id
 WHERE due.links_due_at <= statement_timestamp() - %s AND kept.round_state->>'phase' = 'closed'
   AND kept.round_state #>> '{releases}' = '[]' AND (kept.round_state->>'closed_at')::timestamptz <= now() - %s LIMIT 50
"""
_LOCK_MANY: Final = f"""SELECT {_COLUMNS}, clock_timestamp(), {LOCK_CAPS}(operator_id) FROM (
    SELECT * FROM baccarat_table WHERE id = ANY (%s::uuid[]) ORDER BY id FOR UPDATE) AS locked"""  # noqa: S608
_DEALT: Final = """SELECT number, cards FROM baccarat_round
WHERE table_id = %s AND number >= %s AND number < %s AND NOT forced AND cards <> '' ORDER BY number"""
_SEALED_HEAD: Final = "SELECT digest FROM events_seal ORDER BY position DESC LIMIT 1"
_TABLE: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"


class StateUnreadable(Exception):
    """A read model is damaged. Rebuild it from the events."""


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """Units of work of locked tables, ids of unreadable ones, and the database's time after locking.

    `capped` says that operators have daily caps, where several tables are locked. `sealed_head` is the digest of the
    log's last sealed event, in hex, where rounds are claimed to be dealt.
    """

    units_of_work: list[UnitOfWork]
    unreadable: list[UUID]
    now: datetime
    capped: bool = False
    sealed_head: str = NO_DIGEST


def read_table(*, table: UUID, operator: UUID) -> TableState:
    """Return the state of one of this operator's tables, without locking it. Raises UnknownTable."""
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0])


def read_round(*, round_: UUID, operator: UUID) -> RoundState:
    """Return the state of one of this operator's rounds. Raises UnknownRound."""
    state, _ = load_round(round_)
    if state.require_opened().operator != operator:
        raise UnknownRound
    return state


def read_rounds(rounds: Sequence[UUID]) -> dict[UUID, RoundState]:
    """Fold rounds, running or ended, from their events, with one statement; unknown ones are left out."""
    histories = read_histories(CATALOGUE, [f"round-{round_}" for round_ in rounds]) if rounds else {}
    return {UUID(stream.removeprefix("round-")): fold_round(events) for stream, events in histories.items()}


def lock_table(*, table: UUID, operator: UUID) -> tuple[UnitOfWork, datetime]:
    """Lock a table of this operator until the transaction ends. Raises UnknownTable for any other."""
    loaded = _load("command", _LOCK, [table, operator])
    if loaded.unreadable:
        raise StateUnreadable(f"table {table} has to be rebuilt from its events")
    if not loaded.units_of_work:
        raise UnknownTable
    uow = loaded.units_of_work[0]
    bind(table=table, round=uow.table.round)
    return uow, loaded.now


def lock_tables(tables: Sequence[UUID]) -> LoadedTables:
    """Lock tables of any operator in the order of their ids, waiting for each."""
    return _load("batch", _LOCK_MANY, [list(tables)])


def lock_table_of_round(*, round_: UUID, operator: UUID) -> tuple[UnitOfWork, datetime]:
    """Lock the table of one of this operator's rounds, current or earlier. Raises UnknownRound."""
    table = Round.objects.filter(pk=round_, operator_id=operator).values_list("table_id", flat=True).first()
    if table is None:
        raise UnknownRound
    return lock_table(table=table, operator=operator)


def load_round(round_: UUID) -> tuple[RoundState, int]:
    """Fold a round, running or ended, from its events; return it with its version. Raises UnknownRound."""
    for events in read_histories(CATALOGUE, [f"round-{round_}"]).values():
        return fold_round(events), len(events)
    raise UnknownRound


def next_due() -> tuple[bool, bool, float]:
    """Return whether a round or the end of a show is due, whether links are, and in how many seconds the next table.

    By the database's clock.
    """
    is_due, links_are_due, seconds = fetch(_NEXT_DUE, [])[0]
    return is_due, links_are_due, math.inf if seconds is None else seconds


def read_open_closings(tables: Sequence[UUID] | None = None) -> dict[UUID, tuple[OpenClosing, ...]]:
    """Return the closings that wait for links, by table, without locking: of these tables, or of all that are due."""
    rows = fetch(_LINKS_DUE) if tables is None else fetch(_LINKS_OF, [list(tables)])
    return {table: projections.decode_table(state).open_closings for table, state in rows}


def list_unanswered(limit: timedelta) -> list[tuple[UUID, UUID]]:
    """Return tables, with their operators, whose rounds in play have waited for links for longer than a limit."""
    return [(table, operator) for table, operator in fetch(_UNANSWERED, [limit, limit])]


def claim_due(*, limit: int, excluding: Sequence[UUID] = ()) -> LoadedTables:
    """Lock tables with a due round or show that nobody else has locked, longest overdue first."""
    steps.begin("deals")
    claimed = fetch(_CLAIM, [list(excluding), limit])
    head = claimed[-1][-1] if claimed else None
    loaded = _decode([row[:-1] for row in claimed])
    steps.end("lock")
    return loaded if head is None else replace(loaded, sealed_head=bytes(head).hex())


def _load(work: str, query: str, parameters: list[Any]) -> LoadedTables:
    steps.begin(work)
    loaded = _decode(fetch(query, parameters))
    steps.end("lock")
    return loaded


def _decode(tables: Sequence[tuple[Any, ...]]) -> LoadedTables:
    loaded = LoadedTables([], [], tables[-1][6] if tables else database_now(), any(any(row[7:]) for row in tables))
    for row in tables:
        try:
            loaded.units_of_work.append(_unit_of_work(row))
        except (msgspec.DecodeError, LookupError):
            loaded.unreadable.append(row[0])
    return loaded


def _unit_of_work(row: tuple[Any, ...]) -> UnitOfWork:
    """Return the unit of work of one table. Raises DecodeError or LookupError if it is damaged or lacks its round."""
    _, round_id, version, state, round_version, round_state = row[:6]
    table = projections.decode_table(state)
    table.require_opened()
    if round_id is None:
        return UnitOfWork(table=table, table_version=version)
    if round_state is None or round_version is None:
        raise LookupError("the current round is missing")
    round_ = projections.decode_round(round_state)
    round_.require_opened()
    return UnitOfWork(table=table, table_version=version, round=round_, round_version=round_version)


def draw_entropy(
    uow: UnitOfWork,
    *,
    now: datetime,
    seeds: Mapping[UUID, bytes] | None = None,
    sealed_head: str | None = None,
    cosigned: LogHead | None = None,
    defer_seed_check: bool = False,
) -> Entropy:
    """Draw new ids, of the database's time `now`, and a new seed from the operating system's generator.

    Includes the seed of the table's first committed shoe if it is to come into play, or that of its long shoe if the
    next round's follows from it: from `seeds` if already read, otherwise read now. With `defer_seed_check`, the check
    of a round's own seed is left to the write, which reads it anyway. The `sealed_head` is read where a long shoe may
    start, unless it is given; where it is, a round may be closed, and what witnesses have `cosigned` is read in both
    cases if there are any.
    """
    table, next_shoe = uow.table, next(iter(uow.table.committed_shoes()), None)
    deferred, available = defer_seed_check and not table.has_long_shoe(), seeds or {}
    starts_now = table.shoe is None and table.round is None and bool(table.seats)
    needed = next_shoe if starts_now and not deferred else _shoe_of_next_terms(table)
    if needed is not None and seeds is None:
        available = shoe_seeds.decrypt([needed.shoe])
        if not available:
            _alert_seed_unreadable(table)
    may_close = sealed_head is not None or (starts_now and table.has_long_shoe())
    if may_close and cosigned is None and has_witnesses(uow):
        cosigned = read_cosigned()
    if sealed_head is None:
        sealed_head = read_sealed_head() if may_close else NO_DIGEST
    drawn = draw_shoe_seed(now)
    return Entropy(
        round=new_id(now),
        shoe=drawn.shoe,
        seed=drawn.seed,
        blind=secrets.token_bytes(32),
        sealed_head=sealed_head,
        committed_seed=None if next_shoe is None else available.get(next_shoe.shoe),
        shoe_seed=None if table.shoe is None else available.get(table.shoe.shoe),
        deferred_seed_check=deferred,
        cosigned=cosigned,
    )


def _shoe_of_next_terms(table: TableState) -> Shoe | None:
    """Return the long shoe in play if the next round's terms are to be fixed with a seed that follows from its own."""
    wanted = table.rules.draws_by_round and table.round is None and table.fixed_terms() is None
    return table.shoe if wanted else None


def read_cards_of_rounds(table: UUID, *, first: int, before: int) -> list[tuple[int, tuple[Card, ...]]]:
    """Return the cards that a table's rounds were dealt, with their numbers, but chosen ones."""
    rows = fetch(_DEALT, [table, first, before])
    return [(number, tuple(map(Card, cards.split()))) for number, cards in rows]


def read_cards_from_shoe(table: UUID, *, first_round: int, before: int) -> tuple[Card, ...]:
    """Return what the rounds of a long shoe before one were dealt: neither the turned card nor chosen ones."""
    return tuple(chain(*(cards for _, cards in read_cards_of_rounds(table, first=first_round, before=before))))


def has_witnesses(uow: UnitOfWork) -> bool:
    """Return whether a closing at this table would be one with witnesses: of its round, or of its next long shoe."""
    opened, is_closed = uow.round.opened, bool(uow.round.releases)
    closes_round = opened is not None and bool(opened.witnesses) and not is_closed
    return closes_round or (uow.table.has_long_shoe() and bool(uow.table.chains))


def read_sealed_head() -> str:
    """Return the digest of the log's last sealed event, in hex; zeros before the first."""
    return next((bytes(digest).hex() for (digest,) in fetch(_SEALED_HEAD)), NO_DIGEST)


def read_cosigned() -> LogHead:
    """Return the log as a quorum of the witnesses has cosigned it."""
    head = notes.latest_cosigned()
    return LogHead(head.size, head.root.hex())


def draw_shoe_seed(now: datetime) -> ShoeSeed:
    """Draw a shoe's id and seed from the operating system's generator."""
    return ShoeSeed(shoe=new_id(now), seed=secrets.token_bytes(32))


def _alert_seed_unreadable(table: TableState) -> None:
    logger.critical("ALERT table %s can't go on: a shoe's seed can't be read", table.require_opened().table)


def save(decided: Sequence[tuple[UnitOfWork, store.Metadata]], *, beside: Sequence[Recording] = ()) -> None:
    """Write units of work in the caller's transaction: events, ledger entries, rows and secrets.

    Other events of the transaction, `beside` them, are recorded before them, and so are their entries. Uses a fixed
    number of statements. Raises InsufficientFunds, VersionConflict, and NextShoeUnreadable if a round was opened on a
    shoe whose seed is missing.
    """
    changed = [(uow, metadata) for uow, metadata in decided if uow.changes]
    if not changed and not beside:
        return
    steps.end("decide")
    units = [uow for uow, _ in changed]
    entries = ledger.record([*beside, *_recordings(changed)])
    _project(units)
    _check_seeds(units)
    shoe_seeds.store(
        [seed for uow in units for seed in uow.new_seeds],
        revealed=[shoe for uow in units for shoe in uow.revealed_shoes],
    )
    # Last, because it locks accounts until the commit: wagers in money of one wallet all move the wallet's account.
    ledger.post(entries)
    steps.end("write")
    transaction.on_commit(_committed, robust=True)


def _committed() -> None:
    steps.end("commit")


def _check_seeds(units: Sequence[UnitOfWork]) -> None:
    """Check the seeds of shoes used without reading them. Raises NextShoeUnreadable."""
    deferred = [(uow.table, shoe) for uow in units for shoe in uow.deferred_seed_checks]
    seeds = shoe_seeds.decrypt([shoe.shoe for _, shoe in deferred])
    for table, shoe in deferred:
        seed = seeds.get(shoe.shoe)
        drawing = shoe.drawing_at(table.require_opened().table)
        if seed is None or not drawing.opens(shoe.commitment, seed):
            _alert_seed_unreadable(table)
            raise NextShoeUnreadable


def _recordings(changed: Sequence[tuple[UnitOfWork, store.Metadata]]) -> list[Recording]:
    return [
        Recording(
            store.Append(
                stream=stream.stream,
                expected_version=stream.expected_version,
                events=tuple(CATALOGUE.encode(event) for event in stream.events),
                metadata=metadata,
            ),
            stream.events,
            partial(entry_for, accounts=accounts_of(uow)),
        )
        for uow, metadata in changed
        for stream in uow.changes
    ]


def accounts_of(uow: UnitOfWork) -> TableAccounts:
    """Return the ledger accounts of this table."""
    opened = uow.table.require_opened()
    return TableAccounts(operator=opened.operator, table=opened.table, currency=opened.rules.decoded.currency)


def _project(units: Sequence[UnitOfWork]) -> None:
    tables: list[Row] = []
    due_tables: list[Row] = []
    rounds: list[Row] = []
    wagers: list[Row] = []
    sittings: list[Row] = []
    for uow in units:
        if _table_changed(uow):
            tables.append(projections.table_row(uow.table, uow.table_version, uow.round, uow.round_version))
        due_row = projections.due_row(uow.table, uow.round)
        if not uow.loaded_version or due_row != projections.due_row(uow.loaded_table, uow.loaded_round):
            due_tables.append(due_row)
        for round_, _ in uow.changed_rounds.values():
            rounds.append(projections.round_row(round_, uow.table))
            wagers.extend(projections.wager_rows(round_, uow.table, since=uow.loaded_round))
        sittings.extend(projections.sitting_rows(uow.new_events(), uow.table))
    projections.save(tables, due_tables, rounds, wagers)
    projections.SITTINGS.upsert(sittings)
    _save_versions([uow for uow in units if _rules_changed(uow)])
    if any(projections.is_ready(uow.round) for uow in units):
        wakeups.wake_dealers_on_commit()


def _rules_changed(uow: UnitOfWork) -> bool:
    return uow.table.rules_lifecycle is not uow.loaded_table.rules_lifecycle or not uow.loaded_version


def _save_versions(units: Sequence[UnitOfWork]) -> None:
    """Save versions of rules. They change seldom, so they are read and written separately."""
    if not units:
        return
    versions = rules_versions.load(uow.table.require_opened().table for uow in units)
    for uow in units:
        opened = uow.table.require_opened()
        changed = rules_versions.apply_events(versions[opened.table], uow.new_events(), opened)
        rules_versions.VERSIONS.upsert(list(changed.values()))


def _table_changed(uow: UnitOfWork) -> bool:
    return (
        uow.table is not uow.loaded_table
        or uow.table_version != uow.loaded_version
        or uow.round is not uow.loaded_round
    )
