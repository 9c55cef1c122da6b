"""Kill switches: past and active ones, the page that throws one, and the forms that stop and resume play."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from baccarat.domain.tables.kill_switch import StopRank, StopScope, UnknownStopSubject, stop_id, stop_stream
from baccarat.services import kill_switch
from baccarat.storage import rules_versions
from baccarat.storage.models import KillSwitch, Table
from casino.backoffice import html, scope, subjects
from casino.backoffice.actions import WAITS, RowAction, staff_metadata
from casino.backoffice.badges import STOP_GAMING
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import column, staff_column, time_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter
from casino.backoffice.forms import UNCHOSEN, RowForm, line_field, text_field
from casino.backoffice.sections import Facts, Section
from casino.crypto import crypto_shredding
from casino.operators import memberships
from casino.operators.models import Player

STOP_PLAY: Final = "baccarat.stop_play"
MAX_CHOICES: Final = 200
"""Tables that the page offers; any other is stopped on its own page, as players are."""
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
    "Nothing new starts from now on. Confirmed wagers are dealt and settled; leaving and withdrawing stay possible."
)
_WITH_PAGE: Final = {StopScope.OPERATOR, StopScope.TABLE, StopScope.PLAYER}


class ResumeForm(RowForm):
    reason = text_field(
        "Reason, for the record (kept permanently: do not name a player, unless it is about one)", required=False
    )
    order = line_field("Reference of a regulator's order", max_length=kill_switch.MAX_ORDER_LENGTH, required=False)

    def prepare(self) -> None:
        """Ask only the platform's staff for an order."""
        if kill_switch.rank_of_member(self.request.user) is not StopRank.PLATFORM:
            del self.fields["order"]


class StopForm(ResumeForm):
    player_message = line_field("Message to players (empty: the standard text)", max_length=200, required=False)


class WideStopForm(StopForm):
    deposits = forms.BooleanField(label="Take no deposits either", required=False)


class StopAgainForm(WideStopForm):
    def prepare(self) -> None:
        """Ask about deposits only where they can be stopped."""
        super().prepare()
        if StopScope(self.row.scope) not in kill_switch.WITH_DEPOSITS:
            del self.fields["deposits"]


class ThrowForm(WideStopForm):
    target = forms.ChoiceField(label="Stop", help_text="A player is stopped on the player's page.")
    field_order = ("target",)

    def prepare(self) -> None:
        """Offer what the user may stop, and begin with the target of the address."""
        super().prepare()
        field = self.fields["target"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [UNCHOSEN, *_targets(self.request)]
        self.fields["deposits"].help_text = "With all gaming or an operator."
        self.initial = {"target": self.request.GET.get("target", "")}


def _targets(request: HttpRequest) -> Iterator[tuple[str, Any]]:
    """Yield what the user may stop, as ids of switches, in groups."""
    if may_stop(request, StopScope.GAMING):
        yield stop_id(StopScope.GAMING, ""), _SCOPES[StopScope.GAMING]
    yield "Operators", [(stop_id(StopScope.OPERATOR, key), slug) for key, slug in scope.operator_slugs(request).items()]
    if may_stop(request, StopScope.RULES):
        rules = [each for each in rules_versions.reaches() if each.tables][:MAX_CHOICES]
        yield "Rules", [(stop_id(StopScope.RULES, each.digest), str(each)) for each in rules]
    tables = scope.within(Table.objects.filter(in_lobby=True).order_by("name"), request)
    rows = tables.values_list("id", "name", "operator_id")[:MAX_CHOICES]
    named = sorted(
        (scope.name_choice(name, operator, request), stop_id(StopScope.TABLE, str(key))) for key, name, operator in rows
    )
    yield "Tables", [(target, name) for name, target in named]


def may_stop(request: HttpRequest, reach: StopScope) -> bool:
    """Return whether the user may stop and resume play in this scope."""
    if reach in INSTALLATION_WIDE and not _is_of_platform(request):
        return False
    return request.user.has_perm(STOP_GAMING if reach in INSTALLATION_WIDE else STOP_PLAY)


def _may_resume(request: HttpRequest, switch: KillSwitch) -> bool:
    """Return whether the user may lift a stop; those of the platform's rank also lift a regulator's, with an order."""
    rank = kill_switch.rank_of_member(request.user)
    may_lift = rank.covers(StopRank(switch.rank)) or rank is StopRank.PLATFORM
    return switch.active and may_lift and may_stop(request, StopScope(switch.scope))


def _may_stop_again(request: HttpRequest, switch: KillSwitch) -> bool:
    """Return whether the user may stop what plays, give a higher rank to what is stopped, or stop deposits, too."""
    rank, before = kill_switch.rank_of_member(request.user), StopRank(switch.rank)
    may_raise = rank is StopRank.PLATFORM if before is rank else rank.covers(before)
    adds_deposits = rank is before and not switch.deposits and StopScope(switch.scope) in kill_switch.WITH_DEPOSITS
    return (may_raise or adds_deposits or not switch.active) and may_stop(request, StopScope(switch.scope))


def _is_of_platform(request: HttpRequest) -> bool:
    return scope.are_all_operators(scope.operators(request))


def _subject(switch: Any) -> SafeString | str:
    if StopScope(switch.scope) not in _WITH_PAGE:
        return switch.subject_name or html.NOTHING
    return html.page(switch.scope, switch.subject, switch.subject_name)


@admin.register(KillSwitch)
class KillSwitchAdmin(ReadOnlyAdmin):
    """Every kill switch that was ever thrown, active ones first. Found by subject."""

    list_display = ("reach", "subject_", "state", "rank", "reason", "staff", "since")
    list_filter = (
        case_filter("state", {"stopped": ("Stopped", Q(active=True)), "playing": ("Resumed", Q(active=False))}),
        enum_filter(StopScope, "scope", labels=_SCOPES),
        operator_filter(),
    )
    ordering = ("-active", "-at")
    search_fields = ("subject",)
    shows_shared_rows = True
    search_help_text = "id of an operator, a table or a player, or the digest of rules"
    list_link = ListLink("Stop play", "admin:baccarat_killswitch_throw", STOP_PLAY)
    reach = column("scope", lambda switch: _SCOPES[StopScope(switch.scope)])
    subject_ = column("subject", _subject)
    state = column(
        "state", lambda switch: html.badge("stopped", "bad") if switch.active else html.badge("playing", "good")
    )
    staff = staff_column("by", "by")
    since = time_column("at", "since")

    def prepare_rows(self, rows: Any) -> None:
        subjects.name_kill_switches(rows)

    def get_urls(self) -> list[URLPattern]:
        throw = path("throw/", self.admin_site.admin_view(self.throw), name="baccarat_killswitch_throw")
        return [throw, *super().get_urls()]

    def throw(self, request: HttpRequest) -> HttpResponse:
        """Show the page that stops play, and stop it. Raises PermissionDenied."""
        if not request.user.has_perm(STOP_PLAY):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            reach, _, subject = data["target"].partition(":")
            messages.success(request, stop(request, StopScope(reach), subject, data))
            return reverse("admin:baccarat_killswitch_changelist")

        form = ThrowForm(request.POST if request.method == "POST" else None, request=request, row=None)
        return self.form_view(request, form, perform, title="Stop play", label="Stop", help_text=STOP_HELP, tone="bad")

    @RowAction(
        "Resume",
        title="Resume play",
        permission=STOP_PLAY,
        form=ResumeForm,
        applies=_may_resume,
        tone="good",
        help_text="Play resumes as far as no other switch stops it.",
    )
    def resume(self, request: HttpRequest, switch: KillSwitch, data: dict[str, Any]) -> str:
        reach, subject = _resolve(request, StopScope(switch.scope), switch.subject)
        named = {"scope": reach, "subject": subject, "reason": data["reason"], "order": data.get("order", "")}
        by = memberships.staff_actor(request.user)
        if kill_switch.needs_change(reach, subject, by=by):
            kill_switch.request_resume(**named, by=by)
            return WAITS
        row = kill_switch.resume(**named, metadata=_metadata(request))
        return f"Play resumes: {row.id}."

    @RowAction(
        "Stop",
        title="Stop again",
        permission=STOP_PLAY,
        form=StopAgainForm,
        applies=_may_stop_again,
        tone="bad",
        help_text=STOP_HELP,
    )
    def stop(self, request: HttpRequest, switch: KillSwitch, data: dict[str, Any]) -> str:
        return stop(request, StopScope(switch.scope), switch.subject, data)

    def title_of(self, obj: Any) -> str:
        return f"{_SCOPES[StopScope(obj.scope)]}: {obj.subject_name}" if obj.subject else _SCOPES[StopScope.GAMING]

    def sections(self, _request: HttpRequest, obj: KillSwitch) -> Sequence[Section]:
        message, log = (
            ("Message to players", obj.message),
            html.event_log(stop_stream(StopScope(obj.scope), obj.subject)),
        )
        return [
            self.facts(
                obj,
                "reach",
                "subject_",
                "state",
                "rank",
                "regulator_order",
                "deposits",
                "reason",
                message,
                "by",
                "agreed_by",
                "since",
                ("Log", log),
            )
        ]


def switch_url(switch: KillSwitch) -> str:
    """Return the address of a switch's page."""
    return reverse("admin:baccarat_killswitch_change", args=[quote(switch.pk)])


def is_player_stopped(player: Player) -> bool:
    """Return whether a kill switch stops this player."""
    return _switch_of(player) is not None


def player_sections(request: HttpRequest, player: Player) -> Sequence[Section]:
    """Show on a player's page that a kill switch stops this player."""
    switch = _switch_of(player)
    if switch is None:
        return ()
    crypto_shredding.decrypt_rows([switch])
    may_view = request.user.has_perm("baccarat.view_killswitch")
    reason = html.link(switch_url(switch), switch.reason) if may_view else switch.reason
    return (Facts("Play is stopped", (("By a kill switch", reason),)),)


def _switch_of(player: Player) -> KillSwitch | None:
    """Return the switch that stops a player, read once for a page."""
    rows = KillSwitch.objects.filter(scope=StopScope.PLAYER, subject=str(player.pk), active=True)
    return scope.cached_per_request(f"stop:{player.pk}", rows.first)


def stop(request: HttpRequest, reach: StopScope, subject: str, data: Mapping[str, Any]) -> str:
    """Throw a switch. Raises PermissionDenied and the refusals of `kill_switch.stop`."""
    reach, name = _resolve(request, reach, subject)
    row = kill_switch.stop(
        scope=reach,
        subject=name,
        reason=data["reason"],
        message=data["player_message"],
        order=data.get("order", ""),
        deposits=data.get("deposits", False),
        metadata=_metadata(request),
    )
    # Django's log of staff actions keeps this message, and texts about a player could not be erased from it.
    note = "" if reach is StopScope.PLAYER else f" Players read: {row.message}"
    return f"Stopped: {row.id}.{note}"


def _resolve(request: HttpRequest, reach: StopScope, subject: str) -> tuple[StopScope, str]:
    """Return scope and subject if the user may act on them. Raises UnknownStopSubject, PermissionDenied."""
    if not may_stop(request, reach):
        raise PermissionDenied
    allowed, owner = scope.operators(request), kill_switch.operator_of(reach, subject)
    if allowed is not None and reach not in INSTALLATION_WIDE and owner not in allowed:
        raise UnknownStopSubject
    return reach, subject


def _metadata(request: HttpRequest) -> Any:
    return staff_metadata(request, None, causation="admin", correlation="switch")
