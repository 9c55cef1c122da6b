"""The bodies of the operators' part of the API."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from casino.api.fields import Strict, WholeNumberField


class SessionRequest(Strict):
    """How long the token should live."""

    seconds = WholeNumberField(required=False, default=lambda: settings.PLAYER_SESSION_SECONDS)


class SessionOpened(serializers.Serializer[Any]):
    """The token is shown here and never again."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    player = serializers.UUIDField()


class OperatorShown(serializers.Serializer[Any]):
    """The tenant that a key belongs to."""

    id = serializers.UUIDField()
    slug = serializers.CharField()
    currency = serializers.CharField()
    sandbox = serializers.BooleanField()
    key_id = serializers.CharField()
