"""Adjustments of players' balances: one member of staff requests, another decides."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import row_action, staff_metadata
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, short_id_column, staff_column, status_column, time_column
from casino.backoffice.filters import enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, line_field, text_field
from casino.backoffice.sections import Alert, Facts, Section
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import memberships
from wallet.adjustments import queries, services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.adjustments.state import AdjustmentStatus
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, player_account
from wallet.models import Account, Adjustment

REQUEST: Final = "wallet.request_adjustment"
DECIDE: Final = "wallet.approve_adjustment"
_TONES: Final = {"requested": "warn", "approved": "good", "rejected": "bad"}
_DIRECTIONS: Final = {AdjustmentDirection.CREDIT: "Credit the player", AdjustmentDirection.DEBIT: "Debit the player"}


class AdjustmentRequestForm(RowForm):
    """What is to be adjusted on an account, and why."""

    direction = EnumSelectField(AdjustmentDirection, labels=_DIRECTIONS, label="Direction")
    reason = EnumSelectField(AdjustmentReason, label="Reason")
    note = text_field("Explanation, for staff")
    message = text_field("Message to the player (optional)", required=False)

    def prepare(self) -> None:
        """Add the amount in the account's currency."""
        self.fields["amount"] = MinorUnitsField(currency=self.row.currency, label=f"Amount in {self.row.currency}")
        self.order_fields(["direction", "amount"])


class ApproveForm(RowForm):
    """How a debit beyond the balance is taken."""

    as_debt = forms.BooleanField(label="Record what is missing as a debt", required=False)
    answer = line_field("Note", required=False)

    def prepare(self) -> None:
        """Leave out the debt for credits."""
        if self.row.direction != AdjustmentDirection.DEBIT:
            del self.fields["as_debt"]


class RejectForm(RowForm):
    """Why an adjustment is rejected."""

    answer = line_field("Reason", required=False)


def _may_decide(request: HttpRequest, adjustment: Adjustment) -> bool:
    requested = adjustment.status == AdjustmentStatus.REQUESTED
    return requested and adjustment.requested_by != memberships.staff_actor(request.user)


@admin.register(Adjustment)
class AdjustmentAdmin(LabelledRowsAdmin):
    """Adjustments, newest first; the filter `requested` is the queue."""

    list_display = (
        "short_id", "status_badge", "direction", "amount_", "reason", "operator", "player", "requester", "requested",
    )  # fmt: skip
    list_filter = (
        operator_filter(),
        enum_filter(AdjustmentStatus),
        enum_filter(AdjustmentReason, "reason"),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "id, or player's id"
    short_id = short_id_column()
    status_badge = status_column(_TONES)
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")

    def search_condition(self, term: str) -> Q | None:
        """Search for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    @admin.display(description="amount")
    def amount_(self, adjustment: Adjustment) -> SafeString | str:
        """Print the amount, marking play money."""
        amount = html.money(adjustment.amount, adjustment.currency)
        return amount if adjustment.money_type == MoneyType.REAL else html.with_note(amount, "play money")

    @row_action(
        "Approve",
        permission=DECIDE,
        form=ApproveForm,
        applies=_may_decide,
        tone="good",
        help_text="The money moves at once, and the player is notified.",
    )
    def approve(self, request: HttpRequest, adjustment: Adjustment, data: dict[str, Any]) -> str:
        """Approve the adjustment."""
        approved = services.approve(
            adjustment.pk,
            operator=adjustment.operator_id,
            by=memberships.staff_actor(request.user),
            as_debt=data.get("as_debt", False),
            answer=data["answer"],
            metadata=staff_metadata(request, adjustment.operator_id),
        )
        owed = f"; {money.format_amount(approved.owed, adjustment.currency)} of it is owed" if approved.owed else ""
        return f"Approved{owed}. The player has been notified."

    @row_action("Reject", permission=DECIDE, form=RejectForm, applies=_may_decide, tone="bad")
    def reject(self, request: HttpRequest, adjustment: Adjustment, data: dict[str, Any]) -> str:
        """Reject the adjustment."""
        services.reject(
            adjustment.pk,
            operator=adjustment.operator_id,
            by=memberships.staff_actor(request.user),
            answer=data["answer"],
            metadata=staff_metadata(request, adjustment.operator_id),
        )
        return "Rejected; no money has moved."

    def sections(self, request: HttpRequest, obj: Adjustment) -> Sequence[Section]:
        """Show an adjustment with its texts and the account's balance."""
        texts = queries.load_adjustment_texts([obj.pk]).get(obj.pk)
        account = player_account(
            operator=obj.operator_id,
            player=obj.player_id,
            money_type=MoneyType(obj.money_type),
            currency=obj.currency,
        )
        facts = (
            ("Status", self.status_badge(obj)),
            ("Amount", html.with_note(self.amount_(obj), obj.direction)),
            *self.facts(obj, "reason", "operator", "player"),
            ("Explanation", html.NOTHING if texts is None else texts.note),
            ("Message to the player", html.NOTHING if texts is None else texts.message or html.NOTHING),
            *self.facts(obj, "requested_by", "requested", "decided_by"),
            ("Decided (UTC)", html.moment(obj.decided_at)),
            ("Decider's note", html.NOTHING if texts is None else texts.answer or html.NOTHING),
            ("Account balance now", html.money(store.balances([account])[account], obj.currency)),
            ("Taken from the account", html.money(obj.taken, obj.currency)),
            ("Recorded as a debt", html.money(obj.owed, obj.currency)),
            ("Log", html.event_log(f"adjustment-{obj.pk}")),
            ("Id", html.code(obj.pk)),
        )
        own = obj.requested_by == memberships.staff_actor(request.user)
        if own and obj.status == AdjustmentStatus.REQUESTED and request.user.has_perm(DECIDE):
            alert = Alert("Waiting for another person", "The requester can't decide their own adjustment.")
            return (Facts("Adjustment", facts), alert)
        return (Facts("Adjustment", facts),)


def request_adjustment(request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
    """Request an adjustment of a player's account. Raises PermissionDenied for any other account."""
    player = account.player_id
    if account.kind != AccountKind.ACCOUNT or player is None:
        raise PermissionDenied
    services.request(
        operator=account.operator_id,
        player=player,
        money_type=MoneyType(account.money_type),
        currency=account.currency,
        by=memberships.staff_actor(request.user),
        metadata=staff_metadata(request, account.operator_id),
        **data,
    )
    return "Requested an adjustment; another person has to agree."
