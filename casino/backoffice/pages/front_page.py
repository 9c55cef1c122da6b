"""The first page: work to do, plots of the last days, current play, the latest rounds.

Each section needs its own permission. Money types and currencies are plotted separately.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from baccarat.reports import days
from baccarat.reports.days import DayFigures, PlayHistory
from baccarat.storage.models import Round, RoundFlag, Table
from casino.backoffice import game, html, scope
from casino.backoffice.columns import with_names
from casino.backoffice.filters import first_serial
from casino.backoffice.pages.rounds import APPROVE_VOID
from casino.backoffice.sections import Facts, Grid, Section, TemplateSection
from casino.events.models import Event, Seal, Unsealed
from casino.kernel import money
from casino.reports.document import rate

MAX_ROUNDS: Final = 10
MAX_WAITING: Final = 20
MAX_COUNTED: Final = 1000
VIEW_REPORTS: Final = "reports.view_report"
CACHE_SECONDS: Final = 60
MAX_HISTORIES: Final = 3
"""Money types and currencies that are plotted; reports have all of them."""
MAX_EVENTS: Final = 300_000
"""Ledger entries that a page may sum: about a second's work."""
_MONEY_NAMES: Final = {"real": "Real money", "play": "Play money", "sandbox": "Sandbox credits"}
_PLOTS_TITLE: Final = f"The last {days.DAYS_BACK} days"

admin.site.index_template = "admin/casino/index.html"
admin.site.index_title = "Overview"


def add_sections(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the sections that the user may see."""
    may = request.user.has_perm
    sections: list[Section] = []
    if may("baccarat.view_round"):
        sections.append(_suspended(request))
    if may("baccarat.view_round") and may(APPROVE_VOID):
        sections.append(_requested_voids(request))
    if may(VIEW_REPORTS):
        sections.extend(_plots(request))
    if may("baccarat.view_table") and may("events.view_event"):
        sections.append(_now(request))
    if may("baccarat.view_round"):
        sections.append(_latest(request))
    return {**context, "sections": sections}


def _suspended(request: HttpRequest) -> Grid:
    suspended = Table.objects.filter(suspension_reason__isnull=False).order_by("-id").defer("state", "round_state")
    rows = [
        (
            html.page("round", table.round_id, f"No. {table.rounds}"),
            html.page("table", table.pk, table.name),
            table.suspension_reason or "",
        )
        for table in scope.within(suspended, request)[:MAX_WAITING]
    ]
    return Grid("Suspended rounds", ("Round", "Table", "Reason"), rows, empty="No round is suspended.")


def _requested_voids(request: HttpRequest) -> Grid:
    requested = scope.within(Round.objects.filter(flag=RoundFlag.VOID_REQUESTED).order_by("-id"), request)
    rounds = with_names(requested, "operator", "table")[:MAX_WAITING]
    columns = ("Round", "Table", "Operator")
    return game.round_grid("Voids to decide", rounds, columns=columns, empty="No void is requested.")


def _now(request: HttpRequest) -> Facts:
    playing = scope.within(Table.objects.filter(round_id__isnull=False), request)[:MAX_COUNTED].count()
    waiting = Unsealed.objects.all()[:MAX_COUNTED].count()
    head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
    rows = (
        ("Tables with a round in play", html.listing("baccarat_table", _count(playing), state="playing")),
        ("Events sealed", html.listing("events_event", f"#{head}")),
        ("Waiting for sealing", html.listing("events_event", _count(waiting), seal="waiting")),
    )
    return Facts("Now", rows)


def _count(count: int) -> str:
    return f"{count} or more" if count == MAX_COUNTED else str(count)


def _latest(request: HttpRequest) -> Grid:
    rounds = scope.within(Round.objects.order_by("-id"), request)
    columns = ("Round", "Table", "Phase", "Cards", "Won by", "Opened (UTC)")
    return game.round_grid("Latest rounds", with_names(rounds, "operator", "table")[:MAX_ROUNDS], columns=columns)


def _plots(request: HttpRequest) -> Sequence[Section]:
    """Plot the last days of the user's operators. Read once a minute for each set of operators."""
    operators = scope.operators(request)
    names = "all" if operators is None else ",".join(sorted(map(str, operators)))
    key = f"plots:{hashlib.sha256(names.encode()).hexdigest()}"
    histories: list[PlayHistory] | None = cache.get(key)
    if histories is None:
        histories = days.recent_days(operators, today=_is_quiet())
        cache.set(key, histories, CACHE_SECONDS)
    if not histories:
        return (Grid(_PLOTS_TITLE, (), (), empty="No play in the last days."),)
    return [_plot_section(history) for history in histories[:MAX_HISTORIES]]


def _is_quiet() -> bool:
    """Return whether a page may sum the last 24 hours; a busy day waits for its reports."""
    newest = Event.objects.order_by("-id").values_list("id", flat=True).first() or 0
    return newest - first_serial("events_event", timezone.now() - timedelta(days=1)) < MAX_EVENTS


def _plot_section(history: PlayHistory) -> TemplateSection:
    ggr, rounds = sum(day.ggr for day in history.days), sum(day.rounds for day in history.days)
    summary = f"GGR {money.format_amount(ggr, history.currency)} {history.currency} in {rounds} rounds"
    title = f"{_MONEY_NAMES.get(history.money_type, history.money_type)} in {history.currency}: {_PLOTS_TITLE.lower()}"
    return TemplateSection(title, "admin/baccarat/plots.html", {"plots": _charts(history), "summary": summary})


def _charts(history: PlayHistory) -> list[dict[str, str]]:
    currency, all_days = history.currency, history.days
    ggr = _bars(
        all_days, "GGR", lambda day: money.format_amount(day.ggr, currency), [_colour(day.ggr) for day in all_days]
    )
    return [
        _chart(f"GGR per day, {currency}", "bar", ggr),
        _chart("Rounds per day", "bar", _bars(all_days, "Rounds", lambda day: day.rounds)),
        _chart("Active players per day", "bar", _bars(all_days, "Players", lambda day: day.players)),
        _chart("Return per day in per cent, with its 99 % band", "line", _return(all_days)),
    ]


def _chart(title: str, kind: str, data: dict[str, Any]) -> dict[str, str]:
    return {"title": title, "kind": kind, "data": msgspec.json.encode(data).decode()}


def _colour(amount: int) -> str:
    return "var(--color-primary-600)" if amount >= 0 else "#dc2626"


def _bars(
    all_days: Sequence[DayFigures], label: str, value: Callable[[DayFigures], Any], colours: list[str] | None = None
) -> dict[str, Any]:
    bars = {
        "label": label,
        "data": [value(day) for day in all_days],
        "backgroundColor": colours or "var(--color-primary-600)",
        "maxBarThickness": 18,
        "borderRadius": 4,
        "displayYAxis": True,
        "maxTicksXLimit": 8,
    }
    return {"labels": [day.label[5:] for day in all_days], "datasets": [bars]}


def _return(all_days: Sequence[DayFigures]) -> dict[str, Any]:
    """Draw the actual return as a line with points, and the band as the filled area between two thin lines."""
    bounds = [day.bounds for day in all_days]
    actual = {
        "label": "Actual",
        "data": [None if day.actual is None else _percent(rate(day.actual)) for day in all_days],
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
            "data": [None if each is None else _percent(rate(each[place])) for each in bounds],
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
    return {"labels": [day.label[5:] for day in all_days], "datasets": [actual, *edges]}


def _percent(share: str) -> str:
    return f"{Decimal(share) * 100:.2f}"
