"""Wagers: what each seat confirmed in each round, and what it came to."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from baccarat.domain.rules.wagers import Spot
from baccarat.storage.models import Wager
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import since_by_uuid
from casino.backoffice.pages import baccarat_parts
from casino.backoffice.pages.ledger import money_type_badge, money_type_filter
from casino.backoffice.pages.narrative import stakes_in_words
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Facts, Section
from casino.kernel.money import format_amount
from casino.operators.models import Player


@admin.register(Wager)
class WagerAdmin(ReadOnlyAdmin):
    """Every confirmed wager, newest rounds first. Found by the id of its player or its round."""

    list_display = ("title", "player", "round", "table", "money_type", "put", "stake", "back", "net", "time")
    list_filter = (
        baccarat_parts.preset_filter("preset"),
        money_type_filter,
        operator_filter(),
        since_by_uuid("round_id"),
    )
    ordering = ("-round_id", "seat")
    search_help_text = "id of a player or a round"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Wager]:
        """Add names, in the same query."""
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        named: QuerySet[Wager] = baccarat_parts.with_numbers(
            baccarat_parts.with_names(super().get_queryset(request), table=True)
        )
        return named.annotate(nickname=Subquery(nickname))

    def found_by(self, term: str) -> Q | None:
        """Look for the id of a player or of a round."""
        identity = as_uuid(term)
        return Q(pk=term) if identity is None else Q(player_id=identity) | Q(round_id=identity)

    @admin.display(description="wager")
    def title(self, wager: Wager) -> str:
        return f"Seat {wager.seat}"

    @admin.display(description="player")
    def player(self, wager: Any) -> SafeString | str:
        return html.page("player", wager.player_id, wager.nickname or html.short(wager.player_id))

    @admin.display(description="round")
    def round(self, wager: Any) -> SafeString | str:
        return baccarat_parts.round_link(wager)

    @admin.display(description="table")
    def table(self, wager: Any) -> SafeString | str:
        return html.page("table", wager.table_id, wager.table_name or html.short(wager.table_id))

    @admin.display(description="money_type")
    def money_type(self, wager: Wager) -> SafeString:
        """Real or play money."""
        return money_type_badge(wager.money_type)

    @admin.display(description="on")
    def put(self, wager: Wager) -> str:
        return ", ".join(spot.capitalize() for spot in wager.stakes)

    @admin.display(description="staked")
    def stake(self, wager: Wager) -> SafeString | str:
        return html.money(wager.staked, wager.currency)

    @admin.display(description="returned")
    def back(self, wager: Wager) -> SafeString | str:
        return html.money(wager.returned, wager.currency)

    @admin.display(description="net")
    def net(self, wager: Wager) -> SafeString | str:
        """What the player won or lost."""
        if wager.returned is None:
            return html.badge("in play", "warn")
        return html.money(wager.returned - wager.staked, wager.currency, signed=True)

    @admin.display(description="confirmed (UTC)")
    def time(self, wager: Wager) -> SafeString | str:
        """When it was confirmed."""
        return html.moment(wager.confirmed_at)

    def sections(self, request: HttpRequest, obj: Wager) -> Sequence[Section]:
        del request
        stakes = {Spot(spot): amount for spot, amount in obj.stakes.items()}
        facts = (
            ("Player", self.player(obj)),
            ("Operator", baccarat_parts.operator_link(obj)),
            ("Table", self.table(obj)),
            ("Round", self.round(obj)),
            ("Seat", str(obj.seat)),
            ("Preset", obj.preset),
            ("Book", self.money_type(obj)),
            ("Stakes", stakes_in_words(stakes, lambda minor: f"{format_amount(minor, obj.currency)} {obj.currency}")),
            ("Staked", self.stake(obj)),
            ("Won", html.money(obj.won, obj.currency)),
            ("Commission", html.money(obj.commission, obj.currency)),
            ("Returned", self.back(obj)),
            ("Net", self.net(obj)),
            ("Confirmed (UTC)", html.moment(obj.confirmed_at, fine=True)),
            ("Settled (UTC)", html.moment(obj.settled_at, fine=True)),
        )
        return (Facts("Wager", facts),)
