"""Assertions: signed statements of which person on an operator's staff makes a request (JWS, RFC 7515).

An assertion is bound to one request by its method, path and body, is good for minutes, and is used once. Its keys are
registered in the admin by two persons. An operator's server can pass assertions on, and can't make them.
"""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import transaction
from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter

from casino.api.jwks import thumbprint
from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.kernel.persons import STAFF, normalise_subject
from casino.kernel.text import clean, isolate
from casino.operators import acts, changes
from casino.operators.changes import ChangeKind
from casino.operators.memberships import desk_actor
from casino.operators.models import AssertionKey, Change, ChangeName, Operator, StaffSubject
from casino.operators.refusals import (
    AssertionExpired,
    AssertionInvalid,
    AssertionRequired,
    AssertionUsed,
    DutyMissing,
    InvalidAssertionKey,
    SandboxOnly,
    UnknownAssertionKey,
)
from casino.operators.services import MAX_LABEL_LENGTH
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind
from casino.staff import addresses
from casino.staff.duties import Act, Signed
from casino.staff.models import SignedIn

HEADER: Final = "Actor-Assertion"
KIND: Final = ChangeName.ASSERTION_KEY
MAX_AGE: Final = 300
"""Seconds: a person reads what is signed."""
SKEW: Final = 60
"""Seconds by which the signer's clock may be ahead."""
_LONGEST: Final = 4096


class AssertionParameter(OpenApiParameter):
    """The documented header, and what may be refused because of it."""

    def __init__(self, *, required: bool, description: str, live: bool = False) -> None:
        schema = {"type": "string", "maxLength": _LONGEST, "pattern": r"^[\w-]+\.[\w-]+\.[\w-]+$"}
        super().__init__(HEADER, schema, OpenApiParameter.HEADER, required=required, description=description)
        self.refusals = (
            AssertionInvalid,
            AssertionExpired,
            AssertionUsed,
            DutyMissing,
            *((AssertionRequired,) if required or live else ()),
        )


LIVE_PARAMETER: Final = AssertionParameter(
    required=False, live=True, description="For a live operator, a signed assertion of the person who does this (JWS)."
)
OPTIONAL_PARAMETER: Final = AssertionParameter(
    required=False, description="A signed assertion of the person who does this; without it, the key is recorded."
)
PARAMETERS: Final = {
    Signed.ALWAYS: AssertionParameter(
        required=True, description="A signed assertion of the person who does this (JWS), bound to this request."
    ),
    Signed.LIVE: LIVE_PARAMETER,
}
_LONGEST_ID: Final = 200
_CLAIMS: Final = ["sub", "iat", "jti", "aud", "request"]
_MIN_RSA_BITS: Final = 2048
_PUBLIC: Final = {"OKP": ("crv", "x"), "EC": ("crv", "x", "y"), "RSA": ("n", "e")}
"""The public members of a key by its type: those that RFC 7638 takes into its thumbprint."""
_ALGORITHMS: Final = {"Ed25519": "EdDSA", "P-256": "ES256", "": "RS256"}
_USE: Final = "INSERT INTO operators_usedassertion (digest) VALUES (%s) ON CONFLICT DO NOTHING RETURNING true"
_FORGET: Final = """
    DELETE FROM operators_usedassertion WHERE digest IN (
        SELECT digest FROM operators_usedassertion WHERE used_at < clock_timestamp() - make_interval(secs => %s)
        LIMIT 100 FOR UPDATE SKIP LOCKED)
"""


def use_assertion(request: HttpRequest, *, operator: UUID) -> str:
    """Use up the assertion of a request, and return its person as an actor.

    Call it in the transaction of the effect, so that an assertion of a request that failed can be sent again. Raises
    AssertionRequired, AssertionInvalid, AssertionExpired, AssertionUsed.
    """
    assertion = request.headers.get(HEADER, "")
    if not assertion:
        raise AssertionRequired(header=HEADER)
    claims, key = _verify(assertion, operator)
    if claims["request"] != bound_request(request.method or "", request.get_full_path(), request.body):
        raise AssertionInvalid("The assertion is of another request.")
    if claims["iat"] < database_now().timestamp() - MAX_AGE:
        raise AssertionExpired
    subject, jti = normalise_subject(str(claims["sub"])), str(claims["jti"])
    if subject is None or (key.subject and key.subject != subject):
        raise AssertionInvalid("The key may not name this person.")
    if not 1 <= len(jti) <= _LONGEST_ID:
        raise AssertionInvalid("The assertion's `jti` must have 1 to 200 characters.")
    if not fetch(_USE, [hashlib.sha256(f"{operator} {jti}".encode()).digest()]):
        raise AssertionUsed
    linked = StaffSubject.objects.select_related("user").filter(operator_id=operator, subject=subject).first()
    if not key.operator.sandbox:
        _require_one_person(key, linked)
    return desk_actor(subject) if linked is None else f"staff:{linked.user_id}"


def _require_one_person(key: AssertionKey, linked: StaffSubject | None) -> None:
    """Refuse a live operator's key that names anybody, or nobody who works here: its holder could be any person."""
    if not key.subject:
        raise AssertionInvalid("A live operator's key names one person.")
    if linked is None or not linked.user.is_active:
        raise AssertionInvalid("The person is not linked to an account of the staff that is in use.")
    if not addresses.is_confirmed(linked.user):
        raise AssertionInvalid("The person has not confirmed the account's e-mail address.")


def require_duty(person: str, act: Act | None) -> None:
    """Check that a person, if linked to a member of staff, holds an act of roles. Raises DutyMissing."""
    door, _, identity = person.partition(":")
    if door != STAFF or act is None or not act.roles:
        return
    if not SignedIn.objects.get(pk=int(identity)).has_perm(act.name):
        raise DutyMissing(act=act.name)


def bound_request(method: str, path: str, body: bytes) -> dict[str, str]:
    """Return the claim that binds an assertion to a request; `path` includes the query, if there is one."""
    return {"method": method, "path": path, "sha256": _base64(hashlib.sha256(body).digest())}


def parse_jwk(text: str) -> tuple[str, dict[str, str]]:
    """Parse a public key, and return its thumbprint (RFC 7638) with its public members. Raises InvalidAssertionKey."""
    try:
        given = json.loads(text)
        names = _PUBLIC[given["kty"]]
        jwk = {"kty": str(given["kty"]), **{name: str(given[name]) for name in names}}
        key = jwt.PyJWK(jwk, _ALGORITHMS[jwk.get("crv", "")]).key
    except (ValueError, KeyError, TypeError, jwt.PyJWTError):
        raise InvalidAssertionKey from None
    if "d" in given or getattr(key, "key_size", _MIN_RSA_BITS) < (_MIN_RSA_BITS if jwk["kty"] == "RSA" else 0):
        raise InvalidAssertionKey(
            "Send the public part of a key that is long enough; a private key is compromised now."
        )
    return thumbprint(jwk), jwk


def request_key(*, operator: UUID, name: str, jwk: str, subject: str, by: str) -> Change:
    """Request a key for one person, or for all of a sandbox operator's staff.

    Raises InvalidAssertionKey, ChangeNeedsSecondPerson, UnfitText.
    """
    key_id, public = parse_jwk(jwk)
    name = clean(name, limit=MAX_LABEL_LENGTH)
    spelling = normalise_subject(subject) if subject else ""
    if spelling is None:
        raise InvalidAssertionKey("A person's id is 1 to 60 letters, digits and ._:-")
    return changes.request(
        operator=operator,
        kind=KIND,
        subject=f"operator:{operator}",
        summary=f"Register the assertion key {isolate(name)} ({key_id}) for {spelling or 'anybody on the staff'}",
        details={"name": name, "jwk": public, "subject": spelling},
        by=by,
    )


def register_change() -> None:
    """Let two members of staff register keys."""
    changes.register(ChangeKind(KIND, acts.REGISTER_ASSERTION_KEY, _apply, concerns=_people_it_names))


def _people_it_names(change: Change) -> list[str]:
    """List the members of staff as whom the key's holder can act."""
    linked = StaffSubject.objects.filter(operator_id=changes.operator_of(change))
    if subject := change.details["subject"]:
        linked = linked.filter(subject=subject)
    return [f"staff:{user}" for user in linked.values_list("user_id", flat=True)]


def _apply(change: Change) -> None:
    register_key(
        operator=changes.operator_of(change),
        requested_by=change.requested_by,
        confirmed_by=change.decided_by,
        **change.details,
    )


def register_key(
    *, operator: UUID, name: str, jwk: Mapping[str, Any], subject: str, requested_by: str, confirmed_by: str
) -> AssertionKey:
    """Register a key that two persons agreed on, in their transaction. Raises InvalidAssertionKey."""
    key_id, public = parse_jwk(json.dumps(dict(jwk)))
    if not subject and not Operator.objects.get(pk=operator).sandbox:
        raise InvalidAssertionKey("A live operator's key is for one person.")
    if AssertionKey.objects.filter(operator_id=operator, key_id=key_id, removed_at=None).exists():
        raise InvalidAssertionKey("The operator has this key already.")
    key = AssertionKey.objects.create(
        id=new_id(database_now()),
        operator_id=operator,
        key_id=key_id,
        name=name,
        jwk=public,
        subject=subject,
        requested_by=requested_by,
        confirmed_by=confirmed_by,
    )
    act_log.done(
        acts.REGISTER_ASSERTION_KEY.name,
        kind=None,
        operator=operator,
        subject=f"operator:{operator}",
        actor=requested_by,
        authorised_by=confirmed_by,
        after={"name": name, "key_id": key_id, "subject": subject},
    )
    return key


def new_sandbox_key(operator: Operator) -> dict[str, str]:
    """Register a new key for everybody on a sandbox operator's staff; return it with its private part, as a JWK.

    Raises SandboxOnly.
    """
    if not operator.sandbox:
        raise SandboxOnly
    key = Ed25519PrivateKey.generate()
    private: dict[str, str] = jwt.algorithms.OKPAlgorithm.to_jwk(key, as_dict=True)
    public = {name: private[name] for name in ("kty", "crv", "x")}
    with transaction.atomic():
        register_key(
            operator=operator.id, name="Sandbox", jwk=public, subject="", requested_by="command", confirmed_by="command"
        )
    return private


def remove_key(key: UUID, *, by: str) -> None:
    """Remove a key at once, for one person is enough; removing it twice is no error. Raises UnknownAssertionKey."""
    row = AssertionKey.objects.select_for_update().filter(pk=key).first()
    if row is None:
        raise UnknownAssertionKey
    if row.removed_at is not None:
        return
    act_log.changed(
        row,
        "operators.delete_assertionkey",
        kind=SignificantEventKind.ACCESS_CHANGED,
        subject=f"operator:{row.operator_id}",
        by=by,
        reason=f"The assertion key {row.name} was removed: {row.key_id}, {row.subject or 'for everybody'}",
        removed_at=database_now(),
        removed_by=by,
    )


def forget_used() -> int:
    """Delete assertions that have expired, some at a time, and return how many."""
    return len(fetch(_FORGET + " RETURNING 1", [2 * (MAX_AGE + SKEW)]))


def _verify(assertion: str, operator: UUID) -> tuple[dict[str, Any], AssertionKey]:
    try:
        if len(assertion) > _LONGEST:
            raise jwt.InvalidTokenError("It is too long.")
        key_id = jwt.get_unverified_header(assertion).get("kid")
        keys = AssertionKey.objects.select_related("operator")
        key = keys.filter(operator_id=operator, key_id=key_id, removed_at=None).first()
        if key is None:
            raise jwt.InvalidTokenError("Its `kid` is of no registered key.")
        algorithm = _ALGORITHMS[key.jwk.get("crv", "")]
        claims: dict[str, Any] = jwt.decode(
            assertion,
            jwt.PyJWK(key.jwk, algorithm),
            algorithms=[algorithm],
            audience=str(operator),
            leeway=SKEW,
            options={"require": _CLAIMS},
        )
    except jwt.ExpiredSignatureError:
        raise AssertionExpired from None
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise AssertionInvalid(str(error)) from None
    if type(claims["iat"]) is not int:
        raise AssertionInvalid("The assertion's `iat` must be a whole number of seconds.")
    return claims, key


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
