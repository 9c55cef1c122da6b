"""The admin's first page: what needs a person, what is going on, the latest rounds. Each for those who may see it."""

from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest

from baccarat.admin import parts, plots, voids
from baccarat.admin.cards import in_line
from baccarat.models import Round, Table
from casino.admin import marks, scope
from casino.admin.sections import Facts, Grid, Section
from casino.events.models import Seal, Unsealed

MOST_ROUNDS: Final = 10
MOST_ASIDE: Final = 20
MOST_COUNTED: Final = 1000

admin.site.index_template = "admin/casino/index.html"
admin.site.index_title = "Overview"


def fill(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """This will add the sections that this person may see."""
    may = request.user.has_perm
    sections: list[Section] = []
    if may("baccarat.view_round"):
        sections.append(_set_aside(request))
    if may("baccarat.view_round") and may(voids.APPROVE):
        sections.append(_void_asked(request))
    if may(plots.MAY):
        sections.extend(plots.sections(request))
    if may("baccarat.view_table") and may("events.view_event"):
        sections.append(_now(request))
    if may("baccarat.view_round"):
        sections.append(_latest(request))
    return {**context, "sections": sections}


def _set_aside(request: HttpRequest) -> Grid:
    waiting = Table.objects.filter(set_aside__isnull=False).order_by("-id").defer("state")
    tables = scope.within(waiting, request)[:MOST_ASIDE]
    rows = [
        (marks.page("round", table.round_id, f"No. {table.rounds}"), marks.page("table", table.pk, table.name), why)
        for table, why in ((table, table.set_aside or "") for table in tables)
    ]
    return Grid(
        "Waiting for a person", ("Round", "Table", "Why it was set aside"), rows, empty="No round is set aside."
    )


def _void_asked(request: HttpRequest) -> Grid:
    asked = scope.within(Round.objects.filter(void_asked=True).order_by("-id").defer("state"), request)
    rounds = parts.with_names(asked, table=True)
    rows = [
        (
            marks.page("round", round_.pk, f"No. {round_.number}"),
            marks.page("table", round_.table_id, round_.table_name),
            parts.operator_link(round_),
        )
        for round_ in rounds[:MOST_ASIDE]
    ]
    return Grid("Voids to decide", ("Round", "Table", "Operator"), rows, empty="Nobody asks for a void.")


def _now(request: HttpRequest) -> Facts:
    playing = scope.within(Table.objects.filter(round_id__isnull=False), request)[:MOST_COUNTED].count()
    waiting = Unsealed.objects.all()[:MOST_COUNTED].count()
    head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
    rows = (
        ("Tables with a round in hand", marks.listing("baccarat_table", _up_to(playing), state="playing")),
        ("Events sealed", marks.listing("events_event", f"#{head}")),
        ("Events waiting for their seal", marks.listing("events_event", _up_to(waiting), seal="waiting")),
    )
    return Facts("Now", rows)


def _up_to(count: int) -> str:
    return f"{count} or more" if count == MOST_COUNTED else str(count)


def _latest(request: HttpRequest) -> Grid:
    played = scope.within(Round.objects.order_by("-id").defer("state"), request)
    rounds = parts.with_names(played, table=True)[:MOST_ROUNDS]
    rows = [
        (
            marks.page("round", round_.pk, f"No. {round_.number}"),
            marks.page("table", round_.table_id, round_.table_name),
            parts.phase_badge(round_.phase, round_.set_aside),
            in_line(round_.cards.split()) if round_.cards else marks.NOTHING,
            parts.outcome_badge(round_.outcome),
            marks.moment(round_.opened_at),
        )
        for round_ in rounds
    ]
    headers = ("Round", "Table", "Phase", "Cards", "Won by", "Opened (UTC)")
    return Grid("Latest rounds", headers, rows, empty="No round yet.")
