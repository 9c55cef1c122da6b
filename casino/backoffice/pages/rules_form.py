"""The form that drafts a version of rules, filled in with the rules in force."""

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, text_field
from casino.kernel import money
from casino.kernel.errors import Refusal

_RATE: Final = "commission_rate"
_ROUNDING: Final = "commission_rounding"
_TIMING: Final = "commission_timing"


class MarkedRatioField(forms.CharField):
    """Two whole numbers with a mark between them, such as 8:1 or 5/100."""

    def __init__(self, mark: str, **kwargs: Any) -> None:
        super().__init__(max_length=20, **kwargs)
        self.mark = mark

    def clean(self, value: Any) -> Ratio | None:
        """Parse the ratio. Raises ValidationError."""
        text = super().clean(value)
        if not text:
            return None
        first, _, second = text.partition(self.mark)
        try:
            return Ratio(int(first), int(second))
        except (ValueError, Refusal):
            raise ValidationError(f"Write two whole numbers with a {self.mark} between them.") from None


class ChipsField(forms.CharField):
    """Amounts of a currency, comma separated."""

    def __init__(self, *, currency: str, **kwargs: Any) -> None:
        super().__init__(max_length=120, **kwargs)
        self.currency = currency

    def clean(self, value: Any) -> tuple[int, ...]:
        """Parse the amounts. Raises ValidationError."""
        try:
            return tuple(money.parse_positive(chip.strip(), self.currency) for chip in super().clean(value).split(","))
        except Refusal as refusal:
            raise ValidationError(refusal.message()) from None


def _optional_number(title: str) -> forms.IntegerField:
    return forms.IntegerField(label=f"{title} (empty: none)", min_value=0, required=False)


class RulesForm(RowForm):
    """Everything that a version of rules may change. The row's `rules` attribute has the rules in force."""

    decks = forms.IntegerField(label="Decks", min_value=1)
    seats = forms.IntegerField(label="Seats", min_value=1)
    spots_per_round = EnumSelectField(SpotsPerRound, label="Spots in one round")
    player_pays = MarkedRatioField(":", label="Player pays")
    banker_pays = MarkedRatioField(":", label="Banker pays")
    tie_pays = MarkedRatioField(":", label="Tie pays")
    commission_rate = MarkedRatioField("/", label="Commission, such as 5/100 (empty: none)", required=False)
    commission_rounding = MarkedRatioField(
        "/", label="Commission rounded up to a share of the lowest chip, such as 1/4 (empty: exact)", required=False
    )
    commission_timing = EnumSelectField(CommissionTiming, label="Commission taken")
    under_minimum = EnumSelectField(UnderMinimumPolicy, label="Under the minimum")
    turn_seconds = _optional_number("Turn in seconds")
    cut_cards_from_end = _optional_number("Cut card, cards from the end")
    seat_kept_rounds = _optional_number("Turns that an absent player's seat is kept")
    look_seconds = _optional_number("Seconds to look at the cards")
    hand_back_seconds = _optional_number("Seconds to hand the cards back")
    caller = forms.BooleanField(label="Caller", required=False)
    play_money = forms.BooleanField(label="Play money", required=False)
    burn = forms.BooleanField(label="Burn", required=False)
    acknowledgement = text_field("The sentence to acknowledge, if a return needs one", required=False)

    def prepare(self) -> None:
        """Add the fields in the table's currency, and fill in the rules in force."""
        rules: TableRules = self.row.table_rules
        currency = rules.currency
        self.fields["chips"] = ChipsField(currency=currency, label=f"Chips in {currency}, comma separated")
        self.fields["minimum"] = MinorUnitsField(currency=currency, label=f"Minimum in {currency}")
        self.fields["maximum"] = MinorUnitsField(currency=currency, label=f"Maximum in {currency}")
        self.order_fields(["decks", "seats", "chips", "minimum", "maximum"])
        self.initial = initial_values(rules)

    def changes(self) -> dict[str, Any]:
        """Return the fields of TableRules that differ from the rules in force."""
        data, rules = self.cleaned_data, self.row.table_rules
        names = [name for name in data if name not in {_RATE, _ROUNDING, _TIMING, "acknowledgement"}]
        values = {name: data[name] for name in names}
        rate = data[_RATE]
        values["commission"] = None if rate is None else Commission(rate, data[_ROUNDING], data[_TIMING])
        return {name: value for name, value in values.items() if value != getattr(rules, name)}


def initial_values(rules: TableRules) -> dict[str, Any]:
    """Return rules as the form shows them."""
    commission = rules.commission or Commission(Ratio(5, 100), None, CommissionTiming.SETTLEMENT)
    rounding = None if commission.rounding is None else _share(commission.rounding)
    values: dict[str, Any] = {name: getattr(rules, name) for name in RulesForm.base_fields if hasattr(rules, name)}
    return {
        **values,
        "chips": ", ".join(money.format_amount(chip, rules.currency) for chip in rules.chips),
        "minimum": money.format_amount(rules.minimum, rules.currency),
        "maximum": money.format_amount(rules.maximum, rules.currency),
        _RATE: "" if rules.commission is None else _share(commission.rate),
        _ROUNDING: rounding or "",
        _TIMING: commission.timing.value,
    }


def _share(ratio: Ratio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"
