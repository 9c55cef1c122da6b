"""Documents operations in the OpenAPI document, and adds keys, problems and tags to all of them."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from casino.api import error_catalogue, errors, idempotency
from casino.api.error_catalogue import ProblemType
from casino.api.fields import EnumField
from casino.api.shape_schema import register
from casino.api.shapes import Shape, component_name, components_of, example_of
from casino.events.store import VersionConflict
from casino.observability import request_id

JSON: Final = "application/json"
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    idempotency.HEADER,
    {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    required=True,
    description="Your own key for this request, such as a UUID. A repeat with it gets the same answer.",
    examples=[OpenApiExample("Key", value="8f1c0c5e-6f0e-4d43-9e0b-6a2d3a7f5b10")],
)
REQUEST_ID: Final = OpenApiParameter(
    request_id.HEADER,
    {"type": "string", "pattern": "^[A-Za-z0-9._-]{8,64}$"},
    OpenApiParameter.HEADER,
    description="Your own id for tracing; it is made here when you send none, and always echoed.",
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


class EnumFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Documents a field with a fixed set of values as a reference to the component of its enum."""

    target_class = EnumField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Register the enum's component and return a reference to it."""
        del direction
        own, _ = components_of(self.target.enum)
        return register(auto_schema, component_name(self.target.enum.__name__), own)


class Operation(AutoSchema):
    """The schema of one operation, with the parts that all of them share."""

    def get_override_parameters(self) -> list[Any]:
        """Add the headers of an operation."""
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
        made: dict[str, Any] = self._get_response_for_code(  # type: ignore[no-untyped-call]
            problem, status, media_types, direction
        )
        return made

    def _problem_statuses(self) -> list[str]:
        statuses = []
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
