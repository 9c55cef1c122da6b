"""Kill switches as staff see them: all that were ever thrown, a page that throws one, and the way to let play go on."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from baccarat.domain.tables.kill_switch_events import StopScope, switch_stream
from baccarat.domain.tables.kill_switch_refusals import UnknownSwitch
from baccarat.services import kill_switch
from baccarat.storage.models import Switch
from casino.backoffice import html, scope, staff_names
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.filters import chosen
from casino.backoffice.pages import subject_names
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Facts, Field, Form, Section
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators import memberships
from casino.operators.models import Operator

THROW: Final = "baccarat.throw_switch"
OF_THE_HOUSE: Final = frozenset({StopScope.GAMING, StopScope.RULES})
"""Switches that reach beyond one operator: for staff who work for all of them."""
_NAMES: Final = {
    StopScope.GAMING: "All gaming",
    StopScope.OPERATOR: "An operator",
    StopScope.RULES: "A rules version",
    StopScope.TABLE: "A table",
    StopScope.PLAYER: "A player",
}
_PAGES: Final = {StopScope.OPERATOR: "operator", StopScope.TABLE: "table", StopScope.PLAYER: "player"}
_STATES: Final = {"stopped": "Stopped", "playing": "Playing again"}
SAYS: Final = (
    "At once nothing new starts. What is confirmed is dealt and settled; leaving and withdrawing stay possible."
)
_WHY: Final = Field("reason", "Why, for the record (kept for good: name no player, unless it is about one)", lines=2)
_TOLD: Final = Field("says", "What players are told (empty: the usual words)", required=False, longest=200)


@admin.register(Switch)
class SwitchAdmin(ReadOnlyAdmin):
    """Every switch that was ever thrown; those that hold come first. Found by what it stops."""

    list_display = ("what", "whose", "stands", "why", "who", "when")
    list_filter = (
        chosen(title="state", parameter="state", choices=_STATES, where=lambda value: Q(stopped=value == "stopped")),
        chosen(
            title="reach",
            parameter="scope",
            choices={each.value: name for each, name in _NAMES.items()},
            where=lambda value: Q(scope=value),
        ),
        operator_filter(),
    )
    ordering = ("-stopped", "-at")
    search_help_text = "id of an operator, a table or a player, or rules such as mini@1"
    list_before_template = "admin/baccarat/switches_before.html"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Show everyone what stops the whole house."""
        return Q(operator_id__in=operators) | Q(operator_id__isnull=True)

    def found_by(self, term: str) -> Q | None:
        """Look for a subject."""
        return Q(subject=term)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that throws a switch, and the addresses of `stop` and `resume`."""
        return [
            path("throw/", self.admin_site.admin_view(self.throw), name="baccarat_switch_throw"),
            self.perform_path("stop", THROW, self.stop),
            self.perform_path("resume", THROW, self.resume),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the list, with the way to throw a switch for those who may."""
        shown = {"may_throw": request.user.has_perm(THROW), **(extra_context or {})}
        return super().changelist_view(request, shown)

    def throw(self, request: HttpRequest) -> HttpResponse:
        """Answer the page that throws a switch, and throw it. Raises PermissionDenied."""
        if not request.user.has_perm(THROW):
            raise PermissionDenied
        if request.method == "POST":
            return self._throw(request)
        scopes = [each for each in StopScope if each not in OF_THE_HOUSE or scope.operators(request) is None]
        fields = (
            Field("scope", "What stops", choices=[(each.value, _NAMES[each]) for each in scopes]),
            Field("subject", "An operator's short name, rules such as mini@1, or an id", required=False, longest=80),
            _WHY,
            _TOLD,
        )
        form = Form("Stop play", "Stop", reverse("admin:baccarat_switch_throw"), fields, SAYS, tone="bad")
        context = {
            **self.admin_site.each_context(request),
            "title": "Stop play",
            "opts": self.opts,
            "media": self.media,
            "sections": (form,),
        }
        return TemplateResponse(request, "admin/baccarat/throw.html", context)

    def _throw(self, request: HttpRequest) -> HttpResponse:
        given = request.POST
        try:
            done = stop(request, given.get("scope", ""), given.get("subject", "").strip())
        except Refusal as refusal:
            messages.error(request, refusal.message())
            return HttpResponseRedirect(reverse("admin:baccarat_switch_throw"))
        messages.success(request, done)
        return HttpResponseRedirect(reverse("admin:baccarat_switch_changelist"))

    def stop(self, request: HttpRequest, switch: Switch) -> str:
        """Throw it again. Raises the refusals of `switching.stop`."""
        return stop(request, switch.scope, switch.subject)

    def resume(self, request: HttpRequest, switch: Switch) -> str:
        """Release it. Raises the refusals of `switching.resume`."""
        return resume(request, switch.scope, switch.subject)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[subject_names.SwitchList]:
        """Have switches listed with the names of what they stop."""
        del request, kwargs
        return subject_names.SwitchList

    @admin.display(description="subject")
    def whose(self, switch: Any) -> SafeString | str:
        """What is stopped, by its name."""
        page = _PAGES.get(StopScope(switch.scope))
        return switch.subject or html.NOTHING if page is None else html.page(page, switch.subject, switch.named)

    @admin.display(description="what")
    def what(self, switch: Switch) -> str:
        """How far it reaches."""
        return _NAMES[StopScope(switch.scope)]

    @admin.display(description="state")
    def stands(self, switch: Switch) -> SafeString:
        """Whether it holds."""
        return html.badge("stopped", "bad") if switch.stopped else html.badge("playing", "good")

    @admin.display(description="why")
    def why(self, switch: Switch) -> str:
        """What was said for the last change."""
        return switch.reason

    @admin.display(description="by")
    def who(self, switch: Switch) -> str:
        """Who changed it last."""
        return staff_names.named(switch.by)

    @admin.display(description="since (UTC)")
    def when(self, switch: Switch) -> SafeString | str:
        """When it was changed last."""
        return html.moment(switch.at)

    def sections(self, request: HttpRequest, obj: Switch) -> Sequence[Section]:
        """Show a switch, and the form that turns it for those who may."""
        subject_names.name_switches([obj])
        facts = (
            ("Reach", self.what(obj)),
            ("Subject", self.whose(obj)),
            ("State", self.stands(obj)),
            ("Why", obj.reason),
            ("Players are told", obj.message or html.NOTHING),
            ("By", obj.by),
            ("Since (UTC)", self.when(obj)),
            ("Log", html.listing("events_event", "all events", q=switch_stream(StopScope(obj.scope), obj.subject))),
        )
        return (Facts("Switch", facts), *self._form(request, obj))

    def _form(self, request: HttpRequest, switch: Switch) -> Sequence[Section]:
        if not may_throw(request, StopScope(switch.scope)):
            return ()
        if switch.stopped:
            url = self.perform_url("resume", switch)
            return (Form("Let play go on", "Resume", url, (_WHY,), "As far as no other switch stops it.", tone="good"),)
        return (Form("Stop again", "Stop", self.perform_url("stop", switch), (_WHY, _TOLD), SAYS, tone="bad"),)


def may_throw(request: HttpRequest, reach: StopScope) -> bool:
    """Tell whether somebody may throw and release a switch of this reach."""
    return request.user.has_perm(THROW) and (reach not in OF_THE_HOUSE or scope.operators(request) is None)


def page_of(switch: Switch) -> str:
    return reverse("admin:baccarat_switch_change", args=[quote(switch.pk)])


def form(
    request: HttpRequest, reach: StopScope, url: str, title: str, kept: Sequence[tuple[str, str]] = ()
) -> Sequence[Section]:
    """Show the form that stops what a page is about, for those who may."""
    return (Form(title, "Stop", url, (_WHY, _TOLD), SAYS, "bad", kept),) if may_throw(request, reach) else ()


def stop(request: HttpRequest, reach: str, subject: str) -> str:
    """Throw a switch with what a form says. Raises PermissionDenied and the refusals of `switching.stop`."""
    found, name = _asked(request, reach, subject)
    given = request.POST
    row = kill_switch.stop(
        scope=found,
        subject=name,
        reason=given.get("reason", ""),
        message=given.get("says", ""),
        metadata=_remembered(request),
    )
    # The message is kept in the log of what staff did, where words about a player could not be forgotten.
    told = "" if found is StopScope.PLAYER else f" Players are told: {row.message}"
    return f"Stopped: {row.id}.{told}"


def resume(request: HttpRequest, reach: str, subject: str) -> str:
    """Release a switch. Raises PermissionDenied and the refusals of `switching.resume`."""
    found, name = _asked(request, reach, subject)
    row = kill_switch.resume(
        scope=found, subject=name, reason=request.POST.get("reason", ""), metadata=_remembered(request)
    )
    return f"Play goes on: {row.id}."


def _asked(request: HttpRequest, reach: str, subject: str) -> tuple[StopScope, str]:
    """What is meant, if it is of an operator that this person works for. Raises UnknownSwitch, PermissionDenied."""
    if reach not in set(StopScope):
        raise UnknownSwitch
    found = StopScope(reach)
    if not may_throw(request, found):
        raise PermissionDenied
    known = Operator.objects.filter(slug=subject).first() if found is StopScope.OPERATOR else None
    name = subject if known is None else str(known.id)
    allowed, whose = scope.operators(request), kill_switch.operator_of(found, name)
    if allowed is not None and whose not in allowed:
        raise UnknownSwitch
    return found, name


def _remembered(request: HttpRequest) -> Metadata:
    return Metadata(operator="", actor=memberships.staff_actor(request.user), causation="admin", correlation="switch")
