"""Move payments on without waiting to be told: start what was not started, ask about what nobody told us.

Each payment is leased by moving its next try into the future before the provider is asked, outside of any transaction.
Whoever dies on the way leaves a lease that runs out; the provider starts the same payment once, however often asked.
"""

import logging
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments import callbacks, debts, deposits, withdrawals
from wallet.payments.provider import PaymentNotFound, PaymentProvider, PaymentRefused, ProviderUnavailable
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import provider
from wallet.payments.refusals import UnknownProvider

logger = logging.getLogger(__name__)

BATCH: Final = 20
_LEASE: Final = """
    UPDATE wallet_payment_due
       SET attempts = attempts + 1,
           next_try_at = clock_timestamp()
               + make_interval(secs => least(300, 4 * power(2, least(attempts, 10))) * (0.75 + 0.5 * random()))
     WHERE payment_id IN (
           SELECT payment_id FROM wallet_payment_due
            WHERE next_try_at <= clock_timestamp() ORDER BY next_try_at LIMIT %s FOR UPDATE SKIP LOCKED)
    RETURNING payment_id
"""
_LEASED: Final = """
    SELECT payment.id, due.kind, payment.provider, payment.amount, payment.currency, payment.started, due.attempts,
           payment.operator_id::text
      FROM wallet_payment_due due
      JOIN (SELECT id, provider, amount, currency, reference IS NOT NULL AS started, operator_id FROM wallet_deposit
            UNION ALL
            SELECT id, provider, amount - fee, currency, status = 'sent', operator_id FROM wallet_withdrawal) payment
        ON payment.id = due.payment_id
     WHERE due.payment_id = ANY (%s::uuid[]) ORDER BY due.payment_id
"""
_NOTE_ERROR: Final = "UPDATE wallet_payment_due SET last_error = %s WHERE payment_id = %s"


@dataclass(frozen=True, slots=True)
class DuePayment:
    """A leased payment; `started` says that the provider has, or may have, been asked before."""

    payment: UUID
    kind: PaymentKind
    provider: str
    amount: int
    currency: str
    started: bool
    attempts: int
    account: str


def process_payments() -> int:
    """Apply stored callbacks, ask about payments that are due, collect debts; returns how much there was."""
    applied = callbacks.apply_waiting()
    asked = poll_due_payments()
    return applied + asked + debts.collect_due()


def poll_due_payments(*, limit: int = BATCH) -> int:
    """Ask providers about payments that are due and apply what they say; returns how many were due.

    A provider that does not answer is left alone for the rest of the pass: others do not wait for it.
    """
    away: set[str] = set()
    leased = _lease(limit)
    for due in leased:
        if due.provider in away:
            continue
        try:
            _note(due, _ask(due))
        except ProviderUnavailable as trouble:
            away.add(due.provider)
            logger.info("Provider %s gives no answer about %s: %s", due.provider, due.payment, trouble)
            _note(due, f"no answer: {trouble}"[:200])
        except Exception as trouble:
            # Two payments with one reference, a deadlock, a damaged row: it is due again later, the others go on.
            logger.exception("The %s %s could not be moved on.", due.kind, due.payment)
            _note(due, f"failed here: {type(trouble).__name__}")
    return len(leased)


def _lease(limit: int) -> list[DuePayment]:
    ids = [row[0] for row in fetch(_LEASE, [limit])]
    return [DuePayment(row[0], PaymentKind(row[1]), *row[2:]) for row in fetch(_LEASED, [ids])] if ids else []


def _ask(due: DuePayment) -> str:
    """Asks the provider and applies the answer; returns what is left to say, nothing where all is well."""
    try:
        adapter = provider(due.provider)
        if not due.started and not _may_start(due):
            return ""
        report = _report(due, adapter)
    except (UnknownProvider, DebtOutstanding) as refusal:
        return refusal.code
    except PaymentRefused as trouble:
        refuse = deposits.record_refusal if due.kind is PaymentKind.DEPOSIT else withdrawals.record_refusal
        refuse(due.payment, provider=due.provider, reason=str(trouble)[:200])
        return ""
    outcome = callbacks.apply(report, provider=due.provider)
    return "" if outcome in {deposits.APPLIED, deposits.NO_CHANGE} else outcome


def _may_start(due: DuePayment) -> bool:
    """Whether the provider may be asked to begin; that it is asked to pay out is committed before it is asked."""
    if due.kind is PaymentKind.DEPOSIT:
        return True
    with transaction.atomic(durable=True):
        return withdrawals.send(due.payment)


def _report(due: DuePayment, adapter: PaymentProvider) -> ProviderReport:
    """The payment's status where it was started; it is started, or started again, where the provider has none."""
    if due.started:
        try:
            return adapter.status(kind=due.kind, payment=due.payment)
        except PaymentNotFound:
            logger.info("Provider %s knows of no %s %s.", due.provider, due.kind, due.payment)
    start = adapter.start_deposit if due.kind is PaymentKind.DEPOSIT else adapter.start_payout
    return start(payment=due.payment, amount=due.amount, currency=due.currency, account=due.account)


def _note(due: DuePayment, trouble: str) -> None:
    if trouble or due.attempts > 1:
        execute(_NOTE_ERROR, [trouble, due.payment])
