"""Renders response types over HTTP, and adds them to the OpenAPI document."""

from collections.abc import Mapping
from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from msgspec import Struct
from rest_framework.renderers import JSONRenderer

from casino.api.shapes import Shape, component_name, components_of


class ShapeRenderer(JSONRenderer):
    """Renders structs, and plain values around them, with msgspec."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return JSON in UTF-8, and nothing for None."""
        del accepted_media_type, renderer_context
        return b"" if data is None else msgspec.json.encode(data, enc_hook=str)


class ShapeSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Derives OpenAPI components from response types, and from structs that parse requests."""

    target_class = Struct
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: Any) -> str:
        """Return the component's name: the class's own."""
        del auto_schema, direction
        return component_name(self.target.__name__)

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Return the component's schema, and register the components that it refers to."""
        del direction
        own, components = components_of(self.target)
        for name, schema in components.items():
            register(auto_schema, name, schema)
        return own


def register(auto_schema: Any, name: str, schema: dict[str, Any]) -> dict[str, str]:
    """Add a component to the document unless it is there, and return a reference to it."""
    component = ResolvedComponent(  # type: ignore[no-untyped-call]
        name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=Shape
    )
    auto_schema.registry.register_on_missing(component)
    reference: dict[str, str] = component.ref
    return reference
