"""Partners' signed messages about money: stored as received, told and shown to staff while they are not applied.

What a message says of money is in the clear; the whole is encrypted under the key of the player whose payment it is
about, or under nobody's where the payment is unknown. An erased player's message keeps what it says of money alone.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch
from casino.kernel import strict_json
from casino.significant import recorder
from wallet.payments import provider_messages
from wallet.payments.deposits import APPLIED, NO_CHANGE
from wallet.payments.refusals import NonceReused

logger = logging.getLogger(__name__)

UNREADABLE: Final = "unreadable"
CLOSED: Final = "closed"
"""Outcome of a message whose discrepancy was resolved: it is never applied."""
ENDED: Final = frozenset({APPLIED, NO_CHANGE, CLOSED})
"""Outcomes that leave nothing to do; any other one is told to staff."""
TOLD_AFTER: Final = 10
"""Tries, some twenty minutes, after which a message that fails here is told; it is tried on."""
_COLUMNS: Final = "id, provider, nonce, operator_id, payment_id, money, body, attempts"
_STORE: Final = f"""
    INSERT INTO wallet_providercallback
           (provider, nonce, operator_id, player_id, payment_id, money, body, outcome, attempts)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (provider, nonce) DO NOTHING RETURNING {_COLUMNS}
"""  # noqa: S608  (a constant)
_STORED: Final = "SELECT money, body FROM wallet_providercallback WHERE provider = %s AND nonce = %s"
_CLAIM: Final = f"""
    SELECT {_COLUMNS} FROM wallet_providercallback
     WHERE outcome IS NULL AND next_try_at <= clock_timestamp()
     ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""  # noqa: S608  (a constant)
_OF: Final = "provider = %s AND (payment_id = %s OR payment_id IS NULL AND %s::uuid IS NULL)"
_LEFT: Final = f"""
    SELECT {_COLUMNS} FROM wallet_providercallback
     WHERE {_OF} AND (outcome IS NULL OR outcome <> ALL (%s)) ORDER BY id FOR UPDATE
"""  # noqa: S608  (a constant)
_CLOSE: Final = f"""
    UPDATE wallet_providercallback SET outcome = %s
     WHERE {_OF} AND (outcome <> ALL (%s) OR outcome IS NULL AND attempts >= %s)
"""  # noqa: S608  (a constant)
_END: Final = """
    WITH ended AS (
        UPDATE wallet_providercallback SET outcome = %s
         WHERE provider = %s AND payment_id = ANY (%s::uuid[]) AND outcome <> ALL (%s) RETURNING payment_id)
    SELECT DISTINCT payment_id FROM ended ORDER BY 1
"""
_DONE: Final = "UPDATE wallet_providercallback SET outcome = %s, attempts = attempts + 1 WHERE id = %s"
_RETRY_LATER: Final = """
    UPDATE wallet_providercallback
       SET attempts = attempts + 1, last_error = %s,
           next_try_at = clock_timestamp()
               + make_interval(secs => least(300, 2 * power(2, least(attempts, 10))) * (0.5 + random()))
     WHERE id = %s
"""
_OWNER: Final = """
    SELECT operator_id, player_id FROM wallet_deposit WHERE id = %s AND provider = %s
     UNION ALL SELECT operator_id, player_id FROM wallet_withdrawal WHERE id = %s AND provider = %s
     UNION ALL SELECT operator_id, player_id FROM wallet_remote WHERE id = %s AND 'wallet' = %s
"""
_ONLY_OPERATOR: Final = """
    SELECT CASE WHEN count(DISTINCT operator_id) = 1 THEN min(operator_id::text)::uuid END
      FROM wallet_deposit_method WHERE provider = %s
"""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message. One about a payment that nobody knows belongs to the only operator that has its provider, if any."""

    id: int
    provider: str
    nonce: str
    operator: UUID | None
    payment: UUID | None
    money: str
    body: str
    attempts: int

    def text(self) -> str:
        """Return it as received; what replaces an erased text where its player is erased."""
        return crypto_shredding.decrypt_text(self.body)

    def is_answer_to(self, order: UUID) -> bool:
        return self.nonce.startswith(_answer_to(order))


class Desk(Protocol):
    """Where staff see what could not be applied, in the transaction that tells of it."""

    def show(self, message: StoredMessage) -> None:
        """Show a message."""

    def clear(self, provider: str, payment: UUID) -> None:
        """Show what there is of a payment no longer: nothing is left to do."""


_desks: Final[list[Desk]] = []


def register_desk(desk: Desk) -> None:
    """Let an upper layer show staff what could not be applied; call it in AppConfig.ready()."""
    _desks.append(desk)


def store(raw: bytes, *, provider: str, nonce: str) -> bool:
    """Store a message that is to be applied; returns whether it is new. Raises NonceReused, NotStrictJson."""
    money, body = provider_messages.money_of(raw), raw.decode()
    if _insert(provider, nonce, provider_messages.payment_of(raw), money, body, outcome=None):
        return True
    stored_money, stored_body = fetch(_STORED, [provider, nonce])[0]
    if stored_money != money or crypto_shredding.decrypt_text(stored_body) not in {body, crypto_shredding.ERASED}:
        raise NonceReused
    return False


def keep_answer(raw: bytes, *, provider: str, payment: UUID, outcome: str, about: UUID | None = None) -> None:
    """Store an answer that cannot be applied to an order `about` a payment, once for what it says of money."""
    try:
        money = provider_messages.money_of(raw)
    except strict_json.NotStrictJson:
        money = "{}"
    nonce = f"{_answer_to(about or payment)}{_digest(money)}"
    body = raw.decode(errors="replace").replace("\0", "\ufffd")
    with transaction.atomic():
        for message in _insert(provider, nonce, payment, money, body, outcome=outcome):
            tell(message, outcome)


def claim() -> StoredMessage | None:
    """Lock a message that is due."""
    rows = fetch(_CLAIM)
    return StoredMessage(*rows[0]) if rows else None


def left(*, provider: str, payment: UUID | None) -> list[StoredMessage]:
    """Lock what is left of a payment's messages, in their order."""
    return [StoredMessage(*row) for row in fetch(_LEFT, [provider, payment, payment, list(ENDED)])]


def close(*, provider: str, payment: UUID | None) -> None:
    """Close what staff were told of and is left of a payment's messages; one that is still tried stays."""
    execute(_CLOSE, [CLOSED, provider, payment, payment, list(ENDED), TOLD_AFTER])


def end(*, provider: str, payments: Sequence[UUID]) -> None:
    """Note that nothing is left to do about payments: what is stored of them changes nothing any more."""
    for (payment,) in fetch(_END, [NO_CHANGE, provider, list(payments), list(ENDED)]) if payments else ():
        _clear(provider, payment)


def clear_if_done(message: StoredMessage) -> None:
    """Show a message no longer that is applied at last, unless others of its payment are left."""
    if message.payment is not None and not left(provider=message.provider, payment=message.payment):
        _clear(message.provider, message.payment)


def _clear(provider: str, payment: UUID) -> None:
    for desk in _desks:
        desk.clear(provider, payment)


def note_outcome(message: StoredMessage, outcome: str) -> None:
    execute(_DONE, [outcome, message.id])


def retry_later(message: StoredMessage, error: str) -> None:
    """Plan another try of a message that fails here; tell staff after a while."""
    execute(_RETRY_LATER, [error, message.id])
    if message.attempts + 1 == TOLD_AFTER:
        _record(message, error)
        try:
            with transaction.atomic():
                _show(message)
        except Exception:
            logger.exception("Message %s of %s could not be shown.", message.id, message.provider)


def tell(message: StoredMessage, outcome: str) -> None:
    """Tell staff of a message that is not applied, what it says of money once, and show it."""
    _record(message, outcome)
    _show(message)


def _record(message: StoredMessage, outcome: str) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.PAYMENT_UNAPPLIED,
        operator=message.operator,
        subject=f"payment:{message.payment or 'unknown'}",
        actor=f"provider:{message.provider}",
        reason=f"Message {message.id} is signed and not applied: {outcome}.",
        dedup_key=f"payment_unapplied:{message.provider}:{outcome}:{_digest(message.money)}",
    )


def _show(message: StoredMessage) -> None:
    for desk in _desks:
        desk.show(message)


def _insert(
    provider: str, nonce: str, payment: UUID | None, money: str, body: str, *, outcome: str | None
) -> list[StoredMessage]:
    """Store a message; nothing if there is one with its nonce."""
    rows = fetch(_OWNER, 3 * [payment, provider])
    operator, player = rows[0] if rows else (fetch(_ONLY_OPERATOR, [provider])[0][0], None)
    encrypted = crypto_shredding.encrypt_text(player or crypto_shredding.NOBODY, body)
    attempts = 0 if outcome is None else 1
    values = [provider, nonce, operator, player, payment, money, encrypted, outcome, attempts]
    return [StoredMessage(*row) for row in fetch(_STORE, values)]


def _answer_to(order: UUID) -> str:
    return f"answer:{order}:"  # no callback has a nonce with colons


def _digest(money: str) -> str:
    return sha256(money.encode()).hexdigest()
