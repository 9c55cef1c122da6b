"""The first page: what waits, figures of a period beside the one before, current play, the latest rounds.

Each section needs its own permission. Real money comes first; currencies, real and play money, and the money of live
operators and of sandboxes are never added up.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

import msgspec
from django import forms
from django.contrib import admin
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.http import urlencode

from baccarat.reports import days
from baccarat.reports.days import Figures, Money, PeriodFigures
from baccarat.storage.models import Round, Table
from casino.backoffice import game, html, scope
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import operator_link, with_names
from casino.backoffice.figures import (
    VIEW_REPORTS,
    band_text,
    day_url,
    hold_text,
    is_quiet,
    money_name,
    parse_money,
    percent,
    plain_percent,
    with_change,
)
from casino.backoffice.pages import search
from casino.backoffice.sections import Facts, Grid, Section, TemplateSection
from casino.events.models import Seal, Unsealed
from casino.kernel import money
from casino.operators.models import Operator

MAX_ROUNDS: Final = 10
MAX_WAITING: Final = 20
MAX_COUNTED: Final = 1000
CACHE_SECONDS: Final = 60
MAX_DAYS: Final = 366
PERIODS: Final = {
    "today": ("Today", 0, 1),
    "yesterday": ("Yesterday", 1, 1),
    "7": ("Last 7 days", 0, 7),
    "30": ("Last 30 days", 0, 30),
    "90": ("Last 90 days", 0, 90),
}
"""Labels, days back from today, and the number of days."""
_NUMBERS: Final = frozenset(
    {"GGR", "Handle", "Rounds", "Hold", "Theory", "Deposits", "Withdrawals", "Active players a day",
     "Players", "New players"}
)  # fmt: skip

admin.site.index_template = "admin/casino/index.html"
admin.site.index_title = "Overview"


def add_sections(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the sections that the user may see."""
    may = request.user.has_perm
    waiting: list[Grid] = []
    if may("baccarat.view_round"):
        waiting.append(_suspended(request))
    sections: list[Section] = [grid for grid in waiting if grid.rows]
    if may(VIEW_REPORTS):
        sections.extend(_figures(request))
    sections.extend(grid for grid in waiting if not grid.rows)
    if may("baccarat.view_table") and may("events.view_event"):
        sections.append(_now(request))
    if may("baccarat.view_round"):
        sections.extend(_latest(request))
    return {**context, "sections": sections, "searches": request.user.has_perms(search.NEEDED)}


def _suspended(request: HttpRequest) -> Grid:
    suspended = Table.objects.filter(suspension_reason__isnull=False).order_by("-id").defer("state", "round_state")
    rows = [
        (
            html.page("round", table.round_id, f"No. {table.rounds}"),
            html.page("table", table.pk, table.name),
            operator_link(table),
            table.suspension_reason or "",
        )
        for table in with_names(scope.within(suspended, request), "operator")[:MAX_WAITING]
    ]
    return Grid("Suspended rounds", ("Round", "Table", "Operator", "Reason"), rows, empty="No round is suspended.")


def _now(request: HttpRequest) -> Facts:
    tables = scope.within(Table.objects.filter(round_id__isnull=False), request)
    playing = [(title, _of_kind(tables, sandbox=sandbox)[:MAX_COUNTED].count()) for title, sandbox in _KINDS.items()]
    waiting = Unsealed.objects.all()[:MAX_COUNTED].count()
    head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
    rows = (
        *(
            (f"Tables in play{title}", html.listing("baccarat_table", _count(count), state="playing"))
            for title, count in playing
            if count or not title
        ),
        ("Events sealed", html.listing("events_event", f"#{head}")),
        ("Waiting for sealing", html.listing("events_event", _count(waiting), seal="waiting")),
    )
    return Facts("Now", rows)


def _count(count: int) -> str:
    return f"{count} or more" if count == MAX_COUNTED else str(count)


def _latest(request: HttpRequest) -> Sequence[Grid]:
    """Show the latest rounds, those of sandboxes by themselves."""
    columns = ("Round", "Table", "Operator", "Phase", "Cards", "Won by", "Opened")
    voided = html.listing("baccarat_round", "Voids of the last 30 days", phase="voided", within="30d")
    grids = []
    for title, sandbox in _KINDS.items():
        rounds = _of_kind(scope.within(Round.objects.order_by("-id"), request), sandbox=sandbox)
        latest = with_names(rounds, "operator", "table")[:MAX_ROUNDS]
        grids.append(game.round_grid(f"Latest rounds{title}", latest, columns=columns, note=voided))
    return [grid for grid in grids if grid.rows] or grids[:1]


_KINDS: Final = {"": False, ", sandboxes": True}
"""Ends of titles, with whether it is about sandboxes: their figures never stand beside those of live operators."""


def _of_kind(rows: QuerySet[Any], *, sandbox: bool) -> QuerySet[Any]:
    return rows.filter(operator_id__in=Operator.objects.filter(sandbox=sandbox).values("id"))


class PeriodForm(forms.Form):
    """Whose figures are shown, and of which days; two dates go before the period."""

    operator = forms.ChoiceField(label="Operator", required=False)
    period = forms.ChoiceField(
        label="Period", required=False, choices=[(name, label) for name, (label, _, _) in PERIODS.items()]
    )
    since = forms.DateField(label="or from the day", required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="to the day", required=False, widget=forms.DateInput({"type": "date"}))
    money = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, request: HttpRequest) -> None:
        super().__init__({"period": "30", **request.GET.dict()}, auto_id=False, label_suffix="")
        choices = [("", "All"), *scope.operator_slugs(request).items()]
        self.fields["operator"] = forms.ChoiceField(label="Operator", choices=choices, required=False)

    def clean(self) -> dict[str, Any]:
        """Require both dates or neither."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = data.get("since"), data.get("until")
        if (since is None) != (until is None):
            self.add_error("until" if until is None else "since", "Enter both dates.")
        elif since is not None and until is not None and not 0 <= (until - since).days < MAX_DAYS:
            self.add_error("until", f"A period has 1 to {MAX_DAYS} days.")
        return data

    def days(self, today: date) -> tuple[date, date]:
        """Return the first and the last day."""
        data = self.cleaned_data
        if data["since"] is not None:
            return data["since"], data["until"]
        _, back, count = PERIODS[data["period"] or "30"]
        last = today - timedelta(days=back)
        return last - timedelta(days=count - 1), last


def _figures(request: HttpRequest) -> Sequence[Section]:
    """Show the figures of a period, read once a minute for each set of operators."""
    form = PeriodForm(request)
    section = TemplateSection("Figures", "admin/casino/period.html", {"form": form})
    if not form.is_valid():
        return (section,)
    chosen, allowed = as_uuid(form.cleaned_data["operator"]), scope.operators(request)
    operators = allowed if chosen is None else [chosen]
    first, last = form.days(days.today(operators))
    before = first - (last - first) - timedelta(days=1)
    read = _read(operators, before, last)
    monies = read.monies()
    if not monies:
        return (section, Grid("Money", (), (), empty="No play in this period, nor in the period before."))
    wanted = parse_money(form.cleaned_data["money"])
    shown, earlier = read.days(first), read.days()
    money = wanted if wanted in monies else monies[0]
    page = _Period(request, read, shown, earlier[: len(shown)], chosen, money)
    per_operator = (page.by_operator(),) if chosen is None and len(scope.operator_slugs(request)) > 1 else ()
    return (section, page.overview(monies), page.plots(), *per_operator)


def _read(operators: Any, first: date, last: date) -> PeriodFigures:
    names = "all" if operators is None else ",".join(sorted(map(str, operators)))
    key = f"period-figures:{hashlib.sha256(f'{names} {first} {last}'.encode()).hexdigest()}"
    figures: PeriodFigures | None = cache.get(key)
    if figures is None:
        live = is_quiet(timezone.now() - timedelta(days=2))
        figures = days.read_days(operators, first=first, last=last, live=live)
        cache.set(key, figures, CACHE_SECONDS)
    return figures


@dataclass(frozen=True, slots=True)
class _Period:
    """The sections of one period, beside the period before it."""

    request: HttpRequest
    read: PeriodFigures
    days: Sequence[str]
    before: Sequence[str]
    operator: UUID | None
    money: Money

    def overview(self, monies: Sequence[Money]) -> Grid:
        """Show each money type and currency, real money first."""
        rows = [(self._choice(each), *self._sums(each, None)) for each in monies]
        notes = [
            "Below each amount: the change against the period before.",
            "Deposits are what reached the accounts, after fees; withdrawals count from their request.",
            "The hold is expected in its band in 99 % of cases.",
        ]
        if self.days[-1] == self.read.last.isoformat():
            notes.append("Today is not over yet.")
        if self.read.missing:
            notes.append(f"Daily reports that are not created yet are left out: {self.read.missing}.")
        return _sums_grid("Money", "Money", rows, note=" ".join(notes))

    def by_operator(self) -> Grid:
        """Show the chosen money of each operator."""
        slugs = scope.operator_slugs(self.request)
        rows = [
            (self._link({"operator": key}, slug), *self._sums(self.money, UUID(key)))
            for key, slug in slugs.items()
            if self.read.total(self.money, operator=UUID(key)).has_activity()
        ]
        return _sums_grid(f"By operator: {money_name(self.money)}", "Operator", rows)

    def _sums(self, money: Money, operator: UUID | None) -> tuple[object, ...]:
        now = self.read.total(money, self.days, operator)
        before = self.read.total(money, self.before, operator)
        currency = money[1]
        return (
            with_change(html.money(now.ggr, currency), now.ggr, before.ggr, currency),
            with_change(html.money(now.handle, currency), now.handle, before.handle, currency),
            str(now.rounds),
            html.below(hold_text(now), f"expected {band_text(now)}"),
            with_change(html.money(now.deposits, currency), now.deposits, before.deposits, currency),
            with_change(html.money(now.withdrawals, currency), now.withdrawals, before.withdrawals, currency),
            html.below(
                f"{Decimal(now.players) / len(self.days):.1f}".removesuffix(".0"),
                f"{self.read.new_players(money, self.days, operator)} new",
            ),
        )

    def _choice(self, money: Money) -> object:
        name = money_name(money)
        return (
            html.with_note(name, "shown below") if money == self.money else self._link({"money": "-".join(money)}, name)
        )

    def _link(self, query: dict[str, str], text: str) -> object:
        kept = {name: value for name, value in self.request.GET.dict().items() if value}
        return html.link(f"?{urlencode({**kept, 'money': '-'.join(self.money), **query})}", text)

    def plots(self) -> TemplateSection:
        """Plot the chosen money by day; each bar and each line leads to the page of its day."""
        currency = self.money[1]
        each_day = list(zip(self.days, self.read.by_day(self.money, self.days), strict=True))
        links = [day_url(self.money, day, self.operator) for day in self.days]
        charts = [{**chart, "links": msgspec.json.encode(links).decode()} for chart in self._charts(each_day)]
        rows = [
            (
                html.link(day_url(self.money, day, self.operator), day),
                *(html.money(amount, currency) for amount in (sums.ggr, sums.handle)),
                str(sums.rounds),
                hold_text(sums),
                percent(sums.theoretical_hold),
                *(html.money(amount, currency) for amount in (sums.deposits, sums.withdrawals)),
                str(sums.players),
                str(self.read.new_players(self.money, [day])),
            )
            for day, sums in reversed(each_day)
        ]
        headers = (
            "Day", "GGR", "Handle", "Rounds", "Hold", "Theory", "Deposits", "Withdrawals", "Players", "New players"
        )  # fmt: skip
        table = Grid("Day by day", headers, rows, numeric=_NUMBERS)
        title = f"{money_name(self.money)}, {self.days[0]} to {self.days[-1]}"
        return TemplateSection(title, "admin/baccarat/plots.html", {"plots": charts, "table": table})

    def _charts(self, each_day: Sequence[tuple[str, Figures]]) -> list[dict[str, str]]:
        currency = self.money[1]

        def amounts(label: str, value: Callable[[Figures], int], colour: str = "") -> dict[str, Any]:
            numbers = [money.format_amount(value(sums), currency) for _, sums in each_day]
            return _bars(label, numbers, colour or [_colour(value(sums)) for _, sums in each_day])

        ggr = amounts("GGR", lambda sums: sums.ggr)
        payments = [
            amounts("Deposits", lambda sums: sums.deposits, "var(--color-primary-600)"),
            amounts("Withdrawals", lambda sums: sums.withdrawals, "#94a3b8"),
        ]
        players = _bars("Active", [sums.players for _, sums in each_day], "var(--color-primary-600)")
        new = _bars("New", [self.read.new_players(self.money, [day]) for day, _ in each_day], "#94a3b8")
        return [
            _chart(f"GGR by day, {currency}", "bar", each_day, ggr),
            _chart(f"Deposits (green) and withdrawals (grey) by day, {currency}", "bar", each_day, *payments),
            _chart("Active players (green) and new ones (grey) by day", "bar", each_day, players, new),
            _chart("Hold by day in per cent, with its 99 % band", "line", each_day, *_hold(each_day)),
        ]


def _sums_grid(title: str, of: str, rows: Sequence[Sequence[object]], note: str = "") -> Grid:
    headers = (of, "GGR", "Handle", "Rounds", "Hold", "Deposits", "Withdrawals", "Active players a day")
    return Grid(title, headers, rows, note=note, numeric=_NUMBERS, frozen=1)


def _chart(title: str, kind: str, each_day: Sequence[tuple[str, Figures]], *datasets: dict[str, Any]) -> dict[str, str]:
    data = {"labels": [day[5:] for day, _ in each_day], "datasets": datasets}
    return {"title": title, "kind": kind, "data": msgspec.json.encode(data).decode()}


def _colour(amount: int) -> str:
    return "var(--color-primary-600)" if amount >= 0 else "#dc2626"


def _bars(label: str, numbers: Sequence[object], colours: str | list[str]) -> dict[str, Any]:
    return {
        "label": label,
        "data": numbers,
        "backgroundColor": colours,
        "maxBarThickness": 18,
        "borderRadius": 4,
        "displayYAxis": True,
        "maxTicksXLimit": 8,
        "grouped": True,
    }


def _hold(each_day: Sequence[tuple[str, Figures]]) -> list[dict[str, Any]]:
    """Draw the hold as a line with points, and its band as the filled area between two thin lines."""
    bounds = [sums.hold_band for _, sums in each_day]
    actual = {
        "label": "Hold",
        "data": [_number(sums.hold) for _, sums in each_day],
        "borderColor": "var(--color-primary-600)",
        "backgroundColor": "var(--color-primary-600)",
        "pointStyle": "circle",
        "pointRadius": 3,
        "displayYAxis": True,
        "suffixYAxis": "%",
        "maxTicksXLimit": 8,
    }
    edges = [
        {
            "label": label,
            "data": [None if each is None else _number(each[place]) for each in bounds],
            "borderColor": "#94a3b8",
            "backgroundColor": "rgba(148, 163, 184, 0.25)",
            "borderWidth": 1,
            "pointStyle": "line",  # a day between days without play has no line to be seen by
            "pointRadius": 5,
            "pointBorderWidth": 2,
            "fill": fill,
        }
        for place, label, fill in ((0, "Band from", False), (1, "Band to", "-1"))
    ]
    return [actual, *edges]


def _number(share: Fraction | None) -> str | None:
    return None if share is None else plain_percent(share)
