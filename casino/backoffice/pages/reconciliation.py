"""Providers' records beside ours as staff see them: days that were compared, and the queue of differences."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from casino.backoffice import html, staff_names
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Facts, Field, Form, Grid, Section
from casino.events.store import Metadata
from casino.observability.request_id import request_id
from casino.operators import memberships
from casino.operators.models import Operator
from wallet.models import Discrepancy, Reconciliation
from wallet.reconciliation import queries, services
from wallet.reconciliation.events import DiscrepancyType, Resolution
from wallet.reconciliation.refusals import UnknownResolution
from wallet.reconciliation.state import CLOSED, DiscrepancyStatus

_KEPT: Final = "(kept for good: name no player, unless the payment is one's)"
WORK: Final = "wallet.change_discrepancy"
MOST: Final = 200
_TONES: Final = {"open": "bad", "assigned": "warn", "resolved": "good", "cleared": "plain"}
_RESOLUTIONS: Final = [(each.value, each.value.replace("_", " ").capitalize()) for each in Resolution]
_PAGES: Final = {"deposit": "deposit", "payout": "withdrawal"}
StatusFilter = chosen(
    title="status",
    parameter="status",
    choices={"waiting": "Open or assigned", **{each.value: each.value.capitalize() for each in DiscrepancyStatus}},
    where=lambda value: Q(status__in=["open", "assigned"] if value == "waiting" else [value]),
)
WhatFilter = chosen(
    title="difference",
    parameter="what",
    choices={each.value: each.value.replace("_", " ").capitalize() for each in DiscrepancyType},
    where=lambda value: Q(type=value),
)


class OfOperator(ReadOnlyAdmin):
    """Rows with the operator's name beside them."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        named: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug))
        return named

    @admin.display(description="operator")
    def operator(self, row: Any) -> SafeString | str:
        return html.page("operator", row.operator_id, row.slug or html.short(row.operator_id))


@admin.register(Reconciliation)
class ReconciliationAdmin(OfOperator):
    """Days that were compared, newest first. Found by id."""

    list_display = ("title", "operator", "provider", "currency", "ours", "theirs", "matched", "sum", "differs")
    list_filter = (operator_filter(),)
    ordering = ("-day", "-id")
    search_help_text = "id of a reconciliation"

    @admin.display(description="day")
    def title(self, run: Reconciliation) -> str:
        return run.day.isoformat()

    @admin.display(description="matched amount")
    def sum(self, run: Reconciliation) -> SafeString | str:
        """Deposits less payouts of what matched."""
        return html.money(run.amount, run.currency)

    @admin.display(description="differences")
    def differs(self, run: Reconciliation) -> SafeString:
        """How many there were the last time."""
        return html.badge(str(run.discrepancies), "bad" if run.discrepancies else "good")

    def sections(self, request: HttpRequest, obj: Reconciliation) -> Sequence[Section]:
        """Show a day with its differences."""
        del request
        facts = (
            ("Day", self.title(obj)),
            ("From (UTC)", html.moment(obj.since)),
            ("To (UTC)", html.moment(obj.until)),
            ("Operator", self.operator(obj)),
            ("Provider", obj.provider),
            ("Currency", obj.currency),
            ("Payments here", str(obj.ours)),
            ("Payments there", str(obj.theirs)),
            ("Matched", str(obj.matched)),
            ("Matched amount", self.sum(obj)),
            ("Differences", self.differs(obj)),
            ("Compared (UTC)", html.moment(obj.compared_at)),
            ("Log", html.listing("events_event", "all events", q=f"reconciliation-{obj.pk}")),
        )
        rows = [
            (
                html.page("difference", each.pk, each.type.replace("_", " ")),
                _payment(each),
                *_sides(each),
                _standing(each),
                each.owner or html.NOTHING,
            )
            for each in Discrepancy.objects.filter(run_id=obj.pk).order_by("status", "id")[:MOST]
        ]
        headers = ("Difference", "Payment", "Here", "There", "Status", "Owner")
        return (Facts("Reconciliation", facts), Grid("Differences", headers, rows, empty="Both sides agree."))


@admin.register(Discrepancy)
class DifferenceAdmin(OfOperator):
    """Differences, newest days first: a queue by the filter `open or assigned`. Found by id, payment or reference."""

    list_display = ("title", "standing", "when", "operator", "provider", "payment_", "here", "there", "owner_")
    list_filter = (operator_filter(), StatusFilter, WhatFilter)
    ordering = ("-day", "-id")
    search_help_text = "id, id of the payment, or the provider's reference"

    def found_by(self, term: str) -> Q | None:
        """Look for an id, a payment or a reference."""
        identity = as_uuid(term)
        words = Q(payment=term) | Q(reference=term)
        return words if identity is None else words | Q(pk=identity) | Q(run_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `assign` and `resolve`."""
        return [
            self.perform_path("assign", WORK, self.assign),
            self.perform_path("resolve", WORK, self.resolve),
            *super().get_urls(),
        ]

    def assign(self, request: HttpRequest, difference: Discrepancy) -> str:
        """Give it to an owner, or to who presses. Raises the refusals of `operations.assign`."""
        owner = request.POST.get("owner", "").strip()[:60] or memberships.staff_actor(request.user)
        note = request.POST.get("note", "")
        given = {"owner": owner, "note": note, **_by(request, difference)}
        services.assign(difference.pk, **given)
        return f"Assigned to {owner}."

    def resolve(self, request: HttpRequest, difference: Discrepancy) -> str:
        """Say what became of it. Raises UnknownResolution and the refusals of `operations.resolve`."""
        chosen_one = request.POST.get("resolution", "")
        if chosen_one not in {each.value for each in Resolution}:
            raise UnknownResolution
        note = request.POST.get("note", "")
        services.resolve(difference.pk, resolution=Resolution(chosen_one), note=note, **_by(request, difference))
        return "Resolved."

    @admin.display(description="difference")
    def title(self, difference: Discrepancy) -> str:
        """How the sides differ."""
        return difference.type.replace("_", " ")

    @admin.display(description="status")
    def standing(self, difference: Discrepancy) -> SafeString:
        return _standing(difference)

    @admin.display(description="day")
    def when(self, difference: Discrepancy) -> str:
        """The day that was compared."""
        return difference.day.isoformat()

    @admin.display(description="payment")
    def payment_(self, difference: Discrepancy) -> SafeString | str:
        return _payment(difference)

    @admin.display(description="here")
    def here(self, difference: Discrepancy) -> SafeString | str:
        """What we have."""
        return _sides(difference)[0]

    @admin.display(description="there")
    def there(self, difference: Discrepancy) -> SafeString | str:
        """What the provider has."""
        return _sides(difference)[1]

    @admin.display(description="owner")
    def owner_(self, difference: Discrepancy) -> str:
        return staff_names.named(difference.owner or html.NOTHING)

    def sections(self, request: HttpRequest, obj: Discrepancy) -> Sequence[Section]:
        """Show a difference, what was said about it, and the forms for those who work on it."""
        facts = (
            ("Difference", self.title(obj)),
            ("Status", _standing(obj)),
            ("Day", html.page("reconciliation", obj.run_id, obj.day.isoformat())),
            ("Operator", self.operator(obj)),
            ("Provider", obj.provider),
            ("Payment", _payment(obj)),
            ("Provider's reference", obj.reference or html.NOTHING),
            ("Here", self.here(obj)),
            ("There", self.there(obj)),
            ("Owner", self.owner_(obj)),
            ("Resolution", (obj.resolution or html.NOTHING).replace("_", " ")),
            ("Resolved by", obj.resolved_by or html.NOTHING),
            ("First found (UTC)", html.moment(obj.found_at)),
            ("Ended (UTC)", html.moment(obj.ended_at)),
            ("Log", html.listing("events_event", "all events", q=f"discrepancy-{obj.pk}")),
            ("Id", html.code(obj.pk)),
        )
        said = [(html.moment(each.created_at), each.actor, each.note) for each in queries.notes([obj.pk])[obj.pk]]
        notes = Grid("What was said", ("Time (UTC)", "By", "Words"), said)
        return (Facts("Difference", facts), notes, *self._forms(request, obj))

    def _forms(self, request: HttpRequest, difference: Discrepancy) -> Sequence[Section]:
        if DiscrepancyStatus(difference.status) in CLOSED or not request.user.has_perm(WORK):
            return ()
        owner = Field("owner", "Owner (empty: yourself)", required=False, longest=60)
        remark = Field("note", f"Remark {_KEPT}", required=False, lines=2)
        note = Field("note", f"In words {_KEPT}", lines=2)
        became = Field("resolution", "What became of it", choices=_RESOLUTIONS)
        return (
            Form("Assign", "Assign", self.perform_url("assign", difference), (owner, remark)),
            Form("Resolve", "Resolve", self.perform_url("resolve", difference), (became, note), tone="good"),
        )


def _standing(difference: Discrepancy) -> SafeString:
    return html.badge(difference.status, _TONES[difference.status])


def _payment(difference: Discrepancy) -> SafeString | str:
    text = f"{difference.kind} …{difference.payment[-12:]}"
    known = None if difference.our_status is None else as_uuid(difference.payment)
    return text if known is None else html.page(_PAGES[difference.kind], known, text)


def _sides(difference: Discrepancy) -> tuple[SafeString | str, SafeString | str]:
    mine = _side(difference.our_amount, difference.currency, difference.our_status)
    other = _side(difference.their_amount, difference.their_currency or difference.currency, difference.their_status)
    return mine or html.NOTHING, other or html.NOTHING


def _side(amount: int | None, currency: str, state: str | None) -> SafeString | None:
    return None if state is None else html.both(html.money(amount, currency), state)


def _by(request: HttpRequest, difference: Discrepancy) -> dict[str, Any]:
    made, who = request_id(request), memberships.staff_actor(request.user)
    remembered = Metadata(operator=str(difference.operator_id), actor=who, causation="", correlation=made, request=made)
    return {"operator": difference.operator_id, "by": who, "metadata": remembered}
