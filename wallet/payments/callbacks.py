"""Provider callbacks: verified and stored on receipt, applied once by the processor.

Answers that cannot be applied are stored beside them.
"""

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import execute, fetch
from casino.kernel import strict_json
from casino.significant import recorder
from wallet.payments import deposits, provider_messages, records, signatures, withdrawals
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import secrets_of
from wallet.payments.refusals import InvalidSignature, MalformedCallback, NonceReused, StaleTimestamp

logger = logging.getLogger(__name__)

TOLD_AFTER: Final = 10
"""Tries, some twenty minutes, after which a message that fails here is told; it is tried on."""
UNREADABLE: Final = "unreadable"
CLOSED: Final = "closed"
"""Outcome of a message whose discrepancy was resolved: it is never applied."""
ENDED: Final = frozenset({deposits.APPLIED, deposits.NO_CHANGE, CLOSED})
"""Outcomes that leave nothing to do; any other one is told to staff."""
_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{8,128}", re.ASCII)
_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_STORE: Final = """
    INSERT INTO wallet_providercallback (provider, nonce, payment_id, body) VALUES (%s, %s, %s, %s)
    ON CONFLICT (provider, nonce) DO NOTHING RETURNING id
"""
_KEEP: Final = """
    INSERT INTO wallet_providercallback (provider, nonce, payment_id, body, outcome, attempts)
    VALUES (%s, %s, %s, %s, %s, 1) ON CONFLICT (provider, nonce) DO NOTHING RETURNING id
"""
_LEFT: Final = """
    SELECT id, body FROM wallet_providercallback
     WHERE provider = %s AND payment_id = %s AND (outcome IS NULL OR outcome <> ALL (%s)) ORDER BY id FOR UPDATE
"""
_CLOSE: Final = """
    UPDATE wallet_providercallback SET outcome = %s
     WHERE provider = %s AND payment_id = %s AND outcome <> ALL (%s)
"""
_STORED_BODY: Final = "SELECT body FROM wallet_providercallback WHERE provider = %s AND nonce = %s"
_CLAIM: Final = """
    SELECT id, provider, payment_id, body, attempts FROM wallet_providercallback
     WHERE outcome IS NULL AND next_try_at <= clock_timestamp()
     ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_OPERATOR: Final = """
    SELECT operator_id FROM wallet_deposit WHERE id = %s AND provider = %s
     UNION ALL SELECT operator_id FROM wallet_withdrawal WHERE id = %s AND provider = %s
"""
_MARK_DONE: Final = "UPDATE wallet_providercallback SET outcome = %s, attempts = attempts + 1 WHERE id = %s"
_RETRY_LATER: Final = """
    UPDATE wallet_providercallback
       SET attempts = attempts + 1, last_error = %s,
           next_try_at = clock_timestamp()
               + make_interval(secs => least(300, 2 * power(2, least(attempts, 10))) * (0.5 + random()))
     WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class Unapplied:
    """A signed message about an operator's payment that could not be applied; without a report, it is unreadable."""

    operator: UUID
    provider: str
    payment: UUID
    report: ProviderReport | None


_desks: Final[list[Callable[[Unapplied], None]]] = []


def register_desk(desk: Callable[[Unapplied], None]) -> None:
    """Let an upper layer show staff what could not be applied, in the transaction that tells of it."""
    _desks.append(desk)


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
        payment = provider_messages.payment_of(body)
    except strict_json.NotStrictJson as error:
        raise MalformedCallback(str(error)) from None
    return _store(provider, nonce, payment, body.decode())


def keep_answer(body: bytes, *, provider: str, payment: UUID, outcome: str) -> None:
    """Store an answer that the provider signed and that cannot be applied, once however often it comes."""
    text = body.decode(errors="replace").replace("\0", "\ufffd")
    nonce = f"answer:{payment}:{sha256(body).hexdigest()}"  # no callback has one with colons
    with transaction.atomic():
        for (row,) in fetch(_KEEP, [provider, nonce, payment, text, outcome]):
            _show(_tell(row, provider, payment, text, outcome), provider, payment, text)


def apply_waiting(*, limit: int = 200) -> int:
    """Apply stored callbacks, each in its own transaction, and return how many were tried."""
    for count in range(limit):
        if not _apply_one():
            return count
    return limit


def _store(provider: str, nonce: str, payment: UUID | None, body: str) -> bool:
    with transaction.atomic():
        new = bool(fetch(_STORE, [provider, nonce, payment, body]))
        if not new and fetch(_STORED_BODY, [provider, nonce])[0][0] != body:
            raise NonceReused
        records.wake_processor_on_commit()
    return new


def _apply_one() -> bool:
    with transaction.atomic():
        rows = fetch(_CLAIM)
        if not rows:
            return False
        callback, provider, payment, body, attempts = rows[0]
        try:
            with transaction.atomic():
                outcome = _apply_body(body.encode(), provider=provider)
                execute(_MARK_DONE, [outcome, callback])
                if outcome not in ENDED:
                    _show(_tell(callback, provider, payment, body, outcome), provider, payment, body)
        except Exception as error:
            # Two reports with one reference, a deadlock, a damaged row: this one is retried, the others continue.
            logger.exception("Callback %s of %s could not be applied.", callback, provider)
            execute(_RETRY_LATER, [type(error).__name__, callback])
            if attempts + 1 == TOLD_AFTER:
                _tell(callback, provider, payment, body, type(error).__name__)
    return True


def apply_again(*, provider: str, payment: UUID) -> list[str]:
    """Apply what is left of a payment's messages, in their order, and return why some are left, each reason once."""
    left = set()
    for callback, body in fetch(_LEFT, [provider, payment, list(ENDED)]):
        outcome = _apply_body(body.encode(), provider=provider)
        execute(_MARK_DONE, [outcome, callback])
        if outcome not in ENDED:
            left.add(outcome)
    return sorted(left)


def close(*, provider: str, payment: UUID) -> None:
    """Close what was tried and is left of a payment's messages; one that was not tried yet stays."""
    execute(_CLOSE, [CLOSED, provider, payment, list(ENDED)])


def _apply_body(body: bytes, *, provider: str) -> str:
    report = _read(body)
    return UNREADABLE if report is None else apply(report, provider=provider)


def _tell(callback: int, provider: str, payment: UUID | None, body: str, outcome: str) -> UUID | None:
    """Tell staff of a message that was signed and is not applied, the same one once; return whose payment it is of."""
    operator: UUID | None = next((row[0] for row in fetch(_OPERATOR, 2 * [payment, provider])), None)
    recorder.record(
        kind=recorder.SignificantEventKind.PAYMENT_UNAPPLIED,
        operator=operator,
        subject=f"payment:{payment or 'unknown'}",
        actor=f"provider:{provider}",
        reason=f"Message {callback} is signed and not applied: {outcome}.",
        dedup_key=f"payment_unapplied:{provider}:{outcome}:{sha256(body.encode()).hexdigest()}",
    )
    return operator


def _show(operator: UUID | None, provider: str, payment: UUID | None, body: str) -> None:
    if operator is not None and payment is not None:
        message = Unapplied(operator, provider, payment, _read(body.encode()))
        for desk in _desks:
            desk(message)


def _read(body: bytes) -> ProviderReport | None:
    try:
        return provider_messages.parse_report(body)
    except ValueError:
        return None


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a report to its deposit or withdrawal and return the outcome."""
    if report.kind is PaymentKind.DEPOSIT:
        return deposits.apply(report, provider=provider)
    return withdrawals.apply(report, provider=provider)
