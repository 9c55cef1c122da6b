"""Wagers: what each seat confirmed in each round, and its result."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from baccarat.storage.models import Wager
from casino.backoffice import game, html
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column, money_column, time_column
from casino.backoffice.filters import money_type_filter, operator_filter, since_by_uuid
from casino.backoffice.sections import Facts, Section


@admin.register(Wager)
class WagerAdmin(LabelledRowsAdmin):
    """Every confirmed wager, newest rounds first. Found by the id of its player or its round."""

    names = ("player",)
    list_display = ("seat_", "player", "round", "table", "money", "spots", "staked_", "returned_", "net", "confirmed")
    list_filter = (game.preset_filter("preset"), money_type_filter(), operator_filter(), since_by_uuid("round_id"))
    ordering = ("-round_id", "seat")
    search_help_text = "id of a player or a round"
    seat_ = column("wager", lambda wager: f"Seat {wager.seat}")
    round = column("round", game.round_link)
    money = column("money", lambda wager: game.money_type_badge(wager.money_type))
    spots = column("on", lambda wager: ", ".join(spot.capitalize() for spot in wager.stakes))
    staked_ = money_column("staked", "staked")
    returned_ = money_column("returned", "returned")
    net = column("net", game.net_of)
    confirmed = time_column("confirmed_at", "confirmed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add operator, table and round."""
        return game.with_round_numbers(super().get_queryset(request))

    def search_condition(self, term: str) -> Q | None:
        """Search for the id of a player or of a round."""
        identity = as_uuid(term)
        return Q(pk=term) if identity is None else Q(player_id=identity) | Q(round_id=identity)

    def sections(self, _request: HttpRequest, obj: Wager) -> Sequence[Section]:
        facts = (
            *self.facts(obj, "player", "operator", "table", "round", "seat", "preset", "money"),
            ("Stakes", game.stakes_of(obj, with_currency=True)),
            ("Staked", self.staked_(obj)),
            ("Won", html.money(obj.won, obj.currency)),
            ("Commission", html.money(obj.commission, obj.currency)),
            *self.facts(obj, "returned_", "net"),
            ("Confirmed (UTC)", html.moment(obj.confirmed_at, fine=True)),
            ("Settled (UTC)", html.moment(obj.settled_at, fine=True)),
        )
        return (Facts("Wager", facts),)
