"""The search page: rounds, players, transactions by amount, time, spot and outcome.

Times are spans of ids, which ascend with time; amounts, players and rounds have indexes; pages continue after a key.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.http import urlencode

from baccarat.domain.rules.spots import spot_title
from baccarat.storage import rules_versions
from baccarat.storage.models import Round, Table, Wager
from casino.backoffice import game, html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import operator_link, with_names
from casino.backoffice.forms import parse_amount, time_field
from casino.backoffice.picker import pages, picker_field
from casino.backoffice.sections import Grid, Section
from casino.backoffice.subjects import nicknames, player_link, players_named
from casino.crypto import crypto_shredding
from casino.events.ids import first_id
from casino.kernel.errors import Refusal
from casino.operators.models import Player
from casino.staff.access_log import record_access
from wallet.models import Adjustment, Deposit, Transfer, Withdrawal

NEEDED: Final = ("baccarat.view_round", "baccarat.view_wager")
MAX_HITS: Final = 5
"""Rows of one kind that a term shows; its list shows all of them."""
PAGE_SIZE: Final = 50
MAX_SEATS: Final = 14
MAX_TABLES: Final = 200
MAX_PLAYERS: Final = 200
_AMOUNTS: Final = frozenset({"Staked", "Returned", "Net", "Amount"})
_WAGER_HEADERS: Final = (game.WAGER_HEADERS[0], "Player", "Operator", *game.WAGER_HEADERS[1:])
_ANY: Final = ("", "Any")
_PAYMENTS: Final[Mapping[str, type[Model]]] = {
    "deposit": Deposit,
    "withdrawal": Withdrawal,
    "transfer": Transfer,
    "adjustment": Adjustment,
}


class SearchForm(forms.Form):
    """The criteria. Times are in the user's time zone; amounts are decimals of the currency beside them."""

    term = forms.CharField(
        label="Id, number, reference or nickname",
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={
                "type": "search",
                "autofocus": True,
                "placeholder": "Round, player, payment, event …",
            }
        ),
    )
    player = picker_field("Player", "player", max_length=80)
    table = picker_field("Table", "table", max_length=120)
    operator = forms.UUIDField(label="Operator", required=False, widget=forms.Select)
    spot = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(required=False, choices=[_ANY, *((each, each.capitalize()) for each in game.OUTCOMES)])
    minimum = forms.CharField(label="Amount from", required=False, max_length=20)
    maximum = forms.CharField(label="to", required=False, max_length=20)
    currency = forms.CharField(label="in", required=False, max_length=10)
    since = time_field("Time from", required=False)
    until = time_field("until", required=False)

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.GET or None, auto_id=False, label_suffix="")
        widget, spot = self.fields["operator"].widget, self.fields["spot"]
        if isinstance(widget, forms.Select):
            widget.choices = [_ANY, *scope.operator_slugs(request).items()]
        if isinstance(spot, forms.ChoiceField):
            names = rules_versions.spot_names(scope.operators(request))
            spot.choices = [_ANY, *((name, spot_title(name)) for name in names)]

    def clean(self) -> dict[str, Any]:
        """Parse amounts, which need their currency, and compare the ends of ranges."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        data = {name: value.strip() if isinstance(value, str) else value for name, value in data.items()}
        data["currency"] = data.get("currency", "").upper()
        for name in ("minimum", "maximum"):
            data[name] = self._minor(name, data.get(name, ""), data["currency"])
        for name in ("since", "until"):
            moment: datetime | None = data.get(name)
            data[name] = None if moment is None else moment.astimezone(UTC)
        for first, last in (("minimum", "maximum"), ("since", "until")):
            if data[first] is not None and data[last] is not None and data[last] < data[first]:
                self.add_error(last, "The range ends before it begins.")
        return data

    def _minor(self, name: str, text: str, currency: str) -> int | None:
        if not text:
            return None
        try:
            return parse_amount(text, currency)
        except Refusal as refusal:
            self.add_error(name, refusal.detail if currency else "Enter the currency, too.")
            return None


def search_page(request: HttpRequest) -> HttpResponse:
    """Show the search page with its results. Raises PermissionDenied."""
    if not request.user.has_perms(NEEDED):
        raise PermissionDenied
    form = SearchForm(request)
    sections: Sequence[Section] = ()
    if form.is_valid():
        query = form.cleaned_data
        player = as_uuid(query["player"])
        subject = "search" if player is None else f"player:{player}"
        record_access(request, subject=subject, operator=query["operator"])
        sections = _results(request, query)
    context = {**admin.site.each_context(request), "title": "Search", "form": form, "sections": sections}
    return TemplateResponse(request, "admin/baccarat/search.html", context)


def _results(request: HttpRequest, query: dict[str, Any]) -> Sequence[Section]:
    before = as_uuid(request.GET.get("before", ""))
    hits: list[Section] = [_hits(request, query["term"])] if query["term"] and before is None else []
    amounts = query["minimum"] is not None or query["maximum"] is not None
    by_wager = query["player"] or query["spot"] or amounts
    narrowed = by_wager or any(query[name] for name in ("table", "outcome", "since", "until", "operator"))
    if not narrowed and query["term"]:
        return hits
    if not by_wager:
        return [*hits, _rounds(request, query, before)]
    payments = [_payments(request, query)] if before is None and not query["spot"] and not query["outcome"] else []
    return [*hits, _wagers(request, query, before), *payments]


def _hits(request: HttpRequest, term: str) -> Grid:
    """Search every page that the user may see, with the page's own exact search."""
    rows: list[tuple[object, object]] = []
    first_kinds: dict[ReadOnlyAdmin, str] = {}
    for kind, page in pages().items():
        first_kinds.setdefault(page, kind)
    for page, kind in first_kinds.items():
        if not page.has_view_permission(request):
            continue
        results, _ = page.get_search_results(request, page.get_queryset(request), term)
        first = list(results.order_by(*page.get_ordering(request))[: MAX_HITS + 1])
        title = str(page.opts.verbose_name).capitalize()
        crypto_shredding.decrypt_rows(first)
        page.prepare_rows(first)
        rows += [(title, html.page(kind, row.pk, page.title_of(row))) for row in first[:MAX_HITS]]
        if len(first) > MAX_HITS:
            rows.append((title, html.listing(html.PAGES[kind], "all of them", q=term)))
    return Grid(f"“{term}”", ("Kind", "Match"), rows, empty="No row has this id, number, reference or nickname.")


def _rounds(request: HttpRequest, query: dict[str, Any], before: UUID | None) -> Grid:
    rows = _within(Round.objects.all(), request, query, "id", before)
    if query["outcome"]:
        rows = rows.filter(outcome=query["outcome"])
    rounds = list(with_names(rows.order_by("-id"), "operator", "table")[: PAGE_SIZE + 1])
    page = rounds[:PAGE_SIZE]
    note = _older(request, page[-1].pk) if len(rounds) > PAGE_SIZE else ""
    return game.round_grid("Rounds", page, columns=tuple(game.ROUND_COLUMNS), empty="No round matches.", note=note)


def _wagers(request: HttpRequest, query: dict[str, Any], before: UUID | None) -> Grid:
    """Show a page of wagers, newest rounds first; rounds are shown whole."""
    rows = _within(Wager.objects.all(), request, query, "round_id", before).filter(_amount(query, "staked"))
    if query["player"]:
        rows = rows.filter(player_id__in=_players(request, query["player"]))
    if query["spot"]:
        rows = rows.filter(stakes__has_key=query["spot"])
    if query["outcome"]:
        rows = rows.filter(Exists(Round.objects.filter(pk=OuterRef("round_id"), outcome=query["outcome"])))
    wagers = list(game.with_round_numbers(rows.order_by("-round_id", "seat"))[: PAGE_SIZE + MAX_SEATS])
    note: object = ""
    if len(wagers) == PAGE_SIZE + MAX_SEATS:
        last = wagers[-1].round_id
        wagers = [wager for wager in wagers if wager.round_id != last]
        note = _older(request, wagers[-1].round_id)
    names = nicknames([wager.player_id for wager in wagers])
    cells = [_with_player(game.wager_cells(wager), wager, names) for wager in wagers]
    return Grid("Wagers", _WAGER_HEADERS, cells, empty="No wager matches.", note=note, numeric=_AMOUNTS)


def _with_player(cells: Sequence[object], row: Any, names: Mapping[UUID, str]) -> tuple[object, ...]:
    first, *others = cells
    return (first, player_link(row.player_id, names), operator_link(row), *others)


def payments(
    request: HttpRequest, select: Callable[[QuerySet[Any]], QuerySet[Any]], limit: int
) -> list[tuple[str, Any]]:
    """Return the newest movements of money that the user may see, `limit` of each kind, with their kinds."""
    rows: list[tuple[str, Any]] = []
    for kind, model in _PAYMENTS.items():
        if request.user.has_perm(f"wallet.view_{kind}"):
            newest = select(model._default_manager.order_by("-id"))[:limit]  # noqa: SLF001  (Django's own name)
            rows += [(kind, row) for row in newest]
    return sorted(rows, key=lambda payment: payment[1].pk, reverse=True)


def time_and_status(payment: Any) -> tuple[datetime, str]:
    """Return when a movement of money was requested and how it stands; what is done has a direction instead."""
    if isinstance(payment, Transfer):
        return payment.at, payment.direction
    if isinstance(payment, Adjustment):
        return payment.posted_at, payment.direction
    return payment.requested_at, payment.status


def _payments(request: HttpRequest, query: dict[str, Any]) -> Grid:
    def select(rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = with_names(_within(rows, request, query, "id", None), "operator").filter(_amount(query, "amount"))
        return rows.filter(player_id__in=_players(request, query["player"])) if query["player"] else rows

    newest = payments(request, select, PAGE_SIZE)[:PAGE_SIZE]
    names = nicknames([row.player_id for _, row in newest])
    cells = [
        (
            at,
            html.page(kind, row.pk, f"{kind} {html.short(row.pk)}"),
            player_link(row.player_id, names),
            operator_link(row),
            status,
            html.money(row.amount, row.currency),
        )
        for kind, row in newest
        for at, status in (time_and_status(row),)
    ]
    headers = ("Requested", "Transaction", "Player", "Operator", "Status", "Amount")
    note = f"The newest {PAGE_SIZE}; narrow the time for older ones." if len(cells) == PAGE_SIZE else ""
    return Grid(
        "Payments and adjustments",
        headers,
        cells,
        empty="No payment or adjustment matches.",
        note=note,
        numeric=_AMOUNTS,
    )


def _older(request: HttpRequest, before: UUID) -> object:
    query = {name: str(value) for name, value in request.GET.items() if name != "before" and value}
    return html.link(f"?{urlencode({**query, 'before': str(before)})}", "Older ones")


def _within(
    rows: QuerySet[Any], request: HttpRequest, query: dict[str, Any], key: str, before: UUID | None
) -> QuerySet[Any]:
    """Select rows of the user's operators, in the span of time, at the tables."""
    rows = scope.within(rows, request)
    if query["operator"] is not None:
        rows = rows.filter(operator_id=query["operator"])
    if query["since"] is not None:
        rows = rows.filter(**{f"{key}__gte": first_id(query["since"])})
    until = None if query["until"] is None else first_id(query["until"])
    if ends := [end for end in (until, before) if end is not None]:
        rows = rows.filter(**{f"{key}__lt": min(ends)})
    if query["table"] and rows.model in {Round, Wager}:
        rows = rows.filter(table_id__in=_tables(request, query["table"]))
    return rows


def _amount(query: dict[str, Any], field: str) -> Q:
    low, high = query["minimum"], query["maximum"]
    condition = Q() if low is None and high is None else Q(currency=query["currency"])
    if low is not None:
        condition &= Q(**{f"{field}__gte": low})
    if high is not None:
        condition &= Q(**{f"{field}__lte": high})
    return condition


def _players(request: HttpRequest, text: str) -> Iterable[UUID]:
    identity = as_uuid(text)
    if identity is not None:
        return [identity]
    players = scope.within(Player.objects.filter(players_named(text)), request)
    return list(players.values_list("pk", flat=True)[:MAX_PLAYERS])


def _tables(request: HttpRequest, text: str) -> Iterable[UUID]:
    identity = as_uuid(text)
    condition = Q(name__iexact=text) if identity is None else Q(pk=identity)
    tables = scope.within(Table.objects.filter(condition), request)
    return list(tables.values_list("pk", flat=True)[:MAX_TABLES])
