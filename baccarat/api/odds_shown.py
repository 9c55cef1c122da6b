"""What is shown of a table's odds: exact fractions, and decimals beside them."""

from typing import Any

from rest_framework import serializers

from baccarat.api.serializers import one_of
from baccarat.domain.rules.wagers import Spot


class ShareShown(serializers.Serializer[Any]):
    fraction = serializers.CharField()
    decimal = serializers.CharField()


class FiguresShown(serializers.Serializer[Any]):
    """Per unit staked."""

    edge = ShareShown(help_text="The house's.")
    variance = ShareShown()

    def get_fields(self) -> dict[str, Any]:
        """Add `return`, which Python has for itself."""
        return {"return": ShareShown(), **super().get_fields()}


class SpotOddsShown(serializers.Serializer[Any]):
    spot = one_of(*Spot)
    pays = serializers.CharField()
    win = ShareShown()
    lose = ShareShown()
    push = ShareShown()
    exact = FiguresShown()
    at_minimum = FiguresShown()


class CountsShown(serializers.Serializer[Any]):
    """Ordered six-card draws."""

    banker = serializers.IntegerField()
    player = serializers.IntegerField()
    tie = serializers.IntegerField()
    all = serializers.IntegerField()


class OddsShown(serializers.Serializer[Any]):
    """What every spot of a table returns, exactly."""

    preset = serializers.CharField()
    version = serializers.IntegerField()
    currency = serializers.CharField()
    decks = serializers.IntegerField()
    minimum = serializers.CharField()
    counts = CountsShown()
    commission = serializers.CharField()
    spots = SpotOddsShown(many=True)
    player_edge = serializers.ListField(child=one_of(*Spot))
    notes = serializers.ListField(child=serializers.CharField())
