"""Signed messages of providers that could not be applied: each payment has one discrepancy of a day for them."""

import logging
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import transaction

from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from wallet.models import Discrepancy
from wallet.payments import callbacks, stored_messages
from wallet.payments.stored_messages import StoredMessage
from wallet.reconciliation import queries, services, sources
from wallet.reconciliation import state as lifecycle
from wallet.reconciliation.comparison import OurPayment
from wallet.reconciliation.events import (
    DiscrepancyDetected,
    discrepancy_id,
    discrepancy_stream,
    run_id,
)
from wallet.reconciliation.records import DISCREPANCIES, RECONCILIATION_EVENTS, discrepancy_row
from wallet.reconciliation.refusals import DiscrepancyClosed, MessageNotApplicable, UnknownDiscrepancy
from wallet.reconciliation.services import MESSAGE
from wallet.reconciliation.state import CLOSED, DiscrepancyStatus
from wallet.remote import unapplied
from wallet.remote.statements import PROVIDER

logger = logging.getLogger(__name__)


class _Discrepancies:
    """Shows a message as the discrepancy of its payment."""

    def show(self, message: StoredMessage) -> None:
        open_for(message)

    def clear(self, provider: str, payment: UUID) -> None:
        shown = Discrepancy.objects.filter(payment=str(payment), provider=provider, type=MESSAGE)
        for row in shown.exclude(status__in=CLOSED):
            metadata = Metadata(operator=str(row.operator_id or ""), actor=f"provider:{provider}", causation="")
            services.change(row.pk, row.operator_id, metadata, lambda state, at: lifecycle.record_cleared(state, at=at))


def register() -> None:
    stored_messages.register_desk(_Discrepancies())


def open_for(message: StoredMessage) -> None:
    """Open the discrepancy of a message, or again if it is closed, in the transaction that could not apply it."""
    at, report, ours = database_now(), callbacks.report_of(message), _our_payment(message)
    currency = ours.currency if ours is not None else "" if report is None else report.currency
    payment, kind = str(message.payment or ""), None if ours is None else ours.kind.value
    houses = Operator.objects.filter(pk__in=[message.operator] if message.operator else [])
    zone = houses.values_list("time_zone", flat=True).first()
    day = at.astimezone(ZoneInfo(zone or "UTC")).date()
    run = run_id(operator=message.operator, provider=message.provider, currency=currency, day=day)
    detected = DiscrepancyDetected(
        discrepancy=discrepancy_id(run=run, kind=kind, payment=payment, discrepancy_type=MESSAGE),
        run=run,
        operator=message.operator,
        provider=message.provider,
        currency=currency,
        day=day,
        kind=kind,
        payment=payment,
        reference=report.reference if report is not None else "" if ours is None else ours.reference,
        type=MESSAGE,
        our_amount=None if ours is None else ours.amount,
        our_status=None if ours is None else ours.status,
        their_amount=None if report is None else report.amount,
        their_currency=None if report is None else report.currency,
        their_status=None if report is None else report.status.value,
        at=at,
    )
    services.lock_run(run)
    history = RECONCILIATION_EVENTS.history(discrepancy_stream(detected.discrepancy))
    state = lifecycle.fold(history) if history else None
    is_closed = state is not None and state.status in CLOSED
    events = (detected,) if is_closed else lifecycle.record_discrepancy(state, detected)
    if events:
        metadata = Metadata(operator=str(message.operator or ""), actor=f"provider:{message.provider}", causation="")
        stream = discrepancy_stream(detected.discrepancy)
        RECONCILIATION_EVENTS.record(stream, version=len(history), events=events, metadata=metadata)
        DISCREPANCIES.upsert([discrepancy_row(lifecycle.fold(events, state), len(history) + len(events))])


def _our_payment(message: StoredMessage) -> OurPayment | None:
    if message.operator is None or message.payment is None:
        return None
    found = sources.our_payments(message.operator, message.provider, [str(message.payment)])
    return found[0] if found else None


def apply_again(discrepancy: UUID, *, operator: UUID | None, metadata: Metadata) -> list[str]:
    """Apply what is left of a payment's messages; return why some are left, and clear the discrepancy if none is.

    Raises UnknownDiscrepancy, also for one that is not of messages, DiscrepancyClosed, and MessageNotApplicable for
    whatever fails here, with nothing changed.
    """
    row = queries.find(operator=operator, discrepancy=discrepancy)
    if row.type != MESSAGE:
        raise UnknownDiscrepancy
    if row.status == DiscrepancyStatus.RESOLVED:
        raise DiscrepancyClosed("The discrepancy is resolved.", current_status=row.status)
    try:
        with transaction.atomic():
            return _apply_again(row, metadata)
    except Refusal:
        raise
    except Exception as error:
        logger.exception("The messages of discrepancy %s could not be applied again.", discrepancy)
        raise MessageNotApplicable(f"{type(error).__name__}: nothing was changed.") from error


def _apply_again(row: Discrepancy, metadata: Metadata) -> list[str]:
    # First the payment's lock, then the run's: so does who could not apply a message.
    payment = services.payment_of(row.payment)
    if row.provider == PROVIDER and payment is not None:
        left = unapplied.apply_again(payment, metadata=metadata)
    else:
        left = callbacks.apply_again(provider=row.provider, payment=payment)
    if not left:
        services.change(row.pk, row.operator_id, metadata, lambda state, at: lifecycle.record_cleared(state, at=at))
    return left
