"""Preferences of a player at the table."""

from typing import Annotated, Any, Final

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.services.preferences import PlayerPreferences, Style, load_preferences, save_preferences
from casino.api.fields import EnumField, FlagField, StrictSerializer, parse_body
from casino.api.openapi import operation
from casino.api.shapes import Shape
from casino.operators.base_views import PlayerView

EXAMPLE: Final[dict[str, Any]] = {
    "sound": True,
    "voice": True,
    "animation": False,
    "full_screen": False,
    "instant": False,
    "style": "classic",
}


class PreferencesRequest(StrictSerializer):
    """All of a player's preferences: they replace those before."""

    sound = FlagField(help_text="Sounds of chips and cards.")
    voice = FlagField(help_text="Results are called.")
    animation = FlagField(help_text="Cards move; changes at the next entry to the game.")
    full_screen = FlagField(help_text="The table fills the screen.")
    instant = FlagField(help_text="Cards appear at once, without being dealt one by one.")
    style = EnumField(Style)  # type: ignore[assignment]  # the framework has an attribute of that name


class Preferences(Shape):
    """A player's preferences."""

    sound: bool
    voice: bool
    animation: Annotated[bool, Meta(description="As chosen: it holds from the next session on.")]
    animation_in_session: Annotated[bool, Meta(description="As it holds in this session.")]
    full_screen: bool
    instant: bool
    style: Style

    @classmethod
    def of(cls, row: PlayerPreferences, session: bytes) -> "Preferences":
        """Present preferences as they are in a session."""
        return cls(
            sound=row.sound,
            voice=row.voice,
            animation=row.animation,
            animation_in_session=row.animation_in(session),
            full_screen=row.full_screen,
            instant=row.instant,
            style=Style(row.style),
        )


class PreferencesView(PlayerView):
    """The caller's own preferences."""

    @operation("getPreferences", "Show your own preferences", returns=Preferences)
    def get(self, request: Request) -> Response:
        del request
        me = self.caller
        return Response(Preferences.of(load_preferences(player=me.player), me.session))

    @operation(
        "setPreferences",
        "Replace your own preferences",
        returns=Preferences,
        request=PreferencesRequest,
        example=EXAMPLE,
        description="Send all of them. `animation` changes at the next entry to the game, the others at once.",
    )
    def put(self, request: Request) -> Response:
        choices, me = parse_body(PreferencesRequest, request), self.caller
        row = save_preferences(operator=me.operator, player=me.player, session=me.session, choices=choices)
        return Response(Preferences.of(row, me.session))
