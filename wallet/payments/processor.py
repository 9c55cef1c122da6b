"""Process payments: start new ones at the provider and poll those without a report.

A payment is leased by moving its next try into the future before the provider is called, outside of any transaction.
The lease of a worker that dies expires; the provider starts a payment once, however often it is asked to.
"""

import logging
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.outbox import Claim, Outbox, doubling
from casino.events.sql import database_now, fetch
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments import callbacks, debts, deposits, provider_messages, stored_messages, withdrawals
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import (
    AnswerNotUnderstood,
    PaymentProvider,
    PaymentRefused,
    ProviderUnavailable,
    UnknownPayment,
    provider,
)
from wallet.payments.refusals import UnknownProvider
from wallet.payments.stored_messages import ENDED, UNREADABLE

logger = logging.getLogger(__name__)

BATCH: Final = 20
_GAPS: Final = doubling(4.0, 300.0)
PAYMENTS: Final = Outbox("wallet_payment_due", key="payment_id", gaps=_GAPS, leases=_GAPS)
_LEASED: Final = """
    SELECT payment.id, due.kind, payment.provider, payment.amount, payment.currency, payment.started,
           payment.operator_id::text
      FROM wallet_payment_due due
      JOIN (SELECT id, provider, amount, currency, reference IS NOT NULL AS started, operator_id FROM wallet_deposit
            UNION ALL
            SELECT id, provider, amount - fee, currency, status = 'sent', operator_id FROM wallet_withdrawal) payment
        ON payment.id = due.payment_id
     WHERE due.payment_id = ANY (%s::uuid[]) ORDER BY due.payment_id
"""


@dataclass(frozen=True, slots=True)
class DuePayment:
    """A leased payment; `started` is true once the provider may have been asked to start it."""

    claim: Claim
    payment: UUID
    kind: PaymentKind
    provider: str
    amount: int
    currency: str
    started: bool
    account: str


def process_payments() -> int:
    """Apply stored callbacks, poll due payments and collect debts; returns how many items were processed."""
    applied = callbacks.apply_waiting()
    polled = poll_due_payments()
    return applied + polled + debts.collect_due()


def poll_due_payments(*, limit: int = BATCH) -> int:
    """Poll providers about due payments and apply their reports; returns how many were due.

    A provider that does not answer is skipped for the rest of the pass, so that others do not wait for it.
    """
    unavailable: set[str] = set()
    leased = _lease(limit)
    for due in leased:
        if due.provider in unavailable:
            continue
        try:
            _record_error(due, _process(due))
        except ProviderUnavailable as error:
            unavailable.add(due.provider)
            logger.info("Provider %s gave no answer about %s: %s", due.provider, due.payment, error)
            _record_error(due, f"no answer: {error}"[:200])
        except Exception as error:
            # Two payments with one reference, a deadlock, a damaged row: it is due again later, the others continue.
            logger.exception("The %s %s could not be processed.", due.kind, due.payment)
            _record_error(due, f"failed here: {type(error).__name__}")
    return len(leased)


def _lease(limit: int) -> list[DuePayment]:
    claims = {claim.key: claim for claim in PAYMENTS.claim(database_now(), limit=limit)}
    rows = fetch(_LEASED, [list(claims)]) if claims else []
    return [DuePayment(claims[row[0]], row[0], PaymentKind(row[1]), *row[2:]) for row in rows]


def _process(due: DuePayment) -> str:
    """Call the provider and apply its answer; returns an error code, or an empty string."""
    try:
        adapter = provider(due.provider)
        if not due.started and not _may_start(due):
            return ""
        report = _status_or_start(due, adapter)
    except (UnknownProvider, DebtOutstanding) as refusal:
        return refusal.code
    except PaymentRefused as error:
        refuse = deposits.record_refusal if due.kind is PaymentKind.DEPOSIT else withdrawals.record_refusal
        refuse(due.payment, provider=due.provider, reason=str(error)[:200])
        return ""
    except AnswerNotUnderstood as error:
        stored_messages.keep_answer(error.body, provider=due.provider, payment=due.payment, outcome=UNREADABLE)
        return UNREADABLE
    outcome = callbacks.apply(report, provider=due.provider)
    if outcome in ENDED:
        return ""
    answer = provider_messages.encode_report(report)
    stored_messages.keep_answer(answer, provider=due.provider, payment=due.payment, outcome=outcome)
    return outcome


def _may_start(due: DuePayment) -> bool:
    """Return whether the provider may be asked to start; a payout is committed as sent first."""
    if due.kind is PaymentKind.DEPOSIT:
        return True
    with transaction.atomic(durable=True):
        return withdrawals.send(due.payment)


def _status_or_start(due: DuePayment, adapter: PaymentProvider) -> ProviderReport:
    """Return the payment's status; start it if it was not started or the provider does not know it."""
    if due.started:
        try:
            return adapter.status(kind=due.kind, payment=due.payment)
        except UnknownPayment:
            logger.info("Provider %s does not know the %s %s.", due.provider, due.kind, due.payment)
    start = adapter.start_deposit if due.kind is PaymentKind.DEPOSIT else adapter.start_payout
    return start(payment=due.payment, amount=due.amount, currency=due.currency, account=due.account)


def _record_error(due: DuePayment, error: str) -> None:
    if error or due.claim.attempt > 1:
        PAYMENTS.failed({due.claim: error}, database_now())
