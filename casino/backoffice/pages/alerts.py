"""Alerts, the people on call who are told of them, and the processes that run."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join

from casino.alerts import alerting, list_changes, on_call
from casino.alerts.heartbeats import DEAD_SECONDS
from casino.alerts.models import Alert, AlertMessage, Channel, Heartbeat, OnCallList, OnCallTarget
from casino.alerts.on_call import ListTerms, TargetAddress
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, done_or_waits
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import LabelledRowsAdmin, column, status_column, time_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter
from casino.backoffice.forms import EnumSelectField, RowForm, label, line_field
from casino.backoffice.sections import ActionBar, Grid, Section
from casino.backoffice.subjects import subject_link, subject_names
from casino.events.sql import database_now
from casino.feed.signatures import parse_secret
from casino.kernel.errors import Refusal
from casino.observability.conditions import CONDITIONS, runbook_path
from casino.operators import memberships
from casino.outbound.destinations import check_url
from casino.significant.recorder import Severity

ACKNOWLEDGE: Final = "alerts.acknowledge_alert"
CHANGE: Final = "alerts.change_oncalllist"
_TONES: Final = {Severity.NOTICE.value: "player", Severity.WARNING.value: "warn", Severity.CRITICAL.value: "bad"}
_STATES: Final = {
    "waiting": ("Waiting", Q(resolved_at=None, acknowledged_at=None)),
    "open": ("Open", Q(resolved_at=None)),
    "resolved": ("Resolved", Q(resolved_at__isnull=False)),
}
_LONGEST: Final = 7 * 24 * 60
"""Minutes until a list is told of what nobody has acknowledged."""


def _state(alert: Alert) -> str:
    if alert.resolved_at is not None:
        return html.badge("resolved", "good")
    return html.badge("acknowledged", "warn") if alert.acknowledged_at is not None else html.badge("waiting", "bad")


def _life(row: Heartbeat) -> str:
    silent = (database_now() - row.beat_at).total_seconds()
    return html.badge("dead", "bad") if silent > DEAD_SECONDS else html.badge("running", "good")


def _outcome(message: AlertMessage) -> object:
    if message.sent_at is not None:
        return message.sent_at
    return message.error or html.badge("waiting", "plain")


@admin.register(Alert)
class AlertAdmin(LabelledRowsAdmin):
    """What is or was wrong, newest first. Only staff of all operators see alerts of the whole installation."""

    names = ("operator",)
    list_display = ("severity_", "summary", "number", "operator", "opened", "state")
    list_filter = (
        case_filter("state", _STATES),
        enum_filter(Severity, "severity"),
        enum_filter(CONDITIONS, "kind"),
        operator_filter(),
    )
    search_help_text = "id of an alert"
    list_link = ListLink("Runbook: what to do about each", "admin:runbook", "alerts.view_alert")
    severity_ = status_column(_TONES, "severity", "severity")
    opened = time_column("opened_at", "opened")
    state = column("state", _state)

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Add alerts of the whole installation for staff of all operators."""
        owned = super().owned_by(operators)
        return owned | Q(operator_id__isnull=True) if scope.are_all_operators(operators) else owned

    actions = ("acknowledge_selected",)

    def has_acknowledge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(ACKNOWLEDGE)

    @admin.action(description="Acknowledge", permissions=["acknowledge"])
    def acknowledge_selected(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Acknowledge those selected that are open and that nobody has acknowledged."""
        by = memberships.staff_actor(request.user)
        done = [alert for alert in rows if alerting.acknowledge(alert.pk, by=by)]
        for alert in done:
            self.log_change(request, alert, "You have acknowledged the alert.")
        messages.success(request, f"Acknowledged {len(done)} alerts.")

    @RowAction(
        "Acknowledge",
        permission=ACKNOWLEDGE,
        applies=lambda _, alert: alert.resolved_at is None and alert.acknowledged_at is None,
        tone="good",
        help_text="You take care of it: it is not escalated unless it grows, and is resolved once its cause is gone.",
    )
    def acknowledge(self, request: HttpRequest, alert: Alert, _data: dict[str, Any]) -> str:
        done = alerting.acknowledge(alert.pk, by=memberships.staff_actor(request.user))
        return "You have acknowledged the alert." if done else "It was acknowledged already, or it is resolved."

    def sections(self, _request: HttpRequest, obj: Alert) -> Sequence[Section]:
        rows = [
            (message.target.on_call_list.name, str(message.target), message.stage, message.attempts, _outcome(message))
            for message in obj.messages.select_related("target__on_call_list").order_by("id")
        ]
        names = subject_names(obj.subjects)
        where = [subject_link(subject, names) for subject in obj.subjects]
        return [
            self.facts(
                obj,
                *("severity_", "summary", "cause", "number", "operator", "state", "opened"),
                ("Do first", html.code(obj.command)),
                ("Then", html.link(runbook_path(obj.kind), "the runbook")),
                ("Where", format_html_join(", ", "{}", ((each,) for each in where)) or html.NOTHING),
                ("Last seen", obj.seen_at),
                ("Acknowledged", obj.acknowledged_at),
                ("By", html.with_logins(obj.acknowledged_by) or html.NOTHING),
                ("Resolved", obj.resolved_at),
                "pk",
            ),
            Grid(
                "Messages",
                ("List", "Target", "About", "Attempts", "Sent"),
                rows,
                empty="No message was sent.",
            ),
        ]


class ListForm(RowForm):
    """The terms of a list; a new one begins with all kinds, from warnings on, at once."""

    name = line_field("Name", max_length=60)
    kinds = forms.MultipleChoiceField(
        label="Kinds of alerts (none: all)",
        choices=[(name, label(name)) for name in CONDITIONS],
        required=False,
    )
    severity = forms.ChoiceField(
        label="Lowest severity", choices=[(each.value, label(each.value)) for each in (*Severity,)[1:]]
    )
    after_minutes = forms.IntegerField(
        label="Minutes without an acknowledgement after which this list is alerted (0: at once)",
        min_value=0,
        max_value=_LONGEST,
    )

    def prepare(self) -> None:
        """Begin with the terms of the list."""
        initial = {"severity": Severity.WARNING.value, "after_minutes": 0}
        if self.row is not None:
            initial = {
                "name": self.row.name, "kinds": self.row.kinds, "severity": self.row.severity,
                "after_minutes": self.row.after_seconds // 60,
            }  # fmt: skip
        self.initial = initial

    def clean_name(self) -> str:
        """Refuse the name of another list."""
        name = str(self.cleaned_data["name"])
        others = OnCallList.objects.filter(name=name)
        if (others if self.row is None else others.exclude(pk=self.row.pk)).exists():
            raise ValidationError("Another list has this name.")
        return name


def list_terms(data: dict[str, Any]) -> ListTerms:
    """Return the terms that a form holds."""
    return ListTerms(
        name=data["name"],
        kinds=data["kinds"],
        severity=data["severity"],
        after_seconds=60 * data["after_minutes"],
    )


class TargetForm(RowForm):
    """A target; the secret that is offered for a webhook is shown this once."""

    channel = EnumSelectField(Channel, label="Channel", labels={each: each.label for each in Channel})
    address = line_field("E-mail address, or https:// address of the receiver", max_length=500)
    secret = line_field(
        "Secret of the webhook (copy it now: it is not shown again), or routing key of the pager",
        max_length=200,
        required=False,
    )

    def prepare(self) -> None:
        """Offer a fresh secret."""
        self.fields["secret"].initial = on_call.new_secret()

    def clean(self) -> dict[str, Any]:
        """Check the address, and the secret where one is needed."""
        data: dict[str, Any] = super().clean() or {}
        channel, address, secret = data.get("channel"), data.get("address", ""), data.get("secret", "")
        try:
            if channel is Channel.EMAIL:
                validate_email(address)
            else:
                check_url(address)
        except (ValidationError, Refusal) as error:
            self.add_error("address", error.message() if isinstance(error, Refusal) else error)
        if channel is Channel.WEBHOOK:
            try:
                parse_secret(secret)
            except ValueError as error:
                self.add_error("secret", str(error))
        elif channel is Channel.PAGER and not secret:
            self.add_error("secret", "A pager needs its routing key.")
        else:
            data["secret"] = secret if channel is Channel.PAGER else ""
        return data


class RemoveTargetForm(RowForm):
    target = forms.ModelChoiceField(OnCallTarget.objects.none(), label="Target")

    def prepare(self) -> None:
        """Offer the list's targets."""
        self.fields["target"] = forms.ModelChoiceField(self.row.targets.order_by("pk"), label="Target")


@admin.register(OnCallList)
class OnCallListAdmin(ReadOnlyAdmin):
    """Who is told of which alerts."""

    operator_field = None
    list_display = ("name", "told_of", "severity", "after", "reach")
    ordering = ("after_seconds", "name")
    search_help_text = "id of a list"
    list_link = ListLink("Add an on-call list", "admin:alerts_oncalllist_new", CHANGE)
    told_of = column("alerts", lambda row: ", ".join(map(label, row.kinds)) or "all kinds")
    after = column("after", lambda row: f"{row.after_seconds // 60} min" if row.after_seconds else "at once")
    reach = column("targets", lambda row: ", ".join(str(target) for target in row.targets.all()) or html.NOTHING)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("targets")

    def get_urls(self) -> list[URLPattern]:
        new = path("new/", self.admin_site.admin_view(self.new), name="alerts_oncalllist_new")
        return [new, *super().get_urls()]

    def new(self, request: HttpRequest) -> HttpResponse:
        """Show the page that adds a list, and add it. Raises PermissionDenied."""
        if not request.user.has_perm(CHANGE):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            row = on_call.save_list(list_terms(data), by=memberships.staff_actor(request.user))
            messages.success(request, "The list is added. Add its targets.")
            return reverse("admin:alerts_oncalllist_change", args=[row.pk])

        form = ListForm(request.POST if request.method == "POST" else None, request=request, row=None)
        return self.form_view(request, form, perform, title="Add an on-call list", label="Add")

    @RowAction("Change", title="Change this list", permission=CHANGE, form=ListForm)
    def edit(self, request: HttpRequest, row: OnCallList, data: dict[str, Any]) -> str:
        change = list_changes.change_list(row, list_terms(data), by=memberships.staff_actor(request.user))
        return done_or_waits(change, "The list is changed.")

    @RowAction("Add", title="Add a target", permission=CHANGE, form=TargetForm)
    def add_target(self, request: HttpRequest, row: OnCallList, data: dict[str, Any]) -> str:
        where = TargetAddress(data["address"], data["secret"])
        by = memberships.staff_actor(request.user)
        change = list_changes.add_target(row, channel=Channel(data["channel"]), where=where, by=by)
        return done_or_waits(change, "The target is added.")

    @RowAction(
        "Remove the target",
        title="Remove a target",
        permission=CHANGE,
        form=RemoveTargetForm,
        applies=lambda _, row: row.targets.exists(),
        tone="bad",
    )
    def remove_target(self, request: HttpRequest, _row: OnCallList, data: dict[str, Any]) -> str:
        change = list_changes.remove_target(data["target"], by=memberships.staff_actor(request.user))
        return done_or_waits(change, "The target is removed.")

    @RowAction(
        "Remove the list",
        title="Remove this list",
        permission=CHANGE,
        tone="bad",
        question="Remove this list with its targets? They receive no alerts any more.",
    )
    def remove(self, request: HttpRequest, row: OnCallList, _data: dict[str, Any]) -> str:
        change = list_changes.remove_list(row, by=memberships.staff_actor(request.user))
        return done_or_waits(change, "The list is removed.")

    def sections(self, _request: HttpRequest, obj: OnCallList) -> Sequence[Section]:
        rows = []
        for target in obj.targets.select_related("signal").order_by("pk"):
            last = target.messages.order_by("-pk").first()
            signal = getattr(target, "signal", None)
            if signal is not None:
                outcome = signal.error or signal.sent_at or html.NOTHING
            else:
                outcome = html.NOTHING if last is None else _outcome(last)
            rows.append((Channel(target.channel).label, target.label, outcome))
        return [
            self.facts(obj, "name", "told_of", "severity", "after"),
            ActionBar(),
            Grid(
                "Targets",
                ("Channel", "Address", "Last sent"),
                rows,
                empty="No target yet.",
            ),
        ]


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """The processes that run, and those that died in the last ten minutes."""

    operator_field = None
    list_display = ("kind", "host", "pid", "state", "version", "started", "beat")
    ordering = ("kind", "host", "pid")
    search_fields = ("host",)
    search_help_text = "name of a host"
    state = column("state", _life)
    started = time_column("started_at", "started")
    beat = time_column("beat_at", "last heartbeat")

    def sections(self, _request: HttpRequest, obj: Heartbeat) -> Sequence[Section]:
        return [self.facts(obj, *self.list_display)]
