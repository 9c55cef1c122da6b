"""Cases: findings of reports, alerts about players and complaints, with everything that staff write down in them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from baccarat.risk import case_file, networks
from baccarat.risk.models import RiskAlert
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction
from casino.backoffice.columns import Cell, LabelledRowsAdmin, column, staff_column, time_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import AssignForm, EnumSelectField, RowForm, label, text_field, time_field
from casino.backoffice.pages.risk import case_title, name_others, rule_title
from casino.backoffice.picker import ANYTHING, PickerInput, picker_field, visible_names
from casino.backoffice.sections import ActionBar, Facts, Grid, Section
from casino.backoffice.subjects import nicknames, player_link, subject_link, subject_names
from casino.compliance import case_entries, cases
from casino.compliance.models import Case, CaseAction, CaseEntryKind, CaseKind
from casino.operators import memberships
from casino.staff.access_log import record_access

_AMOUNTS: Final = frozenset({"amount", "deposited", "withdrawn", "staked", "returned", "rule_amount"})
RESOLVE_CASE: Final = "compliance.resolve_case"
MAX_ALERTS: Final = 50
MAX_NEARBY: Final = 20
_TONES: Final = {None: "bad", cases.ASSIGNED: "warn", cases.RESOLVED: "good"}
_WRITABLE: Final = {
    CaseEntryKind.NOTE: "Note",
    CaseEntryKind.EVIDENCE: "Evidence",
    CaseEntryKind.DECISION: "Decision",
    CaseEntryKind.REPORTED: "Reported to the authority",
}
_STATES: Final = {
    "waiting": ("Waiting", ~Q(cases.is_resolved())),
    "overdue": ("Overdue", cases.overdue()),
    "resolved": ("Resolved", Q(cases.is_resolved())),
}


class ResolveForm(RowForm):
    resolution = text_field("Resolution: the cause, and what was done", rows=3, required=False)


class EntryForm(RowForm):
    kind = EnumSelectField(CaseEntryKind, label="Kind", labels=_WRITABLE)
    text = text_field("Text", max_length=case_entries.MAX_TEXT_LENGTH, rows=4)
    evidence = picker_field("About", *ANYTHING, max_length=200)

    def prepare(self) -> None:
        """Offer first what the player of the case played and paid last."""
        player = cases.player_of(self.row.subject)
        widget = self.fields["evidence"].widget
        if player is not None and isinstance(widget, PickerInput):
            widget.player = player


class DeadlineForm(RowForm):
    due_at = time_field("Due")
    text = text_field("Reason", max_length=500)


def _is_unresolved(_request: HttpRequest, case: Any) -> bool:
    return bool(case.action != cases.RESOLVED)


def _due(case: Any) -> Cell:
    if case.due_at is None or case.action == cases.RESOLVED:
        return html.moment(case.due_at)
    text = html.plain_moment(case.due_at)
    return html.badge(f"overdue: {text}", "bad") if case.due_at < timezone.now() else html.moment(case.due_at)


@admin.register(Case)
class CaseAdmin(LabelledRowsAdmin):
    """Cases, newest first; the filter `Waiting` is the queue. Found by id, or by what a case is about."""

    names = ("operator",)
    list_display = ("title", "status", "about", "operator", "owner_", "opened", "due")
    list_filter = (
        operator_filter(),
        case_filter("status", _STATES),
        enum_filter(CaseKind, "kind"),
        since_by_uuid(),
    )
    search_help_text = "id of a case"
    title = column("case", lambda case: case_title(case.kind, case.details))
    about = column("about", lambda case: _named(_subject(case), case.names))
    status = column("status", lambda case: html.badge(case.action or "open", _TONES[case.action]))
    owner_ = staff_column("owner", "owner")
    opened = time_column("opened_at", "opened")
    due = column("due", _due)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return cases.with_deadline(cases.with_latest_action(super().get_queryset(request)))

    def get_urls(self) -> list[URLPattern]:
        export = require_safe(self.admin_site.admin_view(self.export))
        return [path("<uuid:case>/file.zip", export, name="compliance_case_file"), *super().get_urls()]

    def export(self, request: HttpRequest, case: Any) -> HttpResponse:
        """Return the file of a case, and write down in the case that it was made. Raises PermissionDenied."""
        row = self.find_row(request, str(case))
        if row is None or not request.user.has_perm(RESOLVE_CASE):
            raise PermissionDenied
        record_access(request, subject=self.subject_of(row), operator=row.operator_id)
        data = case_file.export_case(row, by=memberships.staff_actor(request.user))
        self.log_change(request, row, "Exported the case.")
        headers = {"Content-Disposition": f'attachment; filename="case-{row.pk}.zip"', "Cache-Control": "no-store"}
        return HttpResponse(data, content_type="application/zip", headers=headers)

    def title_of(self, obj: Any) -> str:
        subject = _subject(obj)
        return f"{capfirst(case_title(obj.kind, obj.details))}: {obj.names.get(subject, subject)}"

    def prepare_rows(self, rows: Any) -> None:
        names = subject_names(map(_subject, rows))
        for case in rows:
            case.names = names

    def subject_of(self, obj: Any) -> str:
        """Name the player in the access log, if the case is about one."""
        player = cases.player_of(obj.subject)
        return super().subject_of(obj) if player is None else f"player:{player}"

    @RowAction("Assign", permission=RESOLVE_CASE, form=AssignForm, applies=_is_unresolved)
    def assign(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        owner = data["owner"] or by
        cases.assign_case(case.pk, operator=case.operator_id, owner=owner, by=by)
        return f"Assigned to {html.with_logins(owner)}."

    @RowAction("Add", name="entry", title="Add a note, evidence or a decision", permission=RESOLVE_CASE, form=EntryForm)
    def write_down(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        case_entries.add_entry(case.pk, operator=case.operator_id, by=by, **data)
        return "Added to the case."

    @RowAction(
        "Set",
        name="deadline",
        title="Set the deadline",
        permission=RESOLVE_CASE,
        form=DeadlineForm,
        applies=_is_unresolved,
    )
    def set_deadline(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        case_entries.add_entry(case.pk, operator=case.operator_id, kind=CaseEntryKind.DEADLINE, by=by, **data)
        return "The deadline is set."

    @RowAction("Resolve", permission=RESOLVE_CASE, form=ResolveForm, applies=_is_unresolved, tone="good")
    def resolve(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        cases.resolve_case(case.pk, operator=case.operator_id, resolution=data["resolution"], by=by)
        return "Resolved."

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        facts = self.facts(obj, "title", "status", "about", "operator", "owner_", "opened", "due", "pk")
        if request.user.has_perm(RESOLVE_CASE):
            url = reverse("admin:compliance_case_file", args=[obj.pk])
            facts = Facts(facts.title, [*facts.rows, ("File of the case", html.link(url, "export as a ZIP"))])
        written = case_entries.list_entries(obj.pk, confidential=request.user.has_perm(RESOLVE_CASE))
        if any(entry.kind == CaseEntryKind.REPORTED for entry in written):
            facts = Facts(facts.title, [*facts.rows, ("Authority", html.badge("reported", "warn"))])
        names = visible_names(entry.evidence for entry in written)
        entries = [
            (entry.at, label(entry.kind), entry.text, _named(entry.evidence, names), entry.due_at, entry.by)
            for entry in written
        ]
        actions = [
            (action.at, action.action, action.owner, action.resolution, action.by)
            for action in CaseAction.objects.filter(case_id=obj.pk).order_by("number")
        ]
        return (
            facts,
            ActionBar(),
            Facts("Findings", _findings(obj.details)),
            *_alerts(obj),
            *_nearby(request, obj),
            Grid(
                "Notes, evidence and decisions",
                ("Time", "Kind", "Text", "About", "Due", "By"),
                entries,
                empty="Nobody has written anything yet.",
            ),
            Grid(
                "History",
                ("Time", "Action", "Owner", "Resolution", "By"),
                actions,
                empty="Not assigned or resolved yet.",
            ),
        )


def _findings(details: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return what a report or a rule found, with amounts and names as on other pages."""
    kinds = {"other": "player", "table": "table"}
    names = visible_names(f"{kind}:{details[name]}" for name, kind in kinds.items() if details.get(name))
    currency, rows = details.get("currency"), []
    for name, found in details.items():
        value: object = str(found)
        if name == "rule":
            value = rule_title(found)
        elif name in _AMOUNTS and currency and isinstance(found, int):
            value = html.money(found, currency)
        elif name in kinds:
            value = _named(f"{kinds[name]}:{found}", names)
        if found is not None and name != "currency":
            rows.append((label(name), value))
    return rows


def _named(subject: str, names: Mapping[str, str]) -> Cell:
    return subject_link(subject, names) if subject else html.NOTHING


def _subject(case: Case) -> str:
    """Return what a case is about, without what tells several cases about it apart."""
    return case.subject.partition(" ")[0]


def _alerts(case: Case) -> Sequence[Section]:
    """Show the alerts of a case about a player."""
    alerts: list[Any] = list(RiskAlert.objects.filter(case_id=case.pk).order_by("-pk")[:MAX_ALERTS])
    name_others(alerts)
    rows = [
        (
            alert.slot,
            html.page("risk_alert", alert.pk, rule_title(alert.kind)),
            html.page("player", alert.other_id, alert.other_name),
            html.money(alert.amount, alert.currency),
            alert.count,
            f"{alert.hours} h",
        )
        for alert in alerts
    ]
    headers = ("Quarter hour from", "Rule", "Other player", "Amount", "Count", "Within")
    return (Grid("Alerts", headers, rows, numeric=frozenset({"Amount", "Count"})),) if rows else ()


def _nearby(request: HttpRequest, case: Case) -> Sequence[Section]:
    """Show which of the players whom the user may see used the same network as the player of a case."""
    player, operators = cases.player_of(case.subject), scope.operators(request)
    others = [] if player is None else networks.players_nearby(player, operators=operators, limit=MAX_NEARBY)
    names, slugs = nicknames([other for other, _ in others]), scope.operator_slugs(request)
    rows = [
        (player_link(other, names), html.page("operator", operator, slugs.get(str(operator), html.short(operator))))
        for other, operator in others
    ]
    return (Grid("Players who used the same network", ("Player", "Operator"), rows),) if rows else ()
