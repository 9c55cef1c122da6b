"""Launches of players from the operator's own site."""

import re
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from msgspec import Meta
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.api.rules_requests import OptionalPresetField
from baccarat.chat.refusals import NicknameNotAllowed
from baccarat.domain.rules.presets import UnknownPreset
from baccarat.domain.tables.refusals import (
    MoneyTypeNotOffered,
    TableIsClosed,
    TableNotOffered,
    UnknownTable,
    WrongCurrency,
)
from baccarat.queries.offered import require_offered
from baccarat.services import launching
from baccarat.services.skins import UnknownSkin
from casino.api.fields import (
    CurrencyField,
    IdField,
    MoneyTypeField,
    ReferenceField,
    StrictSerializer,
    WholeNumberField,
    parse_body,
)
from casino.api.openapi import operation
from casino.api.shapes import Shape, Timestamp
from casino.checkpoints.notes import log_keys
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType
from casino.operators import brands
from casino.operators.base_views import OperatorView, metadata
from casino.operators.launches import MAX_ADDRESS_LENGTH, LaunchOptions
from casino.operators.principals import Scope
from casino.operators.refusals import (
    AddressMalformed,
    ChangeNeedsSecondPerson,
    InvalidSessionLength,
    OriginNotRegistered,
    PlayerIsBanned,
    PresetHasNoTable,
    ScopeMissing,
    UnknownBrand,
    UnknownLimitsGroup,
)
from casino.operators.sessions import SESSION_SECONDS
from casino.witness.addresses import parse_addresses
from wallet.api.players import PlayerRequest

_HEX_KEY: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_OPTIONS: Final = (
    "table",
    "money_type",
    "language",
    "return_url",
    "cashier_url",
    "parent_origin",
    "skin",
    "proof_keys",
)
MAX_PROOF_KEYS: Final = 32
MAX_KEY_LENGTH: Final = 300
EXAMPLE: Final[dict[str, Any]] = {
    "player": {"reference": "customer-8812", "nickname": "Ace"},
    "preset": "mini",
    "money_type": "real",
    "currency": "EUR",
    "language": "de",
    "return_url": "https://play.lucky.example/lobby",
    "cashier_url": "https://play.lucky.example/cashier",
    "parent_origin": "https://play.lucky.example",
}


_OptionalText: Final = partial(ReferenceField, required=False, allow_null=True, default=None)


class LaunchRequest(StrictSerializer):
    """Whom to launch, where to, and the sites around the game."""

    player = PlayerRequest(help_text="Registered unless the reference is known.")
    table = IdField(required=False, allow_null=True, default=None, help_text="The table to open.")
    preset = OptionalPresetField(
        required=False, allow_null=True, default=None, help_text="Opens a table of this preset instead."
    )
    money_type = MoneyTypeField(
        required=False, allow_null=True, default=None, help_text="Chosen when the player sits down."
    )
    currency = CurrencyField(required=False, default=None, allow_null=True, help_text="By default the operator's own.")
    language = _OptionalText(max_length=35, help_text="A language tag such as `de` or `pt-BR`.")
    return_url = _OptionalText(
        max_length=MAX_ADDRESS_LENGTH, help_text="Where the player goes back to; of one of your registered origins."
    )
    cashier_url = _OptionalText(
        max_length=MAX_ADDRESS_LENGTH,
        help_text="Where the player finds your cashier; of one of your registered origins.",
    )
    parent_origin = _OptionalText(
        max_length=200, help_text="The registered origin that frames the page and exchanges messages with it."
    )
    skin = ReferenceField(
        required=False,
        allow_null=True,
        default=None,
        max_length=40,
        help_text="One of your skins. By default that of the brand, else the one named `standard`, if there is one.",
    )
    limits_group = ReferenceField(
        required=False,
        allow_null=True,
        default=None,
        max_length=40,
        help_text=(
            "Moves the player to this limits group, for which a key needs the scope `compliance` too. At a live "
            "operator a launch moves nobody to wider limits: two members of staff do."
        ),
    )
    proof_keys = serializers.ListField(
        child=ReferenceField(max_length=MAX_KEY_LENGTH),
        required=False,
        default=list,
        max_length=MAX_PROOF_KEYS,
        help_text=(
            "The keys by which the page proves rounds, as you keep them: the log's and the witnesses', each as 64 hex "
            "digits, or `NAME+ID+KEY` for a cosigner; at least one of this log's and one of its cosigners. Without "
            "them the page says that a round was checked with the casino's own keys."
        ),
    )
    ttl_seconds = WholeNumberField(
        required=False,
        default=lambda: settings.PLAYER_SESSION_SECONDS,
        documented=SESSION_SECONDS,
        help_text="The lifetime of the session.",
    )

    def validate_language(self, value: str | None) -> str | None:
        """Refuse what is not a language tag."""
        if value is not None and not _TAG.fullmatch(value):
            raise ValidationError("This is not a language tag.", code="field_invalid")
        return value

    def validate_proof_keys(self, value: list[str]) -> tuple[str, ...]:
        """Refuse what is no key, and keys by which no round could be proven."""
        for key in value:
            _require_key(key)
        if value and not {each.public.hex() for each in log_keys()}.intersection(value):
            raise ValidationError("None of them is a key of this log.", code="field_invalid")
        if value and not {each.cosigner.vkey for each in parse_addresses(settings.WITNESSES)}.intersection(value):
            raise ValidationError("None of them is the key of a witness that cosigns this log.", code="field_invalid")
        return tuple(dict.fromkeys(value))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a table beside a preset."""
        if attrs["table"] is not None and attrs["preset"] is not None:
            raise ValidationError({"preset": ValidationError("Send a table or a preset.", "field_invalid").detail})
        return attrs


def _require_key(key: str) -> None:
    if _HEX_KEY.fullmatch(key):
        return
    try:
        is_cosigner = NoteKey.parse(key).type is SignatureType.COSIGNATURE
    except MalformedNote:
        is_cosigner = False
    if not is_cosigner:
        reason = f"{key[:80]!r} is neither 64 hex digits nor the NAME+ID+KEY of a cosigner."
        raise ValidationError(reason, code="field_invalid")


class LaunchResponse(Shape):
    """A launch. The code in its address is shown only here."""

    id: Annotated[UUID, Meta(description="The launch; it opens nothing.")]
    player: Annotated[UUID, Meta(description="The player who was launched, registered now if new.")]
    url: Annotated[
        str,
        Meta(
            description="Send the player's browser there, or frame it. It works once.",
            examples=["https://casino.example/play/?launch=lc_vQ2l0y6mG1kYw8bZ5n3r7t9c4x1a6e2s8d0f5h7j9k3"],
        ),
    ]
    expires_at: Annotated[Timestamp, Meta(description="A minute after the launch.")]


class LaunchesView(OperatorView):
    """Launches of the caller's players."""

    tag = "operators"
    act = acts.LAUNCH
    for_brands = frozenset({"POST"})

    @operation(
        "launchPlayer",
        "Obtain an address that opens the game for a player",
        description=(
            "It registers the player unless the reference is known. The page trades the code in the address for a "
            "session, which ends one that is open elsewhere. Repeating the request issues another code."
        ),
        request=LaunchRequest,
        example=EXAMPLE,
        returns=LaunchResponse,
        status=201,
        refusals=(
            UnknownTable,
            TableNotOffered,
            TableIsClosed,
            WrongCurrency,
            MoneyTypeNotOffered,
            UnknownPreset,
            PresetHasNoTable,
            InvalidSessionLength,
            AddressMalformed,
            OriginNotRegistered,
            UnknownBrand,
            UnknownSkin,
            ChangeNeedsSecondPerson,
            UnknownLimitsGroup,
            PlayerIsBanned,
            NicknameNotAllowed,
        ),
    )
    def post(self, request: Request) -> Response:
        """Issue a launch; a repeat issues another one, because a stored response would contain a secret."""
        body, me = parse_body(LaunchRequest, request), self.caller
        if body["limits_group"] is not None and Scope.COMPLIANCE not in me.scopes:
            raise ScopeMissing(scope=Scope.COMPLIANCE)
        require_offered(me, table=body["table"])
        issued = launching.launch(
            operator=me.operator,
            reference=body["player"]["reference"],
            nickname=body["player"]["nickname"],
            brand=brands.chosen_scope(me, body["player"]["brand"]),
            preset=body["preset"],
            session_seconds=body["ttl_seconds"],
            limits_group=body["limits_group"],
            opened_by=me.key_id,
            options=LaunchOptions(currency=body["currency"] or me.currency, **{name: body[name] for name in _OPTIONS}),
            metadata=metadata(request),
        )
        url = f"{request.build_absolute_uri(reverse('play'))}?launch={issued.code}"
        return Response(LaunchResponse(issued.id, issued.player, url, issued.expires_at), status=201)
