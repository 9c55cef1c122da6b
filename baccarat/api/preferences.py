"""Preferences of a player at the table."""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat.refusals import NicknameNotAllowed
from baccarat.domain.tables.refusals import NicknameConfusable
from baccarat.queries.nicknames import own_nickname
from baccarat.services.preferences import PlayerPreferences, Style, load_preferences, save_preferences
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body
from casino.api.shapes import Shape
from casino.operators.base_views import PlayerView

EXAMPLE: Final[dict[str, Any]] = {
    "sound": True,
    "voice": True,
    "animation": False,
    "full_screen": False,
    "instant": False,
    "show_nickname": True,
    "style": "classic",
}


class PreferencesRequest(Body):
    """All preferences of a player; they replace the earlier ones."""

    sound: Annotated[bool, Meta(description="Sounds of chips and cards.")]
    voice: Annotated[bool, Meta(description="Announce results by voice.")]
    animation: Annotated[bool, Meta(description="Animate the cards; changes when the player next enters a game.")]
    full_screen: Annotated[bool, Meta(description="The table fills the screen.")]
    instant: Annotated[bool, Meta(description="Cards appear at once, without being dealt one by one.")]
    show_nickname: Annotated[bool, Meta(description="Other players see your nickname at your seat and in the chat.")]
    style: Style


class Preferences(Shape):
    """A player's preferences."""

    sound: bool
    voice: bool
    animation: Annotated[
        bool, Meta(description="Read it when the player enters a game, and keep it until the next entry.")
    ]
    full_screen: bool
    instant: bool
    show_nickname: bool
    player: Annotated[UUID, Meta(description="Your own id.")]
    nickname: Annotated[str, Meta(description="The nickname that your operator registered.", examples=["Ace"])]
    style: Style

    @classmethod
    def of(cls, row: PlayerPreferences) -> "Preferences":
        """Present a player's preferences."""
        return cls(
            sound=row.sound,
            voice=row.voice,
            animation=row.animation,
            full_screen=row.full_screen,
            instant=row.instant,
            show_nickname=row.show_nickname,
            player=row.player_id,
            nickname=own_nickname(player=row.player_id),
            style=Style(row.style),
        )


class PreferencesView(PlayerView):
    """The caller's own preferences."""

    @operation(
        "getPreferences",
        "Show your own preferences",
        returns=Preferences,
        description=("How the table page looks and sounds for you, in every browser."),
    )
    def get(self, _request: Request) -> Response:
        return Response(Preferences.of(load_preferences(player=self.caller.player)))

    @operation(
        "setPreferences",
        "Replace your own preferences",
        returns=Preferences,
        request=PreferencesRequest,
        example=EXAMPLE,
        description="Send all of them. `animation` changes when the player next enters a game, the others at once.",
        refusals=(NicknameConfusable, NicknameNotAllowed),
    )
    def put(self, request: Request) -> Response:
        choices, me = parse_body(PreferencesRequest, request), self.caller
        row = save_preferences(operator=me.operator, player=me.player, choices=asdict(choices))
        return Response(Preferences.of(row))
