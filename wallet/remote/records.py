"""A transaction's events, entries, row and place in the queue: written together, and rebuilt from events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.events.projections import ProjectionTable, Row, read_histories, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from wallet.ledger import store as ledger
from wallet.ledger.accounts import player_account
from wallet.ledger.store import Recording
from wallet.models import RemoteTransaction
from wallet.remote import state as machine
from wallet.remote.events import Party, RemoteEvent, TransactionKind, entry_for, remote_stream
from wallet.remote.state import ENDED, RemoteState, RemoteStatus

REMOTE_EVENTS: Final = ledger.event_group(RemoteEvent, entry_for)
REMOTE: Final = ProjectionTable.of(RemoteTransaction)
ReportedBalance = tuple[Party, int]
"""A balance in minor units that a wallet told."""
LEASE_AFTER: Final = timedelta(seconds=1)
"""How long after its answer is due a debit counts as one whose process has died."""
_ENQUEUE: Final = """
    INSERT INTO wallet_remote_due (transaction_id, operator_id, due_at, since)
    SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::timestamptz[], %s::timestamptz[])
        ON CONFLICT (transaction_id) DO UPDATE
       SET due_at = excluded.due_at, since = excluded.since, attempts = 0, error = ''
"""
_DEQUEUE: Final = "DELETE FROM wallet_remote_due WHERE transaction_id = ANY (%s::uuid[])"
_DEQUEUE_ENDED: Final = """
    DELETE FROM wallet_remote_due AS due WHERE NOT EXISTS (
        SELECT FROM wallet_remote WHERE id = due.transaction_id AND status IN ('requested', 'rolling_back'))
"""
_ENQUEUE_OPEN: Final = """
    INSERT INTO wallet_remote_due (transaction_id, operator_id, due_at, since)
    SELECT id, operator_id, coalesce(answer_by + %s, clock_timestamp()), requested_at
      FROM wallet_remote WHERE status IN ('requested', 'rolling_back')
        ON CONFLICT (transaction_id) DO NOTHING
"""
_TELL: Final = """
    INSERT INTO wallet_told_balance (account_id, player_id, operator_id, currency, balance, told_at)
    SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::text[], %s::bigint[], %s::timestamptz[]) ORDER BY 1
        ON CONFLICT (account_id) DO UPDATE SET balance = excluded.balance, told_at = excluded.told_at
     WHERE wallet_told_balance.told_at < excluded.told_at
"""
# PostgreSQL runs the last part first: the row is locked before all else, as `load` does it.
_WRITE: Final = f"WITH waiting AS ({_ENQUEUE}), ended AS ({_DEQUEUE}), told AS ({_TELL}) {REMOTE.upsert_sql}"
_WAGERS: Final = """
    SELECT event.id, remote.wager_id FROM events_event event
      JOIN wallet_remote remote ON remote.id = substr(event.stream, 8)::uuid
     WHERE event.id = ANY (%s::bigint[])
"""
_LOCK: Final = "SELECT id FROM wallet_remote WHERE id = ANY (%s::uuid[]) ORDER BY id FOR UPDATE"


@dataclass(frozen=True, slots=True)
class Decided:
    """New events of a transaction after a version of its stream, and its state before them."""

    before: RemoteState | None
    version: int
    events: Sequence[RemoteEvent]
    metadata: Metadata

    @property
    def after(self) -> RemoteState:
        return machine.fold(self.events, self.before)


def write(decided: Sequence[Decided], *, now: datetime, balances: Sequence[ReportedBalance] = ()) -> None:
    """Record events of transactions with everything that follows from them, in a few statements.

    `balances` are what wallets told with it. Raises VersionConflict.
    """
    ledger.post(ledger.record(project(decided, now=now, balances=balances)))


def project(decided: Sequence[Decided], *, now: datetime, balances: Sequence[ReportedBalance] = ()) -> list[Recording]:
    """Do what `write` does but for the events, which are returned, to be recorded in the same transaction."""
    changed = [(each, each.after) for each in decided if each.events]
    if not changed:
        tell(balances, now=now)
        return []
    rows = [remote_row(state, each.version + len(each.events)) for each, state in changed]
    ended = [state.requested.transaction for _, state in changed if state.status in ENDED]
    waiting = [
        (state.requested.transaction, state.requested.party.operator, _due_at(state, now), now)
        for _, state in changed
        if state.status not in ENDED
    ]
    execute(_WRITE, [*_columns(waiting, 4), ended, *_columns(_balance_rows(balances, now), 6), REMOTE.as_json(rows)])
    return [
        REMOTE_EVENTS.recording(remote_stream(state.requested.transaction), each.version, each.events, each.metadata)
        for each, state in changed
    ]


def load(transactions: Sequence[UUID]) -> dict[UUID, tuple[RemoteState, int]]:
    """Lock transactions, and return each with its version."""
    fetch(_LOCK, [list(transactions)])
    streams = {remote_stream(each): each for each in transactions}
    histories = read_histories(REMOTE_EVENTS.registry, list(streams))
    return {streams[stream]: (machine.fold(events), len(events)) for stream, events in histories.items()}


def tell(balances: Sequence[ReportedBalance], *, now: datetime) -> None:
    """Note balances that a wallet told now."""
    if balances:
        execute(_TELL, _columns(_balance_rows(balances, now), 6))


def _balance_rows(balances: Sequence[ReportedBalance], now: datetime) -> list[tuple[object, ...]]:
    """Return a row for each account; the last balance of several counts."""
    rows = {
        player_account(
            operator=party.operator, player=party.player, money_type=MoneyType.REAL, currency=party.currency
        ).id: (party.player, party.operator, party.currency, balance, now)
        for party, balance in balances
    }
    return [(account, *row) for account, row in rows.items()]


def _columns(rows: Sequence[tuple[object, ...]], count: int) -> list[list[object]]:
    """Return so many columns of rows, of which there may be none."""
    return [[row[column] for row in rows] for column in range(count)]


def remote_row(state: RemoteState, version: int) -> Row:
    """Return the row of a transaction at a version of its stream."""
    asked = state.requested
    return REMOTE.row(
        id=asked.transaction,
        operator_id=asked.party.operator,
        player_id=asked.party.player,
        table_id=asked.party.table,
        round_id=asked.round,
        wager_id=asked.wager,
        kind=asked.kind.value,
        concerns_id=asked.concerns,
        request_id=asked.request,
        currency=asked.party.currency,
        amount=asked.amount,
        status=state.status.value,
        reference=state.reference,
        code=state.code,
        rollback_id=state.rollback,
        reason="" if state.reason is None else state.reason.value,
        found=state.found,
        answer_by=asked.answer_by,
        requested_at=asked.at,
        ended_at=state.ended_at,
        version=version,
    )


def _due_at(state: RemoteState, now: datetime) -> datetime:
    asked = state.requested
    waits = asked.kind is TransactionKind.DEBIT and state.status is RemoteStatus.REQUESTED
    return asked.answer_by + LEASE_AFTER if waits and asked.answer_by is not None else now


def _project(events: Events) -> None:
    histories = stream_histories(REMOTE_EVENTS.registry, events, "TransactionRequested")
    REMOTE.upsert([remote_row(machine.fold(history), len(history)) for history in histories])


def _repair_queue() -> None:
    execute(_DEQUEUE_ENDED)
    execute(_ENQUEUE_OPEN, [LEASE_AFTER])


PROJECTOR: Final = Projector({REMOTE.table: "id"}, _project, repair=_repair_queue, repaired=("wallet_remote_due",))
"""Derives the projection from the events, and puts the queue right."""


def wagers_of(causes: Sequence[int], _player: UUID | None) -> dict[int, UUID]:
    """Return the wagers that events of transactions are about, by the events' ids."""
    return dict(fetch(_WAGERS, [list(causes)]))
