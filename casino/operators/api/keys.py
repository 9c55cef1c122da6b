"""The API key of a request: its terms and limits, the rotation of its secret, and its signing keys."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import JSON, operation
from casino.api.requests import Body, parse_body, verbatim
from casino.api.shapes import AmountText, CurrencyCode, Shape, Timestamp
from casino.kernel.money import format_amount
from casino.operators import acts, key_changes, key_limits, key_rotation, signing_keys
from casino.operators.api.changes import ChangeResponse, waits
from casino.operators.base_views import OperatorView
from casino.operators.key_limits import Movement
from casino.operators.key_models import KeyLimit, SigningKey
from casino.operators.models import ApiKey, Change
from casino.operators.principals import Scope
from casino.operators.refusals import (
    ChangeNeedsSecondPerson,
    InvalidSigningKey,
    NoRotation,
    PreviousSecretUsed,
    RotationTooQuick,
    RotationUnderWay,
    SignaturesRequireKey,
    TooManySigningKeys,
    UnknownSigningKey,
)

_OVERLAP: Final = int(key_rotation.OVERLAP.total_seconds())
_MAX_OVERLAP: Final = int(key_rotation.MAX_OVERLAP.total_seconds())
_PUBLIC: Final = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
_KEYID: Final = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


class RotationRequest(Body):
    """How long the present secret stays valid."""

    overlap_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=_MAX_OVERLAP,
            description="How long the present secret stays valid beside the new one: a day by default, at a live "
            "operator an hour at least.",
        ),
    ] = _OVERLAP


class KeyType(StrEnum):
    """The types of public keys."""

    OKP = "OKP"


class KeyCurve(StrEnum):
    """The curves of public keys."""

    ED25519 = "Ed25519"


class PublicKeyRequest(Body):
    """An Ed25519 public key by RFC 8037."""

    kty: KeyType
    crv: KeyCurve
    x: Annotated[str, verbatim(100)]


class SigningKeyRequest(Body):
    """A signing key: an Ed25519 public key of yours."""

    jwk: PublicKeyRequest


class KeyLimitResponse(Shape):
    """How much real money a key may move by one kind of movement in a currency."""

    movement: Movement
    currency: CurrencyCode
    per_request: Annotated[AmountText | None, Meta(description="Null for no limit.", examples=["500.00"])]
    per_day: Annotated[AmountText | None, Meta(description="In a day (UTC); null for no limit.", examples=["5000.00"])]
    moved_today: AmountText

    @classmethod
    def of(cls, row: KeyLimit) -> "KeyLimitResponse":
        """Present the limits of one movement."""

        def text(amount: int | None) -> str | None:
            return None if amount is None else format_amount(amount, row.currency)

        return cls(
            movement=Movement(row.movement),
            currency=row.currency,
            per_request=text(row.per_request),
            per_day=text(row.per_day),
            moved_today=format_amount(row.moved, row.currency),
        )


class SigningKeyResponse(Shape, kw_only=True):
    """A signing key."""

    keyid: Annotated[str, Meta(description="`keyid` of its signatures.", examples=[_KEYID])]
    created_at: Timestamp
    last_used_at: Annotated[Timestamp | None, Meta(description="Accurate to half a minute.")]

    @classmethod
    def of(cls, row: SigningKey) -> "SigningKeyResponse":
        """Present a signing key."""
        return cls(keyid=row.keyid, created_at=row.created_at, last_used_at=row.last_used_at)


class RequestedSigningKey(ChangeResponse, kw_only=True):
    """A signing key on which another person has to agree."""

    keyid: Annotated[str, Meta(description="`keyid` of its signatures.", examples=[_KEYID])]

    @classmethod
    def of_key(cls, change: Change, *, keyid: str) -> "RequestedSigningKey":
        """Present the change, and the key's `keyid`."""
        return cls(**asdict(ChangeResponse.of(change)), keyid=keyid)


class CurrentKeyResponse(Shape, kw_only=True):
    """The API key of this request, without its secret."""

    key_id: Annotated[str, Meta(examples=["op_5f0c9a1b2c3d4e5f6a7b"])]
    label: Annotated[str, Meta(examples=["Cashier"])]
    scopes: tuple[Scope, ...]
    networks: Annotated[tuple[str, ...], Meta(description="Empty for anywhere.", examples=[["203.0.113.0/24"]])]
    created_at: Timestamp
    expires_at: Annotated[Timestamp | None, Meta(description="Null for never.", examples=[None])]
    secret_since: Annotated[Timestamp, Meta(description="When the newest secret was made.")]
    previous_ends_at: Annotated[
        Timestamp | None, Meta(description="Until when the previous secret is valid; null if it was never rotated.")
    ]
    previous_used_at: Annotated[Timestamp | None, Meta(description="The last use of the previous secret.")]
    signatures_required: Annotated[bool, Meta(description="Unsigned requests with this key are refused.")]
    signing_keys: tuple[SigningKeyResponse, ...]
    limits: Annotated[
        tuple[KeyLimitResponse, ...],
        Meta(description="Empty for no limits; otherwise the key moves only what is listed."),
    ]

    @classmethod
    def of(cls, key: ApiKey, **more: Any) -> "CurrentKeyResponse":
        """Present a key with its limits and signing keys."""
        return cls(
            key_id=key.key_id,
            label=key.label,
            scopes=tuple(map(Scope, key.scopes)),
            networks=tuple(key.networks),
            created_at=key.created_at,
            expires_at=key.expires_at,
            secret_since=key.secret_since,
            previous_ends_at=key.previous_ends_at,
            previous_used_at=key.previous_used_at,
            signatures_required=key.signatures_required or key.operator.signatures_required,
            signing_keys=tuple(SigningKeyResponse.of(row) for row in key.signing_keys.order_by("id")),
            limits=tuple(map(KeyLimitResponse.of, key_limits.list_limits(key.key_id))),
            **more,
        )


class RotatedKey(CurrentKeyResponse, kw_only=True):
    """The key with its new credential, which is shown once."""

    credential: Annotated[
        str,
        Meta(
            description="Send it as `Authorization: Bearer …` from now on.",
            examples=["op_5f0c9a1b2c3d4e5f6a7b.q8m1T3zv5K0nY7hPfXc2Rb9sLdJwAe4uGi6oQxZtVyE"],
        ),
    ]


class OwnKeyView(OperatorView):
    """A view of the key of the request, for which every key has the right."""

    for_brands = frozenset({"GET", "POST", "DELETE"})
    act = acts.OWN_KEY


class CurrentKeyView(OwnKeyView):
    """The key of the request."""

    @operation(
        "getKey",
        "Show the API key of this request",
        description="Its terms, its limits with what was moved today, its signing keys, and the state of a rotation.",
        returns=CurrentKeyResponse,
    )
    def get(self, _request: Request) -> Response:
        return Response(CurrentKeyResponse.of(_load(self.caller.key_id)))


class RotateKeyView(OwnKeyView):
    """The rotation of the secret of the request's key."""

    @operation(
        "rotateKey",
        "Make a new secret of this API key",
        description=(
            "The present secret stays valid for `overlap_seconds`. If the answer was lost, repeat the request under "
            "its Idempotency-Key, or send another one with the present secret as long as nobody has used the new one. "
            "Staff with the right to change keys are told by e-mail."
        ),
        request=RotationRequest,
        example={"overlap_seconds": 3600},
        returns=RotatedKey,
        refusals=(RotationUnderWay, RotationTooQuick),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        overlap, me = timedelta(seconds=parse_body(RotationRequest, request).overlap_seconds), self.caller
        secret = key_rotation.rotate(
            key_id=me.key_id, by=me.actor, overlap=overlap, with_previous=me.with_previous_secret
        )
        return Response(RotatedKey.of(_load(me.key_id), credential=f"{me.key_id}.{secret}"))


class EndRotationView(OwnKeyView):
    """The end of a rotation."""

    @operation(
        "endKeyRotation",
        "End the previous secret of this API key at once",
        description=(
            "Send it with the newest secret, once nobody uses the previous one: see `previous_used_at`. At a live "
            "operator the previous secret stays for an hour; staff end it at once."
        ),
        returns=CurrentKeyResponse,
        refusals=(NoRotation, PreviousSecretUsed, RotationTooQuick),
    )
    @idempotent
    def post(self, _request: Request) -> Response:
        me = self.caller
        key_rotation.end(key_id=me.key_id, by=me.actor, with_previous=me.with_previous_secret)
        return Response(CurrentKeyResponse.of(_load(me.key_id)))


class SigningKeysView(OwnKeyView):
    """The signing keys of the request's key."""

    act = acts.ADD_OWN_SIGNING_KEY

    @operation(
        "addSigningKey",
        "Register a key that signs requests with this API key",
        description=(
            "An API key has two at most, so that one can take the place of the other. Where signatures are required, "
            "this request must be signed, too. For a live operator this needs the assertion of a person, and verifies "
            "nothing until another person confirms it (`POST /changes/{change}/confirm`). For a sandbox operator it "
            "is registered at once."
        ),
        request=SigningKeyRequest,
        example={"jwk": {"kty": "OKP", "crv": "Ed25519", "x": _PUBLIC}},
        returns=SigningKeyResponse,
        status=201,
        responses={(202, JSON): RequestedSigningKey},
        examples=[waits(RequestedSigningKey)],
        refusals=(InvalidSigningKey, TooManySigningKeys, ChangeNeedsSecondPerson),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, me, key = parse_body(SigningKeyRequest, request), self.caller, _load(self.caller.key_id)
        by = me.actor if me.sandbox else self.use_person()
        keyid, change = key_changes.add_signing_key(key, jwk=msgspec.json.encode(body.jwk).decode(), by=by)
        if change is not None:
            return Response(RequestedSigningKey.of_key(change, keyid=keyid), status=202)
        return Response(SigningKeyResponse.of(key.signing_keys.get(keyid=keyid)), status=201)


class SigningKeyView(OwnKeyView):
    """One signing key."""

    @operation(
        "removeSigningKey",
        "Remove a signing key",
        description="Signatures with it are refused from now on. Where signatures are required, the last one stays.",
        responses={204: None},
        refusals=(UnknownSigningKey, SignaturesRequireKey),
    )
    def delete(self, _request: Request, keyid: str) -> Response:
        signing_keys.remove(key_id=self.caller.key_id, keyid=keyid, by=self.caller.actor)
        return Response(status=204)


def _load(key_id: str) -> ApiKey:
    return ApiKey.objects.select_related("operator").get(pk=key_id)
