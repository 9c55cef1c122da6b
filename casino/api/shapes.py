"""Response types: msgspec structs that views return and that the OpenAPI document is derived from.

A component has the name of its class, without a final `Response` or a leading `Written`: `class PlayerResponse(Shape)`
is documented as `Player`. Use them only where a model or a domain class already has the name.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from casino.kernel import money

REF: Final = "#/components/schemas/"
Item = TypeVar("Item")

AmountText = money.AmountText
CurrencyCode = Annotated[
    str,
    Meta(
        pattern=f"^{money.CODE_PATTERN}$",
        description="ISO 4217, or a currency that the installation declares, such as BTC.",
        examples=["EUR"],
    ),
]
Timestamp = Annotated[datetime, Meta(tz=True, examples=["2026-11-21T09:00:00.250000Z"])]
LimitUnit = Annotated[
    str, Meta(pattern=f"^({money.CODE_PATTERN}|minutes)$", description="A currency, or `minutes`.", examples=["EUR"])
]
LimitText = Annotated[
    str,
    Meta(pattern=f"^-?{money.AMOUNT_PATTERN}$", description="A decimal string, or whole minutes.", examples=["50.00"]),
]
HexText = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$", description="Hexadecimal.", examples=["9f2c5e7a41b0d863"])]


OPEN: Final = "Values may be added."
"""How the description of an enum ends to which a later version may add: strict clients accept any string then."""


def open_enum(values: object, *, example: str) -> Meta:
    """Document a string as one of `values`, to which later versions may add; the list is read for the document."""
    return Meta(description=OPEN, examples=[example], extra_json_schema={"enum": values})


class Shape(Struct):
    """Base of every response. Docstrings and `Meta(description=...)` become the document's descriptions."""

    _spectacular_annotation: ClassVar[dict[str, bool]] = {"suppress_collision_warning": True}
    """A nested type is registered without its class; tests/architecture checks that names are unique."""


class Money(Shape):
    """An amount with its currency."""

    amount: AmountText
    currency: CurrencyCode

    @classmethod
    def of(cls, minor_units: int, currency: str) -> "Money":
        """Return minor units as a decimal string with their currency."""
        return cls(amount=money.format_amount(minor_units, currency), currency=currency)


class Page(Shape, Generic[Item]):
    """A page of a list, built by `paging.page`. Subclass it for each kind of item: `class RoundPage(Page[Round])`."""

    items: tuple[Item, ...]
    next: Annotated[
        str | None, Meta(description="The `cursor` of the next page; null on the last one.", examples=[None])
    ]


class ItemList(Shape, Generic[Item]):
    """A list that always comes whole. Subclass it for each kind of item."""

    items: tuple[Item, ...]

    @classmethod
    def of(cls, items: Iterable[Item]) -> "ItemList[Item]":
        """Return a list of these items."""
        return cls(items=tuple(items))


def component_name(class_name: str) -> str:
    """Return the name that a class has in the document."""
    return class_name.removesuffix("Response").removeprefix("Written") or class_name


def components_of(shape: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a type's own schema, and those of all types inside it by their names."""
    (root,), schemas = msgspec.json.schema_components([shape], ref_template=REF + "{name}")
    components = {component_name(name): _tidy(schema) for name, schema in schemas.items()}
    return components.pop(_tidy(root)["$ref"].removeprefix(REF)), components


def example_of(shape: Any) -> Any:
    """Return an example of a response type, made of its fields' `Meta(examples=...)`, enums and formats."""
    own, components = components_of(shape)
    return _example(own, components)


_BY_FORMAT: Final = {
    "uuid": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "date-time": "2026-11-21T09:00:00.250000Z",
    "date": "2026-11-21",
}
_BY_TYPE: Final[dict[str, Any]] = {"string": "text", "integer": 1, "number": 1.0, "boolean": True, "object": {}}
_VERBATIM: Final = frozenset({"examples", "enum", "const", "required"})


def _tidy(schema: Any) -> Any:
    """Drop titles, which repeat the name, and defaults, which clients would send; type enums, refer by our names."""
    match _opened(schema):
        case {"$ref": str(ref), **others}:
            others.pop("default", None)
            return {**others, "$ref": REF + component_name(ref.removeprefix(REF))}
        case {"enum": [str(), *_] as values, "title": _, **others}:
            return {"type": "string", "enum": values, **others}
        case {"properties": fields, "title": _, **others}:
            return {**others, "properties": {name: _tidy(field) for name, field in fields.items()}}
        case dict() as whole:
            kept = {key: value for key, value in whole.items() if key != "default"}
            return {key: value if key in _VERBATIM else _tidy(value) for key, value in kept.items()}
        case list():
            return [_tidy(each) for each in schema]
        case _:
            return schema


def _opened(schema: Any) -> Any:
    """Let an enum, or a reference to one, accept further strings if its description says that values may be added."""
    match schema:
        case {"description": str(text), **others} if text.endswith(OPEN) and others.keys() & {"enum", "$ref"}:
            examples = {"examples": others.pop("examples")} if "examples" in others else {}
            known = {"type": "string", **others} if "enum" in others else others
            return {"description": text, **examples, "anyOf": [known, {"type": "string"}]}
        case _:
            return schema


def _example(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    example: Any
    match schema:
        case {"examples": [example, *_]} | {"enum": [example, *_]} | {"const": example}:
            pass
        case {"$ref": ref}:
            example = _example(components[ref.removeprefix(REF)], components)
        case {"anyOf": [first, *_]}:
            example = _example(first, components)
        case {"properties": fields}:
            example = {name: _example(field, components) for name, field in fields.items()}
        case {"prefixItems": items}:
            example = [_example(item, components) for item in items]
        case {"items": dict(item)}:
            example = [_example(item, components)]
        case _:
            example = _BY_FORMAT.get(schema.get("format", ""), _BY_TYPE.get(schema.get("type", "")))
    return example
