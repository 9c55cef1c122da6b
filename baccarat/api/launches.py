"""Launches of players from the operator's own site."""

import re
from typing import Annotated, Any, Final
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from msgspec import Meta, field
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.api.rules_requests import PresetName
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
from casino.api.openapi import operation
from casino.api.requests import Body, OfferedCurrency, integer, parse_body, verbatim
from casino.api.shapes import Shape, Timestamp
from casino.checkpoints.notes import log_keys
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType
from casino.kernel.conversion import Malformed
from casino.kernel.errors import Fault
from casino.kernel.money import MoneyType
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
_TAG: Final = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}\Z"
_OPTIONS: Final = (
    "table",
    "money_type",
    "language",
    "return_url",
    "cashier_url",
    "parent_origin",
    "skin",
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


class LaunchRequest(Body):
    """Whom to launch, where to, and the sites around the game."""

    player: Annotated[PlayerRequest, Meta(description="Registered unless the reference is known.")]
    table: Annotated[UUID | None, Meta(description="The table to open.")] = None
    preset: Annotated[PresetName | None, Meta(description="Opens a table of this preset instead.")] = None
    money_type: Annotated[MoneyType | None, Meta(description="Chosen when the player sits down.")] = None
    currency: Annotated[OfferedCurrency | None, Meta(description="By default the operator's own.")] = None
    language: Annotated[str, verbatim(35, "A language tag such as `de` or `pt-BR`.", pattern=_TAG)] | None = None
    return_url: (
        Annotated[
            str, verbatim(MAX_ADDRESS_LENGTH, "Where the player goes back to; of one of your registered origins.")
        ]
        | None
    ) = None
    cashier_url: (
        Annotated[
            str,
            verbatim(MAX_ADDRESS_LENGTH, "Where the player finds your cashier; of one of your registered origins."),
        ]
        | None
    ) = None
    parent_origin: (
        Annotated[str, verbatim(200, "The registered origin that frames the page and exchanges messages with it.")]
        | None
    ) = None
    skin: (
        Annotated[
            str,
            verbatim(
                40, "One of your skins. By default that of the brand, else the one named `standard`, if there is one."
            ),
        ]
        | None
    ) = None
    limits_group: (
        Annotated[
            str,
            verbatim(
                40,
                "Moves the player to this limits group, for which a key needs the scope `compliance` too. At a live "
                "operator a launch moves nobody to wider limits: two members of staff do.",
            ),
        ]
        | None
    ) = None
    proof_keys: Annotated[
        tuple[Annotated[str, verbatim(MAX_KEY_LENGTH)], ...],
        Meta(
            max_length=MAX_PROOF_KEYS,
            description="The keys by which the page proves rounds, as you keep them: the log's and the witnesses', "
            "each as 64 hex digits, or `NAME+ID+KEY` for a cosigner; at least one of this log's and one of its "
            "cosigners. Without them the page says that a round was checked with the casino's own keys.",
        ),
    ] = ()
    ttl_seconds: Annotated[int, integer(*SESSION_SECONDS, "The lifetime of the session.")] = field(
        default_factory=lambda: settings.PLAYER_SESSION_SECONDS
    )

    def __post_init__(self) -> None:
        """Refuse a table beside a preset, and keys by which no round could be proven. Raises Malformed."""
        faults = [Fault("proof_keys", "field_invalid", sentence) for sentence in _wrong_keys(self.proof_keys)[:1]]
        if self.table is not None and self.preset is not None:
            faults.append(Fault("preset", "field_invalid", "stands in place of a table, not beside one"))
        if faults:
            raise Malformed(*faults)


def _wrong_keys(keys: tuple[str, ...]) -> list[str]:
    """Return what is wrong with the keys by which a page proves rounds."""
    wrong = [
        f"holds {key[:80]!r}, neither 64 hex digits nor the NAME+ID+KEY of a cosigner"
        for key in keys
        if not _is_key(key)
    ]
    if keys and not {each.public.hex() for each in log_keys()}.intersection(keys):
        wrong.append("has no key of this log")
    if keys and not {each.cosigner.vkey for each in parse_addresses(settings.WITNESSES)}.intersection(keys):
        wrong.append("has no key of a witness that cosigns this log")
    return wrong


def _is_key(key: str) -> bool:
    if _HEX_KEY.fullmatch(key):
        return True
    try:
        return NoteKey.parse(key).type is SignatureType.COSIGNATURE
    except MalformedNote:
        return False


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
        if body.limits_group is not None and Scope.COMPLIANCE not in me.scopes:
            raise ScopeMissing(scope=Scope.COMPLIANCE)
        require_offered(me, table=body.table)
        issued = launching.launch(
            operator=me.operator,
            reference=body.player.reference,
            nickname=body.player.nickname,
            brand=brands.chosen_scope(me, body.player.brand),
            preset=body.preset,
            session_seconds=body.ttl_seconds,
            limits_group=body.limits_group,
            opened_by=me.key_id,
            options=LaunchOptions(
                currency=body.currency or me.currency,
                proof_keys=tuple(dict.fromkeys(body.proof_keys)),
                **{name: getattr(body, name) for name in _OPTIONS},
            ),
            metadata=metadata(request),
        )
        url = f"{request.build_absolute_uri(reverse('play'))}?launch={issued.code}"
        return Response(LaunchResponse(issued.id, issued.player, url, issued.expires_at), status=201)
