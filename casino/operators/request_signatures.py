"""Verifies signatures of requests: RFC 9421 over a Content-Digest by RFC 9530, with a signing key of the API key.

A signature is good for minutes and is used once. It covers everything that a request says: whoever sees one signed
request can neither repeat it nor make another.
"""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from django.http import HttpRequest

from casino.api.error_catalogue import (
    SIGNATURE_EXPIRED,
    SIGNATURE_INVALID,
    SIGNATURE_REQUIRED,
    SIGNATURE_USED,
    RequestRejected,
)
from casino.crypto.message_signatures import MessageSignature
from casino.events.sql import database_now, execute, fetch
from casino.operators.key_models import SigningKey
from casino.operators.signing_keys import verification_key

HEADERS: Final = ("Signature-Input", "Signature")
COVERED: Final = ("@method", "@target-uri", "authorization", "content-digest")
"""What every signature covers, and `idempotency-key` and `actor-assertion` where they are sent."""
COVERED_OF_ANSWERS: Final = ("@status", "content-digest")
"""What signatures of answers to our own requests cover."""
COVERED_IF_SENT: Final = ("idempotency-key", "actor-assertion")
MAX_AGE: Final = timedelta(minutes=5)
SKEW: Final = timedelta(seconds=60)
"""How far the signer's clock may be ahead."""
NONCE_LENGTHS: Final = range(16, 129)
_LONGEST: Final = 2000
_USE: Final = "INSERT INTO operators_usedsignature (digest) VALUES (%s) ON CONFLICT DO NOTHING RETURNING true"
_FORGET: Final = """
    DELETE FROM operators_usedsignature WHERE digest IN (
        SELECT digest FROM operators_usedsignature WHERE used_at < clock_timestamp() - %s
        LIMIT 1000 FOR UPDATE SKIP LOCKED)
    RETURNING true
"""
_TOUCH: Final = """
    UPDATE operators_signingkey SET last_used_at = %s WHERE id = (
        SELECT id FROM operators_signingkey WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED)
"""

PROBLEMS: Final = (SIGNATURE_REQUIRED, SIGNATURE_INVALID, SIGNATURE_EXPIRED, SIGNATURE_USED)


@dataclass(frozen=True, slots=True)
class SignedMessage:
    """A request, as its caller sent it."""

    method: str
    url: str
    headers: Mapping[str, str]

    def derived(self) -> dict[str, str]:
        """Return the components that are no headers."""
        url = urlsplit(self.url)
        address = {"@scheme": url.scheme, "@authority": url.netloc, "@path": url.path or "/", "@query": f"?{url.query}"}
        return {"@method": self.method, "@target-uri": self.url, **address}


@dataclass(frozen=True, slots=True)
class SignedAnswer:
    """An answer to a request of ours."""

    status_code: int
    headers: Mapping[str, str]

    def derived(self) -> dict[str, str]:
        """Return the components that are no headers."""
        return {"@status": str(self.status_code)}


@dataclass(frozen=True, slots=True)
class AnswerKeys:
    """The signing keys of an operator's live API keys by `keyid`, as they were at a time, from which the clock goes on.

    For one request and its answer: a key that is removed meanwhile still verifies that.
    """

    keys: Mapping[str, SigningKey]
    read_at: datetime
    _since: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        """Return the time by the clock that `read_at` is of."""
        return self.read_at + timedelta(seconds=time.monotonic() - self._since)


def check(request: HttpRequest, *, key_id: str, required: bool, now: datetime | None = None) -> None:
    """Verify the signature of a request with an API key, and use it up.

    A request without a signature passes unless one is required. Raises RequestRejected.
    """
    if not any(name in request.headers for name in HEADERS):
        if required:
            raise RequestRejected(SIGNATURE_REQUIRED)
        return
    now = now or database_now()
    message = SignedMessage(request.method or "", request.build_absolute_uri(), dict(request.headers.items()))
    signature = _read(message)
    row = SigningKey.objects.filter(key_id=key_id, keyid=signature.parameters["keyid"]).first()
    if row is None:
        raise RequestRejected(SIGNATURE_INVALID, "Its `keyid` is of no signing key of this API key.")
    sent = (name for name in COVERED_IF_SENT if name.title() in message.headers)
    here = f': "@method" is {message.method} and "@target-uri" begins with {message.url.partition("?")[0]}'
    _verify(signature, message, request.body, row, covered=(*COVERED, *sent), here=here)
    nonce = signature.parameters.get("nonce")
    if not isinstance(nonce, str) or len(nonce) not in NONCE_LENGTHS:
        raise RequestRejected(SIGNATURE_INVALID, "A signature needs a `nonce` of 16 to 128 characters.")
    _require_fresh(signature.parameters, now)
    _use(nonce, key_id)
    if row.last_used_at is None or row.last_used_at < now - timedelta(seconds=30):
        execute(_TOUCH, [now, row.pk])


def check_answer(answer: SignedAnswer, body: bytes, *, known: AnswerKeys) -> None:
    """Verify that an operator signed the answer to a request of ours just now. The answer itself says to which.

    Raises RequestRejected.
    """
    signature = _read(answer)
    row = known.keys.get(str(signature.parameters["keyid"]))
    if row is None:
        raise RequestRejected(SIGNATURE_INVALID, "Its `keyid` is of no signing key of the operator.")
    _verify(signature, answer, body, row, covered=COVERED_OF_ANSWERS)
    _require_fresh(signature.parameters, known.now())


def forget_used() -> int:
    """Delete nonces of signatures that are too old by now, some at a time, and return how many."""
    return len(fetch(_FORGET, [2 * (MAX_AGE + SKEW)]))


def _read(message: SignedMessage | SignedAnswer) -> MessageSignature:
    """Return the only signature, which has a `keyid`. Raises RequestRejected."""
    signature = MessageSignature.read(*(message.headers.get(name, "")[:_LONGEST] for name in HEADERS))
    if signature is None or "keyid" not in signature.parameters:
        raise RequestRejected(
            SIGNATURE_INVALID,
            "Signature-Input must hold one signature by RFC 9421, with a `keyid`, of components without parameters.",
        )
    return signature


def _verify(
    signature: MessageSignature,
    message: SignedMessage | SignedAnswer,
    body: bytes,
    row: SigningKey,
    *,
    covered: Sequence[str],
    here: str = "",
) -> None:
    """Refuse a signature that is not valid, or does not cover what it must. Raises RequestRejected."""
    missing = [name for name in covered if name not in signature.components]
    if missing:
        raise RequestRejected(SIGNATURE_INVALID, f"The signature does not cover {', '.join(missing)}.")
    headers = {name.lower(): value.strip() for name, value in message.headers.items()}
    if not signature.is_of(headers | message.derived(), body, key=verification_key(row)):
        raise RequestRejected(SIGNATURE_INVALID, f"Other bytes were signed, or by another key{here}.")


def _require_fresh(parameters: Mapping[str, int | str], now: datetime) -> None:
    created, expires, seconds = parameters.get("created"), parameters.get("expires"), now.timestamp()
    if not isinstance(created, int):
        raise RequestRejected(SIGNATURE_INVALID, "A signature needs its time, `created`.")
    if not seconds - MAX_AGE.total_seconds() <= created <= seconds + SKEW.total_seconds():
        raise RequestRejected(SIGNATURE_EXPIRED, f"It is of {created}, and now is {int(seconds)}.")
    if isinstance(expires, int) and expires < seconds:
        raise RequestRejected(SIGNATURE_EXPIRED, f"It expired at {expires}, and now is {int(seconds)}.")


def _use(nonce: str, key_id: str) -> None:
    """Use a nonce up, whatever becomes of the request. Raises RequestRejected."""
    if not fetch(_USE, [hashlib.sha256(f"{key_id} {nonce}".encode()).digest()]):
        raise RequestRejected(SIGNATURE_USED)
