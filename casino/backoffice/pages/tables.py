"""Tables: a list, and a page with the rules, the seats, the shoe as far as it is public, rounds, money and events."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.domain.tables.kill_switch_events import StopScope, switch_id
from baccarat.domain.tables.state import TableState
from baccarat.services import closing
from baccarat.storage import projections
from baccarat.storage.models import Round, Switch, Table
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages import baccarat_parts, kill_switches, rules_facts, rules_parts
from casino.backoffice.pages.cards import in_line
from casino.backoffice.pages.events import latest
from casino.backoffice.pages.ledger import balances_at, money_type_badge
from casino.backoffice.pages.operators import nicknames, operator_filter
from casino.backoffice.sections import Alert, Facts, Field, Form, Grid, Section
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators import memberships

MOST_ROUNDS: Final = 20
TABLE: Final = StopScope.TABLE
CLOSE: Final = "baccarat.close_table"

BooksFilter = chosen(
    title="money_type",
    parameter="money_type",
    choices={MoneyType.REAL: "Real money", MoneyType.PLAY: "Play money"},
    where=lambda value: Q(books__contains=value),
)
AttentionFilter = chosen(
    title="state",
    parameter="state",
    choices={"playing": "Playing", "idle": "Idle", "suspended": "Set aside"},
    where=lambda value: {
        "playing": Q(round_id__isnull=False),
        "idle": Q(round_id__isnull=True),
        "suspended": Q(suspension_reason__isnull=False),
    }[value],
)


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    """Every table, newest first. Found by its id."""

    list_display = ("title", "operator", "preset", "currency", "moneys", "taken", "rounds", "stands", "opened")
    list_filter = (
        AttentionFilter,
        baccarat_parts.preset_filter("preset"),
        BooksFilter,
        operator_filter(),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "id of a table or of its round in hand"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        """Add the operator's slug, in the same query."""
        return baccarat_parts.with_names(super().get_queryset(request), table=False)

    def found_by(self, term: str) -> Q | None:
        """Look for the id of a table, or of the round in hand there."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(round_id=identity)

    @admin.display(description="table")
    def title(self, table: Table) -> str:
        return table.name

    @admin.display(description="operator")
    def operator(self, table: Table) -> SafeString | str:
        return baccarat_parts.operator_link(table)

    @admin.display(description="money_types")
    def moneys(self, table: Table) -> str:
        """The kinds of money that it is played for."""
        return table.money_types.replace(",", ", ")

    @admin.display(description="seats")
    def taken(self, table: Table) -> str:
        return f"{table.seats_taken} of {table.seats}"

    @admin.display(description="state")
    def stands(self, table: Table) -> SafeString | str:
        """Whether a round is in hand."""
        if table.suspension_reason is not None:
            return html.badge("set aside", "bad")
        if table.state.get("closed"):
            return html.badge("closed", "plain")
        return html.badge("idle") if table.round_id is None else html.badge("playing", "good")

    @admin.display(description="opened (UTC)")
    def opened(self, table: Table) -> SafeString | str:
        return html.moment(table.opened_at)

    def sections(self, request: HttpRequest, obj: Table) -> Sequence[Section]:
        state = projections.decode_table(msgspec.json.encode(obj.state))
        sections: list[Section] = []
        if obj.suspension_reason is not None:
            text = f"{obj.suspension_reason} Its page has the button that resumes it."
            sections.append(Alert("The round in hand was set aside", text))
        return [
            *sections,
            Facts("Table", self._facts(obj, state)),
            _seats(state),
            _rounds(obj.pk),
            Facts("Rules", rules_facts.facts(state.rules)),
            balances_at("Accounts", obj.pk),
            *rules_parts.of_table(obj.pk),
            *self._switch(request, obj, state),
            *self._closing(request, obj, state),
            baccarat_parts.told("Timeline of the table", latest(f"table-{obj.pk}"), obj.currency),
        ]

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `stop` and `close`."""
        return [
            self.perform_path("stop", kill_switches.THROW, self.stop),
            self.perform_path("close", CLOSE, self.close),
            *super().get_urls(),
        ]

    def stop(self, request: HttpRequest, table: Table) -> str:
        """Stop play at the table. Raises the refusals of `switching.stop`."""
        return kill_switches.stop(request, TABLE, str(table.pk))

    def close(self, request: HttpRequest, table: Table) -> str:
        """Close the table for good. Raises the refusals of `closing.close_table`."""
        by = memberships.staff_actor(request.user)
        done = Metadata(operator=str(table.operator_id), actor=by, causation="admin", correlation=f"table-{table.pk}")
        why = request.POST.get("reason", "")
        if closing.close_table(table=table.pk, operator=table.operator_id, reason=why, metadata=done):
            return "Closed for good; every seed that was still secret is revealed."
        return "Nothing new starts. The table closes when the round in hand has concluded."

    def _closing(self, request: HttpRequest, table: Table, state: TableState) -> Sequence[Section]:
        if state.closed:
            return (Alert("This table is closed for good", "Its rounds and seeds stay to be read."),)
        if state.pending_closure is not None:
            waits = f"It closes when the round in hand has concluded. {state.pending_closure.by}: {state.pending_closure.reason}"
            return (Alert("This table is to be closed for good", waits),)
        if not request.user.has_perm(CLOSE):
            return ()
        says = (
            "For good: what is confirmed is dealt and settled, then all seats are freed, the money goes back to the "
            "accounts, and the seeds of its shoes are revealed."
        )
        why = (
            Field("reason", "Why, for the record (kept for good: name no player)", longest=closing.MAX_REASON_LENGTH),
        )
        return (Form("Close this table for good", "Close", self.perform_url("close", table), why, says, tone="bad"),)

    def _switch(self, request: HttpRequest, table: Table, state: TableState) -> Sequence[Section]:
        told = [Alert(f"Play is stopped ({held.scope})", held.message) for held in state.stops]
        if any(held.scope is TABLE for held in state.stops):
            where = Switch.objects.get(pk=switch_id(TABLE, str(table.pk)))
            return (*told, Facts("Switch", (("Let play go on", html.link(kill_switches.page_of(where), "its page")),)))
        return (*told, *kill_switches.form(request, TABLE, self.perform_url("stop", table), "Stop this table"))

    def _facts(self, table: Table, state: TableState) -> list[tuple[str, object]]:
        return [
            ("Name", table.name),
            ("Operator", self.operator(table)),
            ("State", self.stands(table)),
            ("Round in hand", html.page("round", table.round_id, f"No. {table.rounds}")),
            ("Rounds", html.listing("baccarat_round", str(table.rounds), q=str(table.pk))),
            ("MoneyTypes", self.moneys(table)),
            ("Opened (UTC)", self.opened(table)),
            *_shoe(state),
            ("Id", html.code(table.pk)),
            ("Log", html.listing("events_event", "all events", q=f"table-{table.pk}")),
        ]


def _shoe(state: TableState) -> list[tuple[str, object]]:
    shoe, long = state.shoe, state.has_long_shoe()
    if shoe is None:
        return [("Shoe", "none in play" if long else "shuffled anew for every round"), *_next_shoe(state)]
    committed = ("Committed to", html.code(shoe.commitment))
    return [("Shoe", f"No. {shoe.number}, {shoe.cards_used} cards out"), committed, *_next_shoe(state)]


def _next_shoe(state: TableState) -> list[tuple[str, object]]:
    coming = state.next_shoe
    if coming is None:
        return []
    name = f"No. {coming.number}" if state.has_long_shoe() else f"of round {coming.number}"
    return [("Next shoe", name), ("Committed to ahead", html.code(coming.commitment))]


def _seats(state: TableState) -> Grid:
    names = nicknames([seat.player for seat in state.seats])
    currency = state.rules.currency
    rows = [
        (
            str(seat.seat),
            html.page("player", seat.player, names.get(seat.player, html.short(seat.player))),
            money_type_badge(seat.money_type),
            html.money(sum((seat.last_wager or {}).values()) or None, currency),
            html.money(seat.owed, currency),
        )
        for seat in state.seats
    ]
    headers = ("Seat", "Player", "Book", "Last wager", "Commission owed")
    return Grid("Seats", headers, rows, empty="Nobody sits here.", numeric=frozenset(headers[3:]))


def _rounds(table: UUID) -> Grid:
    latest_rounds = Round.objects.filter(table_id=table).order_by("-number").defer("state")[:MOST_ROUNDS]
    rows = [
        (
            html.page("round", round_.pk, f"No. {round_.number}"),
            baccarat_parts.phase_badge(round_.phase, round_.suspension_reason),
            in_line(round_.cards.split()) if round_.cards else html.NOTHING,
            baccarat_parts.outcome_badge(round_.outcome),
            str(round_.wagers),
            html.moment(round_.opened_at),
        )
        for round_ in latest_rounds
    ]
    note = html.listing("baccarat_round", "All rounds of this table", q=str(table)) if rows else ""
    headers = ("Round", "Phase", "Cards", "Won by", "Wagers", "Opened (UTC)")
    return Grid("Latest rounds", headers, rows, empty="No round yet.", note=note)
