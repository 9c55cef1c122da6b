"""Adjustments of players' balances, on which two persons agree."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import staff_metadata
from casino.backoffice.columns import TransactionAdmin, staff_column, time_column
from casino.backoffice.filters import brand_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, text_field
from casino.backoffice.sections import Section
from casino.crypto.crypto_shredding import decrypt_text
from casino.kernel.money import MoneyType
from wallet.adjustments import services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, player_account
from wallet.models import Account, Adjustment

REQUEST: Final = "wallet.request_adjustment"
_DIRECTIONS: Final = {AdjustmentDirection.CREDIT: "Credit the player", AdjustmentDirection.DEBIT: "Debit the player"}


class AdjustmentRequestForm(RowForm):
    direction = EnumSelectField(AdjustmentDirection, labels=_DIRECTIONS, label="Direction")
    reason = EnumSelectField(AdjustmentReason, label="Reason")
    note = text_field("Explanation, for staff")
    message = text_field("Message to the player (optional)", required=False)
    as_debt = forms.BooleanField(label="Of a debit, record what the balance does not cover as a debt", required=False)

    def prepare(self) -> None:
        self.fields["amount"] = MinorUnitsField(currency=self.row.currency, label=f"Amount in {self.row.currency}")
        self.order_fields(["direction", "amount"])


@admin.register(Adjustment)
class AdjustmentAdmin(TransactionAdmin):
    """Adjustments, newest first; those that wait for another person are changes."""

    list_display = ("short_id", "direction", "amount_", "reason", "operator", "player", "requester", "posted")
    list_filter = (
        operator_filter(),
        brand_filter("player_id"),
        enum_filter(AdjustmentReason, "reason"),
        since_by_uuid(),
    )
    search_fields = ("pk", "player_id")
    search_help_text = "id, or player's id"
    requester = staff_column("requested_by", "requested by")
    posted = time_column("posted_at", "posted")

    @admin.display(description="amount")
    def amount_(self, adjustment: Adjustment) -> SafeString | str:
        """Print the amount, marking play money."""
        amount = html.money(adjustment.amount, adjustment.currency)
        return amount if adjustment.money_type == MoneyType.REAL else html.with_note(amount, "play money")

    def sections(self, _request: HttpRequest, obj: Adjustment) -> Sequence[Section]:
        """Show an adjustment with its texts and the account's balance."""
        account = player_account(
            operator=obj.operator_id,
            player=obj.player_id,
            money_type=MoneyType(obj.money_type),
            currency=obj.currency,
        )
        facts = self.facts(
            obj,
            ("Amount", html.with_note(self.amount_(obj), obj.direction)),
            *("reason", "operator", "player"),
            ("Explanation", decrypt_text(obj.note)),
            ("Message to the player", decrypt_text(obj.message)),
            *("requested_by", "approved_by", "posted"),
            ("Change", html.page("change", obj.pk)),
            ("Account balance now", html.money(store.balances([account])[account], obj.currency)),
            ("Taken from the account", html.money(obj.taken, obj.currency)),
            ("Recorded as a debt", html.money(obj.owed, obj.currency)),
            ("Log", html.event_log(f"adjustment-{obj.pk}")),
            "pk",
        )
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
        operator=account.operator_id,
        metadata=staff_metadata(request, account.operator_id),
        **data,
    )
    return "Requested an adjustment; another person has to agree."
