"""What the lists about players in chats share: names beside ids, and what moderators do about the player of a row."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.chat import moderation
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.pages.chat_forms import MODERATE, REMOVE, minutes_of, moderator_of, reason_of
from casino.operators.models import Operator, Player


class ChatAdmin(ReadOnlyAdmin):
    """Base of the lists about players: their names are read with them, and moderators act on their pages."""

    ordering = ("-id",)
    search_help_text = "id, table's id or player's id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the player's nickname and the operator's slug."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        named: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug), nickname=Subquery(nickname))
        return named

    def found_by(self, term: str) -> Q | None:
        """Look for an id, a table or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(table_id=identity) | Q(player_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of what moderators do about the player of a row."""
        return [
            self.perform_path("mute", MODERATE, self.mute),
            self.perform_path("unmute", MODERATE, self.unmute),
            self.perform_path("remove", REMOVE, self.remove),
            self.perform_path("readmit", REMOVE, self.readmit),
            *super().get_urls(),
        ]

    def mute(self, request: HttpRequest, row: Any) -> str:
        """Mute the player. Raises the refusals of `moderating.mute`."""
        moderation.mute(context=moderator_of(request, row), reason=reason_of(request), minutes=minutes_of(request))
        return "Muted in all chats."

    def unmute(self, request: HttpRequest, row: Any) -> str:
        """Let the player write again. Raises the refusals of `moderating.unmute`."""
        moderation.unmute(context=moderator_of(request, row))
        return "The player may write again."

    def remove(self, request: HttpRequest, row: Any) -> str:
        """Remove the player from the casino. Raises the refusals of `moderating.remove`."""
        moderation.ban(context=moderator_of(request, row), reason=reason_of(request), minutes=minutes_of(request))
        return "Removed from the casino; the session has ended."

    def readmit(self, request: HttpRequest, row: Any) -> str:
        """Let the player in again. Raises the refusals of `moderating.readmit`."""
        moderation.unban(context=moderator_of(request, row))
        return "The player may come in again."

    @admin.display(description="operator")
    def operator(self, row: Any) -> SafeString | str:
        return html.page("operator", row.operator_id, row.slug or html.short(row.operator_id))

    @admin.display(description="player")
    def player(self, row: Any) -> SafeString | str:
        """Whom it is about."""
        return html.page("player", row.player_id, row.nickname or html.short(row.player_id))

    def about(self, row: Any) -> Sequence[tuple[str, object]]:
        """Name operator and player, and where more is to be found about the player."""
        player = str(row.player_id)
        return (
            ("Operator", self.operator(row)),
            ("Player", self.player(row)),
            ("Messages", html.listing("chat_chatmessage", "all of this player's", q=player)),
            ("Reports", html.listing("chat_chatreport", "all about this player", q=player)),
            ("Acts", html.listing("chat_moderationaction", "all about this player", q=player)),
            ("Log", html.listing("events_event", "all events", q=f"chat-{player}")),
        )
