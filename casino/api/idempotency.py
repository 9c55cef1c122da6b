"""Idempotency-Key on POSTs: the response is stored in PostgreSQL, in the same transaction as the effect.

A repeated request with the same body gets the stored response, byte for byte, with `Idempotent-Replayed: true`; with
another body it is rejected. A concurrent duplicate waits on the unique index until the first one ends. A refused
request has changed nothing, so nothing is stored and a repetition is evaluated again.
"""

import hmac
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast

import msgspec
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.error_catalogue import (
    IDEMPOTENCY_KEY_MALFORMED,
    IDEMPOTENCY_KEY_REQUIRED,
    IDEMPOTENCY_KEY_REUSED,
    LENGTH_REQUIRED,
    RequestRejected,
)
from casino.events.store import VersionConflict

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
ATTEMPTS: Final = 3
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")
_TRANSIENT: Final = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: PostgreSQL asks for the transaction to be retried."""

_CLAIM: Final = """
    INSERT INTO api_idempotentrequest (scope, key, body_hash) VALUES (%s, %s, %s)
    ON CONFLICT (scope, key) DO NOTHING RETURNING true
"""
_STORED: Final = "SELECT body_hash, status, response FROM api_idempotentrequest WHERE scope = %s AND key = %s"
_STORE: Final = "UPDATE api_idempotentrequest SET status = %s, response = %s WHERE scope = %s AND key = %s"

View = TypeVar("View")
Parameters = ParamSpec("Parameters")
Handler = Callable[Concatenate[View, Request, Parameters], Response]
IdempotentHandler = Callable[Concatenate[View, Request, Parameters], HttpResponse]


class Caller(Protocol):
    """A caller of idempotent requests: a principal with a `scope`, such as `player:<id>`."""

    @property
    def scope(self) -> str: ...


def idempotent(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
    """Wrap a view's `post`: one transaction around the claim of the key, the handler, and its stored response.

    The handler may run up to three times after conflicts with other transactions (VersionConflict, deadlock), so it
    must have no effect outside the database. Raises RequestRejected (idempotency_key_required, _malformed, _reused).
    """
    return _keyed(handler, keep=True)


def idempotent_without_storing(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
    """Wrap a view's `post` as `idempotent` does, but store no response, because it may contain a secret.

    A repeated request is handled again, so the handler must change nothing the second time.
    """
    return _keyed(handler, keep=False)


def _keyed(handler: Handler[View, Parameters], *, keep: bool) -> IdempotentHandler[View, Parameters]:
    @wraps(handler)
    def answering(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> HttpResponse:
        claim = _claim(request)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with transaction.atomic():
                    stored = _stored(claim)
                    if stored is not None and keep:
                        return stored
                    return _store(claim, handler(view, request, *args, **kwargs), keep=keep)
            except VersionConflict:
                if attempt == ATTEMPTS:
                    raise
            except OperationalError as error:
                if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", None) not in _TRANSIENT:
                    raise
        raise AssertionError("unreachable: the last attempt answers or raises")

    answering.idempotent = True  # type: ignore[attr-defined]
    return answering


def _claim(request: Request) -> tuple[str, str, bytes]:
    sent: HttpRequest = request._request  # noqa: SLF001  (the wrapper looks every attribute up the slow way)
    key = sent.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        raise RequestRejected(IDEMPOTENCY_KEY_REQUIRED)
    if not _KEY.fullmatch(key):
        raise RequestRejected(IDEMPOTENCY_KEY_MALFORMED)
    if "HTTP_TRANSFER_ENCODING" in sent.META and "CONTENT_LENGTH" not in sent.META:
        # Without a length, the framework would treat the body as empty.
        raise RequestRejected(LENGTH_REQUIRED)
    body = sent.body
    # Reject malformed bodies before using the database.
    _ = request.data
    query = sent.META.get("QUERY_STRING", "").encode()
    # Keyed, because a body may contain a secret as short as a PIN, which could be guessed from a plain hash.
    digest = hmac.digest(settings.SECRET_KEY.encode(), b"%d:%b" % (len(query), query) + body, "sha256")
    caller = cast("Caller", request.user)
    return f"{caller.scope} {sent.method} {sent.path}", key, digest


def _stored(claim: tuple[str, str, bytes]) -> HttpResponse | None:
    """Claim the key; return None if it is new, or the stored response."""
    scope, key, digest = claim
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, claim)
        if cursor.fetchone():
            return None
        cursor.execute(_STORED, (scope, key))
        row: tuple[Any, ...] = cursor.fetchone()
    body_hash, status, response = row
    if bytes(body_hash) != digest:
        raise RequestRejected(IDEMPOTENCY_KEY_REUSED)
    return _answer(status, response.encode(), replayed=True)


def _store(claim: tuple[str, str, bytes], response: Response, *, keep: bool) -> HttpResponse:
    scope, key, _ = claim
    body = b"" if response.data is None else msgspec.json.encode(response.data, enc_hook=str)
    with connection.cursor() as cursor:
        cursor.execute(_STORE, (response.status_code, body.decode() if keep else "", scope, key))
    return _answer(response.status_code, body, replayed=False)


def _answer(status: int, body: bytes, *, replayed: bool) -> HttpResponse:
    answer = HttpResponse(body, status=status, content_type="application/json")
    if replayed:
        answer[REPLAYED] = "true"
    return answer
