"""JSON values converted into typed ones, and everything that is wrong with them, each with its path and a code."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import inspect

from casino.kernel.errors import Fault
from casino.kernel.money import AmountNotText, AmountText
from casino.kernel.text import NO_CONTROLS

Kind = TypeVar("Kind")
Hook = Callable[[Any, Any], Any]
"""Reads values of further types: `hook(type, value)` raises Malformed, in which the value itself is the field ""."""

_BOUNDS: Final = (
    (re.compile(r"Expected `int` >= (\S+)"), "number_too_small", "must be at least {}"),
    (re.compile(r"Expected `int` <= (\S+)"), "number_too_large", "must be at most {}"),
    (re.compile(r"Expected `array` of length <= (\d+)"), "field_too_long", "must have at most {} items"),
    (re.compile(r"Expected `array` of length >= (\d+)"), "field_too_short", "must have at least {} items"),
    (re.compile(r"Expected `str` of length <= (\d+)"), "field_too_long", "must have at most {} characters"),
    (re.compile(r"Expected `str` of length >= 1"), "field_blank", "may not be empty"),
    (
        re.compile(rf"Expected `str` matching regex {re.escape(repr(NO_CONTROLS))}"),
        "field_invalid",
        "has characters that are not allowed",
    ),
    (re.compile(r"Expected `str` matching regex '(.+)'"), "field_invalid", "must match {}"),
    (re.compile(r"Invalid UUID"), "field_invalid", "must be a UUID"),
    (re.compile(r"Expected `[^`]+`, got `(null)`"), "field_null", "may not be {}"),
)
_TYPES: Final = {
    "int": ("not_an_integer", "must be a whole number"),
    "bool": ("not_a_boolean", "must be true or false"),
    "str": ("not_a_string", "must be text"),
    "uuid": ("not_a_string", "must be text"),
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


def convert(value: Any, kind: type[Kind], path: str = "", *, hook: Hook | None = None) -> Kind:
    """Convert a JSON value, strictly. Raises Malformed with all faults, their places below `path`."""
    try:
        return msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError:
        raise Malformed(*_faults(value, kind, path, hook)) from None


def _faults(value: Any, kind: Any, path: str, hook: Hook | None) -> Iterator[Fault]:
    try:
        msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        alternatives = list(alternatives_of(kind))
        inside = [fault for each in alternatives for fault in _inside(value, each, path, hook)]
        if inside:
            yield from inside
        elif isinstance(error.__cause__, Malformed):
            for fault in error.__cause__.faults:
                yield fault._replace(field=below(path, fault.field))
        else:
            message, _, part = str(error).partition(" - at `$")
            yield Fault(path + part.rstrip("`"), *_meaning(message, value, alternatives))


def alternatives_of(kind: Any) -> Iterator[Any]:
    """Yield the types that a value may have, without annotations."""
    if get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from alternatives_of(each)
    elif get_origin(kind) is Annotated and kind != AmountText:
        yield from alternatives_of(get_args(kind)[0])
    else:
        yield kind


def _inside(value: Any, kind: Any, path: str, hook: Hook | None) -> Iterator[Fault]:
    """Yield the faults of the parts of a value."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(value, list) and origin in (list, tuple):
        for index, item in enumerate(value):
            yield from _faults(item, arguments[0], f"{path}[{index}]", hook)
    elif isinstance(value, dict) and origin is dict:
        for name, item in value.items():
            yield from _faults(item, arguments[1], below(path, name), hook)
    elif isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from _of_members(value, kind, path, hook)


def _of_members(value: Mapping[str, Any], kind: type[msgspec.Struct], path: str, hook: Hook | None) -> Iterator[Fault]:
    members = {each.encode_name: each for each in msgspec.structs.fields(kind)}
    for name, member in members.items():
        if name in value:
            yield from _faults(value[name], member.type, below(path, name), hook)
        elif member.required:
            yield Fault(below(path, name), "field_required", "is missing")
    for name in value:
        if name not in members:
            yield Fault(below(path, name), "unknown_field", "is not a field here")


def below(path: str, name: str) -> str:
    """Return the path of a member."""
    return f"{path}.{name}".strip(".")


def _meaning(message: str, value: Any, alternatives: Sequence[Any]) -> tuple[str, str]:
    """Return the code and the sentence of one of msgspec's messages."""
    for pattern, code, sentence in _BOUNDS:
        if match := pattern.match(message):
            return code, sentence.format(*match.groups())
    if AmountText in alternatives and not isinstance(value, str):
        return AmountNotText.code, 'must be text, such as "25.00"'
    choices = [str(member.value) for each in alternatives if _is_enum(each) for member in each]
    if choices and isinstance(value, str):
        return "unknown_choice", f"must be one of {', '.join(choices)}"
    expected = _EXPECTED.match(message)
    return _TYPES.get(expected[1] if expected else "", ("field_invalid", "has none of the forms that it may have"))


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


_LIST: Final = (("min_length", "field_too_short"), ("max_length", "field_too_long"))
_CODES: Final[dict[type, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]] = {
    inspect.BoolType: (("not_a_boolean",), ()),
    inspect.EnumType: (("not_a_string", "unknown_choice"), ()),
    inspect.UUIDType: (("not_a_string", "field_invalid"), ()),
    inspect.IntType: (("not_an_integer",), (("ge", "number_too_small"), ("le", "number_too_large"))),
    inspect.StrType: (
        ("not_a_string",),
        (("min_length", "field_blank"), ("max_length", "field_too_long"), ("pattern", "field_invalid")),
    ),
    inspect.ListType: (("not_an_array",), _LIST),
    inspect.VarTupleType: (("not_an_array",), _LIST),
    inspect.DictType: (("not_an_object",), ()),
    inspect.StructType: (("not_an_object", "unknown_field"), ()),
}
"""The codes of each type of values, and those of its bounds by their names."""


def codes_of(kind: Any) -> set[str]:
    """Return the code of each fault that a value may have where it is converted into a type."""
    return set(_codes(inspect.type_info(kind)))


def _codes(info: Any) -> Iterator[str]:
    always, bounds = _CODES.get(type(info), ((), ()))
    yield from (*always, *(code for name, code in bounds if getattr(info, name) is not None))
    match info:
        case inspect.UnionType(types=types):
            for each in types:
                yield from _codes(each)
        case inspect.Metadata(type=inner) | inspect.DictType(value_type=inner):
            yield from _codes(inner)
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            yield from _codes(inner)
        case inspect.StructType(cls=kind, fields=members):
            yield from getattr(kind, "codes", ())
            for member in members:
                yield from ("field_required",) * member.required
                yield from ("field_null",) * (not _may_be_null(member.type))
                yield from _codes(member.type)
        case inspect.CustomType(cls=kind):
            yield from getattr(kind, "codes", ())


def _may_be_null(info: Any) -> bool:
    match info:
        case inspect.Metadata(type=inner):
            return _may_be_null(inner)
        case inspect.UnionType(types=types):
            return any(isinstance(each, inspect.NoneType) for each in types)
        case _:
            return False
