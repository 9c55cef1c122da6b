"""What is read: the bodies of requests, strict, each fault with a code of its own."""

import re
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from baccarat.api import refusals
from baccarat.domain.fairness.cut import MAX_CONTRIBUTION_BYTES, MalformedContribution, parse_contribution
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    Shuffle,
    SpotsPerRound,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.wagers import Spot
from casino.api.fields import (
    AmountField,
    CurrencyField,
    EnumField,
    FlagField,
    MoneyTypeField,
    StrictSerializer,
    TextField,
    WholeNumberField,
)
from casino.kernel.money import MoneyType

ODDS: Final = r"^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$"
SHARE: Final = r"^[1-9][0-9]{0,4}/[1-9][0-9]{0,4}$"


class SpotField(EnumField):
    """`player`, `banker` or `tie` (`unknown_spot` otherwise)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Spot, **options)

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except ValidationError as error:
            if error.get_codes() != ["unknown_choice"]:
                raise
            raise ValidationError(f"{data[:40]!r} is no spot.", code=refusals.UnknownSpot.code) from None


class RatioField(serializers.Field[Ratio, Any, str, Ratio]):
    """Two whole numbers in text, such as "8:1" (`ratio_malformed` otherwise)."""

    pattern: str

    def to_internal_value(self, data: Any) -> Ratio:
        """Read the ratio as it stands, not in lowest terms."""
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        if not re.fullmatch(self.pattern, data, re.ASCII):
            raise ValidationError(f"{data[:40]!r} is no ratio of this form.", code=refusals.RatioMalformed.code)
        first, second = re.split("[:/]", data)
        return Ratio(int(first), int(second))

    def to_representation(self, value: Ratio) -> str:
        """Print the ratio as odds."""
        return str(value)


@extend_schema_field({"type": "string", "pattern": ODDS, "examples": ["8:1"]})
class OddsField(RatioField):
    """What a spot pays, such as "8:1"."""

    pattern = ODDS


@extend_schema_field({"type": "string", "pattern": SHARE, "examples": ["5/100"]})
class ShareField(RatioField):
    """An exact share, such as "5/100"."""

    pattern = SHARE


@extend_schema_field(
    {
        "type": "string",
        "pattern": f"^([0-9a-fA-F]{{2}}){{1,{MAX_CONTRIBUTION_BYTES}}}$",
        "examples": ["9f2c5e7a41b0d863"],
    }
)
class ContributionField(serializers.Field[str, Any, str, str]):
    """1 to 32 bytes in hex (`contribution_malformed` otherwise)."""

    def to_internal_value(self, data: Any) -> str:
        """Read the bytes and write them in lower case."""
        if not isinstance(data, str):
            raise ValidationError("A contribution is text.", code="not_a_string")
        try:
            return parse_contribution(data).hex()
        except MalformedContribution as malformed:
            raise ValidationError(str(malformed), code=refusals.ContributionMalformed.code) from None

    def to_representation(self, value: str) -> str:
        return value


class Cut(StrictSerializer):
    """What a player adds to the shoe."""

    contribution = ContributionField()


class Nothing(StrictSerializer):
    """A body without fields: {}."""


class SeatTake(StrictSerializer):
    """Where to sit, and with how much from the account."""

    seat = WholeNumberField()
    buy_in = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField()
    contribution = ContributionField(required=False)


class SeatChange(StrictSerializer):
    """The seat to move to."""

    seat = WholeNumberField()


class RebuyAmount(StrictSerializer):
    """How much to move from the account to the game balance."""

    amount = AmountField()
    currency = CurrencyField()


class Chips(StrictSerializer):
    """Chips for one spot."""

    spot = SpotField()
    amount = AmountField()
    currency = CurrencyField()


class Stake(StrictSerializer):
    """A stake on one spot."""

    spot = SpotField()
    amount = AmountField()


class Deal(StrictSerializer):
    """Nothing, to confirm the chips on the table; or the whole wager, which replaces them, with its currency.

    A contribution goes to the cut of the round's own shoe, also with stakes that open it, or of the next long one.
    """

    stakes = Stake(many=True, required=False)
    currency = CurrencyField(required=False)
    contribution = ContributionField(required=False)

    def validate_stakes(self, stakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse a wager without stakes, and a spot named twice."""
        if not stakes:
            raise ValidationError("The list is empty.", code=refusals.NoStakes.code)
        if len({stake["spot"] for stake in stakes}) != len(stakes):
            raise ValidationError("A spot is named twice.", code=refusals.SpotNamedTwice.code)
        return stakes

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse amounts without their currency."""
        if "stakes" in attrs and "currency" not in attrs:
            raise ValidationError({"currency": [ErrorDetail("Amounts need their currency.", code="required")]})
        return attrs


class OwnCommission(StrictSerializer):
    """The house's share of a Banker win; `rounding` is a share of the lowest chip, null keeps it exact."""

    rate = ShareField()
    rounding = ShareField(allow_null=True)
    timing = EnumField(CommissionTiming)

    def validate(self, attrs: dict[str, Any]) -> Any:
        return Commission(**attrs)


class OwnRules(StrictSerializer):
    """An operator's own values for a table; what is left out is the preset's."""

    seats = WholeNumberField(required=False)
    decks = WholeNumberField(required=False)
    shuffle = EnumField(Shuffle, required=False)
    cut_cards_from_end = WholeNumberField(required=False, allow_null=True)
    burn = FlagField(required=False)
    seat_kept_rounds = WholeNumberField(required=False, allow_null=True)
    chips = serializers.ListField(child=AmountField(), required=False, max_length=12)
    minimum = AmountField(required=False)
    maximum = AmountField(required=False)
    under_minimum = EnumField(UnderMinimumPolicy, required=False)
    spots_per_round = EnumField(SpotsPerRound, required=False)
    player_pays = OddsField(required=False)
    banker_pays = OddsField(required=False)
    tie_pays = OddsField(required=False)
    commission = OwnCommission(required=False, allow_null=True)
    turn_seconds = WholeNumberField(required=False, allow_null=True)
    caller = FlagField(required=False)
    look_seconds = WholeNumberField(required=False, allow_null=True)
    hand_back_seconds = WholeNumberField(required=False, allow_null=True)
    play_money = FlagField(required=False)

    def validate_chips(self, chips: list[int]) -> tuple[int, ...]:
        return tuple(chips)


class TableClosing(StrictSerializer):
    """Why a table is given up."""

    reason = TextField(max_length=500, help_text="Why. Kept for good: name no player in it.")


class TableOpening(StrictSerializer):
    """A new table: a preset, who may play with what, and the operator's own values."""

    name = TextField(max_length=80)
    preset = TextField(max_length=40)
    currency = CurrencyField()
    money_types = serializers.ListField(child=MoneyTypeField(), allow_empty=False, max_length=2)
    accept_player_edge = FlagField(required=False, default=False)
    acknowledgement = TextField(max_length=500, required=False, default="")
    rules = OwnRules(required=False, default=dict)

    def validate_books(self, money_types: list[MoneyType]) -> list[MoneyType]:
        """Refuse a money type named twice."""
        if len(set(money_types)) != len(money_types):
            raise ValidationError("A money_type is named twice.", code=refusals.MoneyTypeNamedTwice.code)
        return money_types
