"""The rules in the body of a request: of a new table, of a draft, and the decisions on a draft."""

import re
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from baccarat.api import refusals
from baccarat.domain.rules.coups import DECKS
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    ShowMilliseconds,
    Shuffle,
    SpotsPerRound,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.validation import CYCLE_SECONDS, MILLISECONDS, SEATS
from baccarat.services.rules_lifecycle import MAX_REASON_LENGTH
from casino.api.fields import (
    AmountField,
    EnumField,
    FlagField,
    ReferenceField,
    StrictSerializer,
    TextField,
    WholeNumberField,
)

ODDS: Final = r"^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$"
SHARE: Final = r"^[1-9][0-9]{0,4}/[1-9][0-9]{0,4}$"


@extend_schema_field({"type": "string", "enum": list(PRESETS)})
class PresetField(ReferenceField):
    """The name of a preset; another name is refused with the list of them (`unknown_preset`)."""


@extend_schema_field({"type": "string", "enum": [*PRESETS, None]})
class OptionalPresetField(PresetField):
    """The name of a preset, or null."""


class RatioField(serializers.Field[Ratio, Any, str, Ratio]):
    """Two whole numbers in text, such as "8:1" (`ratio_malformed` otherwise)."""

    codes = ("not_a_string", refusals.RatioMalformed.code)

    pattern: str

    def to_internal_value(self, data: Any) -> Ratio:
        """Read the ratio without reducing it."""
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        if not re.fullmatch(self.pattern, data, re.ASCII):
            raise ValidationError(f"{data[:40]!r} is not a ratio of this form.", code=refusals.RatioMalformed.code)
        first, second = re.split("[:/]", data)
        return Ratio(int(first), int(second))

    def to_representation(self, value: Ratio) -> str:
        return str(value)


@extend_schema_field({"type": "string", "pattern": ODDS, "examples": ["8:1"]})
class OddsField(RatioField):
    """What a spot pays, such as "8:1"."""

    pattern = ODDS


@extend_schema_field({"type": "string", "pattern": SHARE, "examples": ["5/100"]})
class ShareField(RatioField):
    """An exact share, such as "5/100"."""

    pattern = SHARE


class CommissionRulesRequest(StrictSerializer):
    """The house's share of a Banker win; `rounding` is a share of the lowest chip, null keeps it exact."""

    rate = ShareField()
    rounding = ShareField(allow_null=True)
    timing = EnumField(CommissionTiming)

    def validate(self, attrs: dict[str, Any]) -> Any:
        return Commission(**attrs)


class ShowRequest(StrictSerializer):
    """Milliseconds that a deal is shown, by its cards; `ceremony` is added to them. All are 0 where play is instant."""

    two_cards = WholeNumberField(documented=MILLISECONDS)
    natural = WholeNumberField(documented=MILLISECONDS)
    one_third_card = WholeNumberField(documented=MILLISECONDS)
    two_third_cards = WholeNumberField(documented=MILLISECONDS)
    ceremony = WholeNumberField(documented=MILLISECONDS)

    def validate(self, attrs: dict[str, Any]) -> Any:
        return ShowMilliseconds(**attrs)


class TableRulesRequest(StrictSerializer):
    """An operator's own values for a table."""

    seats = WholeNumberField(required=False, documented=SEATS)
    decks = WholeNumberField(required=False, documented=DECKS)
    shuffle = EnumField(Shuffle, required=False)
    cut_cards_from_end = WholeNumberField(required=False, allow_null=True)
    burn = FlagField(required=False)
    fixed_order = FlagField(required=False)
    seat_kept_rounds = WholeNumberField(required=False, allow_null=True, documented=(1, 100))
    chips = serializers.ListField(child=AmountField(), required=False, max_length=12)
    minimum = AmountField(required=False)
    maximum = AmountField(required=False)
    under_minimum = EnumField(UnderMinimumPolicy, required=False)
    spots_per_round = EnumField(SpotsPerRound, required=False)
    player_pays = OddsField(required=False)
    banker_pays = OddsField(required=False)
    tie_pays = OddsField(required=False)
    commission = CommissionRulesRequest(required=False, allow_null=True)
    turn_seconds = WholeNumberField(required=False, allow_null=True, documented=(1, 3600))
    caller = FlagField(required=False)
    look_seconds = WholeNumberField(required=False, allow_null=True, documented=(1, 60))
    hand_back_seconds = WholeNumberField(required=False, allow_null=True, documented=(1, 60))
    show_milliseconds = ShowRequest(required=False)
    play_money = FlagField(required=False)
    auto_confirm = FlagField(required=False)
    minimum_cycle_seconds = WholeNumberField(required=False, documented=CYCLE_SECONDS)
    may_hurry = FlagField(required=False)

    def validate_chips(self, chips: list[int]) -> tuple[int, ...]:
        return tuple(chips)


class RulesDraftRequest(StrictSerializer):
    """Changes to the rules in force, the acknowledgement if a return needs one, and why they change, for staff."""

    rules = TableRulesRequest()
    acknowledgement = TextField(max_length=500, required=False, default="")
    reason = TextField(max_length=MAX_REASON_LENGTH, required=False, default="")


class RulesRejectionRequest(StrictSerializer):
    """The reason for rejecting or retiring rules."""

    reason = TextField(max_length=MAX_REASON_LENGTH, help_text="The reason. Stored permanently: do not name a player.")
