"""The bodies of the operators' part of the API."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from casino.api.fields import StrictSerializer, WholeNumberField
from casino.operators.fields import PinField


class SessionRequest(StrictSerializer):
    """How long the token should live."""

    seconds = WholeNumberField(required=False, default=lambda: settings.PLAYER_SESSION_SECONDS)


class SessionResponse(serializers.Serializer[Any]):
    """The token is shown here and never again."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    idle_seconds = serializers.IntegerField(help_text="After so long without a request the session ends earlier.")
    previous_login = serializers.DateTimeField(allow_null=True, help_text="Null at the player's first one.")
    player = serializers.UUIDField()


class PinRequest(StrictSerializer):
    """The player's new PIN."""

    pin = PinField()


class PinChangeRequest(StrictSerializer):
    """The PIN as it is, and as it should be."""

    old_pin = PinField()
    new_pin = PinField()


class PinResponse(serializers.Serializer[Any]):
    """The PIN itself is shown nowhere."""

    player = serializers.UUIDField()
    set_at = serializers.DateTimeField()


class ThresholdsResponse(serializers.Serializer[Any]):
    """From which amounts on something is a significant event, in one currency."""

    currency = serializers.CharField()
    wager = serializers.CharField(help_text="Wagers of a player in one round.")
    wager_day = serializers.CharField(help_text="Wagers of a player in a day (UTC).")
    win = serializers.CharField(help_text="Won by a player in one round.")
    win_day = serializers.CharField(help_text="Won by a player in a day (UTC).")
    payment = serializers.CharField(help_text="One deposit or withdrawal.")
    set_at = serializers.DateTimeField(allow_null=True, help_text="Null: nobody set them, these hold everywhere.")


class ThresholdList(serializers.Serializer[Any]):
    """In your own currency, and in all others for which they were set."""

    items = ThresholdsResponse(many=True)


class OperatorResponse(serializers.Serializer[Any]):
    """The tenant that a key belongs to."""

    id = serializers.UUIDField()
    slug = serializers.CharField()
    currency = serializers.CharField()
    sandbox = serializers.BooleanField()
    key_id = serializers.CharField()


class StreamTicketResponse(serializers.Serializer[Any]):
    """The ticket is shown here and never again."""

    ticket = serializers.CharField(help_text="Good once, for `GET /api/v1/stream?ticket=…`.")
    expires_at = serializers.DateTimeField()
