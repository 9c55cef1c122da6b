"""Response types: msgspec structs that views return and that the OpenAPI document is derived from."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Generic, TypeVar

import msgspec
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from msgspec import Meta, Struct
from rest_framework.renderers import JSONRenderer

from casino.kernel import money

REF: Final = "#/components/schemas/"
Item = TypeVar("Item")

AmountText = Annotated[
    str, Meta(pattern=r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,6})?$", description="Decimal string.", examples=["25.00"])
]
CurrencyCode = Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217.", examples=["EUR"])]
Timestamp = Annotated[datetime, Meta(tz=True, examples=["2026-11-21T09:00:00.250000Z"])]
HexText = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$", description="Hexadecimal.", examples=["9f2c5e7a41b0d863"])]


class Shape(Struct):
    """Base of every response. Docstrings and `Meta(description=...)` become the document's descriptions."""


class Money(Shape):
    """An amount with its currency."""

    amount: AmountText
    currency: CurrencyCode

    @classmethod
    def of(cls, minor_units: int, currency: str) -> "Money":
        """Return minor units as a decimal string with their currency."""
        return cls(amount=money.format_amount(minor_units, currency), currency=currency)


class Page(Shape, Generic[Item]):
    """A page of a list. Subclass it for each kind of item: `class RoundPage(Page[Round])`."""

    items: tuple[Item, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the next page; null on the last one.")]


class ShapeRenderer(JSONRenderer):
    """Renders structs, and plain values around them, with msgspec."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return JSON in UTF-8, and nothing for None."""
        del accepted_media_type, renderer_context
        return b"" if data is None else msgspec.json.encode(data, enc_hook=str)


class ShapeSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Derives OpenAPI components from response types."""

    target_class = Shape
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: Any) -> str:
        """Return the component's name: the class's own."""
        del auto_schema, direction
        name: str = self.target.__name__
        return name

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Return the component's schema, and register the components that it refers to."""
        del direction
        _, components = msgspec.json.schema_components([self.target], ref_template=REF + "{name}")
        for name, schema in components.items():
            if name != self.target.__name__:
                component = ResolvedComponent(  # type: ignore[no-untyped-call]
                    name=name, type=ResolvedComponent.SCHEMA, schema=_untitled(schema), object=name
                )
                auto_schema.registry.register_on_missing(component)
        return _untitled(components[self.target.__name__])


def example_of(shape: type[Shape]) -> Any:
    """Return an example of a response type, made of its fields' `Meta(examples=...)`, enums and formats."""
    (schema,), components = msgspec.json.schema_components([shape], ref_template=REF + "{name}")
    return _example(schema, components)


_BY_FORMAT: Final = {
    "uuid": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "date-time": "2026-11-21T09:00:00.250000Z",
    "date": "2026-11-21",
}
_BY_TYPE: Final[dict[str, Any]] = {"string": "text", "integer": 1, "number": 1.0, "boolean": True, "object": {}}


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "title"}


def _example(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    match schema:
        case {"examples": [first, *_]} | {"enum": [first, *_]}:
            return first
        case {"$ref": ref}:
            return _example(components[ref.removeprefix(REF)], components)
        case {"anyOf": [first, *_]}:
            return _example(first, components)
        case {"properties": fields}:
            return {name: _example(field, components) for name, field in fields.items()}
        case {"type": "array", "items": items}:
            return [_example(items, components)]
        case _:
            return _BY_FORMAT.get(schema.get("format", ""), _BY_TYPE.get(schema.get("type", "")))
