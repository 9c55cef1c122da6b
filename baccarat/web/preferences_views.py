"""Preferences over HTTP."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.web import preferences
from baccarat.web.preferences import Preferences
from baccarat.web.preferences_bodies import PreferencesRequest, PreferencesShown, shown
from casino.api.fields import parse_body
from casino.operators.base_views import PlayerView

_CHOSEN: Final[dict[str, Any]] = {
    "sound": True,
    "voice": True,
    "animation": False,
    "full_screen": False,
    "instant": False,
    "style": "classic",
}
_SHOWN: Final = OpenApiExample(
    "Without moving cards from the next session on",
    value={**_CHOSEN, "animation_in_session": True},
    response_only=True,
    status_codes=["200"],
)


class MyPreferencesView(PlayerView):
    """The preferences of the player who asks."""

    @extend_schema(
        operation_id="getPreferences",
        summary="Show one's own preferences",
        responses=PreferencesShown,
        examples=[_SHOWN],
    )
    def get(self, request: Request) -> Response:
        del request
        return Response(shown(preferences.load_preferences(player=self.caller.player, session=self.caller.session)))

    @extend_schema(
        operation_id="setPreferences",
        summary="Replace one's own preferences",
        description="All of them are sent. `animation` changes at the next entry to the game, the others at once.",
        request=PreferencesRequest,
        responses=PreferencesShown,
        examples=[OpenApiExample("A choice", value=_CHOSEN, request_only=True), _SHOWN],
    )
    def put(self, request: Request) -> Response:
        chosen, me = Preferences(**parse_body(PreferencesRequest, request)), self.caller
        return Response(
            shown(
                preferences.save_preferences(
                    operator=me.operator, player=me.player, session=me.session, preferences=chosen
                )
            )
        )
