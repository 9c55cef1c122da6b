"""The form of a draft, derived from the fields of rules; spots are text, in TOML or JSON, as presets have them."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import partial
from types import NoneType
from typing import Any, Final, get_args

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from msgspec import Meta

from baccarat.domain.rules.coups import FACTS
from baccarat.domain.rules.spots import read_spots, write_spots
from baccarat.domain.rules.table_rules import FIELDS, LABELS, MINOR, SpotRules, TableRules
from baccarat.storage import rules_versions as version_rows
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, label, text_field
from casino.kernel import money
from casino.kernel.conversion import Malformed
from casino.kernel.errors import Refusal

MAX_LENGTH: Final = 20_000
_FIRST: Final = ("decks", "seats", "chips", "minimum", "maximum", "spots")
_FIXED: Final = frozenset({"shuffle"})
"""What stays as the table opened with it."""
_SPOTS: Final = (
    "In TOML or JSON. The first line that holds decides. `when` has a value, a list of values or a range such as "
    f"{{ from = 6, to = 9 }} for each of these facts: {', '.join(FACTS)}. A line pays odds, or has push = true."
)


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


class SpotsField(forms.CharField):
    """Spots as they are written."""

    def __init__(self, *, currency: str, **kwargs: Any) -> None:
        looks = forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "autocomplete": "off"})
        super().__init__(max_length=MAX_LENGTH, widget=looks, **kwargs)
        self.currency = currency

    def clean(self, value: Any) -> tuple[SpotRules, ...]:
        """Read the spots. Raises ValidationError with the path of everything that is wrong."""
        try:
            return read_spots(_parse(super().clean(value)), partial(money.parse_positive, currency=self.currency))
        except Malformed as error:
            raise ValidationError([f"{fault.field} {fault.sentence}." for fault in error.faults]) from None


def _parse(text: str) -> Any:
    try:
        values = json.loads(text)
    except ValueError:
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValidationError(f"This is neither JSON nor TOML: {error}.") from None
    return values.get("spots") if isinstance(values, dict) else values


def write_toml(spots: Sequence[SpotRules], currency: str) -> str:
    """Write spots in TOML, a line for each pay line."""
    written = write_spots(spots, partial(money.format_amount, currency=currency))
    return "\n\n".join("\n".join(["[[spots]]", *_assignments(spot)]) for spot in written)


def _assignments(spot: dict[str, Any]) -> Iterator[str]:
    for name, value in spot.items():
        if name != "lines" and value not in (None, []):
            yield f"{name} = {_toml(value)}"
    yield from ("lines = [", *(f"  {_toml(line)}," for line in spot["lines"]), "]")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items() if each is not None)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


class DraftForm(RowForm):
    """Everything that a version of rules may change, filled in with the rules in force, and why."""

    acknowledgement = text_field("The sentence to acknowledge, if a return needs one", required=False)
    change_reason = text_field("Reason for the change (kept permanently: do not name a player)")

    def prepare(self) -> None:
        """Add the fields of rules."""
        self.rules = version_rows.decode_rules(msgspec.json.encode(self.row.rules))
        names = [*_FIRST, *(name for name in FIELDS if name not in LABELS.union(_FIRST, _FIXED))]
        self.groups = {name: _fields_of(name, self.rules) for name in names}
        self.fields = {**{name: each for group in self.groups.values() for name, each in group.items()}, **self.fields}

    def clean(self) -> dict[str, Any]:
        """Add the fields of rules that differ from those in force, as `changes`."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            values = {name: self._value(name) for name in self.groups}
            data["changes"] = {name: value for name, value in values.items() if value != getattr(self.rules, name)}
        return data

    def _value(self, name: str) -> Any:
        kind, data = type(getattr(self.rules, name)), self.cleaned_data
        if not issubclass(kind, msgspec.Struct):
            return data[name]
        return kind(**{part.removeprefix(f"{name}_"): data[part] for part in self.groups[name]})


def _fields_of(name: str, rules: TableRules) -> dict[str, forms.Field]:
    """Return the form's fields for a field of rules: one, or one for each part of a struct."""
    value, currency = getattr(rules, name), rules.currency
    if not isinstance(value, msgspec.Struct):
        return {name: _field(name, FIELDS[name], value, currency)}
    parts = msgspec.structs.fields(value)
    return {
        f"{name}_{each.name}": _field(f"{name}_{each.name}", each.type, getattr(value, each.name), currency)
        for each in parts
    }


def _field(name: str, hint: Any, value: Any, currency: str) -> forms.Field:
    parts = list(_parts(hint))
    options = {"label": label(name), "initial": value, "required": NoneType not in parts}
    options["help_text"] = (_annotated(parts, "description") or "").replace("Null", "Empty").replace("null", "empty")
    if SpotRules in parts:
        return SpotsField(currency=currency, **options | {"initial": write_toml(value, currency), "help_text": _SPOTS})
    if MINOR in parts:
        amounts = [money.format_amount(each, currency) for each in (value if isinstance(value, tuple) else [value])]
        options |= {"initial": ", ".join(amounts), "label": f"{label(name)} in {currency}"}
        return (ChipsField if isinstance(value, tuple) else MinorUnitsField)(currency=currency, **options)
    if bool in parts:
        return forms.BooleanField(**options | {"required": False})
    if int in parts:
        bounds = {"min_value": _annotated(parts, "ge"), "max_value": _annotated(parts, "le")}
        return forms.IntegerField(**options, **bounds)
    return EnumSelectField(next(each for each in parts if isinstance(each, type) and issubclass(each, Enum)), **options)


def _parts(hint: Any) -> Iterator[Any]:
    """Yield a type and what it is made of: alternatives, items, annotations."""
    yield hint
    for each in get_args(hint):
        yield from _parts(each)


def _annotated(parts: Sequence[Any], name: str) -> Any:
    """Return what the annotations of a type say, if any does."""
    said = (getattr(each, name) for each in parts if isinstance(each, Meta))
    return next((each for each in said if each is not None), None)
