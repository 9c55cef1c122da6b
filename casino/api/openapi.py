"""How operations appear in the OpenAPI document: keys, problems and tags are added here, once for all of them."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from casino.api import error_catalogue, errors, idempotency
from casino.api.error_catalogue import Problem
from casino.api.shapes import Shape, example_of
from casino.events.store import VersionConflict
from casino.observability import request_id

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
) -> Callable[[Any], Any]:
    """Document a view's method; the answer's example is derived from its type.

    `returns` is a response type, answered with `status`; `responses` are further answers, as `extend_schema` takes
    them. `example` is a body that `request` accepts.
    """
    examples = [] if example is None else [OpenApiExample("Request", value=example, request_only=True)]
    if isinstance(returns, type) and issubclass(returns, Shape):
        answer = OpenApiExample("Answer", value=example_of(returns), response_only=True, status_codes=[str(status)])
        examples.append(answer)
    return extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description or None,
        parameters=list(parameters),
        request=request,
        responses={**({} if returns is None else {status: returns}), **(responses or {})},
        examples=examples,
    )


class FieldErrorSerializer(serializers.Serializer[Any]):
    """What is wrong with one field."""

    field = serializers.CharField(help_text="Its path, such as `stakes.tie`.")
    code = serializers.CharField()
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem document (RFC 9457). Some codes bring facts of their own beside these members."""

    type = serializers.CharField(help_text="Where this code is explained.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(help_text="The path that was asked.")
    code = serializers.CharField(help_text="Stable: decide by this one.")
    remedy = serializers.CharField(help_text="What to do about it.")
    request_id = serializers.CharField()
    errors = FieldErrorSerializer(many=True, required=False)  # type: ignore[assignment]


class Operation(AutoSchema):
    """The schema of one operation, with what all of them share."""

    def get_override_parameters(self) -> list[Any]:
        """Add the headers that an operation takes."""
        keyed = getattr(getattr(self.view, self.method.lower(), None), "idempotent", False)
        return [IDEMPOTENCY_KEY, REQUEST_ID] if keyed else [REQUEST_ID]

    def get_tags(self) -> list[str]:
        """Group operations by the view's own `tag`, or by its app: `baccarat`, `wallet`, `operators`, `api`."""
        return [getattr(self.view, "tag", self.view.__module__.removeprefix("casino.").split(".")[0])]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        """Adds the problem answers that this operation can give to those that it declares itself."""
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        for status in self._problem_statuses():
            if status not in responses:
                responses[status] = self._problem(status, direction)
        return responses

    def _problem(self, status: str, direction: Any) -> dict[str, Any]:
        example = OpenApiExample(_EXAMPLES[status].code, value=_document(_EXAMPLES[status], self.path))
        phrase = HTTPStatus(int(status)).phrase
        problem = OpenApiResponse(ProblemSerializer, description=phrase, examples=[example])
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


def _document(problem: Problem, path: str) -> dict[str, Any]:
    return {
        "type": errors.PATH + problem.code,
        "title": problem.title,
        "status": problem.status,
        "detail": problem.title,
        "instance": path,
        "code": problem.code,
        "remedy": problem.remedy,
        "request_id": "5f0c9a1b2c3d4e5f6a7b8c9d0e1f2a3b",
    }
