"""What is shown: the answers of the baccarat API, for its document."""

from enum import StrEnum
from typing import Any

from rest_framework import serializers

from baccarat.domain.rounds.ceremony_events import HandedBackBy
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rounds.void_events import VoidReason
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import StakeResult
from baccarat.domain.rules.table_rules import CommissionTiming, Shuffle, SpotsPerRound, UnderMinimumPolicy
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.queries.low_balance import FundingAvailability, FundingMethod, FundingRefusal
from casino.api.fields import MoneySerializer
from casino.kernel.money import MoneyType


def one_of(*choices: StrEnum, **options: Any) -> serializers.ChoiceField:
    """Make a field of an answer that holds one of a few words."""
    return serializers.ChoiceField([choice.value for choice in choices], **options)


class StakeShown(serializers.Serializer[Any]):
    spot = one_of(*Spot)
    amount = serializers.CharField()


class SpotResultShown(serializers.Serializer[Any]):
    spot = one_of(*Spot)
    stake = serializers.CharField()
    result = one_of(*StakeResult)
    win = serializers.CharField(help_text="Gross, without the stake.")
    commission = serializers.CharField()
    returned = serializers.CharField()


class ResultShown(serializers.Serializer[Any]):
    """What a wager came to."""

    staked = serializers.CharField()
    won = serializers.CharField()
    commission = serializers.CharField()
    commission_deferred = serializers.BooleanField()
    returned = serializers.CharField()
    spots = SpotResultShown(many=True)


class SeatVoidShown(serializers.Serializer[Any]):
    """How a wager of a void round was undone; other players' purses are left out."""

    stake_returned = serializers.CharField()
    winnings_taken = serializers.CharField(help_text="What the settlement had brought.")
    to_game = serializers.CharField(required=False)
    to_account = serializers.CharField(required=False)
    from_game = serializers.CharField(required=False)
    from_account = serializers.CharField(required=False)
    owed = serializers.CharField(required=False, help_text="Spent before the void, and owed from now on.")
    forgiven = serializers.CharField(required=False)


class VoidShown(serializers.Serializer[Any]):
    """Malfunction voids all pays and plays: every stake, payout and commission of the round was undone."""

    reason = one_of(*VoidReason)
    voided_at = serializers.DateTimeField()


class RoundSeatShown(serializers.Serializer[Any]):
    """A seat's part in a round."""

    seat = serializers.IntegerField()
    player = serializers.UUIDField(allow_null=True, help_text="For the operator's eyes; null for a player.")
    you = serializers.BooleanField()
    money_type = one_of(*MoneyType)
    standing = one_of(*SeatStatus)
    placed = StakeShown(many=True)
    wager = StakeShown(many=True, allow_null=True)
    raised = StakeShown(many=True, allow_null=True, help_text="What was added to reach the minimum.")
    confirmed_at = serializers.DateTimeField(allow_null=True)
    result = ResultShown(allow_null=True)
    void = SeatVoidShown(allow_null=True)


class HandShown(serializers.Serializer[Any]):
    cards = serializers.ListField(child=serializers.CharField())
    total = serializers.IntegerField(allow_null=True)


class CeremonyShown(serializers.Serializer[Any]):
    """The Player's two cards, face down, with the seat of the highest Player wager."""

    seat = serializers.IntegerField()
    you = serializers.BooleanField()
    until = serializers.DateTimeField(help_text="Then the cards go back by themselves.")
    looked = serializers.BooleanField()
    handed_back = one_of(*HandedBackBy, allow_null=True, help_text="Who ended it; null while the seat has the cards.")


class LookShown(serializers.Serializer[Any]):
    """The Player's two cards, for the one player who holds them."""

    cards = serializers.ListField(child=serializers.CharField())
    until = serializers.DateTimeField()


class ContributionShown(serializers.Serializer[Any]):
    """What a seat added to the cut of a shoe."""

    seat = serializers.IntegerField()
    contribution = serializers.CharField(help_text="1 to 32 bytes in hex.")


class RoundShown(serializers.Serializer[Any]):
    """A round: cards as rank and suit ("9h", "Td"), in deal order and by hand."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    number = serializers.IntegerField()
    rules = serializers.CharField(help_text="Preset and rules version, such as mini@1.")
    currency = serializers.CharField(help_text="ISO 4217: of every amount in here.")
    phase = one_of(*(phase for phase in Phase if phase is not Phase.UNOPENED))
    opened_at = serializers.DateTimeField()
    deadline_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    commitment = serializers.CharField(allow_null=True, help_text="Of the round's own shoe; its seed opens it.")
    shoe = serializers.UUIDField()
    contributions = ContributionShown(many=True, help_text="To the round's own shoe.")
    cut = serializers.CharField(
        allow_null=True, help_text='Fixed when betting closes, in hex; "" if nobody contributed to a shoe of its own.'
    )
    seed = serializers.CharField(allow_null=True)
    cards = serializers.ListField(child=serializers.CharField())
    player_hand = HandShown()
    banker_hand = HandShown()
    natural = serializers.BooleanField(allow_null=True)
    outcome = one_of(*Outcome, allow_null=True)
    suspended = serializers.BooleanField()
    void = VoidShown(allow_null=True)
    ceremony = CeremonyShown(allow_null=True, help_text="At a table with a Caller, where somebody bet on Player.")
    seats = RoundSeatShown(many=True)


class RoundPage(serializers.Serializer[Any]):
    items = RoundShown(many=True)
    next = serializers.CharField(allow_null=True)


class EventShown(serializers.Serializer[Any]):
    """An event as recorded."""

    version = serializers.IntegerField()
    type = serializers.CharField()
    schema = serializers.IntegerField()
    data = serializers.DictField()  # type: ignore[assignment]
    recorded_at = serializers.DateTimeField()


class EventList(serializers.Serializer[Any]):
    items = EventShown(many=True)


class SeatShown(serializers.Serializer[Any]):
    """A taken seat."""

    seat = serializers.IntegerField()
    player = serializers.UUIDField(allow_null=True, help_text="For the operator's eyes; null for a player.")
    you = serializers.BooleanField()
    money_type = one_of(*MoneyType)
    commission_owed = serializers.CharField()


class ShoeShown(serializers.Serializer[Any]):
    """The long shoe in play."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    cards_used = serializers.IntegerField()
    commitment = serializers.CharField()
    cut = serializers.CharField(help_text='In hex; "" if nobody contributed.')
    root = serializers.CharField(allow_null=True, help_text="The Merkle root of all its cards, in hex.")  # type: ignore[assignment]


class NextShoeShown(serializers.Serializer[Any]):
    """The shoe that the table has committed to and that comes next: a long one, or that of the next round.

    A long one takes contributions to its cut until it starts; that of a round does while betting on the round is open.
    """

    id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="The long shoe's at its table, or that of the round it is for.")
    commitment = serializers.CharField()
    contributions = ContributionShown(many=True)


class ClosedShown(serializers.Serializer[Any]):
    """Why a way is closed, and until when as far as that is known (a self-exclusion lasts until it is ended)."""

    code = one_of(*FundingRefusal)
    until = serializers.DateTimeField(allow_null=True)


class WayShown(serializers.Serializer[Any]):
    """One way to more chips; fields that do not concern it are null."""

    way = one_of(*FundingMethod)
    possible = serializers.BooleanField(help_text="False: `closed` tells why.")
    closed = ClosedShown(allow_null=True)
    when = one_of(*FundingAvailability, help_text="`after_round`: a wager is in play, and has to be settled first.")
    deadline_at = serializers.DateTimeField(allow_null=True, help_text="By when betting on that wager's round closes.")
    amount = MoneySerializer(allow_null=True, help_text="The most for a rebuy; the last amount for a quick deposit.")
    method = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="The method's.")


class ShortageShown(serializers.Serializer[Any]):
    """The game balance is under the table's minimum."""

    code = serializers.CharField()
    minimum = MoneySerializer()
    missing = MoneySerializer()
    ways = WayShown(many=True)


class YouShown(serializers.Serializer[Any]):
    """The caller's own part of the table."""

    seat = serializers.IntegerField()
    money_type = one_of(*MoneyType)
    game_balance = MoneySerializer()
    under_minimum = serializers.BooleanField(help_text="True: rebuy or deposit before the next wager.")
    notice = ShortageShown(allow_null=True, help_text="The ways out, where the game balance is under the minimum.")
    commission_owed = MoneySerializer()
    in_round = serializers.BooleanField()
    standing = one_of(*SeatStatus, allow_null=True, help_text="In the round in hand; null for one who waits.")
    last_wager = StakeShown(many=True, allow_null=True)


class StoppedShown(serializers.Serializer[Any]):
    """Nothing new starts at the table: the round in hand goes on with what is confirmed in it."""

    scope = one_of(
        *(scope for scope in StopScope if scope is not StopScope.PLAYER), help_text="How far the stop reaches."
    )
    says = serializers.CharField(help_text="Why, in words for players.")
    since = serializers.DateTimeField()


class TableState(serializers.Serializer[Any]):
    """A table after an action."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    currency = serializers.CharField()
    seats = SeatShown(many=True)
    shoe = ShoeShown(allow_null=True)
    next_shoe = NextShoeShown(allow_null=True)
    round = RoundShown(allow_null=True)
    you = YouShown(allow_null=True)
    stopped = StoppedShown(allow_null=True, help_text="Null while the table plays.")
    server_time = serializers.DateTimeField()


class CommissionShown(serializers.Serializer[Any]):
    rate = serializers.CharField()
    rounding = serializers.CharField(allow_null=True)
    timing = one_of(*CommissionTiming)


class RulesShown(serializers.Serializer[Any]):
    """How a table plays."""

    preset = serializers.CharField()
    version = serializers.IntegerField()
    currency = serializers.CharField()
    decks = serializers.IntegerField()
    shuffle = one_of(*Shuffle)
    seats = serializers.IntegerField()
    chips = serializers.ListField(child=serializers.CharField())
    minimum = serializers.CharField()
    maximum = serializers.CharField()
    spots_per_round = one_of(*SpotsPerRound)
    player_pays = serializers.CharField()
    banker_pays = serializers.CharField()
    tie_pays = serializers.CharField()
    commission = CommissionShown(allow_null=True)
    under_minimum = one_of(*UnderMinimumPolicy)
    turn_seconds = serializers.IntegerField(allow_null=True)
    caller = serializers.BooleanField()
    play_money = serializers.BooleanField()
    cut_cards_from_end = serializers.IntegerField(allow_null=True, help_text="Where the cut card lies in a shoe.")
    burn = serializers.BooleanField(help_text="Whether cards are burned after the shuffle.")
    seat_kept_rounds = serializers.IntegerField(
        allow_null=True, help_text="How many turns may run out before an absent player's seat is freed."
    )
    look_seconds = serializers.IntegerField(
        allow_null=True, help_text="The Caller's ceremony: how long a seat has the cards before it looks; null: none."
    )
    hand_back_seconds = serializers.IntegerField(allow_null=True, help_text="And how long after it has looked.")


class TableShown(TableState):
    """A table with its rules and its last round that was settled or voided."""

    money_types = serializers.ListField(child=one_of(*MoneyType))
    rules = RulesShown()
    last_round = RoundShown(allow_null=True)


class TableLine(serializers.Serializer[Any]):
    """A table in the list."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    preset = serializers.CharField()
    currency = serializers.CharField()
    money_types = serializers.ListField(child=one_of(*MoneyType))
    minimum = serializers.CharField()
    maximum = serializers.CharField()
    seats = serializers.IntegerField()
    seats_taken = serializers.IntegerField()
    turn_seconds = serializers.IntegerField(allow_null=True)


class TablePage(serializers.Serializer[Any]):
    items = TableLine(many=True)
    next = serializers.CharField(allow_null=True)
