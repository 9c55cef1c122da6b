"""Provider callbacks: verified and stored on receipt, applied once by the processor."""

import logging
import re
import time
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.kernel import strict_json
from wallet.payments import deposits, provider_messages, records, signatures, stored_messages, withdrawals
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import secrets_of
from wallet.payments.refusals import InvalidSignature, MalformedCallback, StaleTimestamp
from wallet.payments.stored_messages import ENDED, TOLD_AFTER, UNREADABLE, StoredMessage

logger = logging.getLogger(__name__)

_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{8,128}", re.ASCII)
_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


def receive(*, provider: str, subject: str, timestamp: str, nonce: str, signature: str, body: bytes) -> bool:
    """Verify and store a callback; returns whether it is new. `subject` is the method and target of its request.

    Raises UnknownProvider, InvalidSignature, StaleTimestamp, NonceReused, MalformedCallback.
    """
    keys = secrets_of(provider)
    if not (_NONCE.fullmatch(nonce) and _TIMESTAMP.fullmatch(timestamp)):
        raise InvalidSignature
    if not signatures.verify(
        keys=keys, timestamp=timestamp, nonce=nonce, subject=subject, body=body, signature=signature
    ):
        raise InvalidSignature
    if abs(time.time() - int(timestamp)) > signatures.TOLERANCE_SECONDS:
        raise StaleTimestamp
    with transaction.atomic():
        try:
            is_new = stored_messages.store(body, provider=provider, nonce=nonce)
        except strict_json.NotStrictJson as error:
            raise MalformedCallback(str(error)) from None
        records.wake_processor_on_commit()
    return is_new


def apply_waiting(*, limit: int = 200) -> int:
    """Apply stored callbacks, each in its own transaction, and return how many were tried."""
    for count in range(limit):
        if not _apply_one():
            return count
    return limit


def _apply_one() -> bool:
    with transaction.atomic():
        message = stored_messages.claim()
        if message is None:
            return False
        try:
            with transaction.atomic():
                outcome = _apply_message(message)
                stored_messages.note_outcome(message, outcome)
                if outcome not in ENDED:
                    stored_messages.tell(message, outcome)
                elif message.attempts >= TOLD_AFTER:
                    stored_messages.clear_if_done(message)
        except Exception as error:
            # Two reports with one reference, a deadlock, a damaged row: this one is retried, the others continue.
            logger.exception("Callback %s of %s could not be applied.", message.id, message.provider)
            stored_messages.retry_later(message, type(error).__name__)
    return True


def apply_again(*, provider: str, payment: UUID | None) -> list[str]:
    """Apply what is left of a payment's messages, in their order, and return why some are left, each reason once."""
    why = set()
    for message in stored_messages.left(provider=provider, payment=payment):
        outcome = _apply_message(message)
        stored_messages.note_outcome(message, outcome)
        if outcome not in ENDED:
            why.add(outcome)
    return sorted(why)


def _apply_message(message: StoredMessage) -> str:
    report = report_of(message)
    return UNREADABLE if report is None else apply(report, provider=message.provider)


def report_of(message: StoredMessage) -> ProviderReport | None:
    """Read a message, with the reason while its player is not erased; None if what it says of money is unreadable."""
    try:
        report = provider_messages.parse_report(message.money.encode())
    except ValueError:
        return None
    return replace(report, reason=provider_messages.reason_of(message.text().encode()))


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a report to its deposit or withdrawal and return the outcome."""
    if report.kind is PaymentKind.DEPOSIT:
        return deposits.apply(report, provider=provider)
    return withdrawals.apply(report, provider=provider)
