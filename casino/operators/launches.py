"""Launches: an operator's server obtains a one-time code, and the table page trades it for the player's session.

The code is in the page's address, so it is good for a minute and for one browser. The launch itself stays known for a
day, by its id, so that a frame may be reloaded and the page can offer the way back.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from msgspec import Meta

from casino.api.shapes import CurrencyCode, Shape
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.kernel.money import MoneyType
from casino.operators import credentials, sessions
from casino.operators.models import Launch, Operator
from casino.operators.principals import BrandScope
from casino.operators.refusals import AddressMalformed, LaunchExpired, LaunchUsed, OriginNotRegistered, UnknownLaunch
from casino.operators.sessions import OpenedSession

CODE_SECONDS: Final = 60
KNOWN_FOR: Final = timedelta(days=1)
"""How long an operator's sites may frame the page of a launch."""
MAX_ADDRESS_LENGTH: Final = 2000
_ADDRESS: Final = re.compile(r"(?P<origin>https?://[^/?#\\\s@]+)([/?#][^\\\s]*)?", re.ASCII)
_MAX_CODE_LENGTH: Final = 100


class LaunchOptions(Shape):
    """How the table page begins."""

    table: Annotated[UUID | None, Meta(description="The table to open; null for the lobby.")]
    money_type: Annotated[MoneyType | None, Meta(description="Chosen when the player sits down.", examples=["real"])]
    currency: CurrencyCode
    language: Annotated[str | None, Meta(examples=["de"])]
    return_url: Annotated[str | None, Meta(examples=["https://play.lucky.example/lobby"])]
    cashier_url: Annotated[str | None, Meta(examples=["https://play.lucky.example/cashier"])]
    parent_origin: Annotated[
        str | None,
        Meta(
            description="The origin that frames the page and exchanges messages with it.",
            examples=["https://play.lucky.example"],
        ),
    ]
    skin: Annotated[str | None, Meta(description="The looks of the page.", examples=["standard"])]
    proof_keys: Annotated[
        tuple[str, ...], Meta(description="By which the page checks rounds, as you know them.", examples=[[]])
    ] = ()


@dataclass(frozen=True, slots=True)
class IssuedLaunch:
    """A launch with its code, shown once."""

    id: UUID
    player: UUID
    code: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """What the page may know of a launch before its code is traded, and who may frame it.

    `casino` is the name of the brand, else of the operator. `player` is only there for who has the code.
    """

    id: UUID
    operator: UUID
    casino: str
    player: UUID | None
    options: LaunchOptions
    origins: tuple[str, ...]


def issue(
    *,
    operator: UUID,
    player: UUID,
    brand: BrandScope | None,
    session_seconds: int,
    options: LaunchOptions,
    opened_by: str = "",
) -> IssuedLaunch:
    """Issue a launch of a player. Raises InvalidSessionLength, AddressMalformed, OriginNotRegistered."""
    sessions.require_length(session_seconds)
    registered = frozenset(Operator.objects.values_list("origins", flat=True).get(pk=operator))
    for address in (options.return_url, options.cashier_url):
        if address is not None:
            _require_registered(_origin_of(address), registered)
    if options.parent_origin is not None:
        _require_registered(options.parent_origin, registered)
    code, now = credentials.new_launch_code(), database_now()
    launch = Launch.objects.create(
        id=new_id(now),
        code_hash=credentials.digest(code),
        player_id=player,
        operator_id=operator,
        brand_id=None if brand is None else brand.id,
        opened_by=opened_by,
        session_seconds=session_seconds,
        options=msgspec.to_builtins(options),
        expires_at=now + timedelta(seconds=CODE_SECONDS),
    )
    return IssuedLaunch(launch.id, player, code, launch.expires_at)


def redeem(*, code: str, key: str | None = None) -> tuple[UUID, OpenedSession, LaunchOptions]:
    """Trade a code for a session: return the player, the session and how the page begins.

    A browser that has no answer repeats the trade under its own random key, within the minute, and gets a session that
    replaces the first one. Raises UnknownLaunch, LaunchUsed, LaunchExpired, PlayerIsBanned.
    """
    with transaction.atomic():
        launch = _use(code, by=None if key is None else credentials.digest(f"{code} {key}"))
        brand = None if launch.brand is None else BrandScope(launch.brand.id, launch.brand.shares_players)
        opened = sessions.open_session(
            operator=launch.operator_id,
            player=launch.player_id,
            seconds=launch.session_seconds,
            brand=brand,
            opened_by=launch.opened_by,
        )
    return launch.player_id, opened, _options(launch)


def renew(*, code: str, player: UUID, session: bytes) -> datetime:
    """Renew a player's own session, given by its token's hash, by the code of a new launch; return the new expiry.

    The session may repeat that within the minute. Raises UnknownLaunch, also for another player's, LaunchUsed,
    LaunchExpired, SessionNotOpen.
    """
    with transaction.atomic():
        launch = _use(code, by=session, player=player)
        return sessions.renew_session(player=player, session=session, seconds=launch.session_seconds)


def find(text: str) -> KnownLaunch | None:
    """Return the launch with this code or id, for a day after it was issued."""
    if not text:
        return None
    launches = Launch.objects.filter(expires_at__gt=Now() - KNOWN_FOR).annotate(
        origins=F("operator__origins"), casino=Coalesce("brand__name", "operator__name")
    )
    has_code = text.startswith(credentials.LAUNCH_PREFIX) and len(text) <= _MAX_CODE_LENGTH
    if has_code:
        launch = launches.filter(code_hash=credentials.digest(text)).first()
    else:
        try:
            launch = launches.filter(pk=UUID(text)).first()
        except ValueError:
            return None
    if launch is None:
        return None
    player = launch.player_id if has_code else None
    return KnownLaunch(launch.id, launch.operator_id, launch.casino, player, _options(launch), tuple(launch.origins))


def _use(code: str, *, by: bytes | None, **conditions: Any) -> Launch:
    """Use up a code. Of concurrent calls one succeeds; the others wait for it and are refused, unless it was theirs."""
    launches = Launch.objects.filter(code_hash=credentials.digest(code), **conditions)
    launch = launches.select_for_update().annotate(late=F("expires_at") - Now()).first()
    if launch is None:
        raise UnknownLaunch
    if launch.used_at is not None and (by is None or launch.used_by is None or bytes(launch.used_by) != by):
        raise LaunchUsed
    if launch.late <= timedelta(0):
        raise LaunchExpired
    launches.update(used_at=Coalesce("used_at", Now()), used_by=by)
    return launch


def _options(launch: Launch) -> LaunchOptions:
    return msgspec.convert(launch.options, LaunchOptions)


def _origin_of(address: str) -> str:
    match = _ADDRESS.fullmatch(address)
    if match is None or len(address) > MAX_ADDRESS_LENGTH:
        raise AddressMalformed(f"{address[:80]!r} is not an address.")
    return match["origin"]


def _require_registered(origin: str, registered: frozenset[str]) -> None:
    if origin not in registered:
        raise OriginNotRegistered(f"{origin[:80]!r} is not one of your origins.", origin=origin[:200])
