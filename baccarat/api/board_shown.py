"""What is shown of boards and of the lobby, for the API's document. Columns and rows count from 1."""

from typing import Any

from rest_framework import serializers

from baccarat.api.serializers import one_of
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.board import WINNERS
from baccarat.domain.rules.roads.derived import Colour
from casino.api.fields import MoneyTypeField, StrictSerializer
from casino.kernel.money import MoneyType


class TotalsShown(serializers.Serializer[Any]):
    """How often each outcome came in the run."""

    banker = serializers.IntegerField()
    player = serializers.IntegerField()
    tie = serializers.IntegerField()
    hands = serializers.IntegerField()


class MarkShown(serializers.Serializer[Any]):
    """A round on the board; a pair is a side's first two cards of one rank."""

    number = serializers.IntegerField()
    outcome = one_of(*Outcome)
    player_pair = serializers.BooleanField()
    banker_pair = serializers.BooleanField()
    natural = serializers.BooleanField()


class BeadShown(MarkShown):
    column = serializers.IntegerField()
    row = serializers.IntegerField()


class PlaceShown(serializers.Serializer[Any]):
    """Logical place: streak and depth in it. Display place: column and row, in six rows."""

    streak = serializers.IntegerField()
    depth = serializers.IntegerField()
    column = serializers.IntegerField()
    row = serializers.IntegerField()


class BigCellShown(PlaceShown):
    winner = one_of(*WINNERS)
    number = serializers.IntegerField(help_text="The round's.")
    ties = serializers.IntegerField(help_text="Ties after this win and before the next.")


class BigRoadShown(serializers.Serializer[Any]):
    leading_ties = serializers.IntegerField(help_text="Ties before the first win; drawn on the first cell.")
    cells = BigCellShown(many=True)


class DerivedShown(PlaceShown):
    colour = one_of(*Colour)


class ColoursShown(serializers.Serializer[Any]):
    """The next mark of each derived road; null: none."""

    big_eye_boy = one_of(*Colour, allow_null=True)
    small_road = one_of(*Colour, allow_null=True)
    cockroach_pig = one_of(*Colour, allow_null=True)


class AskShown(serializers.Serializer[Any]):
    """What the derived roads would get if the next round went to Banker or to Player."""

    banker = ColoursShown()
    player = ColoursShown()


class BoardShown(serializers.Serializer[Any]):
    """The board of a table's run of rounds."""

    table = serializers.UUIDField()
    shoe = serializers.IntegerField(allow_null=True, help_text="The shoe's number; null where each round has its own.")
    board_capacity = serializers.IntegerField(
        allow_null=True, help_text="Where each round has a shoe of its own: after so many marks the board is wiped."
    )
    totals = TotalsShown()
    columns = serializers.ListField(child=serializers.CharField(), help_text='B, P and - for a tie: ["BB-", "P"].')
    bead_plate = BeadShown(many=True)
    big_road = BigRoadShown()
    big_eye_boy = DerivedShown(many=True)
    small_road = DerivedShown(many=True)
    cockroach_pig = DerivedShown(many=True)
    ask = AskShown()


class LobbySeatShown(serializers.Serializer[Any]):
    """The caller's own seat."""

    seat = serializers.IntegerField()
    money_type = one_of(*MoneyType)


class LobbyLine(serializers.Serializer[Any]):
    """A table in the lobby."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    money_types = serializers.ListField(child=one_of(*MoneyType))
    preset = serializers.CharField()
    currency = serializers.CharField()
    chips = serializers.ListField(child=serializers.CharField())
    minimum = serializers.CharField()
    maximum = serializers.CharField()
    turn_seconds = serializers.IntegerField(allow_null=True)
    caller = serializers.BooleanField()
    seats = serializers.IntegerField()
    free_seats = serializers.ListField(child=serializers.IntegerField())
    you = LobbySeatShown(allow_null=True)
    phase = one_of(*(phase for phase in Phase if phase is not Phase.UNOPENED), allow_null=True)
    round_number = serializers.IntegerField(allow_null=True)
    deadline_at = serializers.DateTimeField(allow_null=True)
    shoe = serializers.IntegerField(allow_null=True)
    board_capacity = serializers.IntegerField(allow_null=True)
    totals = TotalsShown()
    results = MarkShown(many=True, help_text="The last 20 marks of the run, the newest last.")


class LobbyPage(serializers.Serializer[Any]):
    items = LobbyLine(many=True)
    next = serializers.CharField(allow_null=True)


class StatisticsQuery(StrictSerializer):
    """Which run a board may be asked for."""

    shoe = serializers.IntegerField(required=False, default=None, min_value=1, max_value=1_000_000)


class LobbyQuery(StrictSerializer):
    """What a lobby may be asked for."""

    money_type = MoneyTypeField(required=False, default=None)
