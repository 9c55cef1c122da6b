"""Build every error response of the API: application/problem+json (RFC 9457), for all exceptions."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import msgspec
from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from msgspec import Meta
from psycopg_pool import PoolTimeout
from rest_framework import exceptions

from casino.api import error_catalogue
from casino.api.error_catalogue import ProblemType, RequestRejected
from casino.api.shapes import Shape
from casino.kernel import money
from casino.kernel.conversion import Malformed, below
from casino.kernel.errors import Fault, Refusal
from casino.observability.figures import REFUSALS
from casino.observability.logging import request_id

MEDIA_TYPE: Final = "application/problem+json"
PATH: Final = "/api/v1/problems/"
_log: Final = logging.getLogger("casino.api")

_BY_EXCEPTION: Final[tuple[tuple[type[Exception], ProblemType], ...]] = (
    (Http404, error_catalogue.NOT_FOUND),
    (exceptions.NotFound, error_catalogue.NOT_FOUND),
    (exceptions.NotAuthenticated, error_catalogue.NOT_AUTHENTICATED),
    (exceptions.AuthenticationFailed, error_catalogue.INVALID_CREDENTIALS),
    (DjangoPermissionDenied, error_catalogue.FORBIDDEN),
    (exceptions.PermissionDenied, error_catalogue.FORBIDDEN),
    (exceptions.MethodNotAllowed, error_catalogue.METHOD_NOT_ALLOWED),
    (exceptions.NotAcceptable, error_catalogue.NOT_ACCEPTABLE),
    (exceptions.UnsupportedMediaType, error_catalogue.UNSUPPORTED_MEDIA_TYPE),
    (exceptions.Throttled, error_catalogue.TOO_MANY_REQUESTS),
    (exceptions.ParseError, error_catalogue.MALFORMED_JSON),
    (RequestDataTooBig, error_catalogue.BODY_TOO_LARGE),
    (SuspiciousOperation, error_catalogue.BAD_REQUEST),
    (BadRequest, error_catalogue.BAD_REQUEST),
    (OperationalError, error_catalogue.UNAVAILABLE),
    (InterfaceError, error_catalogue.UNAVAILABLE),
    (PoolTimeout, error_catalogue.UNAVAILABLE),
)


class FieldError(Shape):
    """What is wrong with one field."""

    field: Annotated[str, Meta(description="Its path, such as `stakes[0].amount`.")]
    code: str
    detail: str


class Problem(Shape, omit_defaults=True):
    """A problem document (RFC 9457). Some codes add members of their own."""

    type: Annotated[
        str,
        Meta(
            description="The address where this code is explained.",
            extra_json_schema={"format": "uri"},
            examples=["https://casino.example/api/v1/problems/insufficient_funds"],
        ),
    ]
    title: str
    status: int
    detail: str
    instance: Annotated[str, Meta(description="The path of the request.")]
    code: Annotated[str, Meta(description="Stable, for programs to decide by.")]
    remedy: Annotated[str, Meta(description="How to resolve it.")]
    request_id: str
    errors: tuple[FieldError, ...] = ()

    @classmethod
    def of(
        cls,
        problem: ProblemType,
        *,
        request: HttpRequest,
        detail: str = "",
        remedy: str = "",
        errors: tuple[FieldError, ...] = (),
    ) -> "Problem":
        """Describe one occurrence of a problem, and count it."""
        REFUSALS.count(problem.code)
        return cls(
            type=_address(request, problem.code),
            title=problem.title,
            status=problem.status,
            detail=detail or problem.title,
            instance=request.path,
            code=problem.code,
            remedy=remedy or problem.remedy,
            request_id=request_id(request),
            errors=errors,
        )


@dataclass(frozen=True, slots=True)
class _Occurrence:
    problem: ProblemType
    detail: str
    remedy: str
    facts: Mapping[str, object] = field(default_factory=dict)
    errors: tuple[FieldError, ...] = ()


def handle(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Return the problem document for any exception of a view; log an unexpected one with its id."""
    request: HttpRequest = getattr(context["request"], "_request", context["request"])
    occurrence = _occurrence_of(exc)
    if occurrence.problem.status >= 500 and not isinstance(exc, Refusal):
        _log.error("%s %s failed, request %s", request.method, request.path, request_id(request), exc_info=exc)
    response = _response(request, occurrence)
    for name, value in _headers(exc, occurrence.problem).items():
        response[name] = value
    return response


def problem_response(request: HttpRequest, problem: ProblemType, detail: str = "") -> HttpResponse:
    """Build a problem response outside of any view."""
    return _response(request, _Occurrence(problem, detail or problem.title, problem.remedy))


def _occurrence_of(exc: Exception) -> _Occurrence:
    if isinstance(exc, Refusal):
        problem = error_catalogue.problem_for_refusal(type(exc))
        errors = tuple(_field_error(fault, exc.member) for fault in exc.faults)
        return _Occurrence(problem, exc.detail, problem.remedy, _format_amounts(exc.facts), errors)
    if isinstance(exc, RequestRejected):
        return _Occurrence(exc.problem, exc.detail, exc.remedy, exc.facts)
    if isinstance(exc, Malformed):
        return _occurrence_of_fields(tuple(map(_field_error, exc.faults)))
    for kind, problem in _BY_EXCEPTION:
        if isinstance(exc, kind):
            return _Occurrence(problem, problem.title, problem.remedy)
    return _Occurrence(
        error_catalogue.INTERNAL_ERROR, error_catalogue.INTERNAL_ERROR.title, error_catalogue.INTERNAL_ERROR.remedy
    )


def _format_amounts(facts: Mapping[str, object]) -> dict[str, object]:
    """Format amounts: integers beside a currency are minor units, and are returned as decimal strings."""
    currency = facts.get("currency")
    if not isinstance(currency, str):
        return dict(facts)
    return {name: money.format_amount(fact, currency) if type(fact) is int else fact for name, fact in facts.items()}


def _field_error(fault: Fault, member: str = "") -> FieldError:
    return FieldError(below(member, fault.field), fault.code, f"{fault.sentence[0].upper()}{fault.sentence[1:]}.")


def _occurrence_of_fields(errors: tuple[FieldError, ...]) -> _Occurrence:
    if len(errors) != 1:
        problem = error_catalogue.INVALID_FIELDS
        return _Occurrence(problem, "; ".join(f"{e.field}: {e.detail}" for e in errors), problem.remedy, {}, errors)
    (error,) = errors
    problem = error_catalogue.find_problem(error.code) or error_catalogue.INVALID_FIELDS
    detail = f"{error.field}: {error.detail}" if error.field else error.detail
    return _Occurrence(problem, detail, problem.remedy, {}, errors)


def _response(request: HttpRequest, occurrence: _Occurrence) -> HttpResponse:
    document = Problem.of(
        occurrence.problem,
        request=request,
        detail=occurrence.detail,
        remedy=occurrence.remedy,
        errors=occurrence.errors,
    )
    body = msgspec.json.encode({**occurrence.facts, **msgspec.to_builtins(document)}, enc_hook=str)
    return HttpResponse(body, status=document.status, content_type=MEDIA_TYPE)


def _address(request: HttpRequest, code: str) -> str:
    try:
        return request.build_absolute_uri(PATH + code)
    except DisallowedHost:  # the problem is that we don't know our own name
        return PATH + code


def _headers(exc: Exception, problem: ProblemType) -> dict[str, str]:
    headers: dict[str, str] = {}
    if problem.status == 401:
        error = "" if problem is error_catalogue.NOT_AUTHENTICATED else ', error="invalid_token"'
        headers["WWW-Authenticate"] = f'Bearer realm="casino"{error}'
    if problem.status == 503:
        headers["Retry-After"] = "1"
    wait = getattr(exc, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    return headers
