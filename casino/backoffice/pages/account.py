"""Accounts: balances and postings, with the forms that adjust a balance, limit a player or exclude a player."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from baccarat.services import exclusion
from casino.backoffice import html
from casino.backoffice.actions import row_action, staff_metadata
from casino.backoffice.base import as_number, as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column
from casino.backoffice.filters import enum_filter, money_type_filter, operator_filter
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, text_field
from casino.backoffice.game import money_type_badge
from casino.backoffice.pages import adjustments
from casino.backoffice.pages.ledger import balance_of, statement
from casino.backoffice.pages.responsible_gaming import CHANGE
from casino.backoffice.sections import Facts, Section
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind
from wallet.models import Account, Balance
from wallet.responsible_gaming import services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.exclusions import require_note
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind

_EXCLUSIONS: Final = {
    ExclusionKind.COOLING_OFF: "Cooling-off, for 24 to 1008 hours",
    ExclusionKind.SELF_EXCLUSION: "Self-exclusion, for 6 to 120 months",
}


class LimitForm(RowForm):
    """A limit in the operator's name: an amount, or minutes of time."""

    limit_type = EnumSelectField(LimitType, label="Limit")
    period = EnumSelectField(LimitPeriod, label="Per")
    minutes = forms.IntegerField(label="Minutes, for a limit of time (empty: no limit)", min_value=1, required=False)

    def prepare(self) -> None:
        """Add the amount in the account's currency."""
        currency = self.row.currency
        title = f"Amount in {currency}, for any other limit (empty: no limit)"
        self.fields["amount"] = MinorUnitsField(currency=currency, label=title, required=False)

    def clean(self) -> dict[str, Any]:
        """Choose the amount or the minutes. Adds an error to the other one if it is filled in."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if "limit_type" not in data:
            return data
        used, unused = ("minutes", "amount") if data["limit_type"] is LimitType.TIME else ("amount", "minutes")
        if data.get(unused) is not None:
            self.add_error(unused, "Leave this empty for a limit of this kind.")
        data["limit"] = data.get(used)
        return data


class ExclusionForm(RowForm):
    """How a player is excluded, and why."""

    kind = EnumSelectField(ExclusionKind, labels=_EXCLUSIONS, label="Kind")
    length = forms.IntegerField(label="Hours or months", min_value=1, max_value=9999)
    note = text_field("Reason, for staff")


def _is_player_account(_request: HttpRequest, account: Account) -> bool:
    return account.kind == AccountKind.ACCOUNT


def _is_real(_request: HttpRequest, account: Account) -> bool:
    own = account.kind == AccountKind.ACCOUNT and account.player_id is not None
    return own and account.money_type == MoneyType.REAL


@admin.register(Account)
class AccountAdmin(LabelledRowsAdmin):
    """Accounts. Found by id, player's id or table's id."""

    list_display = ("kind", "operator", "player", "table_", "money", "holds")
    list_filter = (operator_filter(), enum_filter(AccountKind, "kind"), money_type_filter())
    list_select_related = ("balance",)
    ordering = ("id",)
    search_help_text = "id of the account, its player or its table"
    table_ = column("table", lambda account: html.page("table", account.table_id, "table"))
    money = column("money", lambda account: money_type_badge(account.money_type))
    holds = column("balance", lambda account: html.money(balance_of(account), account.currency))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Account]:
        """Add the balances, in the same query."""
        return super().get_queryset(request).select_related("balance")

    def search_condition(self, term: str) -> Q | None:
        """Search for the id of an account, a player or a table."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity) | Q(table_id=identity)

    @row_action(
        "Request the adjustment",
        title="Adjust this account",
        permission=adjustments.REQUEST,
        form=adjustments.AdjustmentRequestForm,
        applies=_is_player_account,
        help_text="No money moves until another person agrees.",
    )
    def adjust(self, request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
        """Request an adjustment."""
        return adjustments.request_adjustment(request, account, data)

    @row_action(
        "Set the limit",
        title="Limit this player",
        permission=CHANGE,
        form=LimitForm,
        applies=_is_real,
        help_text="Takes effect at once, beside the player's own limit: the lower one counts.",
    )
    def limit(self, request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
        """Limit the account's player in the operator's name, or lift such a limit."""
        limit_type, period = data["limit_type"], data["period"]
        services.set_limit(
            context=_player_context(request, account),
            by=Initiator.OPERATOR,
            limit_type=limit_type,
            period=period,
            limit=data["limit"],
        )
        return f"The operator's {limit_type} limit per {period} is changed."

    @row_action(
        "Exclude",
        name="exclude",
        title="Self-exclude this player",
        permission=CHANGE,
        form=ExclusionForm,
        applies=_is_real,
        tone="bad",
        help_text="At once no deposit, seat, rebuy or wager, in any session. It can be extended, never shortened. "
        "Leaving and withdrawing stay possible.",
    )
    def exclude_player(self, request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
        """Exclude the account's player in the operator's name."""
        state = exclusion.exclude(
            subject=_player_context(request, account),
            by=Initiator.OPERATOR,
            kind=data["kind"],
            length=data["length"],
            note=require_note(data["note"]),
        )
        until = "" if state.exclusion is None else f" until {state.exclusion.until:%Y-%m-%d %H:%M} UTC"
        return f"The player is excluded from deposits and play{until}."

    def sections(self, request: HttpRequest, obj: Account) -> Sequence[Section]:
        """Show an account with its balance and its latest postings, older ones by `?before=`."""
        balance = Balance.objects.filter(account=obj).first()
        facts = (
            *self.facts(obj, "holds", "kind", "money", "operator", "player"),
            ("Table", html.page("table", obj.table_id)),
            ("May go below zero", "yes" if balance is None or not balance.floor else "no"),
            ("Postings", str(0 if balance is None else balance.sequence)),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Account", facts), statement(obj, before=as_number(request.GET.get("before", ""))))


def _player_context(request: HttpRequest, account: Account) -> PlayerContext:
    """Return the player of a real account. Raises PermissionDenied for any other account."""
    if account.player_id is None or not _is_real(request, account):
        raise PermissionDenied
    metadata = staff_metadata(request, account.operator_id)
    return PlayerContext(account.operator_id, account.player_id, account.currency, metadata)
