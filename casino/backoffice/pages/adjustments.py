"""Adjustments of players' balances: one member of staff requests, another decides."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import RowAction, staff_context
from casino.backoffice.columns import TransactionAdmin, staff_column, status_column, time_column
from casino.backoffice.filters import brand_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, line_field, text_field
from casino.backoffice.sections import Banner, Section
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
    direction = EnumSelectField(AdjustmentDirection, labels=_DIRECTIONS, label="Direction")
    reason = EnumSelectField(AdjustmentReason, label="Reason")
    note = text_field("Explanation, for staff")
    message = text_field("Message to the player (optional)", required=False)

    def prepare(self) -> None:
        self.fields["amount"] = MinorUnitsField(currency=self.row.currency, label=f"Amount in {self.row.currency}")
        self.order_fields(["direction", "amount"])


class ApproveForm(RowForm):
    as_debt = forms.BooleanField(label="Record the part that the balance does not cover as a debt", required=False)
    answer = line_field("Note", required=False)

    def prepare(self) -> None:
        if self.row.direction != AdjustmentDirection.DEBIT:
            del self.fields["as_debt"]


class RejectForm(RowForm):
    answer = line_field("Reason", required=False)


def _may_decide(request: HttpRequest, adjustment: Adjustment) -> bool:
    requested = adjustment.status == AdjustmentStatus.REQUESTED
    return requested and adjustment.requested_by != memberships.staff_actor(request.user)


@admin.register(Adjustment)
class AdjustmentAdmin(TransactionAdmin):
    """Adjustments, newest first; the filter `requested` is the queue."""

    list_display = (
        "short_id", "status_badge", "direction", "amount_", "reason", "operator", "player", "requester", "requested",
    )  # fmt: skip
    list_filter = (
        operator_filter(),
        brand_filter("player_id"),
        enum_filter(AdjustmentStatus),
        enum_filter(AdjustmentReason, "reason"),
        since_by_uuid(),
    )
    search_fields = ("pk", "player_id")
    search_help_text = "id, or player's id"
    status_badge = status_column(_TONES)
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")

    @admin.display(description="amount")
    def amount_(self, adjustment: Adjustment) -> SafeString | str:
        """Print the amount, marking play money."""
        amount = html.money(adjustment.amount, adjustment.currency)
        return amount if adjustment.money_type == MoneyType.REAL else html.with_note(amount, "play money")

    @RowAction(
        "Approve",
        permission=DECIDE,
        form=ApproveForm,
        applies=_may_decide,
        tone="good",
        help_text="The money moves at once, and the player is notified.",
    )
    def approve(self, request: HttpRequest, adjustment: Adjustment, data: dict[str, Any]) -> str:
        approved = services.approve(
            adjustment.pk,
            as_debt=data.get("as_debt", False),
            answer=data["answer"],
            **staff_context(request, adjustment),
        )
        owed = f"; {money.format_amount(approved.owed, adjustment.currency)} of it is owed" if approved.owed else ""
        return f"Approved{owed}. The player has been notified."

    @RowAction("Reject", permission=DECIDE, form=RejectForm, applies=_may_decide, tone="bad")
    def reject(self, request: HttpRequest, adjustment: Adjustment, data: dict[str, Any]) -> str:
        services.reject(adjustment.pk, answer=data["answer"], **staff_context(request, adjustment))
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
        facts = self.facts(
            obj,
            "status_badge",
            ("Amount", html.with_note(self.amount_(obj), obj.direction)),
            *("reason", "operator", "player"),
            ("Explanation", texts and texts.note),
            ("Message to the player", texts and texts.message),
            *("requested_by", "requested", "decided_by"),
            ("Decided", obj.decided_at),
            ("Decider's note", texts and texts.answer),
            ("Account balance now", html.money(store.balances([account])[account], obj.currency)),
            ("Taken from the account", html.money(obj.taken, obj.currency)),
            ("Recorded as a debt", html.money(obj.owed, obj.currency)),
            ("Log", html.event_log(f"adjustment-{obj.pk}")),
            "pk",
        )
        own = obj.requested_by == memberships.staff_actor(request.user)
        if own and obj.status == AdjustmentStatus.REQUESTED and request.user.has_perm(DECIDE):
            alert = Banner("Waiting for another person", "The requester can't decide their own adjustment.")
            return (facts, alert)
        return (facts,)


def request_adjustment(request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
    """Request an adjustment of a player's account. Raises PermissionDenied for any other account."""
    player = account.player_id
    if account.kind != AccountKind.ACCOUNT or player is None:
        raise PermissionDenied
    services.request(
        player=player,
        money_type=MoneyType(account.money_type),
        currency=account.currency,
        **staff_context(request, account),
        **data,
    )
    return "Requested an adjustment; another person has to agree."
