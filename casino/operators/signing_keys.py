"""Signing keys: what verifies signatures of requests with an API key, and which requests must have one."""

from base64 import urlsafe_b64decode
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from casino.events.sql import database_now
from casino.operators import acts
from casino.operators.assertions import parse_jwk
from casino.operators.key_models import SigningKey
from casino.operators.models import Operator
from casino.operators.refusals import (
    InvalidAssertionKey,
    InvalidSigningKey,
    SignaturesRequireKey,
    TooManySigningKeys,
    UnknownSigningKey,
)
from casino.operators.services import change_key, find_key, record_access
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind

MAX_SIGNING_KEYS: Final = 2
"""So that one can take the place of the other."""


def add_public(*, key_id: str, jwk: str, by: str) -> SigningKey:
    """Register an Ed25519 public key. Raises InvalidSigningKey, TooManySigningKeys, UnknownKey."""
    return add(parse_public(jwk), key_id=key_id, by=by)


def parse_public(jwk: str) -> SigningKey:
    """Return an Ed25519 public key, a JWK, as a row that is not saved; its `keyid` is its thumbprint by RFC 7638.

    Raises InvalidSigningKey.
    """
    try:
        thumbprint, public = parse_jwk(jwk)
        key = urlsafe_b64decode(public["x"] + "=")
        Ed25519PublicKey.from_public_bytes(key)
    except (InvalidAssertionKey, KeyError, ValueError):
        raise InvalidSigningKey from None
    if public.get("crv") != "Ed25519":
        raise InvalidSigningKey
    return SigningKey(keyid=thumbprint, public_key=key)


def remove(*, key_id: str, keyid: str, by: str) -> None:
    """Remove a signing key at once, but not the last one where signatures are required.

    Raises UnknownSigningKey, SignaturesRequireKey, UnknownKey.
    """
    with transaction.atomic():
        key = find_key(key_id, lock=True)
        row = key.signing_keys.filter(keyid=keyid).first()
        if row is None:
            raise UnknownSigningKey
        required = key.signatures_required or key.operator.signatures_required
        if required and not key.signing_keys.exclude(keyid=keyid).exists():
            raise SignaturesRequireKey
        row.delete()
        reason, after = "A signing key was removed", {"keyid": keyid}
        record_access(key.operator_id, f"key:{key_id}", by=by, reason=reason, tightens=True, after=after)


def require(*, key_id: str, required: bool, by: str) -> None:
    """Require signatures of requests with a key, or not. Raises SignaturesRequireKey, UnknownKey."""
    with transaction.atomic():
        key = find_key(key_id, lock=True)
        if required and not key.signing_keys.exists():
            raise SignaturesRequireKey
        act, reason = acts.REQUIRE_SIGNATURES, "The duty to sign was changed"
        change_key(key, by=by, reason=reason, act=act, tightens=required, signatures_required=required)


def require_of_all(operator: Operator, *, required: bool, by: str) -> None:
    """Require signatures of requests with each key of an operator, or not. Raises SignaturesRequireKey."""
    with transaction.atomic():
        row = Operator.objects.select_for_update(no_key=True).get(pk=operator.pk)
        live = row.keys.select_for_update(no_key=True).filter(
            Q(expires_at=None) | Q(expires_at__gt=database_now()), revoked_at=None
        )
        if required and live.filter(~Exists(SigningKey.objects.filter(key=OuterRef("pk")))).exists():
            raise SignaturesRequireKey
        act_log.changed(
            row,
            acts.REQUIRE_SIGNATURES.name,
            kind=SignificantEventKind.ACCESS_CHANGED,
            by=by,
            reason="The duty to sign with every key was changed",
            tightens=required,
            signatures_required=required,
        )


def verification_key(row: SigningKey) -> Ed25519PublicKey:
    """Return what verifies signatures of a signing key."""
    return Ed25519PublicKey.from_public_bytes(bytes(row.public_key))


def add(row: SigningKey, *, key_id: str, by: str) -> SigningKey:
    """Save a signing key of an API key. Raises InvalidSigningKey, TooManySigningKeys, UnknownKey."""
    with transaction.atomic():
        key = find_key(key_id, lock=True)
        present = list(key.signing_keys.values_list("keyid", flat=True))
        if row.keyid in present:
            raise InvalidSigningKey("The API key has this signing key already.")
        if len(present) >= MAX_SIGNING_KEYS:
            raise TooManySigningKeys(limit=MAX_SIGNING_KEYS)
        row.key, row.created_at = key, database_now()
        row.save(force_insert=True)
        after = {"keyid": row.keyid}
        reason, act = "A signing key was registered", acts.ADD_SIGNING_KEY
        record_access(key.operator_id, f"key:{key_id}", by=by, reason=reason, act=act, after=after)
    return row
