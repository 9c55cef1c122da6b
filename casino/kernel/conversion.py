"""JSON values converted into typed ones, and everything that is wrong with them, each with its path and a code."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import msgspec

from casino.kernel.errors import Fault
from casino.kernel.money import AmountNotText, AmountText

Kind = TypeVar("Kind")
_BOUNDS: Final = (
    (re.compile(r"Expected `int` >= (\S+)"), "number_too_small", "must be at least {}"),
    (re.compile(r"Expected `int` <= (\S+)"), "number_too_large", "must be at most {}"),
    (re.compile(r"Expected `array` of length <= (\S+)"), "field_too_long", "must have at most {} items"),
    (re.compile(r"Expected `array` of length >= (\S+)"), "field_too_short", "must have at least {} items"),
    (re.compile(r"Expected `str` matching regex '(\S+)'"), "field_invalid", "must match {}"),
    (re.compile(r"Expected `[^`]+`, got `(null)`"), "field_null", "may not be {}"),
)
_TYPES: Final = {
    "int": ("not_an_integer", "must be a whole number"),
    "bool": ("not_a_boolean", "must be true or false"),
    "str": ("not_a_string", "must be text"),
    "array": ("not_an_array", "must be a list"),
    "object": ("not_an_object", "must be an object"),
}
_EXPECTED: Final = re.compile(r"Expected `([a-z]+)(?: \| null)?`, got")
OUT_OF_BOUNDS: Final = frozenset({"number_too_small", "number_too_large"})
"""The codes of numbers that are of the right type."""


class Malformed(ValueError):
    """What was written is not what was asked for."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(in_words(faults))
        self.faults = faults


def in_words(faults: Sequence[Fault]) -> str:
    """Say what is wrong, a sentence for each fault."""
    return " ".join(f"{each.field or 'This'} {each.sentence}." for each in faults)


def convert(value: Any, kind: type[Kind], path: str = "") -> Kind:
    """Convert a JSON value, strictly. Raises Malformed with all faults, their places below `path`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise Malformed(*_faults(value, kind, path)) from None


def _faults(value: Any, kind: Any, path: str) -> Iterator[Fault]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        alternatives = list(_alternatives(kind))
        inside = [fault for each in alternatives for fault in _inside(value, each, path)]
        message, _, part = str(error).partition(" - at `$")
        yield from inside or [Fault(path + part.rstrip("`"), *_meaning(message, value, alternatives))]


def _alternatives(kind: Any) -> Iterator[Any]:
    """Yield the types that a value may have, without annotations."""
    if get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from _alternatives(each)
    elif get_origin(kind) is Annotated and kind != AmountText:
        yield from _alternatives(get_args(kind)[0])
    else:
        yield kind


def _inside(value: Any, kind: Any, path: str) -> Iterator[Fault]:
    """Yield the faults of the parts of a value."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(value, list) and origin in (list, tuple):
        for index, item in enumerate(value):
            yield from _faults(item, arguments[0], f"{path}[{index}]")
    elif isinstance(value, dict) and origin is dict:
        for name, item in value.items():
            yield from _faults(item, arguments[1], below(path, name))
    elif isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from _of_members(value, kind, path)


def _of_members(value: Mapping[str, Any], kind: type[msgspec.Struct], path: str) -> Iterator[Fault]:
    members = {each.encode_name: each for each in msgspec.structs.fields(kind)}
    for name in value:
        if name not in members:
            yield Fault(below(path, name), "unknown_field", "is not a field here")
    for name, member in members.items():
        if name in value:
            yield from _faults(value[name], member.type, below(path, name))
        elif member.required:
            yield Fault(below(path, name), "field_required", "is missing")


def below(path: str, name: str) -> str:
    """Return the path of a member."""
    return f"{path}.{name}".strip(".")


def _meaning(message: str, value: Any, alternatives: Sequence[Any]) -> tuple[str, str]:
    """Return the code and the sentence of one of msgspec's messages."""
    for pattern, code, sentence in _BOUNDS:
        if match := pattern.match(message):
            return code, sentence.format(match[1])
    if AmountText in alternatives and not isinstance(value, str):
        return AmountNotText.code, 'must be text, such as "25.00"'
    choices = [str(member.value) for each in alternatives if _is_enum(each) for member in each]
    if choices and isinstance(value, str):
        return "unknown_choice", f"must be one of {', '.join(choices)}"
    expected = _EXPECTED.match(message)
    return _TYPES.get(expected[1] if expected else "", ("field_invalid", "has none of the forms that it may have"))


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)
