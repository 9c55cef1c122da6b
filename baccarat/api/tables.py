"""Tables: list, open, show with their odds, close."""

from typing import Any, Final
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import refusals
from baccarat.api.rounds import viewer
from baccarat.api.rules import TableRulesRequest
from baccarat.domain.rules.odds import odds_sheet
from baccarat.queries import fairness, tables
from baccarat.queries.fairness import TableFairness
from baccarat.queries.odds_view import Odds, present_odds
from baccarat.queries.table_view import TableResponse
from baccarat.queries.tables import TablePage
from baccarat.services import closing, opening
from casino.api import paging
from casino.api.fields import CurrencyField, FlagField, MoneyTypeField, StrictSerializer, TextField, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.kernel.money import MoneyType
from casino.operators.auth import OperatorKeyAuthentication, OperatorOrPlayerAuthentication
from casino.operators.base_views import OperatorOrPlayerView, OperatorView, metadata

OPEN_TABLE_EXAMPLE: Final = {
    "name": "High limits",
    "preset": "mini",
    "currency": "EUR",
    "money_types": ["real", "play"],
    "rules": {
        "chips": ["25.00", "100.00", "500.00"],
        "minimum": "25.00",
        "maximum": "5000.00",
        "tie_pays": "9:1",
        "commission": {"rate": "5/100", "rounding": "1/4", "timing": "settlement"},
    },
}


class TableRequest(StrictSerializer):
    """A new table: a preset, who may play with what, and the operator's own values."""

    name = TextField(max_length=80)
    preset = TextField(max_length=40)
    currency = CurrencyField()
    money_types = serializers.ListField(child=MoneyTypeField(), allow_empty=False, max_length=2)
    accept_player_edge = FlagField(required=False, default=False)
    acknowledgement = TextField(max_length=500, required=False, default="")
    rules = TableRulesRequest(required=False, default=dict)

    def validate_money_types(self, money_types: list[MoneyType]) -> list[MoneyType]:
        """Refuse a money type that comes twice."""
        if len(set(money_types)) != len(money_types):
            raise ValidationError("A money type comes twice.", code=refusals.DuplicateMoneyType.code)
        return money_types


class TableClosureRequest(StrictSerializer):
    """Why a table is closed for good."""

    reason = TextField(max_length=500, help_text="Why. Kept for good: name no player in it.")


class TablesView(OperatorOrPlayerView):
    def get_authenticators(self) -> list[Any]:
        """Let operators alone open tables."""
        return (
            [OperatorKeyAuthentication()]
            if getattr(self.request, "method", None) == "POST"
            else [OperatorOrPlayerAuthentication()]
        )

    @operation("listTables", "List the operator's tables", returns=TablePage, parameters=paging.PARAMETERS)
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        after = None if page.after is None else paging.parse_uuid(page.after[0])
        rows = tables.list_tables(operator=self.caller.operator, after=after, limit=page.fetch_limit)
        return Response(paging.page(TablePage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))

    @operation(
        "openTable",
        "Open a table",
        returns=TableResponse,
        status=201,
        request=TableRequest,
        example=OPEN_TABLE_EXAMPLE,
        description=(
            "Presets: atlantic_city, overview, mini, classic, big_table. `rules` are your own values; what is left out "
            "is the preset's. Rules that give the player an edge open for real money only with accept_player_edge: "
            "true; where a spot returns less than the operator's floor, send the `required_acknowledgement` of "
            "`return_under_floor`, word by word, as the acknowledgement."
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, operator = parse_body(TableRequest, request), self.caller.operator
        table = opening.open_table(
            operator=operator,
            name=body["name"],
            preset=body["preset"],
            currency=body["currency"],
            money_types=body["money_types"],
            edge_accepted=body["accept_player_edge"],
            overrides=body["rules"],
            acknowledgement=body["acknowledgement"],
            metadata=metadata(request),
        )
        return Response(tables.load_table(table=table, operator=operator, viewer=None), status=201)


class TableView(OperatorOrPlayerView):
    @operation(
        "getTable",
        "Show a table",
        returns=TableResponse,
        description=(
            "Seats, chips, wagers, cards, time left, and for a player their own seat and balance: everything that is "
            "needed to draw it."
        ),
    )
    def get(self, request: Request, table: UUID) -> Response:
        del request
        caller = self.caller
        return Response(tables.load_table(table=table, operator=caller.operator, viewer=viewer(caller)))


class TableOddsView(OperatorOrPlayerView):
    @operation("getTableOdds", "Show what each spot returns, exactly", returns=Odds)
    def get(self, request: Request, table: UUID) -> Response:
        del request
        rules = tables.rules_of_table(table=table, operator=self.caller.operator)
        return Response(present_odds(odds_sheet(rules)))


class CloseTableView(OperatorView):
    @operation(
        "closeTable",
        "Close a table for good",
        returns=TableFairness,
        request=TableClosureRequest,
        example={"reason": "Worn out"},
        description=(
            "From now on nothing new starts there. What is confirmed is dealt and settled; then every seat is "
            "released, the money goes back to the accounts, and the seeds of its long shoe and of the one it has "
            "committed to ahead are revealed, so that no shoe is given up for its cards. Without a round in hand all "
            "of that is done at once. The table stays readable. Answers with its shoes: while `closed` is false, the "
            "round in hand goes on."
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        operator, reason = self.caller.operator, parse_body(TableClosureRequest, request)["reason"]
        closing.close_table(table=table, operator=operator, reason=reason, metadata=metadata(request))
        return Response(fairness.table_fairness(table=table, operator=operator))
