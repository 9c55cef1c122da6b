"""Privacy in the admin: a player's export, erasures asked for and decided."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from casino.backoffice import html, scope, staff_names
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.pages.players import WholePlayerAdmin
from casino.backoffice.sections import Facts, Field, Form, Section
from casino.compliance import erasure as erasing
from casino.compliance import player_export
from casino.compliance.erasure_models import Erasure
from casino.operators.memberships import staff_actor
from casino.operators.models import Player
from casino.staff.access_log import record_access

REQUEST, APPROVE, EXPORT = "compliance.request_erasure", "compliance.approve_erasure", "compliance.export_player"
STATES = {"waiting": "Waiting", "approved": "Erased", "declined": "Declined"}
_WHERE = {
    "waiting": Q(decision=None),
    "approved": Q(decision__approved=True),
    "declined": Q(decision__approved=False),
}
_GROUNDS = tuple((ground.value, ground.replace("_", " ").capitalize()) for ground in erasing.ErasureReason)
_TONES = {"waiting": "warn", "approved": "bad", "declined": "plain"}

admin.site.unregister(Player)


@admin.register(Player)
class PrivatePlayerAdmin(WholePlayerAdmin):
    """Players whole, with what they may ask for: all that is known of them, or to be forgotten."""

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `export` and `erase`."""
        export = self.admin_site.admin_view(self.export)
        return [
            path("<path:object_id>/export.zip", export, name="operators_player_export"),
            self.perform_path("erase", REQUEST, self.erase),
            *super().get_urls(),
        ]

    def export(self, request: HttpRequest, object_id: str) -> StreamingHttpResponse:
        """Answer everything about a player as a ZIP. Raises PermissionDenied."""
        player = self._find(request, object_id)
        if request.method != "GET" or player is None or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        record_access(request, subject=f"player:{player.pk}", operator=player.operator_id)
        pieces = player_export.export(operator=player.operator_id, player=player.pk, now=timezone.now())
        # An asynchronous server would gather a plain iterator whole before it sends.
        body = _slowly(pieces) if hasattr(request, "scope") else pieces
        answer = StreamingHttpResponse(body, content_type="application/zip")
        answer["Content-Disposition"] = f'attachment; filename="player-{player.pk}.zip"'
        return answer

    def erase(self, request: HttpRequest, player: Player) -> str:
        """Ask for a player to be erased. Raises the refusals of `erasing.request`."""
        erasing.request(
            operator=player.operator_id,
            player=player.pk,
            by=staff_actor(request.user),
            reason=request.POST.get("reason", ""),
            overrides_retention=request.POST.get("despite_duty") == "yes",
        )
        return "Asked for an erasure: another person decides."

    def sections(self, request: HttpRequest, obj: Player) -> Sequence[Section]:
        """Add what may be done with what is personal."""
        return (*super().sections(request, obj), *self._privacy(request, obj))

    def _privacy(self, request: HttpRequest, player: Player) -> Iterator[Section]:
        if request.user.has_perm(EXPORT):
            url = reverse("admin:operators_player_export", args=[player.pk])
            yield Facts("Everything about this player", (("ZIP of JSON", html.link(url, "export")),))
        if request.user.has_perm(REQUEST):
            fields = (
                Field("reason", "Reason", choices=_GROUNDS),
                Field("despite_duty", "Although the law wants the data kept for ten years", mark=True),
            )
            says = "Names and words go for good when another person agrees; rounds and money stay, and stay provable."
            url = self.perform_url("erase", player)
            yield Form("Ask for this player to be forgotten", "Ask for it", url, fields, says, tone="bad")


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    """Who is to be forgotten, newest first. Found by id or player's id."""

    list_display = ("title", "standing", "player", "operator", "why", "asked", "when")
    list_filter = (
        chosen(title="standing", parameter="standing", choices=STATES, where=lambda value: _WHERE[value]),
        operator_filter(),
    )
    list_select_related = ("decision",)
    ordering = ("-id",)
    search_help_text = "id or player's id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("decision")

    def found_by(self, term: str) -> Q | None:
        """Look for an id or a player's."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `approve` and `decline`."""
        return [
            self.perform_path("approve", APPROVE, self.approve),
            self.perform_path("decline", APPROVE, self.decline),
            *super().get_urls(),
        ]

    def approve(self, request: HttpRequest, erasure: Erasure) -> str:
        """Erase the player. Raises the refusals of `erasing.approve`."""
        erasing.approve(erasure=erasure.pk, by=staff_actor(request.user))
        return "Erased."

    def decline(self, request: HttpRequest, erasure: Erasure) -> str:
        """Leave the player as it is. Raises the refusals of `erasing.decline`."""
        erasing.decline(erasure=erasure.pk, by=staff_actor(request.user))
        return "Declined."

    @admin.display(description="erasure")
    def title(self, erasure: Erasure) -> str:
        """The end of its id."""
        return html.short(erasure.pk)

    @admin.display(description="standing")
    def standing(self, erasure: Erasure) -> SafeString:
        """Whether it waits, or what was decided."""
        word = _state(erasure)
        return html.badge(STATES[word].lower(), _TONES[word])

    @admin.display(description="player")
    def player(self, erasure: Erasure) -> SafeString | str:
        return html.page("player", erasure.player_id, html.short(erasure.player_id))

    @admin.display(description="operator")
    def operator(self, erasure: Erasure) -> SafeString | str:
        return html.page("operator", erasure.operator_id, scope.slug(erasure.operator_id))

    @admin.display(description="reason")
    def why(self, erasure: Erasure) -> str:
        return erasure.reason.replace("_", " ")

    @admin.display(description="asked by")
    def asked(self, erasure: Erasure) -> str:
        return staff_names.named(erasure.requested_by)

    @admin.display(description="asked (UTC)")
    def when(self, erasure: Erasure) -> SafeString | str:
        """When it was asked for."""
        return html.moment(erasure.requested_at)

    def sections(self, request: HttpRequest, obj: Erasure) -> Sequence[Section]:
        """Show a request, with what can be decided."""
        decision = getattr(obj, "decision", None)
        facts = Facts(
            "Erasure",
            (
                ("Standing", self.standing(obj)),
                ("Player", self.player(obj)),
                ("Operator", self.operator(obj)),
                ("Reason", self.why(obj)),
                ("Although the data is to be kept", "yes" if obj.overrides_retention else "no"),
                ("Asked by", obj.requested_by),
                ("Asked (UTC)", self.when(obj)),
                ("Decided by", html.NOTHING if decision is None else decision.decided_by),
                ("Decided (UTC)", html.NOTHING if decision is None else html.moment(decision.decided_at)),
                ("Id", html.code(obj.pk)),
            ),
        )
        may = decision is None and request.user.has_perm(APPROVE) and obj.requested_by != staff_actor(request.user)
        return (facts, *self._forms(obj)) if may else (facts,)

    def _forms(self, erasure: Erasure) -> tuple[Section, ...]:
        says = "Nobody can undo it: what is personal of this player can't be read by anybody any more."
        return (
            Form("Erase", "Erase this player", self.perform_url("approve", erasure), (), says, tone="bad"),
            Form("Decline", "Decline", self.perform_url("decline", erasure)),
        )


def _state(erasure: Erasure) -> str:
    decision = getattr(erasure, "decision", None)
    if decision is None:
        return "waiting"
    return "approved" if decision.approved else "declined"


async def _slowly(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The same pieces, each made in the thread that has the database's connection."""
    take = sync_to_async(lambda: next(pieces, None))
    while (piece := await take()) is not None:
        yield piece
