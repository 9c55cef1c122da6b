"""Wagers: what each seat confirmed in each round, and what it came to."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from baccarat.admin import parts
from baccarat.admin.words import stakes_in_words
from baccarat.models import Wager
from baccarat.rules.wagers import Spot
from casino.admin import marks
from casino.admin.filters import since_by_uuid
from casino.admin.readonly import ReadOnlyAdmin, as_uuid
from casino.admin.sections import Facts, Section
from casino.kernel.money import text
from casino.operators.admin import operator_filter
from casino.operators.models import Player
from wallet.admin import book_badge, book_filter


@admin.register(Wager)
class WagerAdmin(ReadOnlyAdmin):
    """Every confirmed wager, newest rounds first. Found by the id of its player or its round."""

    list_display = ("title", "player", "round", "table", "book", "put", "stake", "back", "net", "time")
    list_filter = (parts.preset_filter("preset"), book_filter, operator_filter(), since_by_uuid("round_id"))
    ordering = ("-round_id", "seat")
    search_help_text = "id of a player or a round"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Wager]:
        """This will add names, in the same query."""
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        named: QuerySet[Wager] = parts.with_numbers(parts.with_names(super().get_queryset(request), table=True))
        return named.annotate(nickname=Subquery(nickname))

    def found_by(self, term: str) -> Q | None:
        """This will look for the id of a player or of a round."""
        identity = as_uuid(term)
        return Q(pk=term) if identity is None else Q(player_id=identity) | Q(round_id=identity)

    @admin.display(description="wager")
    def title(self, wager: Wager) -> str:
        """The seat."""
        return f"Seat {wager.seat}"

    @admin.display(description="player")
    def player(self, wager: Any) -> SafeString | str:
        """Whose it is."""
        return marks.page("player", wager.player_id, wager.nickname or marks.short(wager.player_id))

    @admin.display(description="round")
    def round(self, wager: Any) -> SafeString | str:
        """The round."""
        return parts.round_link(wager)

    @admin.display(description="table")
    def table(self, wager: Any) -> SafeString | str:
        """The table."""
        return marks.page("table", wager.table_id, wager.table_name or marks.short(wager.table_id))

    @admin.display(description="book")
    def book(self, wager: Wager) -> SafeString:
        """Real or play money."""
        return book_badge(wager.book)

    @admin.display(description="on")
    def put(self, wager: Wager) -> str:
        """The spots."""
        return ", ".join(spot.capitalize() for spot in wager.stakes)

    @admin.display(description="staked")
    def stake(self, wager: Wager) -> SafeString | str:
        """The stakes together."""
        return marks.money(wager.staked, wager.currency)

    @admin.display(description="returned")
    def back(self, wager: Wager) -> SafeString | str:
        """What came back."""
        return marks.money(wager.returned, wager.currency)

    @admin.display(description="net")
    def net(self, wager: Wager) -> SafeString | str:
        """What the player won or lost."""
        if wager.returned is None:
            return marks.badge("in play", "warn")
        return marks.money(wager.returned - wager.staked, wager.currency, signed=True)

    @admin.display(description="confirmed (UTC)")
    def time(self, wager: Wager) -> SafeString | str:
        """When it was confirmed."""
        return marks.moment(wager.confirmed_at)

    def sections(self, request: HttpRequest, obj: Wager) -> Sequence[Section]:
        """This will show one wager."""
        del request
        stakes = {Spot(spot): amount for spot, amount in obj.stakes.items()}
        facts = (
            ("Player", self.player(obj)),
            ("Operator", parts.operator_link(obj)),
            ("Table", self.table(obj)),
            ("Round", self.round(obj)),
            ("Seat", str(obj.seat)),
            ("Preset", obj.preset),
            ("Book", self.book(obj)),
            ("Stakes", stakes_in_words(stakes, lambda minor: f"{text(minor, obj.currency)} {obj.currency}")),
            ("Staked", self.stake(obj)),
            ("Won", marks.money(obj.won, obj.currency)),
            ("Commission", marks.money(obj.commission, obj.currency)),
            ("Returned", self.back(obj)),
            ("Net", self.net(obj)),
            ("Confirmed (UTC)", marks.moment(obj.confirmed_at, fine=True)),
            ("Settled (UTC)", marks.moment(obj.settled_at, fine=True)),
        )
        return (Facts("Wager", facts),)
