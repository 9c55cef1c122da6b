"""Idempotency-Key on POSTs: the response is stored in PostgreSQL, in the same transaction as the effect.

A repeated request with the same JSON gets the stored response, byte for byte, with `Idempotent-Replayed: true`; with
another body it is rejected. It is recognised when its response is to be stored, or when it fails: its effect is then
rolled back. A concurrent duplicate waits on the unique index until the first one ends. A refused request has changed
nothing, so nothing is stored and a repetition is evaluated again.

Responses hold names, chats and links. Each is encrypted under a key of its own, derived from SECRET_KEY and the whole
request. The database has neither, not even the Idempotency-Key: only its hash. So a backup is of no use without the
very request, and that a response can be decrypted proves that the request is the same.
"""

import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.compression import compress, decompress
from casino.api.error_catalogue import (
    IDEMPOTENCY_KEY_MALFORMED,
    IDEMPOTENCY_KEY_REQUIRED,
    IDEMPOTENCY_KEY_REUSED,
    LENGTH_REQUIRED,
    RequestRejected,
)
from casino.crypto.derived_keys import derive_keys
from casino.crypto.encryption import DecryptionFailed, decrypt, encrypt
from casino.events.sql import fetch
from casino.events.store import VersionConflict

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
ATTEMPTS: Final = 3
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")
_TRANSIENT: Final = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: PostgreSQL asks for the transaction to be retried."""

_PURPOSE: Final = b"casino.idempotency.v1 response key"
_STATUS_BYTES: Final = 2

_STORE: Final = """
    INSERT INTO api_idempotentrequest (id, response, player_id) VALUES (%s, %s, %s)
    ON CONFLICT (id) DO NOTHING RETURNING true
"""
_STORED: Final = "SELECT response FROM api_idempotentrequest WHERE id = %s"

View = TypeVar("View")
Parameters = ParamSpec("Parameters")
Handler = Callable[Concatenate[View, Request, Parameters], Response]
IdempotentHandler = Callable[Concatenate[View, Request, Parameters], HttpResponse]


class Caller(Protocol):
    """A caller of idempotent requests: a principal with an `owner`, such as `player:<id>`."""

    @property
    def owner(self) -> str: ...


class _ReadsBodies(Protocol):
    """A view of the API."""

    def refuse_unknown_body(self, request: Request) -> None: ...


class _Repeated(Exception):
    """The request was handled before, with this response: the second effect has to be rolled back."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


def idempotent(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
    """Wrap a view's `post`: one transaction around the handler and its stored response.

    The handler runs for a repeated request, too, and up to three times after conflicts with other transactions
    (VersionConflict, deadlock), so it must have no effect outside the database. Raises RequestRejected
    (idempotency_key_required, _malformed, _reused).
    """
    return _wrap(handler, store=True)


def idempotent_after(
    prepare: Callable[[View, Request], None],
) -> Callable[[Handler[View, Parameters]], IdempotentHandler[View, Parameters]]:
    """Wrap a view's `post` as `idempotent` does, after `prepare`, which runs before the transaction begins.

    For what takes long and needs no lock, such as hashing: `prepare` changes nothing but the view.
    """

    def wrap(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
        return _wrap(handler, store=True, prepare=prepare)

    return wrap


def idempotent_once_prepared(
    needed: type[Exception] | tuple[type[Exception], ...],
    prepare: Callable[[View, Request, UUID], Response | None],
    *,
    foreseen: Callable[[View], bool] = lambda _view: False,
) -> Callable[[Handler[View, Parameters]], IdempotentHandler[View, Parameters]]:
    """Wrap a view's `post` as `idempotent` does; where it raises `needed`, `prepare` runs, and then it once more.

    `prepare` runs outside of any transaction, with an id of the request: it may ask another server, once for each id,
    and leave the answer in the view. A response that it returns is the answer to this request, and is not stored.
    Where that is `foreseen`, `prepare` runs first, and finds out itself whether there is anything to prepare.
    """

    def wrap(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
        direct = _wrap(handler, store=True)

        def prepared(view: View, request: Request) -> HttpResponse | None:
            claim = _read_claim(request)
            try:
                return prepare(view, request, claim.request)
            except Exception:
                stored = _load_response(claim)
                if stored is None:
                    raise
                return stored

        @wraps(handler)
        def respond(
            view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs
        ) -> HttpResponse:
            answer = prepared(view, request) if foreseen(view) else None
            if answer is not None:
                return answer
            try:
                return direct(view, request, *args, **kwargs)
            except needed:
                answer = prepared(view, request)
            return direct(view, request, *args, **kwargs) if answer is None else answer

        respond.idempotent = True  # type: ignore[attr-defined]
        return respond

    return wrap


def idempotent_without_storing(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
    """Wrap a view's `post` as `idempotent` does, but store no response, because it may contain a secret.

    A repeated request is handled again, so the handler must change nothing the second time.
    """
    return _wrap(handler, store=False)


def _wrap(
    handler: Handler[View, Parameters],
    *,
    store: bool,
    prepare: Callable[[View, Request], None] = lambda _view, _request: None,
) -> IdempotentHandler[View, Parameters]:
    @wraps(handler)
    def respond(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> HttpResponse:
        claim = _read_claim(request)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                cast("_ReadsBodies", view).refuse_unknown_body(request)
                prepare(view, request)
                with transaction.atomic():
                    response = handler(view, request, *args, **kwargs)
                    return _save_response(claim, response, player=_player_of(request, kwargs, response), store=store)
            except _Repeated as repeated:
                return repeated.response
            except VersionConflict:
                if attempt == ATTEMPTS:
                    raise
            except OperationalError as error:
                if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", None) not in _TRANSIENT:
                    raise
            except Exception:
                stored = _load_response(claim)
                if stored is None or not store:
                    raise
                return stored
        raise AssertionError("unreachable: the last attempt returns or raises")

    respond.idempotent = True  # type: ignore[attr-defined]
    return respond


def read_key(request: HttpRequest) -> str | None:
    """Return the request's Idempotency-Key, if it has one. Raises RequestRejected."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _KEY.fullmatch(key):
        raise RequestRejected(IDEMPOTENCY_KEY_MALFORMED)
    return key


@dataclass(frozen=True, slots=True)
class _Claim:
    """A request: the digest of its caller, address and key, and all that makes it the same request."""

    digest: bytes
    content: bytes

    @property
    def id(self) -> UUID:
        """The first half of the digest, which is enough to find the row by; the key takes all of it."""
        return UUID(bytes=self.digest[:16])

    @property
    def request(self) -> UUID:
        """An id of the whole request: equal requests have the same."""
        return UUID(bytes=sha256(self.digest + self.content).digest()[:16])

    def ciphers(self) -> Iterator[AESGCM]:
        """Derive the keys that the response may be encrypted under; a new one takes the first."""
        for key in derive_keys(_PURPOSE):
            yield AESGCM(hmac.digest(key, self.digest + self.content, "sha256"))


def _read_claim(request: Request) -> _Claim:
    http_request: HttpRequest = request._request  # noqa: SLF001  (quicker than the wrapper)
    key = read_key(http_request)
    if key is None:
        raise RequestRejected(IDEMPOTENCY_KEY_REQUIRED)
    if "HTTP_TRANSFER_ENCODING" in http_request.META and "CONTENT_LENGTH" not in http_request.META:
        # Without a length, the framework would treat the body as empty.
        raise RequestRejected(LENGTH_REQUIRED)
    # Keep the bytes, because a person's assertion is bound to them.
    _ = http_request.body
    # Malformed bodies are rejected here, before the database is used. Equal JSON is equal, however it was written.
    body = json.dumps(request.data, sort_keys=True, separators=(",", ":")).encode()
    query = http_request.META.get("QUERY_STRING", "").encode()
    caller = cast("Caller", request.user)
    scope = f"{caller.owner} {http_request.method} {http_request.path} {key}"
    return _Claim(sha256(scope.encode()).digest(), b"%d:%b" % (len(query), query) + body)


def _load_response(claim: _Claim) -> HttpResponse | None:
    """Return the stored response, None if there is none. Raises RequestRejected if it is of another request."""
    rows = fetch(_STORED, [claim.id])
    if not rows:
        return None
    for cipher in claim.ciphers():
        try:
            packed = decompress(decrypt(cipher, rows[0][0], associated_data=claim.digest))
        except DecryptionFailed:
            continue
        status, body = packed[:_STATUS_BYTES], packed[_STATUS_BYTES:]
        return _response(int.from_bytes(status), body, replayed=True)
    raise RequestRejected(IDEMPOTENCY_KEY_REUSED)


def _save_response(claim: _Claim, response: Response, *, player: UUID | None, store: bool) -> HttpResponse:
    """Store a response and return it as HTTP. Raises _Repeated if the request was handled before."""
    body = b"" if response.data is None else msgspec.json.encode(response.data, enc_hook=str)
    packed = response.status_code.to_bytes(_STATUS_BYTES) + (body if store else b"")
    encrypted = encrypt(next(claim.ciphers()), compress(packed), associated_data=claim.digest)
    if not fetch(_STORE, [claim.id, encrypted, player]):
        repeated = _load_response(claim)
        if repeated is not None and store:
            raise _Repeated(repeated)
    return _response(response.status_code, body, replayed=False)


def _player_of(request: Request, path: Mapping[str, Any], response: Response) -> UUID | None:
    """Return the player whom a response is for or about, so that it is deleted when the player is erased."""
    candidates = getattr(request.user, "player", None), path.get("player"), getattr(response.data, "player", None)
    return next((each for each in candidates if isinstance(each, UUID)), None)


def _response(status: int, body: bytes, *, replayed: bool) -> HttpResponse:
    response = HttpResponse(body, status=status, content_type="application/json")
    if replayed:
        response[REPLAYED] = "true"
    return response
