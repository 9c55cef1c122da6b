"""Provider callbacks: verified and stored on receipt, applied once by the processor."""

import logging
import re
import time
from typing import Final

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.payments import deposits, provider_messages, records, signatures, withdrawals
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import secrets_of
from wallet.payments.refusals import InvalidSignature, MalformedCallback, NonceReused, StaleTimestamp

logger = logging.getLogger(__name__)

_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{8,128}", re.ASCII)
_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_STORE: Final = """
    INSERT INTO wallet_providercallback (provider, nonce, body) VALUES (%s, %s, %s)
    ON CONFLICT (provider, nonce) DO NOTHING RETURNING id
"""
_STORED_BODY: Final = "SELECT body FROM wallet_providercallback WHERE provider = %s AND nonce = %s"
_CLAIM: Final = """
    SELECT id, provider, body FROM wallet_providercallback
     WHERE outcome IS NULL AND next_try_at <= clock_timestamp()
     ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_MARK_DONE: Final = "UPDATE wallet_providercallback SET outcome = %s, attempts = attempts + 1 WHERE id = %s"
_RETRY_LATER: Final = """
    UPDATE wallet_providercallback
       SET attempts = attempts + 1, last_error = %s,
           next_try_at = clock_timestamp()
               + make_interval(secs => least(300, 2 * power(2, least(attempts, 10))) * (0.5 + random()))
     WHERE id = %s
"""


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
    try:
        provider_messages.parse_report(body)
    except ValueError as error:
        raise MalformedCallback(str(error)) from None
    return _store(provider, nonce, body.decode())


def apply_waiting(*, limit: int = 200) -> int:
    """Apply stored callbacks, each in its own transaction, and return how many were tried."""
    for count in range(limit):
        if not _apply_one():
            return count
    return limit


def _store(provider: str, nonce: str, body: str) -> bool:
    with transaction.atomic():
        new = bool(fetch(_STORE, [provider, nonce, body]))
        if not new and fetch(_STORED_BODY, [provider, nonce])[0][0] != body:
            raise NonceReused
        records.wake_processor_on_commit()
    return new


def _apply_one() -> bool:
    with transaction.atomic():
        rows = fetch(_CLAIM)
        if not rows:
            return False
        callback, provider, body = rows[0]
        try:
            with transaction.atomic():
                outcome = apply(provider_messages.parse_report(body), provider=provider)
        except Exception as error:
            # Two reports with one reference, a deadlock, a damaged row: this one is retried, the others continue.
            logger.exception("Callback %s of %s could not be applied.", callback, provider)
            execute(_RETRY_LATER, [type(error).__name__, callback])
        else:
            execute(_MARK_DONE, [outcome, callback])
    return True


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a report to its deposit or withdrawal and return the outcome."""
    if report.kind is PaymentKind.DEPOSIT:
        return deposits.apply(report, provider=provider)
    return withdrawals.apply(report, provider=provider)
