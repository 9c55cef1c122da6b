"""What staff record about a player, on the player's page: notes, tags, KYC status, complaints; and the cases."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from baccarat.risk import activity, players
from baccarat.risk.models import KycStatus, PlayerStatus, Screening
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction
from casino.backoffice.filters import choice_filter
from casino.backoffice.forms import EnumSelectField, RowForm, label, line_field, text_field, time_field
from casino.backoffice.pages.risk import SUM_HEADERS, VIEW_ALERTS, case_title, sum_cells
from casino.backoffice.sections import Grid, Section
from casino.backoffice.subjects import nicknames, player_link
from casino.compliance import cases
from casino.compliance.models import Case
from casino.operators.memberships import staff_actor
from casino.operators.models import Player

ASSESS: Final = "risk.assess_player"
SCREEN: Final = "risk.screen_player"
VIEW_NOTES: Final = "risk.view_playernote"
VIEW_STATUS: Final = "risk.view_playerstatus"
VIEW_CASES: Final = "compliance.view_case"
VIEW_COMPLAINT: Final = "compliance.view_complaint"
MAX_ROWS: Final = 15
MAX_TAGS: Final = 200
"""The most tags that the filter of players offers."""
_TONES: Final = {KycStatus.VERIFIED: "good", KycStatus.FAILED: "bad", KycStatus.EXPIRED: "warn"}
_NUMBERS: Final = frozenset(SUM_HEADERS)


def kyc_filter() -> Any:
    """Make a filter of players by KYC status, for those who may see it."""
    choices = {status.value: label(status.value) for status in KycStatus}
    return choice_filter(
        "KYC status",
        parameter="kyc",
        choices=lambda request: choices if request.user.has_perm(VIEW_STATUS) else {},
        where=lambda value: players.has_status(kyc=KycStatus(value)),
    )


def tag_filter() -> Any:
    """Make a filter of players by tag, for those who may see tags."""
    return choice_filter("tag", choices=_tags, where=lambda value: players.has_status(tag=value))


def _tags(request: HttpRequest) -> dict[str, str]:
    if not request.user.has_perm(VIEW_STATUS):
        return {}
    return {tag: tag for tag in players.tags_in_use(scope.operators(request), limit=MAX_TAGS)}


def badges(player: Any) -> Sequence[SafeString]:
    """Show the KYC status and the tags of a player in a list, if the user may see them."""
    assessment: PlayerStatus | None = player.assessment
    if assessment is None or not scope.may_view("risk_playerstatus"):
        return ()
    return [kyc_badge(KycStatus(assessment.kyc)), *map(html.badge, assessment.tags)]


def kyc_badge(kyc: KycStatus) -> SafeString:
    """Show how far an identity is verified."""
    return html.badge(f"KYC {kyc.value}", _TONES.get(kyc, "plain"))


class PlayerNoteForm(RowForm):
    text = text_field("Note, for staff", max_length=players.MAX_TEXT_LENGTH, rows=3)


class StatusForm(RowForm):
    kyc = EnumSelectField(KycStatus, label="KYC status (how far the identity is verified)")
    tags = line_field("Tags, separated by spaces", max_length=700, required=False)

    def prepare(self) -> None:
        """Begin with what is known."""
        status = self.row.assessment
        if status is not None:
            self.initial = {"kyc": status.kyc, "tags": " ".join(status.tags)}


class ScreeningForm(RowForm):
    found = EnumSelectField(Screening, label="List")
    listed = forms.BooleanField(label="The player is listed", required=False)
    on = forms.DateField(label="Day of the screening", widget=forms.DateInput(attrs={"type": "date"}))
    source = line_field("Source", max_length=players.MAX_SOURCE_LENGTH)


class ComplaintForm(RowForm):
    text = text_field("Complaint, in the player's words", max_length=players.MAX_TEXT_LENGTH, rows=4)
    received_at = time_field("Received; empty: now", required=False)


class PlayerAssessments:
    """The actions of a player's page that record something about the player."""

    @RowAction("Add", name="note", title="Add a note", permission=ASSESS, form=PlayerNoteForm)
    def add_note(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        players.add_note(operator=player.operator_id, player=player.pk, by=staff_actor(request.user), **data)
        return "Added a note."

    @RowAction("Set", name="status", title="Set KYC status and tags", permission=ASSESS, form=StatusForm)
    def set_status(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        tags = data["tags"].lower().replace(",", " ").split()
        by = staff_actor(request.user)
        players.set_status(operator=player.operator_id, player=player.pk, kyc=data["kyc"], tags=tags, by=by)
        return f"KYC is {data['kyc'].value}; tags: {', '.join(tags) or 'none'}."

    @RowAction(
        "Record",
        name="screening",
        title="Record a screening",
        permission=SCREEN,
        form=ScreeningForm,
        help_text="While the player is listed, withdrawals are held. Every earlier word is kept.",
    )
    def set_screening(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        by = staff_actor(request.user)
        players.set_screening(operator=player.operator_id, player=player.pk, by=by, **data)
        return f"{data['found'].value}: {'listed' if data['listed'] else 'not listed'}."

    @RowAction(
        "Open",
        name="complaint",
        title="Open a complaint",
        permission=ASSESS,
        form=ComplaintForm,
        help_text="It becomes a case, with the time that the rules leave for an answer.",
    )
    def open_complaint(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        by = staff_actor(request.user)
        players.open_complaint(operator=player.operator_id, player=player.pk, by=by, **data)
        return "Opened a complaint."


def status_facts(request: HttpRequest, player: Any) -> list[tuple[str, object]]:
    """Say how far the player is verified, and the tags."""
    if not request.user.has_perm(VIEW_STATUS):
        return []
    status: PlayerStatus | None = player.assessment
    kyc = KycStatus.UNKNOWN if status is None else KycStatus(status.kyc)
    tags = [] if status is None else status.tags
    listed = [] if status is None else [name for name, found in status.screening.items() if found["listed"]]
    return [
        ("KYC", html.badge(kyc.value, _TONES.get(kyc, "plain"))),
        ("Tags", ", ".join(tags) or "none"),
        ("Screening", ", ".join(listed) or "nothing found"),
    ]


def lately(_request: HttpRequest, player: Player) -> Section:
    """Show what the player moved in each window."""
    rows = [
        (f"{name}, {currency}", *sum_cells(windows[name], currency))
        for currency, windows in activity.sums_of(player.pk, timezone.now()).items()
        for name in activity.WINDOWS
        if name in windows
    ]
    note = html.listing("risk_riskalert", "Alerts", q=str(player.pk))
    empty = "No deposit, withdrawal or wager in the last 30 days."
    return Grid("Recent activity, real money", ("Window", *SUM_HEADERS), rows, empty=empty, note=note, numeric=_NUMBERS)


def case_list(_request: HttpRequest, player: Player) -> Section:
    """Show the cases about the player, complaints included, and those about another that concern this one, too."""
    return _cases("Cases", cases.about_player(Case.objects.filter(operator_id=player.operator_id), player.pk))


def followed_complaints(request: HttpRequest, player: Player) -> Section | None:
    """Show those complaints of the player that the user opened, if the user may not see cases."""
    if request.user.has_perm(VIEW_CASES):
        return None
    about = cases.about_player(Case.objects.filter(operator_id=player.operator_id), player.pk)
    return _cases("Complaints that you opened", cases.opened_by(about, staff_actor(request.user)))


def _cases(title: str, about: QuerySet[Case]) -> Section:
    listed: QuerySet[Any] = cases.with_deadline(cases.with_latest_action(about.order_by("-pk")))[:MAX_ROWS]
    subjects = {case: cases.player_of(case.subject) for case in listed}
    names = nicknames([each for each in subjects.values() if each is not None])
    rows = [
        (
            case.opened_at,
            html.link(reverse("admin:compliance_case_change", args=[case.pk]), case_title(case.kind, case.details)),
            html.NOTHING if subject is None else player_link(subject, names),
            cases.status_of(case.action).value,
            case.answer and label(case.answer),
            case.due_at,
        )
        for case, subject in subjects.items()
    ]
    headers = ("Opened", "Case", "About", "Status", "Player was told", "Due")
    return Grid(title, headers, rows, empty="No case about this player.")


def notes(_request: HttpRequest, player: Player) -> Section:
    """Show the notes about the player."""
    rows = [(note.at, note.text, note.by) for note in players.list_notes(player.pk, limit=MAX_ROWS)]
    return Grid("Notes", ("Time", "Note", "By"), rows, empty="Nobody has written a note yet.")


SECTIONS: Final[Sequence[tuple[str, Any]]] = (
    (VIEW_NOTES, notes),
    (VIEW_CASES, case_list),
    (VIEW_COMPLAINT, followed_complaints),
    (VIEW_ALERTS, lately),
)
"""The sections of a player's page, with the permission that each needs."""
