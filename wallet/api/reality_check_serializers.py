"""The bodies of the operations about reality checks: time played and results."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import MoneySerializer, StrictSerializer, WholeNumberField, present_money
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.queries import RealityCheck, Reminder


class RealityRequest(StrictSerializer):
    """How often to be reminded."""

    minutes = WholeNumberField()


class SessionPlayed(serializers.Serializer[Any]):
    """The session so far."""

    started_at = serializers.DateTimeField()
    minutes = serializers.IntegerField(help_text="Since the login.")
    played_minutes = serializers.IntegerField(help_text="In steps of five, counting those with a wager.")
    staked = MoneySerializer()
    net = MoneySerializer(help_text="Real money won (above zero) or lost, wagers in play counted as lost.")


class WindowPlayed(serializers.Serializer[Any]):
    """A window that ends now."""

    period = serializers.CharField()
    played_minutes = serializers.IntegerField()
    staked = MoneySerializer()
    net = MoneySerializer()
    deposited = MoneySerializer()


class ReminderShown(serializers.Serializer[Any]):
    """When to show a reality check."""

    minutes = serializers.IntegerField(help_text="How often.")
    due_at = serializers.DateTimeField(help_text="When next.")


class RealityShown(serializers.Serializer[Any]):
    """Time played and results."""

    session = SessionPlayed(allow_null=True, help_text="Null for a player who never logged in.")
    reminder = ReminderShown(allow_null=True)
    windows = WindowPlayed(many=True)


def shown_reminder(told: Reminder | None) -> dict[str, Any] | None:
    """Shape when a player is next to be reminded."""
    return None if told is None else {"minutes": told.minutes, "due_at": told.due_at}


def shown_reality(check: RealityCheck, currency: str) -> dict[str, Any]:
    """Shape a reality check for an answer."""
    told = check.reminder
    session = None
    if told is not None:
        session = {
            "started_at": told.started_at,
            "minutes": int((told.now - told.started_at).total_seconds()) // 60,
            **_played(check.session, LimitPeriod.DAY, currency),
        }
    windows = [
        {
            "period": period.value,
            **_played(check.windows, period, currency),
            "deposited": present_money(check.windows.used[LimitType.DEPOSIT, period], currency),
        }
        for period in LimitPeriod
    ]
    return {"session": session, "reminder": shown_reminder(told), "windows": windows}


def _played(usage: Usage, period: LimitPeriod, currency: str) -> dict[str, Any]:
    return {
        "played_minutes": usage.used[LimitType.TIME, period],
        "staked": present_money(usage.used[LimitType.STAKE, period], currency),
        "net": present_money(-usage.used[LimitType.LOSS, period], currency),
    }
