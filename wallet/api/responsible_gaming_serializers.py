"""The bodies of the operations about limits on play, exclusions and play money."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from casino.api.fields import AmountField, CurrencyField, EnumField, MoneySerializer, StrictSerializer, WholeNumberField
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.queries import LimitsOverview, LimitStatus
from wallet.responsible_gaming.refusals import InvalidPlayLimit, format_limit
from wallet.responsible_gaming.state import Exclusion, OperatorLimitsState


class WhichLimit(StrictSerializer):
    """One measure over one period."""

    measure = EnumField(LimitType)
    period = EnumField(LimitPeriod)


class LimitRequest(WhichLimit):
    """`amount` with `currency` for money, `minutes` for time; null for no limit."""

    amount = AmountField(required=False, allow_null=True)
    currency = CurrencyField(required=False)
    minutes = WholeNumberField(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Find what is limited to how much. Raises PlayLimitImpossible."""
        name, other = ("minutes", "amount") if attrs["measure"] is LimitType.TIME else ("amount", "minutes")
        if name not in attrs or other in attrs:
            raise InvalidPlayLimit
        most = attrs[name]
        if name == "amount" and most is not None and "currency" not in attrs:
            raise ValidationError({"currency": ["Name the currency of the amount."]}, code="required")
        return {"measure": attrs["measure"], "period": attrs["period"], "most": most}


class PendingShown(serializers.Serializer[Any]):
    """A higher limit that was asked for."""

    limit = serializers.CharField(allow_null=True, help_text="Null for no limit.")
    asked_at = serializers.DateTimeField()
    confirm_from = serializers.DateTimeField(help_text="From then on it may be confirmed.")


class LimitLine(serializers.Serializer[Any]):
    """A limit as it holds: the lowest of the player's own, the operator's, and the operator's for everyone."""

    measure = serializers.CharField()
    period = serializers.CharField(help_text="24 hours, 7 days or a calendar month, back from now.")
    unit = serializers.CharField(help_text="A currency, or `minutes`.")
    limit = serializers.CharField(allow_null=True)
    used = serializers.CharField()
    left = serializers.CharField(allow_null=True)
    own = serializers.CharField(allow_null=True)
    operators = serializers.CharField(allow_null=True)
    everyones = serializers.CharField(allow_null=True)
    pending = PendingShown(allow_null=True)


class ExclusionShown(serializers.Serializer[Any]):
    """Why a player neither deposits nor plays."""

    kind = serializers.CharField()
    set_by = serializers.CharField()
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(help_text="A self-exclusion lasts on until the operator ends it.")


class LimitsShown(serializers.Serializer[Any]):
    """All measures and periods, whether limited or not, and the exclusion that holds."""

    items = LimitLine(many=True)
    exclusion = ExclusionShown(allow_null=True)


class HouseLine(serializers.Serializer[Any]):
    """A limit that holds for every player."""

    measure = serializers.CharField()
    period = serializers.CharField()
    unit = serializers.CharField()
    limit = serializers.CharField()
    since = serializers.DateTimeField()


class HouseShown(serializers.Serializer[Any]):
    """The limits that hold for every player of the operator."""

    items = HouseLine(many=True)


class TopUpRequest(StrictSerializer):
    """Nothing has to be said: play money is filled up to the cap."""


class TopUpShown(serializers.Serializer[Any]):
    """What came, and the play-money account after it."""

    amount = MoneySerializer()
    balance = MoneySerializer()


class CapRequest(StrictSerializer):
    """Up to how much play money is topped up."""

    cap = AmountField(allow_zero=True)
    currency = CurrencyField()


class CapShown(serializers.Serializer[Any]):
    """Up to how much play money is topped up."""

    cap = MoneySerializer()


def shown_limits(found: LimitsOverview, currency: str) -> dict[str, Any]:
    """Shape a player's limits for an answer."""
    return {
        "items": [_line(found, line, currency) for line in found.limits],
        "exclusion": shown_exclusion(found.restrictions.active_exclusion(found.now)),
    }


def shown_exclusion(exclusion: Exclusion | None) -> dict[str, Any] | None:
    """Shape an exclusion for an answer."""
    if exclusion is None:
        return None
    return {
        "kind": exclusion.kind.value,
        "set_by": exclusion.by.value,
        "since": exclusion.since,
        "until": exclusion.until,
    }


def shown_house(house: OperatorLimitsState, currency: str) -> dict[str, Any]:
    """Shape an operator's limits for an answer."""
    lines = sorted(
        house.limits, key=lambda limit: (list(LimitType).index(limit.limit_type), list(LimitPeriod).index(limit.period))
    )
    return {
        "items": [
            {
                "measure": limit.limit_type.value,
                "period": limit.period.value,
                "unit": _unit(limit.limit_type, currency),
                "limit": format_limit(limit.limit, limit.limit_type, currency),
                "since": limit.since,
            }
            for limit in lines
        ]
    }


def _line(found: LimitsOverview, line: LimitStatus, currency: str) -> dict[str, Any]:
    def text(most: int | None) -> str | None:
        return None if most is None else format_limit(most, line.limit_type, currency)

    wish = found.restrictions.pending_increase(line.limit_type, line.period)
    pending = None
    if wish is not None:
        pending = {"limit": text(wish.limit), "asked_at": wish.requested_at, "confirm_from": wish.confirm_from}
    return {
        "measure": line.limit_type.value,
        "period": line.period.value,
        "unit": _unit(line.limit_type, currency),
        "limit": text(line.limit),
        "used": text(max(0, line.used)),
        "left": text(line.remaining),
        "own": text(line.player_limit),
        "operators": text(line.operator_limit),
        "everyones": text(line.operator_wide_limit),
        "pending": pending,
    }


def _unit(measure: LimitType, currency: str) -> str:
    return "minutes" if measure is LimitType.TIME else currency
