"""The ledger as staff see it: accounts with balances and postings, entries with theirs. Nothing can be changed."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen, since_by_serial
from casino.backoffice.pages import adjustments, responsible_gaming
from casino.backoffice.pages.operators import nicknames, operator_filter
from casino.backoffice.sections import Facts, Grid, Section
from casino.kernel.money import MoneyType
from casino.operators.models import Operator, Player
from wallet.ledger.accounts import AccountKind
from wallet.models import Account, Balance, Entry, Posting

MOST_POSTINGS: Final = 100
MOVES: Final = frozenset({"Amount", "Balance before", "Balance after", "Balance"})

money_type_filter = chosen(
    title="money_type",
    parameter="money_type",
    choices={MoneyType.REAL: "Real money", MoneyType.PLAY: "Play money"},
    where=lambda value: Q(money_type=value),
)
KindFilter = chosen(
    title="kind",
    parameter="kind",
    choices={kind: kind.capitalize() for kind in AccountKind},
    where=lambda value: Q(kind=value),
)


def money_type_badge(money_type: str) -> SafeString:
    return html.badge(money_type, "good" if money_type == MoneyType.REAL else "plain")


def account_name(account: Account, names: dict[UUID, str] | Any) -> SafeString | str:
    """Link to an account by what it is for: a player's nickname where it has one, and its kind."""
    whose = "" if account.player_id is None else f" of {names.get(account.player_id, html.short(account.player_id))}"
    return html.page("account", account.pk, f"{account.kind}{whose}")


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    """Who holds money. Found by its id, its player's or its table's."""

    list_display = ("title", "operator", "player", "table", "money_type", "holds")
    list_filter = (operator_filter(), KindFilter, money_type_filter)
    list_select_related = ("balance",)
    ordering = ("id",)
    search_help_text = "id of the account, its player or its table"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Account]:
        """Add names and balances, in the same query."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        rows: QuerySet[Account] = super().get_queryset(request)
        return rows.select_related("balance").annotate(slug=Subquery(slug), nickname=Subquery(nickname))

    def found_by(self, term: str) -> Q | None:
        """Look for an id of an account, a player or a table."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity) | Q(table_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses that ask for a correction, and that limit the player."""
        return [
            self.perform_path("adjust", adjustments.REQUEST, adjustments.ask),
            self.perform_path("limit", responsible_gaming.CHANGE, responsible_gaming.limit),
            *super().get_urls(),
        ]

    @admin.display(description="account")
    def title(self, account: Account) -> str:
        return account.kind

    @admin.display(description="operator")
    def operator(self, account: Any) -> SafeString | str:
        return html.page("operator", account.operator_id, account.slug or html.short(account.operator_id))

    @admin.display(description="player")
    def player(self, account: Any) -> SafeString | str:
        if account.player_id is None:
            return html.NOTHING
        return html.page("player", account.player_id, account.nickname or html.short(account.player_id))

    @admin.display(description="table")
    def table(self, account: Account) -> SafeString | str:
        """Where it is, for an account at a table."""
        return html.NOTHING if account.table_id is None else html.page("table", account.table_id, "table")

    @admin.display(description="money_type")
    def money_type(self, account: Account) -> SafeString:
        """Real or play money."""
        return money_type_badge(account.money_type)

    @admin.display(description="balance")
    def holds(self, account: Account) -> SafeString | str:
        return html.money(balance_of(account), account.currency)

    def sections(self, request: HttpRequest, obj: Account) -> Sequence[Section]:
        """Show an account with its balance and its latest postings, older ones by `?before=`."""
        balance = Balance.objects.filter(account=obj).first()
        facts = (
            ("Balance", self.holds(obj)),
            ("Kind", obj.kind),
            ("Book", self.money_type(obj)),
            ("Operator", self.operator(obj)),
            ("Player", self.player(obj)),
            ("Table", html.page("table", obj.table_id)),
            ("May go below zero", "yes" if balance is None or not balance.floor else "no"),
            ("Postings", str(0 if balance is None else balance.sequence)),
            ("Id", html.code(obj.pk)),
        )
        asks = adjustments.form_of(request, obj, self.perform_url("adjust", obj))
        limits = responsible_gaming.form_of(request, obj, self.perform_url("limit", obj))
        statement = _statement(obj, before=as_number(request.GET.get("before", "")))
        return (Facts("Account", facts), statement, *asks, *limits)


def balance_of(account: Account) -> int:
    """Return an account's balance in minor units, 0 for one never posted to."""
    balance: Balance | None = getattr(account, "balance", None)
    return 0 if balance is None else balance.balance


def _statement(account: Account, *, before: int | None) -> Grid:
    postings = account.postings.select_related("entry").order_by("-sequence")
    if before is not None:
        postings = postings.filter(sequence__lt=before)
    shown = list(postings[:MOST_POSTINGS])
    rows = [
        (
            str(posting.sequence),
            html.moment(posting.entry.recorded_at, fine=True),
            html.page("entry", posting.entry_id, posting.entry.kind.replace("_", " ")),
            html.page("event", posting.entry.cause),
            html.money(posting.amount, account.currency, signed=True),
            html.money(posting.balance, account.currency),
        )
        for posting in shown
    ]
    more = shown and shown[-1].sequence > 1
    note = html.link(f"?before={shown[-1].sequence}", "Older postings") if more else ""
    headers = ("No.", "Time (UTC)", "Entry", "Event", "Amount", "Balance after")
    return Grid("Postings", headers, rows, note=note, numeric=MOVES)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries, newest first. Found by id or by the id of the event they follow from."""

    list_display = ("title", "number", "event", "moved", "time")
    list_filter = (since_by_serial("wallet_entry"),)
    ordering = ("-id",)
    search_help_text = "id of the entry or of its event"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Go by the accounts that an entry is posted to, which are of one operator."""
        return Q(Exists(Posting.objects.filter(entry_id=OuterRef("pk"), account__operator_id__in=operators)))

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back so far as `scope.SPAN`, and further for what is searched."""
        rows = queryset if search_term.strip() else queryset.filter(scope.latest(Entry, request))
        return super().get_search_results(request, rows, search_term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        """Fetch the postings with their accounts, in one more query."""
        return super().get_queryset(request).prefetch_related(_with_accounts())

    def found_by(self, term: str) -> Q | None:
        """Look for an entry's or an event's number."""
        number = as_number(term)
        return None if number is None else Q(pk=number) | Q(cause=number)

    @admin.display(description="entry")
    def title(self, entry: Entry) -> str:
        return entry.kind.replace("_", " ")

    @admin.display(description="no.")
    def number(self, entry: Entry) -> str:
        return str(entry.pk)

    @admin.display(description="event")
    def event(self, entry: Entry) -> SafeString | str:
        return html.page("event", entry.cause)

    @admin.display(description="moved")
    def moved(self, entry: Entry) -> SafeString | str:
        postings = list(entry.postings.all())
        currency = postings[0].account.currency
        return html.money(sum(posting.amount for posting in postings if posting.amount > 0), currency)

    @admin.display(description="recorded (UTC)")
    def time(self, entry: Entry) -> SafeString | str:
        """When it was posted."""
        return html.moment(entry.recorded_at, fine=True)

    def sections(self, request: HttpRequest, obj: Entry) -> Sequence[Section]:
        del request
        facts = (
            ("Kind", obj.kind.replace("_", " ")),
            ("Follows from event", html.page("event", obj.cause)),
            ("Recorded (UTC)", self.time(obj)),
            ("Id", str(obj.pk)),
        )
        return (Facts("Entry", facts), _postings("Postings", [obj], named=False))


def _with_accounts() -> "Prefetch[str, QuerySet[Posting], str]":
    return Prefetch("postings", Posting.objects.select_related("account").order_by("id"))


def entries_of(title: str, causes: Iterable[int]) -> Grid:
    """Show the entries that follow from these events, posting by posting, in three queries at most."""
    entries = Entry.objects.filter(cause__in=list(causes)).order_by("id").prefetch_related(_with_accounts())
    return _postings(title, list(entries), named=True)


def balances_at(title: str, table: UUID) -> Grid:
    """Show the accounts of a table and of the players at it, with their balances."""
    accounts = list(
        Account.objects.filter(table_id=table).select_related("balance").order_by("kind", "money_type", "id")
    )
    names = nicknames([account.player_id for account in accounts if account.player_id is not None])
    rows = [
        (
            account_name(account, names),
            money_type_badge(account.money_type),
            html.money(balance_of(account), account.currency),
        )
        for account in accounts
    ]
    return Grid(title, ("Account", "Book", "Balance"), rows, empty="No money has moved here.", numeric=MOVES)


def _postings(title: str, entries: Sequence[Entry], *, named: bool) -> Grid:
    postings = [(entry, posting) for entry in entries for posting in entry.postings.all()]
    names = nicknames([posting.account.player_id for _, posting in postings if posting.account.player_id is not None])
    rows = [
        (
            *((html.page("entry", entry.pk, f"{entry.kind.replace('_', ' ')} {entry.pk}"),) if named else ()),
            account_name(posting.account, names),
            money_type_badge(posting.account.money_type),
            html.money(posting.balance - posting.amount, posting.account.currency),
            html.money(posting.amount, posting.account.currency, signed=True),
            html.money(posting.balance, posting.account.currency),
        )
        for entry, posting in postings
    ]
    headers = ("Account", "Book", "Balance before", "Amount", "Balance after")
    note = "Postings of an entry sum to zero." if rows else ""
    return Grid(
        title, ("Entry", *headers) if named else headers, rows, empty="No money moved.", note=note, numeric=MOVES
    )
