"""Cases: findings of reports, alerts about players and complaints, with everything that staff write down in them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from textwrap import wrap
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst
from django.views.decorators.http import require_safe

from baccarat.risk import case_file, networks
from baccarat.risk.models import RiskAlert
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, hand_over
from casino.backoffice.columns import Cell, LabelledRowsAdmin, column, staff_column, time_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import (
    UNCHOSEN,
    AssignForm,
    EnumSelectField,
    RowForm,
    label,
    line_field,
    text_field,
    time_field,
)
from casino.backoffice.pages.player_risk import ASSESS, VIEW_CASES, VIEW_COMPLAINT
from casino.backoffice.pages.risk import case_title, measured, name_others, rule_title
from casino.backoffice.picker import ANYTHING, PickerInput, picker_field, visible_names
from casino.backoffice.sections import ActionBar, Facts, Grid, Section
from casino.backoffice.subjects import nicknames, player_link, subject_link, subject_names
from casino.compliance import case_entries, cases, complaints
from casino.compliance.cases import CaseStatus
from casino.compliance.models import AnswerKind, Case, CaseAction, CaseEntry, CaseEntryKind, CaseKind
from casino.operators import memberships
from casino.staff.access_log import record_access

_UNITS: Final = {"rule_hours": "h", "rule_share": "%"}
RESOLVE_CASE: Final = "compliance.resolve_case"
MAX_ALERTS: Final = 50
MAX_NEARBY: Final = 20
_DIGEST_LINE: Final = 16
MAX_WORDS: Final = 50
"""Characters of a complaint that a list shows."""
_TONES: Final = {CaseStatus.OPEN: "bad", CaseStatus.ASSIGNED: "warn", CaseStatus.RESOLVED: "good"}
_STATES: Final = {
    "waiting": ("Waiting", ~Q(cases.is_resolved())),
    "overdue": ("Overdue", cases.overdue()),
    "resolved": ("Resolved", Q(cases.is_resolved())),
}


class Step(StrEnum):
    """What staff do in a case: write something down, answer the player of a complaint, resolve or reopen it."""

    NOTE = "note"
    EVIDENCE = "evidence"
    DOCUMENT = "document"
    MORE_NEEDED = "more_needed"
    UPHELD = "upheld"
    REJECTED = "rejected"
    CLOSED = "closed"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    REPORTED = "reported"


_WRITTEN: Final = {Step.NOTE: "Note", Step.EVIDENCE: "Evidence", Step.DOCUMENT: "Document of the operator's"}
_OUTCOMES: Final = {
    Step.UPHELD: "Resolve: upheld",
    Step.REJECTED: "Resolve: rejected",
    Step.CLOSED: "Resolve: closed otherwise",
}
_ANSWERS: Final = frozenset(AnswerKind)
_TOLD: Final = (Step.MORE_NEEDED, *_OUTCOMES)


def _steps(case: Any) -> dict[Step, str]:
    """Return what may be done in a case now."""
    is_complaint = case.kind == CaseKind.COMPLAINT
    if case.status is CaseStatus.RESOLVED:
        moves = {Step.REOPENED: "Reopen it"}
    elif is_complaint:
        moves = {Step.MORE_NEEDED: "Ask the player for more", **_OUTCOMES}
    else:
        moves = {Step.RESOLVED: "Resolve it"}
    return {**_WRITTEN, **moves, **({} if is_complaint else {Step.REPORTED: "Reported to the authority"})}


class StepForm(RowForm):
    step = EnumSelectField(Step, label="Step")
    text = text_field(
        "For staff: what was found, or why", max_length=case_entries.MAX_TEXT_LENGTH, rows=4, required=False
    )
    message = text_field(
        "For the player, besides the text of the answer", max_length=complaints.MAX_MESSAGE_LENGTH, required=False
    )
    evidence = picker_field("About; of a document its number", *ANYTHING, max_length=200)
    sha256 = line_field("SHA-256 of the document", max_length=64, required=False)

    def prepare(self) -> None:
        """Offer what may be done now, and first what the player of the case played and paid last."""
        self.fields["step"].choices = [UNCHOSEN, *((step.value, text) for step, text in _steps(self.row).items())]  # type: ignore[attr-defined]
        if self.row.kind != CaseKind.COMPLAINT:
            del self.fields["message"]
        player = cases.player_of(self.row.subject)
        widget = self.fields["evidence"].widget
        if player is not None and isinstance(widget, PickerInput):
            widget.player = player

    def clean(self) -> dict[str, Any]:
        """Keep what is for the player and what is about evidence apart."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        step = data.get("step")
        if data.get("message") and step not in _TOLD:
            self.add_error("message", "Nothing is told to the player with this step.")
        if step is Step.MORE_NEEDED and not data.get("message"):
            self.add_error("message", "Say what the player has to send or to say.")
        if step is not Step.MORE_NEEDED and not data.get("text"):
            self.add_error("text", "This field is required.")
        if (data.get("evidence") or data.get("sha256")) and step not in _WRITTEN:
            self.add_error("evidence", "Add this as evidence or as a document.")
        return data


class ThreadNoteForm(RowForm):
    text = text_field("Note", max_length=case_entries.MAX_TEXT_LENGTH, rows=3)


class DeadlineForm(RowForm):
    due_at = time_field("Due")
    text = text_field("Reason", max_length=500)


def _may_follow(request: HttpRequest, case: Any) -> bool:
    """Return whether the user may write in a complaint that is not the user's to resolve."""
    return case.opened_by == memberships.staff_actor(request.user) and not request.user.has_perm(RESOLVE_CASE)


def _is_unresolved(_request: HttpRequest, case: Any) -> bool:
    return bool(case.status is not CaseStatus.RESOLVED)


def _status(case: Any) -> SafeString:
    status = html.badge(case.status.value, _TONES[case.status])
    return html.with_note(status, label(case.answer).lower()) if case.answer else status


def _title(case: Any) -> Cell:
    """Name a case, with the beginning of a complaint."""
    title = case_title(case.kind, case.details)
    return html.below(title, Truncator(case.words).chars(MAX_WORDS)) if case.words else title


def _due(case: Any) -> Cell:
    if case.due_at is None or case.status is CaseStatus.RESOLVED:
        return html.moment(case.due_at)
    text = html.plain_moment(case.due_at)
    return html.badge(f"overdue: {text}", "bad") if case.due_at < timezone.now() else html.moment(case.due_at)


@admin.register(Case)
class CaseAdmin(LabelledRowsAdmin):
    """Cases, newest first; the filter `Waiting` is the queue. Found by id, or by what a case is about.

    Who may not see cases, but may follow complaints, sees those that they opened.
    """

    names = ("operator",)
    list_display = ("title", "state", "about", "operator", "owner_", "opened", "due")
    list_filter = (
        operator_filter(),
        case_filter("status", _STATES),
        enum_filter(CaseKind, "kind"),
        since_by_uuid(),
    )
    search_help_text = "id of a case"
    title = column("case", _title)
    about = column("about", lambda case: _named(_subject(case), case.names))
    state = column("status", _status)
    owner_ = staff_column("owner", "owner")
    opened = time_column("opened_at", "opened")
    due = column("due", _due)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or request.user.has_perm(VIEW_COMPLAINT)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return super().has_module_permission(request) or request.user.has_perm(VIEW_COMPLAINT)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        complaint = CaseEntry.objects.filter(case_id=OuterRef("pk"), case__kind=CaseKind.COMPLAINT.value).order_by("pk")
        rows = cases.with_deadline(cases.with_latest_action(super().get_queryset(request)))
        rows = rows.annotate(words=Subquery(complaint.values("text")[:1]))
        may_see_all = request.user.has_perm(VIEW_CASES)
        return rows if may_see_all else cases.opened_by(rows, memberships.staff_actor(request.user))

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
        name = f"{row.slug}-case-{row.pk}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return HttpResponse(data, content_type="application/zip", headers=headers)

    def title_of(self, obj: Any) -> str:
        subject = _subject(obj)
        return f"{capfirst(case_title(obj.kind, obj.details))}: {obj.names.get(subject, subject)}"

    def prepare_rows(self, rows: Any) -> None:
        names = subject_names(map(_subject, rows))
        for case in rows:
            case.names, case.status = names, cases.status_of(case.action)

    def subject_of(self, obj: Any) -> str:
        """Name the player in the access log, if the case is about one."""
        player = cases.player_of(obj.subject)
        return super().subject_of(obj) if player is None else f"player:{player}"

    @RowAction("Hand over", permission=RESOLVE_CASE, form=AssignForm, applies=_is_unresolved)
    def assign(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        assign = partial(cases.assign_case, case.pk, operator=case.operator_id)
        return hand_over(request, "a case", data["owner"], assign)

    @RowAction("Go on", name="entry", title="Write, answer, resolve", permission=RESOLVE_CASE, form=StepForm)
    def go_on(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        step, by = data["step"], memberships.staff_actor(request.user)
        where: dict[str, Any] = {"operator": case.operator_id, "by": by}
        text, message = data["text"], data.get("message", "")
        match step:
            case Step.MORE_NEEDED:
                with transaction.atomic():
                    complaints.ask(case.pk, text=message, **where)
                    if text:
                        case_entries.add_entry(case.pk, kind=CaseEntryKind.NOTE, text=text, **where)
                return "The player is asked for more."
            case Step.UPHELD | Step.REJECTED | Step.CLOSED:
                outcome = AnswerKind(step.value)
                complaints.resolve(case.pk, resolution=text, outcome=outcome, message=message, **where)
                return "Resolved; the player is told."
            case Step.RESOLVED:
                complaints.resolve(case.pk, resolution=text, **where)
                return "Resolved."
            case Step.REOPENED:
                complaints.reopen(case.pk, reason=text, **where)
                return "Reopened."
        about = {"evidence": data["evidence"], "sha256": data["sha256"]}
        case_entries.add_entry(case.pk, kind=CaseEntryKind(step.value), text=text, **about, **where)
        return "Added to the case."

    @RowAction("Add", name="note", title="Add a note", permission=ASSESS, form=ThreadNoteForm, applies=_may_follow)
    def add_note(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        case_entries.add_entry(case.pk, operator=case.operator_id, kind=CaseEntryKind.NOTE, by=by, **data)
        return "Added to the complaint."

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

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        facts = self.facts(
            obj,
            ("Case", case_title(obj.kind, obj.details)),
            *("state", "about", "operator", "owner_"),
            ("Opened by", html.with_logins(obj.opened_by) or html.NOTHING),
            *("opened", "due", "pk"),
        )
        is_compliance = request.user.has_perm(RESOLVE_CASE)
        if is_compliance:
            url = reverse("admin:compliance_case_file", args=[obj.pk])
            facts = Facts(facts.title, [*facts.rows, ("File of the case", html.link(url, "export as a ZIP"))])
        written = case_entries.list_entries(obj.pk, confidential=is_compliance)
        if any(entry.kind == CaseEntryKind.REPORTED for entry in written):
            facts = Facts(facts.title, [*facts.rows, ("Authority", html.badge("reported", "warn"))])
        nearby = _nearby(request, obj) if request.user.has_perm(VIEW_CASES) else ()
        return (
            facts,
            ActionBar(),
            Facts("Findings", _findings(obj.details)),
            *_alerts(obj),
            *nearby,
            _thread(obj, written),
        )


def _thread(case: Any, written: Sequence[CaseEntry]) -> Grid:
    """Show everything that was done, written and told in a case, the oldest first."""
    names = visible_names(entry.evidence for entry in written)
    steps = CaseAction.objects.filter(case_id=case.pk)
    rows: list[tuple[Any, ...]] = [
        *((entry.at, _kind(entry), entry.by, entry.text, _about(entry, names)) for entry in written),
        *((step.at, html.badge(step.action), step.by, step.resolution or _owner(step), "") for step in steps),
    ]
    rows.sort(key=lambda row: row[0])
    headers = ("Time", "Step", "By", "Text", "About")
    return Grid("Thread", headers, rows, empty="Nobody has written anything yet.")


def _kind(entry: CaseEntry) -> object:
    """Name a kind of entry, with a mark if the player reads it."""
    return html.badge(f"told: {label(entry.kind).lower()}", "player") if entry.kind in _ANSWERS else label(entry.kind)


def _owner(step: CaseAction) -> str:
    return html.with_logins(f"to {step.owner}") if step.action == cases.CaseStep.ASSIGNED else ""


def _about(entry: CaseEntry, names: Mapping[str, str]) -> Cell:
    """Name what an entry refers to: a page, a document with its digest, or the time of a deadline."""
    if entry.sha256:
        digest = wrap(entry.sha256, _DIGEST_LINE)
        return html.lines(entry.evidence, "SHA-256", *map(html.code, digest))
    return _named(entry.evidence, names) if entry.due_at is None else html.moment(entry.due_at)


def _findings(details: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return what a report or a rule found, with amounts and names as on other pages."""
    kinds = {"other": "player", "table": "table"}
    names = visible_names(f"{kind}:{details[name]}" for name, kind in kinds.items() if details.get(name))
    rows = []
    for name, found in details.items():
        if found is None or name == "currency":
            continue
        value = measured(name, found, details.get("currency", ""))
        if name == "rule":
            value = rule_title(found)
        elif name in _UNITS:
            value = f"{found} {_UNITS[name]}"
        elif name == "received_at":
            value = datetime.fromisoformat(found)
        elif name in kinds:
            value = _named(f"{kinds[name]}:{found}", names)
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
