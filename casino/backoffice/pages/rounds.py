"""Rounds: a list, and a page that shows the cards, why they were dealt, the seats, the money and every event."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from baccarat.audit import verdict
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.refusals import RoundNotSuspended
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import UnknownCard
from baccarat.services import dealing
from baccarat.storage import projections
from baccarat.storage.models import Round, Table
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages import (
    baccarat_parts,
    round_access,
    round_dispute_pack,
    round_proofs,
    round_replay,
    search,
    voids,
)
from casino.backoffice.pages import significant_parts as significant
from casino.backoffice.pages.cards import in_line
from casino.backoffice.pages.events import latest
from casino.backoffice.pages.ledger import entries_of
from casino.backoffice.pages.operators import nicknames, operator_filter
from casino.backoffice.pages.round_parts import hands, seats
from casino.backoffice.sections import Alert, Deed, Facts, Section
from casino.events.store import Metadata

RESUME: Final = "baccarat.change_round"

# Rounds in hand and those set aside are found by their tables, of which there are few.
_PHASES: Final = {
    "running": ("Running", Q(id__in=Table.objects.filter(round_id__isnull=False).values("round_id"))),
    "suspended": ("Set aside", Q(id__in=Table.objects.filter(suspension_reason__isnull=False).values("round_id"))),
    "settled": ("Settled", Q(phase="settled")),
    "lapsed": ("Lapsed", Q(phase="lapsed")),
    "void_asked": ("Void asked for", Q(void_requested=True)),
    "voided": ("Voided", Q(phase="voided")),
}
PhaseFilter = chosen(
    title="phase",
    parameter="phase",
    choices={key: label for key, (label, _) in _PHASES.items()},
    where=lambda value: _PHASES[value][1],
)


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    """Every round, newest first. Found by its id or its table's."""

    list_display = ("title", "table", "operator", "rules", "stands", "dealt", "won_by", "score", "wagers", "opened")
    list_filter = (PhaseFilter, baccarat_parts.preset_filter("rules__startswith"), operator_filter(), since_by_uuid())
    ordering = ("-id",)
    search_help_text = "id of a round or a table, or a round's number"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Round]:
        """Add names, in the same query."""
        return baccarat_parts.with_names(super().get_queryset(request), table=True)

    def found_by(self, term: str) -> Q | None:
        """Look for the id of a round or of a table, or for a round's number, at whatever table."""
        identity, number = as_uuid(term), as_number(term)
        if number is not None and number < 2**31:
            return Q(table_id__in=Table.objects.values("id"), number=number)
        return None if identity is None else Q(pk=identity) | Q(table_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of what staff may do about a round, and of the page that asks before a void."""
        asks = self.admin_site.admin_view(require_safe(self.void_page))
        packs = self.admin_site.admin_view(require_POST(self.pack))
        return [
            self.perform_path("resume", RESUME, self.resume),
            self.perform_path("request_void", voids.REQUEST, voids.request),
            self.perform_path("approve_void", voids.APPROVE, voids.approve),
            self.perform_path("decline_void", voids.APPROVE, voids.decline),
            path("<path:object_id>/void/", asks, name="baccarat_round_void"),
            path("<path:object_id>/pack/", packs, name="baccarat_round_pack"),
            path("search/", self.admin_site.admin_view(require_safe(search.page)), name="desk_search"),
            *super().get_urls(),
        ]

    def void_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Answer the page where a void is asked for or decided. Raises PermissionDenied, Http404."""
        found = self._find(request, object_id)
        if found is None:
            raise Http404
        if not (request.user.has_perm(voids.REQUEST) or request.user.has_perm(voids.APPROVE)):
            raise PermissionDenied
        urls = {name: self.perform_url(f"{name}_void", found) for name in ("request", "approve", "decline")}
        shown = {"sections": voids.forms(_state(found), urls)}
        answer: HttpResponse = self.changeform_view(request, object_id, extra_context=shown)
        return answer

    def pack(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Make a link to a round's dispute pack. Raises PermissionDenied."""
        found = self._find(request, object_id)
        if found is None or not request.user.has_perm(round_dispute_pack.PACK):
            raise PermissionDenied
        if round_dispute_pack.link(request, found):
            self.log_change(request, found, round_dispute_pack.DONE)
        return HttpResponseRedirect(self.page_url(found))

    def resume(self, request: HttpRequest, round_: Round) -> str:
        """Send a round that was set aside back to be dealt. Raises RoundNotSetAside."""
        if round_.suspension_reason is None:
            raise RoundNotSuspended
        metadata = Metadata(
            operator=str(round_.operator_id),
            actor=f"staff-{request.user.pk}",
            causation="admin",
            correlation=f"round-{round_.pk}",
        )
        dealing.resume(table=round_.table_id, operator=round_.operator_id, metadata=metadata)
        return f"Round {round_.number} goes back to be dealt."

    @admin.display(description="round")
    def title(self, round_: Round) -> str:
        """Its number at the table."""
        return f"No. {round_.number}"

    @admin.display(description="table")
    def table(self, round_: Any) -> SafeString | str:
        return html.page("table", round_.table_id, round_.table_name or html.short(round_.table_id))

    @admin.display(description="operator")
    def operator(self, round_: Round) -> SafeString | str:
        return baccarat_parts.operator_link(round_)

    @admin.display(description="phase")
    def stands(self, round_: Round) -> SafeString:
        return baccarat_parts.phase_badge(round_.phase, round_.suspension_reason)

    @admin.display(description="cards")
    def dealt(self, round_: Round) -> SafeString | str:
        """The cards in deal order."""
        try:
            return in_line(round_.cards.split()) if round_.cards else html.NOTHING
        except UnknownCard:
            return html.badge("unreadable", "bad")

    @admin.display(description="won by")
    def won_by(self, round_: Round) -> SafeString | str:
        return baccarat_parts.outcome_badge(round_.outcome)

    @admin.display(description="P : B")
    def score(self, round_: Round) -> str:
        """The totals of Player and Banker."""
        return html.NOTHING if round_.outcome is None else f"{round_.player_total} : {round_.banker_total}"

    @admin.display(description="opened (UTC)")
    def opened(self, round_: Round) -> SafeString | str:
        return html.moment(round_.opened_at)

    def sections(self, request: HttpRequest, obj: Round) -> Sequence[Section]:
        """Show a round whole; what stops it comes first."""
        events = latest(f"round-{obj.pk}")
        place = TableAccounts(operator=obj.operator_id, table=obj.table_id, currency=obj.currency)
        judged = verdict.check_round(obj.pk, accounts=place)
        try:
            state = _state(obj)
            state.require_opened()
        except (msgspec.MsgspecError, ValueError, LookupError) as trouble:
            told = Alert("What is kept of this round can't be read", str(trouble))
            return (told, round_proofs.proofs(judged), baccarat_parts.told("Timeline", events, obj.currency))
        names = nicknames([seat.player for seat in state.seats])
        moments = round_replay.moments(judged, state)
        sections: list[Section] = []
        if obj.suspension_reason is not None:
            sections.append(self._alert(request, obj))
        return [
            *sections,
            *voids.told(request, state, self.perform_url("void", obj)),
            *hands(state, moments),
            *round_replay.alone(moments, state),
            round_proofs.proofs(round_proofs.with_export(judged, obj)),
            *round_dispute_pack.button(request, obj, self.perform_url("pack", obj)),
            Facts("Round", self._facts(obj, state)),
            seats(state, names, obj.currency),
            entries_of("Ledger", [event.id for event in events]),
            round_access.who_saw(obj, state, events, names),
            significant.latest("Significant events", f"round:{obj.pk}"),
            baccarat_parts.told("Timeline", events, obj.currency),
        ]

    def _alert(self, request: HttpRequest, round_: Round) -> Alert:
        may = request.user.has_perm(RESUME)
        question = f"Send round {round_.number} back to be dealt? If the trouble is still there it is set aside again."
        deed = Deed("Resume", self.perform_url("resume", round_), question, tone="good") if may else None
        return Alert("Set aside: this round could not be dealt", round_.suspension_reason or "", deed)

    def _facts(self, round_: Any, state: RoundState) -> list[tuple[str, object]]:
        opened = state.require_opened()
        return [
            ("Table", self.table(round_)),
            ("Operator", self.operator(round_)),
            ("Rules", round_.rules),
            ("Phase", self.stands(round_)),
            ("Opened (UTC)", html.moment(round_.opened_at, fine=True)),
            ("Turn ends (UTC)", html.moment(round_.deadline_at, fine=True)),
            ("Ended (UTC)", html.moment(round_.ended_at, fine=True)),
            ("Shoe", html.code(opened.shoe)),
            ("Committed to", html.code(opened.commitment) if opened.commitment else "the table's shoe"),
            ("Seed", html.code(state.seed) if state.seed else "not revealed by this round"),
            ("Id", html.code(round_.pk)),
            ("Log", html.listing("events_event", "all events", q=f"round-{round_.pk}")),
        ]


def _state(round_: Round) -> RoundState:
    return projections.decode_round(msgspec.json.encode(round_.state))
