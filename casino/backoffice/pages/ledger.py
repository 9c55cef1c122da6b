"""The ledger: accounts with the forms that adjust and limit, entries, and grids of both for other pages."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import RowAction, staff_metadata
from casino.backoffice.base import ReadOnlyAdmin, as_number
from casino.backoffice.columns import LabelledRowsAdmin, column, name_of_player, time_column
from casino.backoffice.filters import brand_filter, enum_filter, money_type_filter, operator_filter, since_by_serial
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, label
from casino.backoffice.game import money_type_badge
from casino.backoffice.pages import adjustments
from casino.backoffice.pages.responsible_gaming import CHANGE
from casino.backoffice.sections import Grid, Section
from casino.backoffice.subjects import nicknames
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind
from wallet.models import Account, Balance, Entry, Posting
from wallet.responsible_gaming import services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.services import PlayerContext

MAX_POSTINGS: Final = 100
AMOUNTS: Final = frozenset({"Amount", "Balance before", "Balance after", "Balance"})


class LimitForm(RowForm):
    limit_type = EnumSelectField(LimitType, label="Limit")
    period = EnumSelectField(LimitPeriod, label="Per")
    minutes = forms.IntegerField(label="Minutes, for a limit of time (empty: no limit)", min_value=1, required=False)

    def prepare(self) -> None:
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


def _is_player_account(_request: HttpRequest, account: Account) -> bool:
    return account.kind == AccountKind.ACCOUNT


def _is_real(_request: HttpRequest, account: Account) -> bool:
    own = account.kind == AccountKind.ACCOUNT and account.player_id is not None
    return own and account.money_type == MoneyType.REAL


@admin.register(Account)
class AccountAdmin(LabelledRowsAdmin):
    """Accounts. Found by id, player's id or table's id."""

    names = ("operator", "player", "table")
    list_display = ("kind_", "operator", "player", "table", "money", "holds")
    list_filter = (operator_filter(), brand_filter("player_id"), enum_filter(AccountKind, "kind"), money_type_filter())
    list_select_related = ("balance",)
    ordering = ("id",)
    search_fields = ("pk", "player_id", "table_id")
    search_help_text = "id of the account, its player or its table"
    kind_ = column("kind", lambda account: account.kind.replace("_", " "))
    money = column("money", lambda account: money_type_badge(account.money_type))
    holds = column("balance", lambda account: html.money(balance_of(account), account.currency))

    def title_of(self, obj: Any) -> str:
        kind = "Account" if obj.kind == AccountKind.ACCOUNT else f"{label(obj.kind)} account"
        owner = obj.slug if obj.player_id is None else name_of_player(obj)
        place = "" if obj.table_id is None else f" at {obj.table_name}"
        return f"{kind} of {owner}{place}, {obj.money_type} money in {obj.currency}"

    @RowAction(
        "Request the adjustment",
        title="Adjust this account",
        permission=adjustments.REQUEST,
        form=adjustments.AdjustmentRequestForm,
        applies=_is_player_account,
        help_text="No money moves until another person agrees.",
    )
    def adjust(self, request: HttpRequest, account: Account, data: dict[str, Any]) -> str:
        return adjustments.request_adjustment(request, account, data)

    @RowAction(
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

    def sections(self, request: HttpRequest, obj: Account) -> Sequence[Section]:
        """Show an account with its balance and its latest postings, older ones by `?before=`."""
        balance = Balance.objects.filter(account=obj).first()
        facts = self.facts(
            obj,
            *("holds", "kind_", "money", "operator", "player", "table"),
            ("May go below zero", "yes" if balance is None or not balance.floor else "no"),
            ("Postings", str(0 if balance is None else balance.sequence)),
            "pk",
        )
        return (facts, statement(obj, before=as_number(request.GET.get("before", ""))))


def _player_context(request: HttpRequest, account: Account) -> PlayerContext:
    """Return the player of a real account. Raises PermissionDenied for any other account."""
    if account.player_id is None or not _is_real(request, account):
        raise PermissionDenied
    metadata = staff_metadata(request, account.operator_id)
    return PlayerContext(account.operator_id, account.player_id, account.currency, metadata)


def balance_of(account: Account) -> int:
    """Return an account's balance in minor units, 0 for one without postings."""
    balance: Balance | None = getattr(account, "balance", None)
    return 0 if balance is None else balance.balance


def _moved(entry: Entry) -> SafeString | str:
    postings = list(entry.postings.all())
    currency = postings[0].account.currency
    return html.money(sum(posting.amount for posting in postings if posting.amount > 0), currency)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries, newest first. Found by the id of the event that caused them, which is theirs."""

    list_display = ("title", "event", "moved", "recorded")
    list_filter = (since_by_serial("events_event"),)
    search_fields = ("pk",)
    shows_latest_only = True
    search_help_text = "id of the entry, which is that of its event"
    title = column("entry", lambda entry: entry.kind.replace("_", " "))
    event = column("event", lambda entry: html.page("event", entry.cause))
    moved = column("amount", _moved)
    recorded = time_column("recorded_at", "recorded", fine=True)

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select by the accounts that an entry is posted to, which belong to one operator."""
        return Q(Exists(Posting.objects.filter(entry_id=OuterRef("pk"), account__operator_id__in=operators)))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        """Fetch the postings with their accounts, in one more query."""
        return super().get_queryset(request).prefetch_related(_with_accounts())

    def sections(self, _request: HttpRequest, obj: Entry) -> Sequence[Section]:
        kind, event = ("Kind", self.title(obj)), ("Caused by event", self.event(obj))
        return (
            self.facts(obj, kind, event, "recorded", title="Entry"),
            _postings("Postings", [obj], name_entries=False),
        )


def _with_accounts() -> "Prefetch[str, QuerySet[Posting], str]":
    return Prefetch("postings", Posting.objects.select_related("account").order_by("account_id"))


def statement(account: Account, *, before: int | None) -> Grid:
    """Show the latest postings of an account, or those before a number."""
    postings = account.postings.select_related("entry").order_by("-sequence")
    if before is not None:
        postings = postings.filter(sequence__lt=before)
    page = list(postings[:MAX_POSTINGS])
    rows = [
        (
            str(posting.sequence),
            html.moment(posting.entry.recorded_at, fine=True),
            html.page("entry", posting.entry_id, posting.entry.kind.replace("_", " ")),
            html.page("event", posting.entry.cause),
            html.money(posting.amount, account.currency, signed=True),
            html.money(posting.balance, account.currency),
        )
        for posting in page
    ]
    note = html.link(f"?before={page[-1].sequence}", "Older postings") if page and page[-1].sequence > 1 else ""
    headers = ("No.", "Time", "Entry", "Event", "Amount", "Balance after")
    return Grid("Postings", headers, rows, note=note, numeric=AMOUNTS)


def entries_of(title: str, causes: Iterable[int]) -> Grid:
    """Show the entries that these events caused, posting by posting, in three queries at most."""
    entries = Entry.objects.filter(pk__in=list(causes)).order_by("pk").prefetch_related(_with_accounts())
    return _postings(title, list(entries), name_entries=True)


def balances_at(title: str, table: UUID) -> Grid:
    """Show the accounts of a table and of the players at it, with their balances."""
    accounts = list(
        Account.objects.filter(table_id=table).select_related("balance").order_by("kind", "money_type", "id")
    )
    names = nicknames([account.player_id for account in accounts if account.player_id is not None])
    rows = [
        (
            _account_link(account, names),
            money_type_badge(account.money_type),
            html.money(balance_of(account), account.currency),
        )
        for account in accounts
    ]
    return Grid(title, ("Account", "Money", "Balance"), rows, empty="No money has moved here.", numeric=AMOUNTS)


def _account_link(account: Account, names: Mapping[UUID, str]) -> SafeString | str:
    owner = "" if account.player_id is None else f" of {names.get(account.player_id, html.short(account.player_id))}"
    return html.page("account", account.pk, f"{account.kind}{owner}")


def _postings(title: str, entries: Sequence[Entry], *, name_entries: bool) -> Grid:
    postings = [(entry, posting) for entry in entries for posting in entry.postings.all()]
    names = nicknames([posting.account.player_id for _, posting in postings if posting.account.player_id is not None])
    rows = [
        (
            *((html.page("entry", entry.pk, f"{entry.kind.replace('_', ' ')} {entry.pk}"),) if name_entries else ()),
            _account_link(posting.account, names),
            money_type_badge(posting.account.money_type),
            html.money(posting.balance - posting.amount, posting.account.currency),
            html.money(posting.amount, posting.account.currency, signed=True),
            html.money(posting.balance, posting.account.currency),
        )
        for entry, posting in postings
    ]
    headers = ("Account", "Money", "Balance before", "Amount", "Balance after")
    note = "Postings of an entry sum to zero." if rows else ""
    if name_entries:
        headers = ("Entry", *headers)  # type: ignore[assignment]
    return Grid(title, headers, rows, empty="No money moved.", note=note, numeric=AMOUNTS)
