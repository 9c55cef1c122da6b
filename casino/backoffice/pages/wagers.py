"""Wagers: their list and pages."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from baccarat.domain.rules.spots import spot_title
from baccarat.storage.models import Wager
from casino.backoffice import game, html
from casino.backoffice.columns import LabelledRowsAdmin, column, money_column, time_column
from casino.backoffice.filters import brand_filter, money_type_filter, operator_filter, since_by_uuid
from casino.backoffice.sections import Section


@admin.register(Wager)
class WagerAdmin(LabelledRowsAdmin):
    """Every confirmed wager, newest rounds first. Found by its id, or by that of its player or round."""

    names = ("player",)
    list_display = ("seat_", "player", "round", "table", "money", "spots", "staked_", "returned_", "net", "confirmed")
    list_filter = (
        game.preset_filter("preset"),
        money_type_filter(),
        operator_filter(),
        brand_filter("player_id"),
        since_by_uuid("round_id"),
    )
    ordering = ("-round_id", "seat")
    search_fields = ("pk", "player_id", "round_id")
    search_help_text = "id of a wager, a player or a round"
    seat_ = column("wager", lambda wager: f"Seat {wager.seat}")
    round = column("round", game.round_link)
    money = column("money", lambda wager: game.money_type_badge(wager.money_type))
    spots = column("on", lambda wager: ", ".join(spot_title(spot) for spot in wager.stakes))
    staked_ = money_column("staked", "staked")
    returned_ = money_column("returned", "returned")
    net = column("net", game.net_of)
    confirmed = time_column("confirmed_at", "confirmed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return game.with_round_numbers(super().get_queryset(request))

    def title_of(self, obj: Any) -> str:
        return f"Seat {obj.seat} in round {obj.round_number} at {obj.table_name}"

    def sections(self, _request: HttpRequest, obj: Wager) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("player", "operator", "table", "round", "seat", "preset", "money"),
            ("Stakes", game.stakes_of(obj, with_currency=True)),
            ("Staked", self.staked_(obj)),
            ("Won", html.money(obj.won, obj.currency)),
            ("Commission", html.money(obj.commission, obj.currency)),
            *("returned_", "net"),
            ("Confirmed", html.moment(obj.confirmed_at, fine=True)),
            ("Settled", html.moment(obj.settled_at, fine=True)),
            "pk",
        )
        return (facts,)
