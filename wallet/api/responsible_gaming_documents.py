"""How the operations about limits on play, reality checks and play money are documented, examples included."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, extend_schema

from wallet.api import reality_check_serializers as reality
from wallet.api import responsible_gaming_serializers as bodies

_LOSS: Final = {
    "measure": "loss",
    "period": "day",
    "unit": "EUR",
    "limit": "50.00",
    "used": "12.50",
    "left": "37.50",
    "own": "50.00",
    "operators": None,
    "everyones": "500.00",
    "pending": {
        "limit": "100.00",
        "asked_at": "2026-11-21T09:00:00Z",
        "confirm_from": "2026-11-22T09:00:00Z",
    },
}
LIMITS: Final = {"items": [_LOSS], "exclusion": None}
_EUR: Final = {"amount": "100.00", "currency": "EUR"}
_PLAYED: Final = {
    "played_minutes": 35,
    "staked": {"amount": "120.00", "currency": "EUR"},
    "net": {"amount": "-12.50", "currency": "EUR"},
}
_REALITY: Final = {
    "session": {"started_at": "2026-11-21T09:00:00Z", "minutes": 42, **_PLAYED},
    "reminder": {"minutes": 30, "due_at": "2026-11-21T10:00:00Z"},
    "windows": [{"period": "day", **_PLAYED, "deposited": _EUR}],
}
_LOOSER: Final = (
    "A lower limit holds at once. A higher one, or none (null), holds once it was confirmed, 24 hours later at the "
    "earliest; until then it is `pending` and can be cancelled."
)


def _answer(value: Any, status: str = "200") -> OpenApiExample:
    return OpenApiExample("Answer", value=value, response_only=True, status_codes=[status])


def _asks(name: str, value: Any) -> OpenApiExample:
    return OpenApiExample(name, value=value, request_only=True)


_MONEY: Final = _asks("Fifty a day", {"measure": "loss", "period": "day", "amount": "50.00", "currency": "EUR"})
_TIME: Final = _asks("Two hours a day", {"measure": "time", "period": "day", "minutes": 120})
_WHICH: Final = _asks("Losses of a day", {"measure": "loss", "period": "day"})

my_limits: Final = extend_schema(
    operation_id="getMyLimits",
    summary="Show one's limits on deposits, stakes, losses and time, and what is used of them",
    responses=bodies.LimitsShown,
    examples=[_answer(LIMITS)],
)
set_my_limit: Final = extend_schema(
    operation_id="setMyLimit",
    summary="Limit what one deposits, stakes, loses or plays in 24 hours, 7 days or a month",
    description=_LOOSER,
    request=bodies.LimitRequest,
    responses=bodies.LimitsShown,
    examples=[_MONEY, _TIME, _answer(LIMITS)],
)
confirm_my_limit: Final = extend_schema(
    operation_id="confirmMyLimit",
    summary="Confirm a higher limit that was asked for 24 hours ago or earlier",
    request=bodies.WhichLimit,
    responses=bodies.LimitsShown,
    examples=[_WHICH, _answer(LIMITS)],
)
cancel_my_limit: Final = extend_schema(
    operation_id="cancelMyLimit",
    summary="Take back that one asked for a higher limit",
    request=bodies.WhichLimit,
    responses=bodies.LimitsShown,
    examples=[_WHICH, _answer({"items": [{**_LOSS, "pending": None}], "exclusion": None})],
)
player_limits: Final = extend_schema(
    operation_id="getPlayerLimits",
    summary="Show the limits of one of your players, and what is used of them",
    responses=bodies.LimitsShown,
    examples=[_answer(LIMITS)],
)
set_player_limit: Final = extend_schema(
    operation_id="setPlayerLimit",
    summary="Limit one of your players; it changes at once, and the player's own limit holds beside it",
    request=bodies.LimitRequest,
    responses=bodies.LimitsShown,
    examples=[_MONEY, _TIME, _answer({"items": [{**_LOSS, "operators": "50.00"}], "exclusion": None})],
)
_HOUSE: Final = {
    "items": [{"measure": "loss", "period": "day", "unit": "EUR", "limit": "500.00", "since": "2026-11-21T09:00:00Z"}]
}
house_limits: Final = extend_schema(
    operation_id="getOperatorLimits",
    summary="Show the limits that hold for every one of your players",
    responses=bodies.HouseShown,
    examples=[_answer(_HOUSE)],
)
set_house_limit: Final = extend_schema(
    operation_id="setLimit",
    summary="Limit every one of your players; it changes at once",
    request=bodies.LimitRequest,
    responses=bodies.HouseShown,
    examples=[_MONEY, _TIME, _answer(_HOUSE)],
)
my_reality: Final = extend_schema(
    operation_id="getMyRealityCheck",
    summary="Tell time played and result: of this session, of 24 hours, 7 days and a month",
    responses=reality.RealityShown,
    examples=[_answer(_REALITY)],
)
set_my_reality: Final = extend_schema(
    operation_id="setMyRealityCheck",
    summary="Choose how often one is reminded, every 15 to 60 minutes",
    request=reality.RealityRequest,
    responses=reality.RealityShown,
    examples=[_asks("Every half hour", {"minutes": 30}), _answer(_REALITY)],
)
player_reality: Final = extend_schema(
    operation_id="getPlayerRealityCheck",
    summary="Tell time played and result of one of your players",
    responses=reality.RealityShown,
    examples=[_answer(_REALITY)],
)
top_up: Final = extend_schema(
    operation_id="topUpMyPlayMoney",
    summary="Fill up one's play money to the operator's cap, at most once an hour",
    request=bodies.TopUpRequest,
    responses={201: bodies.TopUpShown},
    examples=[_asks("Fill up", {}), _answer({"amount": _EUR, "balance": _EUR}, "201")],
)
show_cap: Final = extend_schema(
    operation_id="getPlayMoneyPolicy",
    summary="Show up to how much play money is topped up",
    responses=bodies.CapShown,
    examples=[_answer({"cap": _EUR})],
)
set_cap: Final = extend_schema(
    operation_id="setPlayMoneyPolicy",
    summary="Say up to how much play money is topped up",
    request=bodies.CapRequest,
    responses=bodies.CapShown,
    examples=[_asks("A hundred", {"cap": "100.00", "currency": "EUR"}), _answer({"cap": _EUR})],
)
