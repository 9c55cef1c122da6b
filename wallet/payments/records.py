"""A payment's events, entries, row and place in the queue: written together, in the caller's transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.events.sql import execute, fetch
from casino.events.store import Append, Metadata, append, read
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, player_account
from wallet.ledger.event_registry import CATALOGUE
from wallet.ledger.postings import entry_for
from wallet.payments import deposit_state, withdrawal_state
from wallet.payments.deposit_state import DepositState, DepositStatus
from wallet.payments.events import PaymentEvent, stream_of
from wallet.payments.projections import DEPOSITS, WITHDRAWALS, deposit_row, upsert_rows, withdrawal_row
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.withdrawal_state import WithdrawalState, WithdrawalStatus

_WAITING_DEPOSITS: Final = frozenset({DepositStatus.PENDING})
_WAITING_WITHDRAWALS: Final = frozenset({WithdrawalStatus.APPROVED, WithdrawalStatus.SENT})
_DUE: Final = """
    INSERT INTO wallet_payment_due (payment_id, kind) VALUES (%s, %s) ON CONFLICT (payment_id) DO NOTHING
"""
_DONE: Final = "DELETE FROM wallet_payment_due WHERE payment_id = %s"


def lock_account(*, operator: UUID, player: UUID, currency: str) -> tuple[AccountName, datetime]:
    """Lock a player's real account until the transaction ends; returns its name and the time.

    Whoever holds it alone may write the player's payments: that is what makes every report count once.
    """
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    store.lock((account,))
    at: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return account, at


def events_of(stream: str) -> list[Any]:
    """Read the events of one payment, in order."""
    return [CATALOGUE.decode(event.type, event.schema, event.data) for event in read(stream)]


def write_deposit(
    before: DepositState | None, *, version: int, events: Sequence[Any], metadata: Metadata
) -> DepositState:
    """Record what happened to a deposit after `version` of its stream, with all that follows from it."""
    state = deposit_state.fold(events) if before is None else _evolved(deposit_state.evolve, before, events)
    _write(events, version=version, metadata=metadata)
    upsert_rows(DEPOSITS, [deposit_row(state, version + len(events))])
    _queue(state.requested.deposit, PaymentKind.DEPOSIT, waits=state.status in _WAITING_DEPOSITS)
    return state


def write_withdrawal(
    before: WithdrawalState | None, *, version: int, events: Sequence[Any], metadata: Metadata
) -> WithdrawalState:
    """Record what happened to a withdrawal after `version` of its stream, with all that follows from it."""
    state = withdrawal_state.fold(events) if before is None else _evolved(withdrawal_state.evolve, before, events)
    _write(events, version=version, metadata=metadata)
    upsert_rows(WITHDRAWALS, [withdrawal_row(state, version + len(events))])
    _queue(state.requested.withdrawal, PaymentKind.PAYOUT, waits=state.status in _WAITING_WITHDRAWALS)
    return state


def system_metadata(operator: UUID, actor: str) -> Metadata:
    """Build what events remember when no request led to them."""
    return Metadata(operator=str(operator), actor=actor, causation="", correlation="")


def _evolved(evolve: Any, state: Any, events: Iterable[Any]) -> Any:
    for event in events:
        state = evolve(state, event)
    return state


def _write(events: Sequence[PaymentEvent], *, version: int, metadata: Metadata) -> None:
    drafts = tuple(CATALOGUE.encode(event) for event in events)
    (causes,) = append([Append(stream_of(events[0]), version, drafts, metadata)])
    entries = [entry_for(event, cause) for event, cause in zip(events, causes, strict=True)]
    store.post([entry for entry in entries if entry is not None])


def _queue(payment: UUID, kind: PaymentKind, *, waits: bool) -> None:
    if waits:
        execute(_DUE, [payment, kind.value])
    else:
        execute(_DONE, [payment])
