"""A payment's events, entries, row and place in the processor's queue: written together, and rebuilt from events."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events import wakeups
from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import database_now, execute
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, player_account
from wallet.ledger.store import event_group
from wallet.models import Deposit, Hold, Withdrawal
from wallet.payments import deposit_state, hold_state, withdrawal_state
from wallet.payments.deposit_state import DepositState, DepositStatus
from wallet.payments.events import DepositEvent, HoldEvent, PaymentEvent, WithdrawalEvent, stream_of
from wallet.payments.hold_state import HoldState
from wallet.payments.postings import entry_for
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.withdrawal_state import WithdrawalState, WithdrawalStatus

logger = logging.getLogger(__name__)

PROCESS_JOB: Final = "process-payments"
"""In settings.CELERY_BEAT_SCHEDULE."""
PAYMENT_EVENTS: Final = event_group(PaymentEvent, entry_for)
DEPOSITS: Final = ProjectionTable.of(Deposit)
WITHDRAWALS: Final = ProjectionTable.of(Withdrawal)
HOLDS: Final = ProjectionTable.of(Hold)
_PENDING_DEPOSITS: Final = frozenset({DepositStatus.PENDING})
_PENDING_WITHDRAWALS: Final = frozenset({WithdrawalStatus.APPROVED, WithdrawalStatus.SENT})
_ENQUEUE: Final = """
    INSERT INTO wallet_payment_due (payment_id, kind) VALUES (%s, %s) ON CONFLICT (payment_id) DO NOTHING
"""
_DEQUEUE: Final = "DELETE FROM wallet_payment_due WHERE payment_id = %s"
_DEQUEUE_ENDED: Final = """
    DELETE FROM wallet_payment_due
     WHERE payment_id NOT IN (SELECT id FROM wallet_deposit WHERE status = 'pending'
                              UNION ALL SELECT id FROM wallet_withdrawal WHERE status IN ('approved', 'sent'))
"""
_ENQUEUE_PENDING: Final = """
    INSERT INTO wallet_payment_due (payment_id, kind)
    SELECT id, 'deposit' FROM wallet_deposit WHERE status = 'pending'
    UNION ALL SELECT id, 'payout' FROM wallet_withdrawal WHERE status IN ('approved', 'sent')
    ON CONFLICT (payment_id) DO NOTHING
"""


def lock_account(*, operator: UUID, player: UUID, currency: str) -> tuple[AccountName, datetime]:
    """Lock a player's real account until the transaction ends; returns its name and the time.

    Only the holder of this lock writes the player's payments, so that every report counts once.
    """
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    store.lock((account,))
    return account, database_now()


def write_deposit(
    before: DepositState | None, *, version: int, events: Sequence[DepositEvent], metadata: Metadata
) -> DepositState:
    """Record events of a deposit after `version` of its stream, with everything that follows from them."""
    state = deposit_state.fold(events, before)
    PAYMENT_EVENTS.record(stream_of(events[0]), version=version, events=events, metadata=metadata)
    DEPOSITS.upsert([deposit_row(state, version + len(events))])
    _queue(state.requested.deposit, PaymentKind.DEPOSIT, pending=state.status in _PENDING_DEPOSITS)
    return state


def write_withdrawal(
    before: WithdrawalState | None, *, version: int, events: Sequence[WithdrawalEvent], metadata: Metadata
) -> WithdrawalState:
    """Record events of a withdrawal after `version` of its stream, with everything that follows from them."""
    state = withdrawal_state.fold(events, before)
    PAYMENT_EVENTS.record(stream_of(events[0]), version=version, events=events, metadata=metadata)
    WITHDRAWALS.upsert([withdrawal_row(state, version + len(events))])
    _queue(state.requested.withdrawal, PaymentKind.PAYOUT, pending=state.status in _PENDING_WITHDRAWALS)
    return state


def write_hold(before: HoldState | None, *, version: int, events: Sequence[HoldEvent], metadata: Metadata) -> HoldState:
    """Record events of a hold after `version` of its stream, and its row."""
    state = hold_state.fold(events, before)
    PAYMENT_EVENTS.record(stream_of(events[0]), version=version, events=events, metadata=metadata)
    HOLDS.upsert([hold_row(state, version + len(events))])
    return state


def wake_processor_on_commit() -> None:
    """Make the processor's job due when the transaction commits. A lost wake-up delays a payment by two seconds."""
    wakeups.wake_on_commit(PROCESS_JOB)


def system_metadata(operator: UUID, actor: str) -> Metadata:
    """Return the metadata of events that no request led to."""
    return Metadata(operator=str(operator), actor=actor, causation="", correlation="")


def deposit_row(state: DepositState, version: int) -> Row:
    """Return the row of a deposit at a version of its stream."""
    requested = state.requested
    return DEPOSITS.row(
        id=requested.deposit,
        operator_id=requested.operator,
        player_id=requested.player,
        method_id=requested.method,
        method_version=requested.method_version,
        provider=requested.provider,
        currency=requested.currency,
        amount=requested.amount,
        fee=requested.fee,
        status=state.status.value,
        reference=state.reference,
        reason=state.reason,
        debt_created=state.debt_created,
        requested_at=requested.at,
        ended_at=state.ended_at,
        version=version,
    )


def withdrawal_row(state: WithdrawalState, version: int) -> Row:
    """Return the row of a withdrawal at a version of its stream."""
    requested = state.requested
    return WITHDRAWALS.row(
        id=requested.withdrawal,
        operator_id=requested.operator,
        player_id=requested.player,
        method_id=requested.method,
        method_version=requested.method_version,
        provider=requested.provider,
        currency=requested.currency,
        amount=requested.amount,
        fee=requested.fee,
        approvals_required=requested.approvals_required,
        approved_by=",".join(state.approved_by),
        rejected_by=state.rejected_by,
        owner=state.owner,
        note=state.note,
        status=state.status.value,
        reference=state.reference,
        reason=state.reason,
        requested_at=requested.at,
        ended_at=state.ended_at,
        version=version,
    )


def hold_row(state: HoldState, version: int) -> Row:
    """Return the row of a hold at a version of its stream."""
    placed = state.placed
    return HOLDS.row(
        id=placed.hold,
        operator_id=placed.operator,
        player_id=placed.player,
        withdrawal_id=placed.withdrawal,
        currency=placed.currency,
        amount=placed.amount,
        causes=",".join(state.causes),
        status=state.status.value,
        owner=state.owner,
        told=state.told,
        tell_at=state.tell_at,
        due_at=placed.due_at,
        decided_by=",".join(state.decided_by),
        reason=state.reason,
        placed_at=placed.at,
        ended_at=state.ended_at,
        version=version,
    )


def _project(events: Events) -> None:
    requested = stream_histories(PAYMENT_EVENTS.registry, events, "DepositRequested")
    DEPOSITS.upsert([deposit_row(deposit_state.fold(history), len(history)) for history in requested])
    requested = stream_histories(PAYMENT_EVENTS.registry, events, "WithdrawalRequested")
    WITHDRAWALS.upsert([withdrawal_row(withdrawal_state.fold(history), len(history)) for history in requested])
    placed = stream_histories(PAYMENT_EVENTS.registry, events, "HoldPlaced")
    HOLDS.upsert([hold_row(hold_state.fold(history), len(history)) for history in placed])


def _repair_queue() -> None:
    execute(_DEQUEUE_ENDED)
    execute(_ENQUEUE_PENDING)


PROJECTOR: Final = Projector(
    {DEPOSITS.table: "id", WITHDRAWALS.table: "id", HOLDS.table: "id"},
    _project,
    repair=_repair_queue,
    repaired=("wallet_payment_due",),
)
"""Derives the three projections from the events, and puts the queue right."""


def _queue(payment: UUID, kind: PaymentKind, *, pending: bool) -> None:
    if pending:
        execute(_ENQUEUE, [payment, kind.value])
    else:
        execute(_DEQUEUE, [payment])
