"""Response types: msgspec structs that views return and that the OpenAPI document is derived from.

A component has the name of its class, without a final `Response` or a leading `Written`: `class PlayerResponse(Shape)`
is documented as `Player`. Use them only where a model or a domain class already has the name.
"""

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from casino.kernel import money, text

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
    referred: list[Any] = []

    def schema_of(kind: Any) -> dict[str, Any]:
        """Return the schema of a type of requests that is read from text, or that a use case reads as a struct."""
        if not hasattr(kind, "struct"):
            return dict(kind.schema)
        referred.append(kind.struct)
        return {"$ref": REF + component_name(kind.struct.__name__)}

    (root,), schemas = msgspec.json.schema_components([shape], ref_template=REF + "{name}", schema_hook=schema_of)
    components = {component_name(name): _tidy(schema) for name, schema in schemas.items()}
    for struct in referred:
        own, others = components_of(struct)
        components |= {component_name(struct.__name__): own, **others}
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
OF_REQUESTS: Final = ("Query", "Ref", "Request")
"""How the names of the structs of requests end."""

LIMIT: Final = "x-characters"
"""How the schema of a text says its limit, which its description tells."""


def _tidy(schema: Any) -> Any:
    """Drop titles, which repeat the name, and defaults, which clients would send; type enums, refer by our names."""
    match _opened(schema):
        case {"$ref": str(ref), **others}:
            others.pop("default", None)
            tidy: Any = {**others, "$ref": REF + component_name(ref.removeprefix(REF))}
        case {"enum": [str(), *_] as values, "title": _, **others}:
            tidy = {"type": "string", "enum": values, **others}
        case {"properties": members, "title": str(title), **others}:
            if title.endswith(OF_REQUESTS):
                members = {name: _without_default(member) for name, member in members.items()}
            tidy = {**others, "properties": {name: _tidy(member) for name, member in members.items()}}
            if "description" in tidy:
                tidy["description"] = inspect.cleandoc(tidy["description"])
            if not tidy.get("required", True):
                del tidy["required"]
        case dict() as whole:
            kept = {key: value for key, value in _plain(whole).items() if key != "default"}
            tidy = {key: value if key in _VERBATIM else _tidy(value) for key, value in kept.items()}
        case list():
            tidy = [_tidy(each) for each in schema]
        case _:
            tidy = schema
    return tidy


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Tell the limit of a text in words, and end a pattern as JSON Schema has it, unless any text may match it."""
    match schema:
        case {"x-characters": int(limit), **others}:
            return _told(others, f"At most {limit} characters, as people count them.")
        case {"pattern": text.NO_CONTROLS, **others}:
            return others
        case {"pattern": str(pattern)}:
            return {**schema, "pattern": re.sub(r"\\Z\Z", "$", pattern)}
        case _:
            return schema


def _without_default(member: dict[str, Any]) -> dict[str, Any]:
    """Tell a default in words: generated clients would send it, or demand the member. Null is as leaving it out."""
    match member:
        case {"anyOf": [dict() as only, {"type": "null"}], "default": None, **others}:
            return {**only, **others}
        case {"default": bool() | int() as default, "type": "boolean" | "integer"}:
            return _told(member, f"Default: `{json.dumps(default)}`.")
        case {"default": str(default)} if default:
            return _told(member, f"Default: `{default}`.")
        case _:
            return member


def _told(schema: dict[str, Any], sentence: str) -> dict[str, Any]:
    return {**schema, "description": " ".join(filter(None, [schema.get("description"), sentence]))}


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
