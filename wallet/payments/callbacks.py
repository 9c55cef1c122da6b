"""Callbacks: verified and stored at once, applied later and elsewhere, each once."""

import logging
import re
import time
from typing import Final

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.payments import deposits, provider_messages, signatures, wakeups, withdrawals
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
_KNOWN: Final = "SELECT body FROM wallet_providercallback WHERE provider = %s AND nonce = %s"
_CLAIM: Final = """
    SELECT id, provider, body FROM wallet_providercallback
     WHERE outcome IS NULL AND next_try_at <= clock_timestamp()
     ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_DONE: Final = "UPDATE wallet_providercallback SET outcome = %s, attempts = attempts + 1 WHERE id = %s"
_LATER: Final = """
    UPDATE wallet_providercallback
       SET attempts = attempts + 1, last_error = %s,
           next_try_at = clock_timestamp()
               + make_interval(secs => least(300, 2 * power(2, least(attempts, 10))) * (0.5 + random()))
     WHERE id = %s
"""


def receive(*, provider: str, timestamp: str, nonce: str, signature: str, body: bytes) -> bool:
    """Verify a callback and store it to be applied; says whether it is new.

    Raises UnknownProvider, InvalidSignature, StaleTimestamp, NonceReused, MalformedCallback.
    """
    keys = secrets_of(provider)
    if not (_NONCE.fullmatch(nonce) and _TIMESTAMP.fullmatch(timestamp)):
        raise InvalidSignature
    if not signatures.verify(keys=keys, timestamp=timestamp, nonce=nonce, body=body, signature=signature):
        raise InvalidSignature
    if abs(time.time() - int(timestamp)) > signatures.TOLERANCE_SECONDS:
        raise StaleTimestamp
    try:
        provider_messages.parse_report(body)
    except ValueError as trouble:
        raise MalformedCallback(str(trouble)) from None
    return _store(provider, nonce, body.decode())


def apply_waiting(*, limit: int = 200) -> int:
    """Apply stored callbacks, each in a transaction of its own, and return how many it looked at."""
    for done in range(limit):
        if not _apply_one():
            return done
    return limit


def _store(provider: str, nonce: str, body: str) -> bool:
    with transaction.atomic():
        new = bool(fetch(_STORE, [provider, nonce, body]))
        if not new and fetch(_KNOWN, [provider, nonce])[0][0] != body:
            raise NonceReused
        wakeups.on_commit()
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
        except Exception as trouble:
            # Two reports with one reference, a deadlock, a damaged row: this one waits, the others go on.
            logger.exception("Callback %s of %s could not be applied.", callback, provider)
            execute(_LATER, [type(trouble).__name__, callback])
        else:
            execute(_DONE, [outcome, callback])
    return True


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a report to the deposit or withdrawal it is about, and say what became of it."""
    if report.kind is PaymentKind.DEPOSIT:
        return deposits.apply(report, provider=provider)
    return withdrawals.apply(report, provider=provider)
