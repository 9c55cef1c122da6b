"""The ledger: entries with their postings, and grids of postings and balances for other pages."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number
from casino.backoffice.columns import column, time_column
from casino.backoffice.filters import since_by_serial
from casino.backoffice.game import money_type_badge
from casino.backoffice.pages.operator import nicknames
from casino.backoffice.sections import Facts, Grid, Section
from wallet.models import Account, Balance, Entry, Posting

MAX_POSTINGS: Final = 100
AMOUNTS: Final = frozenset({"Amount", "Balance before", "Balance after", "Balance"})


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
    """Entries, newest first. Found by id or by the id of the event that caused them."""

    list_display = ("title", "number", "event", "moved", "recorded")
    list_filter = (since_by_serial("wallet_entry"),)
    ordering = ("-id",)
    search_help_text = "id of the entry or of its event"
    title = column("entry", lambda entry: entry.kind.replace("_", " "))
    number = column("no.", lambda entry: str(entry.pk))
    event = column("event", lambda entry: html.page("event", entry.cause))
    moved = column("amount", _moved)
    recorded = time_column("recorded_at", "recorded", fine=True)

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select by the accounts that an entry is posted to, which belong to one operator."""
        return Q(Exists(Posting.objects.filter(entry_id=OuterRef("pk"), account__operator_id__in=operators)))

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back `scope.SPAN` rows, and further for what is searched."""
        rows = queryset if search_term.strip() else queryset.filter(scope.latest(Entry, request))
        return super().get_search_results(request, rows, search_term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        """Fetch the postings with their accounts, in one more query."""
        return super().get_queryset(request).prefetch_related(_with_accounts())

    def search_condition(self, term: str) -> Q | None:
        """Search for the number of an entry or an event."""
        number = as_number(term)
        return None if number is None else Q(pk=number) | Q(cause=number)

    def sections(self, _request: HttpRequest, obj: Entry) -> Sequence[Section]:
        facts = (
            ("Kind", self.title(obj)),
            ("Caused by event", self.event(obj)),
            ("Recorded (UTC)", self.recorded(obj)),
            ("Id", self.number(obj)),
        )
        return (Facts("Entry", facts), _postings("Postings", [obj], name_entries=False))


def _with_accounts() -> "Prefetch[str, QuerySet[Posting], str]":
    return Prefetch("postings", Posting.objects.select_related("account").order_by("id"))


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
    headers = ("No.", "Time (UTC)", "Entry", "Event", "Amount", "Balance after")
    return Grid("Postings", headers, rows, note=note, numeric=AMOUNTS)


def entries_of(title: str, causes: Iterable[int]) -> Grid:
    """Show the entries that these events caused, posting by posting, in three queries at most."""
    entries = Entry.objects.filter(cause__in=list(causes)).order_by("id").prefetch_related(_with_accounts())
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
