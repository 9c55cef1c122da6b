"""The last days as plots on the admin's first page: GGR, rounds, active players, the return with its band.

Kinds of money and currencies are never in one plot. Read once a minute for each set of operators.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from baccarat.reports import days
from baccarat.reports.days import DayFigures, PlayHistory
from casino.backoffice import scope
from casino.backoffice.filters import first_serial
from casino.backoffice.sections import Grid, Piece, Section
from casino.kernel import money
from casino.reports.document import rate
from wallet.models import Entry

MAY: Final = "reports.view_report"
SECONDS: Final = 60
MOST: Final = 3
"""Kinds of money and currencies that are plotted; reports have all of them."""
MOST_ENTRIES: Final = 100_000
"""Entries of the ledger that are added up for a page: about a second's work."""
_TEMPLATE: Final = "admin/baccarat/plots.html"
_NAMES: Final = {"real": "Real money", "play": "Play money", "sandbox": "Sandbox credits"}


def sections(request: HttpRequest) -> Sequence[Section]:
    """Draw the last days of the operators that this person works for, or say that there was no play."""
    operators = scope.operators(request)
    told = "all" if operators is None else ",".join(sorted(map(str, operators)))
    key = f"plots:{hashlib.sha256(told.encode()).hexdigest()}"
    played: list[PlayHistory] | None = cache.get(key)
    if played is None:
        played = days.recent_days(operators, today=_is_quiet())
        cache.set(key, played, SECONDS)
    if not played:
        return (Grid(_title(), (), (), empty="Nothing was played in the last days."),)
    return [_piece(each) for each in played[:MOST]]


def _is_quiet() -> bool:
    """Whether the last 24 hours can be added up while somebody waits for the page; a busy day waits for its reports."""
    newest = Entry.objects.order_by("-id").values_list("id", flat=True).first() or 0
    return newest - first_serial("wallet_entry", timezone.now() - timedelta(days=1)) < MOST_ENTRIES


def _title() -> str:
    return f"The last {days.DAYS_BACK} days"


def _piece(played: PlayHistory) -> Piece:
    ggr, rounds = sum(day.ggr for day in played.days), sum(day.rounds for day in played.days)
    said = f"GGR {money.format_amount(ggr, played.currency)} {played.currency} in {rounds} rounds"
    title = f"{_NAMES.get(played.money, played.money)} in {played.currency}: {_title().lower()}"
    return Piece(title, _TEMPLATE, {"plots": _plots(played), "said": said})


def _plots(played: PlayHistory) -> list[dict[str, str]]:
    currency, all_days = played.currency, played.days
    ggr = _bars(
        all_days, "GGR", lambda day: money.format_amount(day.ggr, currency), [_tone(day.ggr) for day in all_days]
    )
    return [
        _plot(f"GGR a day, {currency}", "bar", ggr),
        _plot("Rounds a day", "bar", _bars(all_days, "Rounds", lambda day: day.rounds)),
        _plot("Active players a day", "bar", _bars(all_days, "Players", lambda day: day.players)),
        _plot("Return a day, per cent, within its band of 99 %", "line", _return(all_days)),
    ]


def _plot(title: str, kind: str, data: dict[str, Any]) -> dict[str, str]:
    return {"title": title, "kind": kind, "data": msgspec.json.encode(data).decode()}


def _tone(amount: int) -> str:
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
    """The actual return as a line with points, and the band as a filled space between two thin ones."""
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
    """A share as per cent, with two decimals."""
    return f"{Decimal(share) * 100:.2f}"
