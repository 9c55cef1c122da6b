"""The OpenAPI document: operations, components derived from response types, and the parts that all share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from django.apps import apps
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from casino.api import contract, document, idempotency
from casino.api.contract import Contract, Declared
from casino.api.shapes import Shape, component_name, components_of, example_of
from casino.observability.logging import HEADER

JSON: Final = "application/json"
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    idempotency.HEADER,
    {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    required=True,
    description="Your own key for this request, such as a UUID. A repeated request with it gets the same response.",
    examples=[OpenApiExample("Key", value="8f1c0c5e-6f0e-4d43-9e0b-6a2d3a7f5b10")],
)
OPTIONAL_IDEMPOTENCY_KEY: Final = OpenApiParameter(
    idempotency.HEADER,
    IDEMPOTENCY_KEY.type,
    OpenApiParameter.HEADER,
    description="Your own random key for this request: with it, the request can be repeated until you have an answer.",
)
REQUEST_ID: Final = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": "^[A-Za-z0-9._-]{8,64}$"},
    OpenApiParameter.HEADER,
    description="Your own id for tracing. It is generated if you send none, and always returned.",
)


def operation(
    operation_id: str,
    summary: str,
    *,
    returns: Any = None,
    status: int = 200,
    request: Any = None,
    example: Any = None,
    description: str,
    refusals: Sequence[Declared] = (),
    parameters: Sequence[Any] = (),
    responses: Mapping[Any, Any] | None = None,
    examples: Sequence[OpenApiExample] = (),
    auth: Sequence[Any] | None = None,
) -> Callable[[Any], Any]:
    """Document a view's method; the example response is derived from its type.

    `returns` is a response type, returned as JSON with `status`. `request` is a struct and `example` a body that it
    accepts. `refusals` are the problems beside those that `contract.problems_of` derives; what all methods of a view
    may refuse can stand in its class, as `refusals`. `parameters` may be structs of a query. `responses` and `examples`
    are further responses, such as CSV, in the format of `extend_schema`.
    """
    all_examples = list(examples)
    if example is not None:
        all_examples.append(OpenApiExample("Request", value=example, request_only=True))
    if isinstance(returns, type) and issubclass(returns, Shape):
        answer = example_of(returns)
        all_examples.append(
            OpenApiExample("Answer", answer, response_only=True, media_type=JSON, status_codes=[str(status)])
        )
    statuses = {key[0] if isinstance(key, tuple) else key for key in responses or {}}
    if returns is not None:
        statuses.add(status)
    successes = frozenset(statuses) if len(statuses) > 1 else frozenset()
    document_method = extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description,
        parameters=[each for each in parameters if not contract.is_struct(each)],
        request=request,
        responses={**({} if returns is None else {(status, JSON): returns}), **(responses or {})},
        examples=all_examples,
        auth=auth,
    )

    def decorate(method: Any) -> Any:
        documented = document_method(method)
        documented.contract = Contract(tuple(refusals), request, tuple(parameters), operation_id, successes)
        return documented

    return decorate


class ShapeSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Derives OpenAPI components from response types, and from structs that parse requests."""

    target_class = msgspec.Struct
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: Any) -> str:
        """Return the component's name: the class's own."""
        del auto_schema, direction
        return component_name(self.target.__name__)

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Return the component's schema, and register the components that it refers to."""
        del direction
        own_schema, components = components_of(self.target)
        for name, schema in components.items():
            register(auto_schema, name, schema)
        return own_schema


def register(auto_schema: Any, name: str, schema: dict[str, Any]) -> dict[str, str]:
    """Add a component to the document unless it is there, and return a reference to it."""
    component = ResolvedComponent(  # type: ignore[no-untyped-call]
        name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=Shape
    )
    auto_schema.registry.register_on_missing(component)
    reference: dict[str, str] = component.ref
    return reference


class Operation(AutoSchema):
    """The schema of one operation, with the parts that all of them share."""

    def get_override_parameters(self) -> list[Any]:
        """Add the headers of the operation."""
        keyed = getattr(getattr(self.view, self.method.lower(), None), "idempotent", False)
        headers = [*contract.headers_of(self.view, self.method), REQUEST_ID, *self._query_parameters()]
        return [IDEMPOTENCY_KEY, *headers] if keyed else headers

    def _query_parameters(self) -> Iterator[OpenApiParameter]:
        """Yield the members of the structs of a query, and register the components that they refer to."""
        handler = getattr(self.view, self.method.lower(), None)
        own: Contract = getattr(handler, "contract", Contract())
        for kind in filter(contract.is_struct, own.parameters):
            schema, components = components_of(kind)
            for name, component in components.items():
                register(self, name, component)
            for name, member in schema["properties"].items():
                text, required = member.pop("description", ""), name in schema.get("required", ())
                yield OpenApiParameter(name, member, description=text, required=required)

    def get_tags(self) -> list[str]:
        """Group operations by the view's own `tag`, or by the label of its app."""
        app = apps.get_containing_app_config(self.view.__module__)
        return [getattr(self.view, "tag", app.label if app else "api")]

    def get_description(self) -> str:  # type: ignore[override]
        """Return nothing: a docstring is for readers of the code, so each operation has a text of its own."""
        return ""

    def get_extensions(self) -> dict[str, Any]:
        """Name the problems, of which `document.finish` makes responses, and add what the view says of a change."""
        problems = contract.problems_of(self.view, self.method, in_path="{" in self.path)
        keyed = getattr(getattr(self.view, self.method.lower(), None), "idempotent", False)
        more: dict[str, Any] = {} if self.method == "GET" else getattr(self.view, "extensions", dict)()
        return {document.PROBLEMS: list(problems.values()), document.KEYED: keyed, **more}
