"""Preferences of a player at the table."""

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.services.preferences import Preferences, Style, load_preferences, save_preferences
from casino.api.fields import EnumField, FlagField, StrictSerializer, parse_body
from casino.api.openapi import operation
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


class PreferencesView(PlayerView):
    """The caller's own preferences."""

    @operation("getPreferences", "Show your own preferences", returns=Preferences)
    def get(self, request: Request) -> Response:
        del request
        return Response(load_preferences(player=self.caller.player, session=self.caller.session))

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
        return Response(save_preferences(operator=me.operator, player=me.player, session=me.session, choices=choices))
