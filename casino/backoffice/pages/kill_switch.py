"""Kill switches: past and active ones, the page that throws one, and the forms that stop and resume play."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
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
from casino.backoffice import html, scope
from casino.backoffice.actions import row_action, staff_metadata
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.columns import column, staff_column, time_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter
from casino.backoffice.forms import EnumSelectField, RowForm, line_field, text_field
from casino.backoffice.pages import subject_names
from casino.backoffice.sections import Facts, FormSection, Section
from casino.crypto import crypto_shredding
from casino.kernel.errors import Refusal
from casino.operators.models import Operator, Player

THROW: Final = "baccarat.throw_switch"
INSTALLATION_WIDE: Final = frozenset({StopScope.GAMING, StopScope.RULES})
"""Scopes beyond one operator: for staff who work for all of them."""
_SCOPES: Final = {
    StopScope.GAMING: "All gaming",
    StopScope.OPERATOR: "An operator",
    StopScope.RULES: "A rules version",
    StopScope.TABLE: "A table",
    StopScope.PLAYER: "A player",
}
STOP_HELP: Final = (
    "At once nothing new starts. Confirmed wagers are dealt and settled; leaving and withdrawing stay possible."
)
_WITH_PAGE: Final = {StopScope.OPERATOR, StopScope.TABLE, StopScope.PLAYER}


class ResumeForm(RowForm):
    """The reason why play resumes."""

    reason = text_field("Reason, for the record (kept forever: name no player, unless it is about one)", required=False)


class StopForm(ResumeForm):
    """The reason why play stops, and the message to players."""

    player_message = line_field("Message to players (empty: the standard text)", max_length=200, required=False)


class ThrowForm(StopForm):
    """What to stop."""

    scope = EnumSelectField(StopScope, labels=_SCOPES, label="What stops")
    subject = line_field("An operator's slug, rules such as mini@1, or an id", max_length=80, required=False)
    field_order = ("scope", "subject")

    def prepare(self) -> None:
        """Offer only the scopes that this person may stop."""
        if self.is_bound:
            return  # `stop` refuses
        choices = [(each.value, text) for each, text in _SCOPES.items() if may_throw(self.request, each)]
        field = self.fields["scope"]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices


class HiddenSubjectForm(StopForm):
    """Stops the subject of the page."""

    scope = forms.CharField(widget=forms.HiddenInput)
    subject = forms.CharField(widget=forms.HiddenInput)

    def prepare(self) -> None:
        """Name the subject, which is the row."""
        self.initial.update(scope=StopScope.PLAYER.value, subject=str(self.row.pk))


def may_throw(request: HttpRequest, reach: StopScope) -> bool:
    """Return whether somebody may stop and resume play in this scope."""
    return request.user.has_perm(THROW) and (reach not in INSTALLATION_WIDE or scope.operators(request) is None)


def _subject(switch: Any) -> SafeString | str:
    if StopScope(switch.scope) not in _WITH_PAGE:
        return switch.subject or html.NOTHING
    return html.page(switch.scope, switch.subject, switch.subject_name)


@admin.register(Switch)
class SwitchAdmin(ReadOnlyAdmin):
    """Every kill switch that was ever thrown, active ones first. Found by subject."""

    list_display = ("reach", "subject_", "state", "reason", "staff", "since")
    list_filter = (
        case_filter("state", {"stopped": ("Stopped", Q(stopped=True)), "playing": ("Resumed", Q(stopped=False))}),
        enum_filter(StopScope, "scope", labels=_SCOPES),
        operator_filter(),
    )
    ordering = ("-stopped", "-at")
    search_help_text = "id of an operator, a table or a player, or rules such as mini@1"
    list_before_template = "admin/casino/list_link.html"
    reach = column("scope", lambda switch: _SCOPES[StopScope(switch.scope)])
    subject_ = column("subject", _subject)
    state = column(
        "state", lambda switch: html.badge("stopped", "bad") if switch.stopped else html.badge("playing", "good")
    )
    staff = staff_column("by", "by")
    since = time_column("at", "since")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Also show everyone the stops of the whole installation."""
        return Q(operator_id__in=operators) | Q(operator_id__isnull=True)

    def search_condition(self, term: str) -> Q | None:
        """Search for a subject."""
        return Q(subject=term)

    def prepare_rows(self, rows: Any) -> None:
        """Add the names of the subjects."""
        subject_names.name_switches(rows)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that throws a switch."""
        throw = path("throw/", self.admin_site.admin_view(self.throw), name="baccarat_switch_throw")
        return [throw, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Add a link to the page that throws a switch, for those who may."""
        url = reverse("admin:baccarat_switch_throw") if request.user.has_perm(THROW) else None
        context = {"link_url": url, "link_text": "Stop play: throw a kill switch", **(extra_context or {})}
        return super().changelist_view(request, context)

    def throw(self, request: HttpRequest) -> HttpResponse:
        """Show the page that throws a switch, and throw it. Raises PermissionDenied."""
        if not request.user.has_perm(THROW):
            raise PermissionDenied
        form = ThrowForm(request.POST if request.method == "POST" else None, request=request, row=None)
        if form.is_valid():
            data = form.cleaned_data
            try:
                message = stop(request, data["scope"], data["subject"], data)
            except Refusal as refusal:
                messages.error(request, refusal.message())
            else:
                messages.success(request, message)
                return HttpResponseRedirect(reverse("admin:baccarat_switch_changelist"))
        url = reverse("admin:baccarat_switch_throw")
        section = FormSection("Stop play", url, form, "Stop", help_text=STOP_HELP, tone="bad")
        context = {**self.admin_site.each_context(request), "title": "Stop play", "sections": (section,)}
        return TemplateResponse(request, "admin/casino/sections.html", context)

    @row_action(
        "Resume",
        title="Resume play",
        permission=THROW,
        form=ResumeForm,
        applies=lambda request, switch: switch.stopped and may_throw(request, StopScope(switch.scope)),
        tone="good",
        help_text="Play resumes as far as no other switch stops it.",
    )
    def resume(self, request: HttpRequest, switch: Switch, data: dict[str, Any]) -> str:
        """Release the switch."""
        reach, subject = _resolve(request, StopScope(switch.scope), switch.subject)
        row = kill_switch.resume(scope=reach, subject=subject, reason=data["reason"], metadata=_metadata(request))
        return f"Play resumes: {row.id}."

    @row_action(
        "Stop",
        title="Stop again",
        permission=THROW,
        form=StopForm,
        applies=lambda request, switch: not switch.stopped and may_throw(request, StopScope(switch.scope)),
        tone="bad",
        help_text=STOP_HELP,
    )
    def stop(self, request: HttpRequest, switch: Switch, data: dict[str, Any]) -> str:
        """Throw the switch again."""
        return stop(request, StopScope(switch.scope), switch.subject, data)

    def sections(self, _request: HttpRequest, obj: Switch) -> Sequence[Section]:
        subject_names.name_switches([obj])
        facts = (
            *self.facts(obj, "reach", "subject_", "state", "reason"),
            ("Message to players", obj.message or html.NOTHING),
            *self.facts(obj, "by", "since"),
            ("Log", html.event_log(switch_stream(StopScope(obj.scope), obj.subject))),
        )
        return (Facts("Kill switch", facts),)


def switch_url(switch: Switch) -> str:
    """Return the address of a switch's page."""
    return reverse("admin:baccarat_switch_change", args=[quote(switch.pk)])


def player_sections(request: HttpRequest, player: Player) -> Sequence[Section]:
    """Show on a player's page that play is stopped for this player, or the form that stops it."""
    switch = Switch.objects.filter(scope=StopScope.PLAYER, subject=str(player.pk), stopped=True).first()
    if switch is not None:
        crypto_shredding.decrypt_rows([switch])
        may_view = request.user.has_perm("baccarat.view_switch")
        reason = html.link(switch_url(switch), switch.reason) if may_view else switch.reason
        return (Facts("Play is stopped", (("By a kill switch", reason),)),)
    if not may_throw(request, StopScope.PLAYER):
        return ()
    form = HiddenSubjectForm(request=request, row=player)
    url = reverse("admin:baccarat_switch_throw")
    return (FormSection("Stop this player", url, form, "Stop", help_text=STOP_HELP, tone="bad"),)


def stop(request: HttpRequest, reach: StopScope, subject: str, data: Mapping[str, Any]) -> str:
    """Throw a switch. Raises PermissionDenied and the refusals of `kill_switch.stop`."""
    reach, name = _resolve(request, reach, subject)
    row = kill_switch.stop(
        scope=reach,
        subject=name,
        reason=data["reason"],
        message=data["player_message"],
        metadata=_metadata(request),
    )
    # Django's log of staff actions keeps this message, and texts about a player could not be erased from it.
    note = "" if reach is StopScope.PLAYER else f" Players read: {row.message}"
    return f"Stopped: {row.id}.{note}"


def _resolve(request: HttpRequest, reach: StopScope, subject: str) -> tuple[StopScope, str]:
    """Return scope and subject if they are of an operator of this person. Raises UnknownSwitch, PermissionDenied."""
    if not may_throw(request, reach):
        raise PermissionDenied
    operator = Operator.objects.filter(slug=subject).first() if reach is StopScope.OPERATOR else None
    name = subject if operator is None else str(operator.id)
    allowed, owner = scope.operators(request), kill_switch.operator_of(reach, name)
    if allowed is not None and owner not in allowed:
        raise UnknownSwitch
    return reach, name


def _metadata(request: HttpRequest) -> Any:
    return staff_metadata(request, None, causation="admin", correlation="switch")
