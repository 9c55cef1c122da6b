"""Limits on deposits, stakes, losses and time: a player's own, the operator's for a player, and for all players."""

from typing import Annotated, Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample
from msgspec import UNSET, Meta, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import FIRST_OFFERED, Amount, Body, OfferedCurrency, parse_body
from casino.api.shapes import ItemList, LimitText, LimitUnit, Shape, Timestamp
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.refusals import UnknownPlayer
from casino.operators.services import require_player
from wallet import acts
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import queries, services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.queries import LimitsOverview, LimitStatus
from wallet.responsible_gaming.refusals import (
    MINUTES,
    InvalidPlayLimit,
    LimitIncreaseTooEarly,
    NoLimitIncreasePending,
    PlayLimitUnchanged,
    format_limit,
)
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PendingIncrease, PlayLimit

_INCREASES: Final = (
    "A lower limit applies at once. A higher one, or none (null), applies once it is confirmed, at least 24 hours "
    "later; until then it is `pending` and can be cancelled."
)
_MONEY: Final = {"limit_type": "loss", "period": "day", "amount": "50.00", "currency": "EUR"}
_TIME: Final = OpenApiExample(
    "Two hours a day", {"limit_type": "time", "period": "day", "minutes": 120}, request_only=True
)
_REF: Final = {"limit_type": "loss", "period": "day"}
UNTIL: Final = "A self-exclusion continues until the operator ends it, from this time on. Null is a permanent one."


class LimitRef(Body):
    """Type and period of a limit, and its currency unless it is on time."""

    limit_type: LimitType
    period: LimitPeriod
    currency: OfferedCurrency = FIRST_OFFERED

    def kind(self) -> dict[str, Any]:
        """Return the type and the period."""
        return {"limit_type": self.limit_type, "period": self.period}


class LimitRequest(LimitRef):
    """`amount` with `currency` for money, `minutes` for time; null for no limit."""

    amount: Amount | UnsetType | None = UNSET
    minutes: int | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        """Refuse what is not one limit. Raises InvalidPlayLimit."""
        is_time = self.limit_type is LimitType.TIME
        if (self.minutes is UNSET) is is_time or (self.amount is UNSET) is not is_time:
            raise InvalidPlayLimit

    def terms(self) -> dict[str, Any]:
        """Return the limit in minor units or minutes, with its type and period."""
        return {**self.kind(), "limit": self.amount if self.minutes is UNSET else self.minutes}


class PendingLimitIncrease(Shape):
    """A higher limit that the player requested."""

    limit: Annotated[LimitText | None, Meta(description="Null for no limit.")]
    requested_at: Timestamp
    confirm_from: Annotated[Timestamp, Meta(description="The earliest time to confirm it.")]

    @classmethod
    def of(cls, increase: PendingIncrease | None) -> "PendingLimitIncrease | None":
        """Present an increase, if there is one."""
        if increase is None:
            return None
        limit = _text(increase.limit, increase.limit_type, increase.currency)
        return cls(limit, increase.requested_at, increase.confirm_from)


class Limit(Shape):
    """The limit in effect: the lowest of the player's own, the operator's for the player, and for all players."""

    limit_type: LimitType
    period: Annotated[LimitPeriod, Meta(description="24 hours, 7 days or a calendar month, back from now.")]
    unit: LimitUnit
    limit: LimitText | None
    used: Annotated[LimitText, Meta(examples=["12.50"])]
    remaining: Annotated[LimitText | None, Meta(examples=["37.50"])]
    player_limit: LimitText | None
    operator_limit: Annotated[LimitText | None, Meta(examples=[None])]
    operator_wide_limit: Annotated[LimitText | None, Meta(examples=["500.00"])]
    pending: PendingLimitIncrease | None

    @classmethod
    def of(cls, status: LimitStatus, pending: PendingIncrease | None) -> "Limit":
        """Present a limit and the increase that is pending for it."""
        limit_type, currency = status.limit_type, status.currency
        return cls(
            limit_type=limit_type,
            period=status.period,
            unit=currency or MINUTES,
            limit=_text(status.limit, limit_type, currency),
            used=format_limit(max(0, status.used), limit_type, currency),
            remaining=_text(status.remaining, limit_type, currency),
            player_limit=_text(status.player_limit, limit_type, currency),
            operator_limit=_text(status.operator_limit, limit_type, currency),
            operator_wide_limit=_text(status.operator_wide_limit, limit_type, currency),
            pending=PendingLimitIncrease.of(pending),
        )


class ExclusionResponse(Shape):
    """An exclusion from deposits and play."""

    kind: ExclusionKind
    set_by: Initiator
    since: Timestamp
    until: Annotated[Timestamp | None, Meta(description=UNTIL)]

    @classmethod
    def of(cls, exclusion: Exclusion | None) -> "ExclusionResponse | None":
        """Present an exclusion, if there is one."""
        if exclusion is None:
            return None
        return cls(exclusion.kind, exclusion.by, exclusion.since, exclusion.until)


class Limits(Shape):
    """All limit types, currencies and periods, whether limited or not, and the active exclusion."""

    items: tuple[Limit, ...]
    exclusion: Annotated[ExclusionResponse | None, Meta(examples=[None])]

    @classmethod
    def of(cls, overview: LimitsOverview) -> "Limits":
        """Present a player's limits."""
        restrictions = overview.restrictions
        items = tuple(
            Limit.of(limit, restrictions.pending_increase(limit.limit_type, limit.period, limit.currency))
            for limit in overview.limits
        )
        return cls(items, ExclusionResponse.of(restrictions.active_exclusion(overview.now)))


class OperatorLimit(Shape):
    """A limit for all players of the operator."""

    limit_type: LimitType
    period: LimitPeriod
    unit: LimitUnit
    limit: Annotated[LimitText, Meta(examples=["500.00"])]
    since: Timestamp

    @classmethod
    def of(cls, limit: PlayLimit) -> "OperatorLimit":
        """Present a limit."""
        text = format_limit(limit.limit, limit.limit_type, limit.currency)
        return cls(limit.limit_type, limit.period, limit.currency or MINUTES, text, limit.since)


class OperatorLimits(ItemList[OperatorLimit]):
    """The limits for all players of the operator, by type and period."""


class ResponsibleGamingView(PlayerView):
    """Base of the views of a player's own limits and reality checks."""

    def player_context(self, request: Request, currency: str = "") -> PlayerContext:
        """Return the player and the currency of a limit, with the metadata for events."""
        caller = self.caller
        return PlayerContext(
            operator=caller.operator, player=caller.player, currency=currency, metadata=metadata(request)
        )

    def limits_response(self) -> Response:
        """Answer with the caller's limits."""
        caller = self.caller
        overview = queries.limits(operator=caller.operator, player=caller.player, currencies=caller.currencies)
        return Response(Limits.of(overview))


class MyLimitsView(ResponsibleGamingView):
    """The caller's limits."""

    @operation(
        "getMyLimits",
        "Show your limits on deposits, stakes, losses and time, and how much of them is used",
        returns=Limits,
        description=(
            "For each limit what is in force, what is used in the window, and a higher limit that "
            "waits for confirmation."
        ),
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request) -> Response:
        return self.limits_response()

    @operation(
        "setMyLimit",
        "Limit what you deposit, stake, lose or play in 24 hours, 7 days or a month",
        description=_INCREASES,
        request=LimitRequest,
        example=_MONEY,
        examples=[_TIME],
        returns=Limits,
        refusals=(
            InvalidPlayLimit,
            PlayLimitUnchanged,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(LimitRequest, request)
        context = self.player_context(request, body.currency)
        services.set_limit(context=context, by=Initiator.PLAYER, **body.terms())
        return self.limits_response()


class ConfirmMyLimitView(ResponsibleGamingView):
    """A player's confirmation of a higher limit."""

    @operation(
        "confirmMyLimit",
        "Confirm a higher limit that you requested at least 24 hours ago",
        request=LimitRef,
        example=_REF,
        returns=Limits,
        description=("From the time in `confirm_from` on. Until you confirm it, the old limit stays."),
        refusals=(
            LimitIncreaseTooEarly,
            NoLimitIncreasePending,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(LimitRef, request)
        services.confirm_increase(context=self.player_context(request, body.currency), **body.kind())
        return self.limits_response()


class CancelMyLimitView(ResponsibleGamingView):
    """A player's cancelled request for a higher limit."""

    @operation(
        "cancelMyLimit",
        "Cancel your request for a higher limit",
        request=LimitRef,
        example=_REF,
        returns=Limits,
        description=("The limit in force stays."),
        refusals=(
            NoLimitIncreasePending,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(LimitRef, request)
        services.cancel_increase(context=self.player_context(request, body.currency), **body.kind())
        return self.limits_response()


class PlayerLimitsView(OperatorView):
    """The limits of one of the caller's players."""

    act = acts.SET_RESTRICTIONS

    @operation(
        "getPlayerLimits",
        "Show the limits of one of your players and how much is used",
        returns=Limits,
        description=(
            "For each limit what is in force, what is used in the window, and whether you or the player set it."
        ),
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        return self._limits(player)

    @operation(
        "setPlayerLimit",
        "Limit one of your players; it changes at once, and the player's own limit still applies",
        request=LimitRequest,
        example=_MONEY,
        examples=[_TIME],
        returns=Limits,
        description=("Null removes your limit; the player's own stays. The lowest of all limits counts."),
        refusals=(
            InvalidPlayLimit,
            PlayLimitUnchanged,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body, caller = parse_body(LimitRequest, request), self.caller
        require_player(operator=caller.operator, player=player)
        context = PlayerContext(
            operator=caller.operator, player=player, currency=body.currency, metadata=metadata(request)
        )
        services.set_limit(context=context, by=Initiator.OPERATOR, **body.terms())
        return self._limits(player)

    def _limits(self, player: UUID) -> Response:
        caller = self.caller
        overview = queries.limits(operator=caller.operator, player=player, currencies=caller.currencies)
        return Response(Limits.of(overview))


class OperatorLimitsView(OperatorView):
    """The limits for all of the caller's players."""

    act = acts.SET_RESTRICTIONS

    @operation(
        "getOperatorLimits",
        "Show the limits for all your players",
        returns=OperatorLimits,
        description=("They hold for each player, beside the player's own limits and those that you set for a player."),
    )
    def get(self, _request: Request) -> Response:
        return self._limits()

    @operation(
        "setOperatorLimit",
        "Limit all your players; it changes at once",
        request=LimitRequest,
        example=_MONEY,
        examples=[_TIME],
        returns=OperatorLimits,
        description=("Null removes the limit. The lowest of all limits counts."),
        refusals=(
            InvalidPlayLimit,
            PlayLimitUnchanged,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, caller = parse_body(LimitRequest, request), self.caller
        services.set_operator_wide_limit(
            operator=caller.operator, metadata=metadata(request), currency=body.currency, **body.terms()
        )
        return self._limits()

    def _limits(self) -> Response:
        caller = self.caller
        limits = sorted(queries.load_operator_limits(operator=caller.operator).limits, key=_order)
        return Response(OperatorLimits.of(map(OperatorLimit.of, limits)))


def _order(limit: PlayLimit) -> tuple[int, str, int]:
    return list(LimitType).index(limit.limit_type), limit.currency, list(LimitPeriod).index(limit.period)


def _text(limit: int | None, limit_type: LimitType, currency: str) -> str | None:
    return None if limit is None else format_limit(limit, limit_type, currency)
