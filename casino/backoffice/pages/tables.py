"""Tables: rules, seats, the public part of the shoe, rounds, money and events; stopping and closing a table."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.domain.tables.kill_switch import StopScope, stop_id
from baccarat.domain.tables.state import TableState
from baccarat.queries.narrative import NarratedTable
from baccarat.services import forcing, table_lifecycle
from baccarat.storage import projections
from baccarat.storage.models import KillSwitch, Round, Table
from casino.backoffice import game, html
from casino.backoffice.actions import RowAction, staff_metadata
from casino.backoffice.columns import LabelledRowsAdmin, column, time_column
from casino.backoffice.filters import case_filter, choice_filter, operator_filter, since_by_uuid, table_brand_filter
from casino.backoffice.forms import EnumSelectField, RowForm, text_field
from casino.backoffice.pages import kill_switch, rules_sections
from casino.backoffice.pages.events import latest_events
from casino.backoffice.pages.ledger import balances_at
from casino.backoffice.sections import ActionBar, Banner, Facts, Grid, Section
from casino.backoffice.subjects import nicknames, player_link
from casino.kernel.money import MoneyType
from casino.operators.models import Operator

MAX_ROUNDS: Final = 20
CLOSE: Final = "baccarat.close_table"
FORCE: Final = "baccarat.draft_rules"
_STATES: Final = {
    "playing": ("Playing", Q(round_id__isnull=False)),
    "idle": ("Idle", Q(round_id__isnull=True)),
    "suspended": ("Suspended", Q(suspension_reason__isnull=False)),
}


class CloseForm(RowForm):
    reason = text_field(
        "Reason, for the record (kept permanently: do not name a player)",
        max_length=table_lifecycle.MAX_REASON_LENGTH,
        required=False,
    )


class ForcedCardsForm(RowForm):
    scenario = EnumSelectField(Scenario, label="What the next round of the table is dealt")


def _may_force(_request: HttpRequest, table: Table) -> bool:
    return settings.FORCED_CARDS and Operator.objects.filter(pk=table.operator_id, sandbox=True).exists()


def _state(table: Table) -> TableState:
    return projections.decode_table(msgspec.json.encode(table.state))


def _may_stop(request: HttpRequest, table: Table) -> bool:
    stopped = any(stop.scope is StopScope.TABLE for stop in _state(table).stops)
    return not stopped and kill_switch.may_stop(request, StopScope.TABLE)


def _may_close(_request: HttpRequest, table: Table) -> bool:
    state = _state(table)
    return not state.closed and state.pending_closure is None


def _status(table: Table) -> SafeString:
    if table.suspension_reason is not None:
        return html.badge("suspended", "bad")
    if table.state.get("closed"):
        return html.badge("closed")
    return html.badge("idle") if table.round_id is None else html.badge("playing", "good")


@admin.register(Table)
class TableAdmin(LabelledRowsAdmin):
    """Every table, newest first. Found by its id."""

    names = ("operator",)
    list_display = ("name", "operator", "preset", "currency", "money", "taken", "rounds", "status", "opened")
    list_filter = (
        case_filter("state", _STATES),
        game.preset_filter("preset"),
        choice_filter(
            "money_type",
            choices={MoneyType.REAL: "Real money", MoneyType.PLAY: "Play money"},
            where=lambda value: Q(money_types__contains=value),
        ),
        operator_filter(),
        table_brand_filter(),
        since_by_uuid(),
    )
    search_fields = ("pk", "round_id")
    search_help_text = "id of a table or of its round in play"
    money = column("money", lambda table: table.money_types.replace(",", ", "))
    taken = column("seats", lambda table: f"{table.seats_taken} of {table.seats}")
    status = column("state", _status)
    opened = time_column("opened_at", "opened")

    @RowAction(
        "Stop",
        title="Stop this table",
        permission=kill_switch.STOP_PLAY,
        form=kill_switch.StopForm,
        applies=_may_stop,
        tone="bad",
        help_text=kill_switch.STOP_HELP,
    )
    def stop(self, request: HttpRequest, table: Table, data: dict[str, Any]) -> str:
        return kill_switch.stop(request, StopScope.TABLE, str(table.pk), data)

    @RowAction(
        "Close",
        title="Close this table permanently",
        permission=CLOSE,
        form=CloseForm,
        applies=_may_close,
        tone="bad",
        help_text="Confirmed wagers are dealt and settled, then all seats are released, the money goes back to the "
        "accounts, and the seeds of its shoes are revealed.",
    )
    def close(self, request: HttpRequest, table: Table, data: dict[str, Any]) -> str:
        metadata = staff_metadata(request, table.operator_id, causation="admin", correlation=f"table-{table.pk}")
        if table_lifecycle.close_table(
            table=table.pk, operator=table.operator_id, reason=data["reason"], metadata=metadata
        ):
            return "Closed permanently; every seed that was still secret is revealed."
        return "Nothing new starts. The table closes when the round in play has ended."

    @RowAction(
        "Choose cards",
        title="Choose the cards of a test round",
        permission=FORCE,
        form=ForcedCardsForm,
        applies=_may_force,
        help_text="Before any seat confirms a wager or passes. Everything says that the round is a test.",
    )
    def force(self, request: HttpRequest, table: Table, data: dict[str, Any]) -> str:
        forcing.force(
            table=table.pk,
            operator=table.operator_id,
            sandbox=_may_force(request, table),
            cards=SCENARIOS[data["scenario"]],
            metadata=staff_metadata(request, table.operator_id, causation="admin", correlation=f"table-{table.pk}"),
        )
        return "The cards of the open round are chosen."

    def sections(self, _request: HttpRequest, obj: Table) -> Sequence[Section]:
        state = _state(obj)
        terms = NarratedTable(obj.name, state.rules)
        return [
            *_alerts(obj, state),
            self._facts(obj, state),
            ActionBar(),
            _seats(state),
            _rounds(obj.pk),
            rules_sections.spots(state.rules),
            Facts("Rules", rules_sections.rule_facts(state.rules)),
            balances_at("Accounts", obj.pk),
            *rules_sections.versions_of(obj.pk),
            game.event_grid("Timeline of the table", latest_events(f"table-{obj.pk}"), terms),
        ]

    def _facts(self, table: Table, state: TableState) -> Facts:
        return self.facts(
            table,
            *("name", "operator", "status"),
            ("Round in play", html.page("round", table.round_id, f"No. {table.rounds}")),
            ("Rounds", html.listing("baccarat_round", str(table.rounds), q=str(table.pk))),
            *("money", "opened"),
            *_shoe(state),
            "pk",
            ("Log", html.event_log(f"table-{table.pk}")),
        )


def _alerts(table: Table, state: TableState) -> list[Section]:
    alerts: list[Section] = []
    if table.suspension_reason is not None:
        text = f"{table.suspension_reason} Resume it on the round's page."
        alerts.append(Banner("The round in play is suspended", text))
    alerts += [Banner(f"Play is stopped ({stop.scope})", stop.message) for stop in state.stops]
    if any(stop.scope is StopScope.TABLE for stop in state.stops):
        switch = KillSwitch.objects.get(pk=stop_id(StopScope.TABLE, str(table.pk)))
        alerts.append(Facts("Kill switch", (("Resume play", html.link(kill_switch.switch_url(switch), "its page")),)))
    if state.closed:
        alerts.append(Banner("This table is closed permanently", "Its rounds and seeds stay readable."))
    elif state.pending_closure is not None:
        pending = state.pending_closure
        text = f"It closes when the round in play has ended. {pending.by}: {pending.reason}"
        alerts.append(Banner("This table is about to close permanently", text))
    return alerts


def _shoe(state: TableState) -> list[tuple[str, object]]:
    shoe, upcoming, long = state.shoe, state.next_shoe, state.has_long_shoe()
    facts: list[tuple[str, object]] = []
    if shoe is None:
        facts.append(("Shoe", "none in play" if long else "shuffled for every round"))
    else:
        facts.append(("Shoe", f"No. {shoe.number}, {shoe.cards_used} cards used"))
        facts.append(("Commitment", html.code(shoe.commitment)))
    if upcoming is not None:
        facts.append(("Next shoe", f"No. {upcoming.number}" if long else f"of round {upcoming.number}"))
        facts.append(("Next commitment", html.code(upcoming.commitment)))
    return facts


def _seats(state: TableState) -> Grid:
    names = nicknames([seat.player for seat in state.seats])
    currency = state.rules.currency
    rows = [
        (
            str(seat.seat),
            player_link(seat.player, names),
            game.money_type_badge(seat.money_type),
            html.money(sum((seat.last_wager or {}).values()) or None, currency),
            html.money(seat.owed, currency),
        )
        for seat in state.seats
    ]
    headers = ("Seat", "Player", "Money", "Last wager", "Set aside for commission")
    return Grid("Seats", headers, rows, empty="No seat is taken.", numeric=frozenset(headers[3:]))


def _rounds(table: UUID) -> Grid:
    rounds = Round.objects.filter(table_id=table).order_by("-number")[:MAX_ROUNDS]
    note = html.listing("baccarat_round", "All rounds of this table", q=str(table)) if rounds else ""
    columns = ("Round", "Phase", "Cards", "Won by", "Wagers", "Opened")
    return game.round_grid("Latest rounds", rounds, columns=columns, note=note)
