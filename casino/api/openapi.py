"""The OpenAPI document: operations, components derived from response types, and the parts that all share."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from casino.api import error_catalogue, errors, idempotency
from casino.api.error_catalogue import ProblemType
from casino.api.fields import EnumField
from casino.api.shapes import Shape, component_name, components_of, example_of
from casino.events.store import VersionConflict
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
REQUEST_ID: Final = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": "^[A-Za-z0-9._-]{8,64}$"},
    OpenApiParameter.HEADER,
    description="Your own id for tracing. It is generated if you send none, and always returned.",
)

_EXAMPLES: Final = {
    "400": error_catalogue.MALFORMED_JSON,
    "401": error_catalogue.INVALID_CREDENTIALS,
    "403": error_catalogue.FORBIDDEN,
    "404": error_catalogue.NOT_FOUND,
    "409": error_catalogue.problem_for_refusal(VersionConflict),
    "413": error_catalogue.BODY_TOO_LARGE,
    "415": error_catalogue.UNSUPPORTED_MEDIA_TYPE,
    "422": error_catalogue.INVALID_FIELDS,
    "429": error_catalogue.TOO_MANY_REQUESTS,
}


def operation(
    operation_id: str,
    summary: str,
    *,
    returns: Any = None,
    status: int = 200,
    request: Any = None,
    example: Any = None,
    description: str = "",
    parameters: Sequence[Any] = (),
    responses: Mapping[Any, Any] | None = None,
    examples: Sequence[OpenApiExample] = (),
    auth: Sequence[Any] | None = None,
) -> Callable[[Any], Any]:
    """Document a view's method; the example response is derived from its type.

    `returns` is a response type, returned as JSON with `status`. `request` is a serializer and `example` a body that it
    accepts. `parameters` may be query serializers. `responses` and `examples` are further responses, such as CSV, in
    the format of `extend_schema`.
    """
    all_examples = list(examples)
    if example is not None:
        all_examples.append(OpenApiExample("Request", value=example, request_only=True))
    if isinstance(returns, type) and issubclass(returns, Shape):
        answer = example_of(returns)
        all_examples.append(
            OpenApiExample("Answer", answer, response_only=True, media_type=JSON, status_codes=[str(status)])
        )
    return extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description,
        parameters=list(parameters),
        request=request,
        responses={**({} if returns is None else {(status, JSON): returns}), **(responses or {})},
        examples=all_examples,
        auth=auth,
    )


def csv_answer(sheet: str) -> dict[str, Any]:
    """Return keyword arguments for `operation` that document CSV beside JSON, with an example."""
    example = OpenApiExample("Sheet", sheet, response_only=True, media_type="text/csv", status_codes=["200"])
    return {"responses": {(200, "text/csv"): OpenApiTypes.STR}, "examples": [example]}


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


class EnumFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Documents a field with a fixed set of values as a reference to the component of its enum."""

    target_class = EnumField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Register the enum's component and return a reference to it."""
        del direction
        schema, _ = components_of(self.target.enum)
        return register(auto_schema, component_name(self.target.enum.__name__), schema)


class Operation(AutoSchema):
    """The schema of one operation, with the parts that all of them share."""

    def get_override_parameters(self) -> list[Any]:
        """Add the headers of the operation."""
        keyed = getattr(getattr(self.view, self.method.lower(), None), "idempotent", False)
        return [IDEMPOTENCY_KEY, REQUEST_ID] if keyed else [REQUEST_ID]

    def get_tags(self) -> list[str]:
        """Group operations by the view's own `tag`, or by its app: `baccarat`, `wallet`, `operators`, `api`."""
        return [getattr(self.view, "tag", self.view.__module__.removeprefix("casino.").split(".")[0])]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        """Add the problems of this operation to its declared responses."""
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        for status in self._problem_statuses():
            if status not in responses:
                responses[status] = self._problem(status, direction)
        return responses

    def _problem(self, status: str, direction: Any) -> dict[str, Any]:
        example = OpenApiExample(_EXAMPLES[status].code, value=_document(_EXAMPLES[status], self.path))
        phrase = HTTPStatus(int(status)).phrase
        problem = OpenApiResponse(errors.Problem, description=phrase, examples=[example])
        media_types = [errors.MEDIA_TYPE]
        response: dict[str, Any] = self._get_response_for_code(  # type: ignore[no-untyped-call]
            problem, status, media_types, direction
        )
        return response

    def _problem_statuses(self) -> list[str]:
        statuses = ["429"]
        if self.view.authentication_classes:
            statuses += ["401", "403"]
        if "{" in self.path:
            statuses.append("404")
        if self.method in {"POST", "PUT", "PATCH"}:
            statuses += ["400", "409", "413", "415", "422"]
        return sorted(statuses)


def _document(problem: ProblemType, path: str) -> dict[str, Any]:
    """Return an example of a problem, without its optional members."""
    document = errors.Problem.of(problem, instance=path, request_id="5f0c9a1b2c3d4e5f6a7b8c9d0e1f2a3b")
    example: dict[str, Any] = msgspec.to_builtins(document)
    return example
