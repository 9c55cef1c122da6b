"""A table's rules as they are written, in presets, requests, forms and answers.

Amounts are decimal strings, spots as `spots` says, and all else as the rules have it. All of it is derived from the
fields of TableRules.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType

from baccarat.domain.rules.spots import WrittenSpot, read_amount, read_spots, write_spots
from baccarat.domain.rules.table_rules import FIELDS, LABELS, MINOR, SpotRules, TableRules
from baccarat.domain.rules.validation import InvalidRules
from casino.kernel.conversion import Malformed, convert
from casino.kernel.errors import Fault
from casino.kernel.money import AmountText, format_amount


def _form(hint: Any) -> Any:
    """Return the type in which values of a type are written."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is SpotRules:
        return WrittenSpot
    if MINOR in arguments:
        return AmountText
    if origin is Annotated:
        return Annotated[(_form(arguments[0]), *arguments[1:])]
    if origin is tuple:
        return tuple[_form(arguments[0]), ...]  # type: ignore[misc]
    return reduce(or_, map(_form, arguments)) if origin in (Union, UnionType) else hint


FORMS: Final[Mapping[str, Any]] = {name: _form(hint) for name, hint in FIELDS.items()}
"""The type in which each field is written."""
TableRulesRequest: Final[Any] = msgspec.defstruct(
    "TableRulesRequest",
    [(name, form | UnsetType, UNSET) for name, form in FORMS.items() if name not in LABELS],
    forbid_unknown_fields=True,
    namespace={"__doc__": "The rules that differ from a preset's, or from those in force."},
)


def read_rules(written: Any, amount: Callable[[str], int]) -> dict[str, Any]:
    """Read JSON values of fields of rules. `amount` reads an amount into minor units. Raises InvalidRules."""
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    try:
        given = convert(written, TableRulesRequest)
    except Malformed as error:
        raise InvalidRules(error.faults) from None
    for name in written:
        try:
            values[name] = _map(
                name,
                getattr(given, name),
                FIELDS[name],
                amount=lambda path, text: read_amount(path, text, amount),
                spots=lambda spots: read_spots(spots, amount),
            )
        except Malformed as error:
            faults += error.faults
    if faults:
        raise InvalidRules(faults)
    return values


def write_rules(rules: TableRules) -> dict[str, Any]:
    """Write rules in JSON values, as `read_rules` reads them."""

    def amount(minor: int) -> str:
        return format_amount(minor, rules.currency)

    values = {
        name: _map(
            name,
            getattr(rules, name),
            hint,
            amount=lambda _path, minor: amount(minor),
            spots=lambda spots: write_spots(spots, amount),
        )
        for name, hint in FIELDS.items()
    }
    plain: dict[str, Any] = msgspec.to_builtins(values)
    return plain


def _map(path: str, value: Any, hint: Any, *, amount: Callable[[str, Any], Any], spots: Callable[[Any], Any]) -> Any:
    """Return a field's value with its amounts and spots read or written."""
    arguments = [each for each in get_args(hint) if each is not NoneType]
    if value is None or not arguments:
        return value
    if MINOR in arguments:
        return amount(path, value)
    if SpotRules in arguments:
        return spots(value)
    if get_origin(hint) is tuple:
        items = enumerate(value)
        return tuple(_map(f"{path}[{index}]", each, arguments[0], amount=amount, spots=spots) for index, each in items)
    return _map(path, value, arguments[0], amount=amount, spots=spots)
