"""The page behind a bar of the first page: one day, or one hour of it, by operator, table, hour and player.

A day that is over is read from its reports; an hour, and a day without reports yet, by the reports' own statements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from baccarat.reports import days
from baccarat.reports.breakdowns import HOURS, PLAYERS
from baccarat.reports.days import Figures, Money
from baccarat.reports.performance import PERFORMANCE
from baccarat.reports.revenue import REVENUE
from casino.backoffice import html, scope
from casino.backoffice.figures import (
    VIEW_REPORTS,
    band_text,
    day_url,
    hold_text,
    is_quiet,
    money_name,
    parse_money,
    percent,
)
from casino.backoffice.pages.search import NEEDED
from casino.backoffice.sections import Facts, Grid, Section
from casino.backoffice.site import StaffSite
from casino.backoffice.subjects import nicknames, player_link
from casino.events.sql import fetch
from casino.operators.models import Operator
from casino.reports import document
from casino.reports.definition import ReportScope
from casino.reports.generation import snapshot
from casino.reports.intervals import ReportPeriod, between, period_interval
from casino.reports.models import Report
from casino.reports.refusals import IntervalInvalid
from casino.staff.access_log import record_access

MAX_PLAYERS: Final = 25
"""Players at either end: those who won most, and those who lost most."""
_HOUR: Final = timedelta(hours=1)
_NUMBERS: Final = frozenset(
    {"GGR", "Handle", "Rounds", "Wagers", "Players", "Hold", "Theory", "Band by theory", "Deposits", "Withdrawals"}
)


_REPORTS: Final = {definition.name: definition for definition in (REVENUE, PERFORMANCE, PLAYERS, HOURS)}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Reports:
    """Rows about the money asked for, and when the reports that they are from were generated."""

    tables: Sequence[Row]
    players: Sequence[Row]
    hours: Sequence[Row]
    performance: Sequence[Row]
    generated_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the page shows: one money type and currency of an operator, in a day or in an hour of it."""

    operator: Operator
    money: Money
    day: str
    since: datetime
    until: datetime

    def reports(self) -> "_Reports | None":
        """Return what the reports of this time say, None if there are none and too much was played to read it here."""
        stored = Report.objects.filter(
            operator_id=self.operator.pk, period=ReportPeriod.DAY, since=self.since, until=self.until,
            name__in=_REPORTS, generated_at__gte=self.until,
        )  # fmt: skip
        latest = list(stored.order_by("name", "-version").distinct("name"))
        if len(latest) == len(_REPORTS):
            contents = {report.name: document.read(bytes(report.content)) for report in latest}
            figures = {report.name: report.figures for report in latest}
            return self._reports(contents, figures[PERFORMANCE.name], min(report.generated_at for report in latest))
        if not is_quiet(self.since, self.until):
            return None
        ((position,),) = fetch("SELECT coalesce(max(position), 0)::bigint FROM events_seal")
        asked = ReportScope(self.operator.pk, self.operator.sandbox, self.since, self.until, position)
        interval = between(since=self.since, until=self.until, zone=self.operator.time_zone)
        with snapshot():
            read = {name: definition.read(asked) for name, definition in _REPORTS.items()}
        contents = {
            name: document.facts(definition, self.operator, interval, read[name])
            for name, definition in _REPORTS.items()
        }
        return self._reports(contents, read[PERFORMANCE.name].figures or (), None)

    def _reports(
        self, contents: Mapping[str, dict[str, Any]], performance: Sequence[Row], generated_at: datetime | None
    ) -> "_Reports":
        rows = {name: self._ours(document.parse_rows(content)) for name, content in contents.items()}
        return _Reports(rows[REVENUE.name], rows[PLAYERS.name], rows[HOURS.name], self._ours(performance), generated_at)

    def _ours(self, rows: Sequence[Row]) -> list[Row]:
        return [
            row
            for row in rows
            if (days.kind_of_money(row["money_type"], sandbox=self.operator.sandbox), row["currency"]) == self.money
        ]

    def search(self, text: str, **query: str) -> object:
        """Link to the rounds or wagers of this time."""
        times = {"since": self.since.isoformat(), "until": self.until.isoformat()}
        values = {"operator": str(self.operator.pk), **times, **query}
        return html.link(f"{reverse('admin:desk_search')}?{urlencode(values)}", text)


def day_page(request: HttpRequest) -> HttpResponse:
    """Show the page of a day. Raises PermissionDenied."""
    if not request.user.has_perm(VIEW_REPORTS):
        raise PermissionDenied
    slugs = scope.operator_slugs(request)
    money, day = _parse(request, [UUID(key) for key in slugs])
    chosen = request.GET.get("operator", "") or (next(iter(slugs)) if len(slugs) == 1 else "")
    title = f"{money_name(money)}, {day}"
    if not chosen:
        sections: Sequence[Section] = (_operators(request, money, day),)
    elif chosen not in slugs:
        raise PermissionDenied
    else:
        record_access(request, subject="figures:of a day", operator=UUID(chosen))
        asked = _asked(request, chosen, money, day)
        title = f"{asked.operator.slug}: {title}"
        sections = _sections(request, asked)
    context = {**admin.site.each_context(request), "title": title, "sections": sections}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def _parse(request: HttpRequest, operators: Sequence[UUID]) -> tuple[Money, date]:
    """Return what the address names: by default today, in the first currency of the first operator."""
    text, first = request.GET.get("money", ""), Operator.objects.filter(pk__in=operators[:1]).first()
    try:
        day = date.fromisoformat(request.GET.get("day") or days.today(operators).isoformat())
    except ValueError:
        raise PermissionDenied from None
    if not text and first is not None:
        return (days.kind_of_money("real", sandbox=first.sandbox), first.currency), day
    money = parse_money(text)
    if money is None:
        raise PermissionDenied
    return money, day


def _asked(request: HttpRequest, chosen: str, money: Money, day: date) -> _Asked:
    operator = Operator.objects.get(pk=chosen)
    try:
        interval = period_interval(ReportPeriod.DAY, day=day, zone=operator.time_zone)
        hour = request.GET.get("hour", "")
        since = datetime.fromisoformat(hour).astimezone(UTC) if hour else interval.since
    except (IntervalInvalid, ValueError, OverflowError):
        raise PermissionDenied from None
    # The first and the last hour of a day may be parts of hours of UTC, by which the plot counts.
    begin, end = max(since, interval.since), min(since + _HOUR, interval.until) if hour else interval.until
    if begin >= end:
        raise PermissionDenied
    return _Asked(operator, money, day.isoformat(), begin, end)


def _operators(request: HttpRequest, money: Money, day: date) -> Grid:
    read = days.read_days(scope.operators(request), first=day, last=day, live=is_quiet(_midnight(day)))
    rows = []
    for key, slug in scope.operator_slugs(request).items():
        sums = read.total(money, operator=UUID(key))
        if sums.has_activity():
            rows.append((html.link(day_url(money, day.isoformat(), key), slug), *_sum_cells(sums, money[1])))
    return Grid("By operator", ("Operator", *_SUM_HEADERS), rows, empty="No settled wagers.", numeric=_NUMBERS)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=1)


_SUM_HEADERS: Final = (
    "GGR", "Handle", "Rounds", "Hold", "Theory", "Band by theory", "Deposits", "Withdrawals", "Players"
)  # fmt: skip


def _sum_cells(sums: Figures, currency: str) -> tuple[object, ...]:
    return (
        html.money(sums.ggr, currency),
        html.money(sums.handle, currency),
        str(sums.rounds),
        hold_text(sums),
        percent(sums.theoretical_hold),
        band_text(sums),
        html.money(sums.deposits, currency),
        html.money(sums.withdrawals, currency),
        str(sums.players),
    )


def _sections(request: HttpRequest, asked: _Asked) -> Sequence[Section]:
    reports = asked.reports()
    if reports is None:
        listed = html.listing("reports_report", "Its reports have the figures.", operator=str(asked.operator.pk))
        return (Facts("Too much was played for a page", (("Instead", listed),)),)
    searches = request.user.has_perms(NEEDED)
    whole = (_hours(asked, reports.hours),) if len(reports.hours) > 1 else ()
    return (
        _facts(asked, reports, searches=searches),
        _tables(asked, reports, searches=searches),
        *whole,
        *_players(asked, reports.players, searches=searches),
    )


def _facts(asked: _Asked, reports: _Reports, *, searches: bool) -> Facts:
    currency, players = asked.money[1], reports.players
    rows: list[tuple[str, object]] = [
        ("GGR", html.money(sum(row["ggr"] for row in players), currency)),
        ("Handle", html.money(sum(row["handle"] for row in players), currency)),
        ("Wagers", str(sum(row["wagers"] for row in players))),
        ("Players", str(len(players))),
        ("Day", html.with_note(asked.day, f"in {asked.operator.time_zone}, the operator's time zone")),
        ("From", asked.since),
        ("To", asked.until),
    ]
    if reports.generated_at is not None:
        rows.append(("Reports generated at", reports.generated_at))
    if searches:
        rows.append(("Rounds", asked.search("All rounds of this time")))
    return Facts("Overview", rows)


def _tables(asked: _Asked, reports: _Reports, *, searches: bool) -> Grid:
    performance: dict[str, Figures] = {}
    for each in reports.performance:
        sums = performance.setdefault(each["table"], Figures())
        sums.add(
            Figures(
                handle=each["handle"],
                returned=each["returned"],
                expected=Fraction(each["expected"]),
                variance=Fraction(each["variance"]),
            )
        )
    currency = asked.money[1]
    rows = []
    for row in sorted(reports.tables, key=lambda row: row["ggr"]):
        sums = performance.get(row["table"], Figures())
        rows.append(
            (
                html.page("table", row["table"], row["table_name"]),
                html.money(row["ggr"], currency),
                html.money(row["handle"], currency),
                str(row["rounds"]),
                hold_text(sums),
                percent(sums.theoretical_hold),
                band_text(sums),
                asked.search("Rounds", table=row["table"]) if searches else "",
            )
        )
    headers = ("Table", "GGR", "Handle", "Rounds", "Hold", "Theory", "Band by theory", "")
    return Grid("By table", headers, rows, empty="No settled wagers.", numeric=_NUMBERS, note=_TABLE_NOTE)


_TABLE_NOTE: Final = "The lowest GGR first. Hold and theory leave voided rounds out."


def _hours(asked: _Asked, hours: Sequence[Row]) -> Grid:
    currency = asked.money[1]
    rows = [
        (
            html.link(
                day_url(asked.money, asked.day, asked.operator.pk, hour=row["hour"].isoformat()), f"{row['hour']:%H:%M}"
            ),
            html.money(row["ggr"], currency),
            html.money(row["handle"], currency),
            str(row["wagers"]),
            str(row["players"]),
        )
        for row in hours
    ]
    return Grid("By hour (UTC)", ("Hour", "GGR", "Handle", "Wagers", "Players"), rows, numeric=_NUMBERS)


def _players(asked: _Asked, players: Sequence[Row], *, searches: bool) -> Sequence[Grid]:
    """Show the players who won most, and those who lost most."""
    won = [row for row in players if row["ggr"] < 0][:MAX_PLAYERS]
    lost = [row for row in reversed(players) if row["ggr"] > 0][:MAX_PLAYERS]
    names = nicknames([UUID(row["player"]) for row in (*won, *lost)])
    currency = asked.money[1]

    def grid(title: str, rows: Sequence[Row]) -> Grid:
        cells = [
            (
                player_link(UUID(row["player"]), names),
                html.money(row["ggr"], currency),
                html.money(row["handle"], currency),
                str(row["wagers"]),
                asked.search("Wagers", player=row["player"]) if searches else "",
            )
            for row in rows
        ]
        note = f"The first {MAX_PLAYERS}." if len(rows) == MAX_PLAYERS else ""
        return Grid(
            title, ("Player", "GGR", "Handle", "Wagers", ""), cells, empty="No player.", note=note, numeric=_NUMBERS
        )

    return (grid("Players who won most", won), grid("Players who lost most", lost))


StaffSite.pages.append(path("figures/", admin.site.admin_view(require_safe(day_page)), name="desk_day"))
