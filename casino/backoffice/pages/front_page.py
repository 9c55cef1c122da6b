"""The admin's first page: what needs a person, what is going on, the latest rounds. Each for those who may see it."""

from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest

from baccarat.storage.models import Round, Table
from casino.backoffice import html, scope
from casino.backoffice.pages import baccarat_parts, front_plots, voids
from casino.backoffice.pages.cards import in_line
from casino.backoffice.sections import Facts, Grid, Section
from casino.events.models import Seal, Unsealed

MOST_ROUNDS: Final = 10
MOST_ASIDE: Final = 20
MOST_COUNTED: Final = 1000

admin.site.index_template = "admin/casino/index.html"
admin.site.index_title = "Overview"


def fill(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the sections that this person may see."""
    may = request.user.has_perm
    sections: list[Section] = []
    if may("baccarat.view_round"):
        sections.append(_set_aside(request))
    if may("baccarat.view_round") and may(voids.APPROVE):
        sections.append(_void_asked(request))
    if may(front_plots.MAY):
        sections.extend(front_plots.sections(request))
    if may("baccarat.view_table") and may("events.view_event"):
        sections.append(_now(request))
    if may("baccarat.view_round"):
        sections.append(_latest(request))
    return {**context, "sections": sections}


def _set_aside(request: HttpRequest) -> Grid:
    waiting = Table.objects.filter(suspension_reason__isnull=False).order_by("-id").defer("state")
    tables = scope.within(waiting, request)[:MOST_ASIDE]
    rows = [
        (html.page("round", table.round_id, f"No. {table.rounds}"), html.page("table", table.pk, table.name), why)
        for table, why in ((table, table.suspended or "") for table in tables)
    ]
    return Grid(
        "Waiting for a person", ("Round", "Table", "Why it was set aside"), rows, empty="No round is set aside."
    )


def _void_asked(request: HttpRequest) -> Grid:
    asked = scope.within(Round.objects.filter(void_requested=True).order_by("-id").defer("state"), request)
    rounds = baccarat_parts.with_names(asked, table=True)
    rows = [
        (
            html.page("round", round_.pk, f"No. {round_.number}"),
            html.page("table", round_.table_id, round_.table_name),
            baccarat_parts.operator_link(round_),
        )
        for round_ in rounds[:MOST_ASIDE]
    ]
    return Grid("Voids to decide", ("Round", "Table", "Operator"), rows, empty="Nobody asks for a void.")


def _now(request: HttpRequest) -> Facts:
    playing = scope.within(Table.objects.filter(round_id__isnull=False), request)[:MOST_COUNTED].count()
    waiting = Unsealed.objects.all()[:MOST_COUNTED].count()
    head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
    rows = (
        ("Tables with a round in hand", html.listing("baccarat_table", _up_to(playing), state="playing")),
        ("Events sealed", html.listing("events_event", f"#{head}")),
        ("Events waiting for their seal", html.listing("events_event", _up_to(waiting), seal="waiting")),
    )
    return Facts("Now", rows)


def _up_to(count: int) -> str:
    return f"{count} or more" if count == MOST_COUNTED else str(count)


def _latest(request: HttpRequest) -> Grid:
    played = scope.within(Round.objects.order_by("-id").defer("state"), request)
    rounds = baccarat_parts.with_names(played, table=True)[:MOST_ROUNDS]
    rows = [
        (
            html.page("round", round_.pk, f"No. {round_.number}"),
            html.page("table", round_.table_id, round_.table_name),
            baccarat_parts.phase_badge(round_.phase, round_.suspended),
            in_line(round_.cards.split()) if round_.cards else html.NOTHING,
            baccarat_parts.outcome_badge(round_.outcome),
            html.moment(round_.opened_at),
        )
        for round_ in rounds
    ]
    headers = ("Round", "Table", "Phase", "Cards", "Won by", "Opened (UTC)")
    return Grid("Latest rounds", headers, rows, empty="No round yet.")
