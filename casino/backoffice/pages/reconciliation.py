"""Reconciliation with payment providers: compared days, and the queue of discrepancies."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import RowAction, hand_over, staff_context, staff_metadata
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column, money_column, staff_column, status_column
from casino.backoffice.filters import case_filter, enum_filter, operator_filter
from casino.backoffice.forms import AssignForm, EnumSelectField, NoteActionForm, RowForm, label, text_field
from casino.backoffice.sections import Grid, Section
from casino.kernel.errors import Refusal
from casino.operators import memberships
from wallet.models import Discrepancy, Reconciliation
from wallet.reconciliation import messages as unapplied
from wallet.reconciliation import queries, services
from wallet.reconciliation.events import DiscrepancyResolution, DiscrepancyType, discrepancy_stream
from wallet.reconciliation.state import CLOSED, DiscrepancyStatus
from wallet.remote.statements import PROVIDER

WORK: Final = "wallet.change_discrepancy"
MAX_DISCREPANCIES: Final = 200
_RECORDED: Final = "(kept permanently: do not name a player, unless the payment is theirs)"
_TONES: Final = {"open": "bad", "assigned": "warn", "resolved": "good"}
_PAGES: Final = {"deposit": "deposit", "payout": "withdrawal"}
_STATES: Final = {
    "waiting": ("Open or assigned", Q(status__in=["open", "assigned"])),
    **{each.value: (each.value.capitalize(), Q(status=each.value)) for each in DiscrepancyStatus},
}


class AssignDiscrepancyForm(AssignForm):
    note = text_field(f"Note {_RECORDED}", required=False)


class ResolutionForm(RowForm):
    resolution = EnumSelectField(DiscrepancyResolution, label="Resolution")
    note = text_field(f"Explanation {_RECORDED}", required=False)  # the service refuses an empty one


def _side(amount: int | None, currency: str, status: str | None) -> SafeString | str:
    return html.NOTHING if status is None else html.with_note(html.money(amount, currency), status)


def _ours(row: Discrepancy) -> SafeString | str:
    return _side(row.our_amount, row.currency, row.our_status)


def _theirs(row: Discrepancy) -> SafeString | str:
    return _side(row.their_amount, row.their_currency or row.currency, row.their_status)


def _payment(row: Discrepancy) -> SafeString | str:
    text = f"{row.kind or 'unknown'} …{row.payment[-12:]}"
    identity = None if row.our_status is None else as_uuid(row.payment)
    if identity is None or row.kind is None:
        return text
    return html.page("remote" if row.provider == PROVIDER else _PAGES[row.kind], identity, text)


def _is_open(_request: HttpRequest, row: Discrepancy) -> bool:
    return DiscrepancyStatus(row.status) not in CLOSED


def _is_message(request: HttpRequest, row: Discrepancy) -> bool:
    return row.type == services.MESSAGE and _is_open(request, row)


@admin.register(Reconciliation)
class ReconciliationAdmin(LabelledRowsAdmin):
    """Compared days, newest first. Found by id."""

    names = ("operator",)
    list_display = ("day_", "operator", "provider", "currency", "ours", "theirs", "matched", "amount_", "count")
    list_filter = (operator_filter(),)
    ordering = ("-day", "-id")
    search_help_text = "id of a reconciliation"
    day_ = column("day", lambda row: row.day.isoformat())
    amount_ = money_column("amount", "matched amount")
    count = column(
        "discrepancies", lambda row: html.badge(str(row.discrepancies), "bad" if row.discrepancies else "good")
    )

    def sections(self, _request: HttpRequest, obj: Reconciliation) -> Sequence[Section]:
        facts = self.facts(
            obj,
            "day_",
            ("From", obj.since),
            ("To", obj.until),
            *("operator", "provider", "currency"),
            ("Our payments", str(obj.ours)),
            ("Provider's payments", str(obj.theirs)),
            *("matched", "amount_", "count"),
            ("Compared", obj.compared_at),
            ("Log", html.event_log(f"reconciliation-{obj.pk}")),
        )
        rows = [
            (
                html.page("discrepancy", row.pk, row.type.replace("_", " ")),
                _payment(row),
                _ours(row),
                _theirs(row),
                html.badge(row.status, _TONES.get(row.status, "plain")),
                row.owner,
            )
            for row in Discrepancy.objects.filter(run_id=obj.pk).order_by("status", "id")[:MAX_DISCREPANCIES]
        ]
        headers = ("Discrepancy", "Payment", "Ours", "Provider's", "Status", "Owner")
        return (facts, Grid("Discrepancies", headers, rows, empty="Both sides agree."))


@admin.register(Discrepancy)
class DiscrepancyAdmin(LabelledRowsAdmin):
    """Discrepancies, newest days first; the filter `Open or assigned` is the queue. Found by id, payment, reference."""

    names = ("operator",)
    list_display = ("title", "status_badge", "day_", "operator", "provider", "payment_", "ours", "theirs", "owner_")
    list_filter = (operator_filter(), case_filter("status", _STATES), enum_filter(DiscrepancyType, "type"))
    ordering = ("-day", "-id")
    search_fields = ("pk", "run_id", "payment", "reference")
    search_help_text = "id, id of the payment, or the provider's reference"
    title = column("discrepancy", lambda row: row.type.replace("_", " "))
    status_badge = status_column(_TONES)
    day_ = column("day", lambda row: row.day.isoformat())
    payment_ = column("payment", _payment)
    ours = column("ours", _ours)
    theirs = column("provider's", _theirs)
    owner_ = staff_column("owner", "owner")

    def title_of(self, obj: Any) -> str:
        return f"{label(obj.type)}, {obj.kind or 'unknown payment'} of {self.day_(obj)}"

    actions = ("take_selected",)
    action_form = NoteActionForm

    def has_work_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(WORK)

    @admin.action(description="Take over", permissions=["work"])
    def take_selected(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Assign those selected to the user, with one note."""
        owner, note = memberships.staff_actor(request.user), request.POST.get("note", "")
        taken = 0
        for row in rows:
            try:
                services.assign(row.pk, owner=owner, note=note, **staff_context(request, row))
            except Refusal as refusal:
                messages.error(request, f"{row.payment or row.pk}: {refusal.message()}")
            else:
                self.log_change(request, row, f"Assigned to {owner}.")
                taken += 1
        messages.success(request, f"Assigned {taken} discrepancies to you.")

    @RowAction("Hand over", permission=WORK, form=AssignDiscrepancyForm, applies=_is_open)
    def assign(self, request: HttpRequest, row: Discrepancy, data: dict[str, Any]) -> str:
        metadata = staff_metadata(request, row.operator_id)
        assign = partial(services.assign, row.pk, operator=row.operator_id, note=data["note"], metadata=metadata)
        return hand_over(request, "a discrepancy", data["owner"], assign)

    @RowAction("Apply again", permission=WORK, applies=_is_message)
    def apply_again(self, request: HttpRequest, row: Discrepancy, _data: dict[str, Any]) -> str:
        metadata = staff_metadata(request, row.operator_id)
        left = unapplied.apply_again(row.pk, operator=row.operator_id, metadata=metadata)
        return f"Not applied: {', '.join(left).replace('_', ' ')}." if left else "Applied."

    @RowAction("Resolve", permission=WORK, form=ResolutionForm, applies=_is_open, tone="good")
    def resolve(self, request: HttpRequest, row: Discrepancy, data: dict[str, Any]) -> str:
        services.resolve(row.pk, resolution=data["resolution"], note=data["note"], **staff_context(request, row))
        return "Resolved."

    def sections(self, _request: HttpRequest, obj: Discrepancy) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("title", "status_badge"),
            ("Day", html.page("reconciliation", obj.run_id, obj.day.isoformat())),
            *("operator", "provider", "payment_"),
            ("Provider's reference", obj.reference),
            ("Messages", html.listing("wallet_providercallback", "from the provider", q=obj.payment)),
            *("ours", "theirs", "owner_"),
            ("Resolution", (obj.resolution or "").replace("_", " ")),
            "resolved_by",
            ("First found", obj.found_at),
            ("Ended", obj.ended_at),
            ("Log", html.event_log(discrepancy_stream(obj.pk))),
            "pk",
        )
        rows = [(note.created_at, note.actor, note.note) for note in queries.notes([obj.pk])[obj.pk]]
        return (facts, Grid("Notes", ("Time", "By", "Note"), rows))
