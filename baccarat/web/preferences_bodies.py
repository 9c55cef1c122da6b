"""The bodies of the operations about preferences."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from baccarat.web.preferences import StoredPreferences, Style
from casino.api.fields import EnumField, FlagField, StrictSerializer


class PreferencesRequest(StrictSerializer):
    """All of a player's preferences: they replace those before."""

    sound = FlagField(help_text="Sounds of chips and cards.")
    voice = FlagField(help_text="Results are called.")
    animation = FlagField(help_text="Cards move; changes at the next entry to the game.")
    full_screen = FlagField(help_text="The table fills the screen.")
    instant = FlagField(help_text="Cards lie at once, without being dealt one by one.")
    style = EnumField(Style)  # type: ignore[assignment]  # the framework has an attribute of that name


class PreferencesShown(serializers.Serializer[Any]):
    """A player's preferences as they stand."""

    sound = serializers.BooleanField()
    voice = serializers.BooleanField()
    animation = serializers.BooleanField(help_text="As wished: it holds from the next session on.")
    animation_in_session = serializers.BooleanField(help_text="As it holds in this session.")
    full_screen = serializers.BooleanField()
    instant = serializers.BooleanField()
    style = EnumField(Style)  # type: ignore[assignment]  # the framework has an attribute of that name


def shown(kept: StoredPreferences) -> dict[str, Any]:
    """Shape preferences for an answer."""
    return {**asdict(kept.preferences), "animation_in_session": kept.animation_in_session}
