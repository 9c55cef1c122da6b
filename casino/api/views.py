"""The API's own endpoints: the catalogue of problems, the OpenAPI document, its HTML page, and unknown URLs."""

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, HttpResponseServerError
from django.urls import get_urlconf
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from casino.api import error_catalogue, errors
from casino.api.contract import WITH_BODY, Contract
from casino.api.error_catalogue import NOT_FOUND, ProblemType, RequestRejected
from casino.api.json_format import ShapeRenderer
from casino.api.middleware import API
from casino.api.openapi import operation
from casino.api.requests import Body
from casino.api.shapes import ItemList
from casino.kernel.conversion import convert

_CACHED_FOR_AN_HOUR: Final = "public, max-age=3600"
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ACCEPTS_JSON: Final = frozenset(
    {"*/*", "application/json", "application/json, */*", "application/json, text/plain, */*"}
)
_JSON_ONLY: Final = [ShapeRenderer]


class ProblemTypeList(ItemList[ProblemType]):
    """All codes, in alphabetical order."""


class BaseApiView(APIView):
    """Base of every view of the API: problem documents, strict JSON, OPTIONS for preflights only."""

    metadata_class = None

    def perform_content_negotiation(
        self,
        request: Request,
        force: bool = False,  # noqa: FBT001, FBT002  (the framework's signature)
    ) -> Any:
        """Choose JSON at once for callers that accept it or anything, as nearly all do."""
        if request.META.get("HTTP_ACCEPT", "*/*") in _ACCEPTS_JSON and self.renderer_classes == _JSON_ONLY:
            return ShapeRenderer(), ShapeRenderer.media_type
        return super().perform_content_negotiation(request, force)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, then refuse unknown query parameters, and a body where none is documented.

        Raises RequestRejected (unknown_parameter), Malformed.
        """
        super().initial(request, *args, **kwargs)
        handler = getattr(self, str(request.method).lower(), None)
        contract: Contract | None = getattr(handler, "contract", None)
        if contract is not None and request.META.get("QUERY_STRING"):
            contract.refuse_unknown(request.query_params)
        if not getattr(handler, "idempotent", False):
            self.refuse_unknown_body(request)

    def refuse_unknown_body(self, request: Request) -> None:
        """Refuse members of a body where none is documented; what is idempotent does so itself. Raises Malformed."""
        contract: Contract | None = getattr(getattr(self, str(request.method).lower(), None), "contract", None)
        if contract is not None and contract.request is None and request.method in WITH_BODY:
            _ = request._request.body  # noqa: SLF001  (kept, because a person's assertion is bound to its bytes)
            convert(request.data, Body)


class ProblemListView(BaseApiView):
    """The catalogue of problems."""

    @operation(
        "listProblems",
        "List every error code with its remedy",
        returns=ProblemTypeList,
        description=("Every code of every operation, with its status, what it means, and what to do about it."),
    )
    def get(self, _request: Request) -> Response:
        problems = ProblemTypeList.of(error_catalogue.all_problems().values())
        return Response(problems, headers={"Cache-Control": _CACHED_FOR_AN_HOUR})


class ProblemView(BaseApiView):
    """One error code, to which the `type` of a problem document links."""

    @operation(
        "getProblem",
        "Explain one error code",
        returns=ProblemType,
        description=("The `type` of a problem document is this address."),
    )
    def get(self, _request: Request, code: str) -> Response:
        """Explain one code. Raises RequestRejected (not_found)."""
        problem = error_catalogue.find_problem(code)
        if problem is None:
            raise RequestRejected(NOT_FOUND, "There is no such code.")
        return Response(problem, headers={"Cache-Control": _CACHED_FOR_AN_HOUR})


class DocsView(SpectacularSwaggerSplitView):
    """The OpenAPI document as HTML, which loads nothing from other hosts."""

    url_name = "schema"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        response["Content-Security-Policy"] = _PAGE_POLICY
        return response


@require_safe
@gzip_page
@conditional_page
def schema(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document, as YAML if `Accept` asks for it, else as JSON."""
    wants_yaml = "yaml" in request.headers.get("Accept", "")
    return _document(OpenApiYamlRenderer if wants_yaml else OpenApiJsonRenderer)


@require_safe
@gzip_page
@conditional_page
def schema_yaml(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document as YAML."""
    del request
    return _document(OpenApiYamlRenderer)


@csrf_exempt
def unknown(request: HttpRequest) -> HttpResponse:
    """Return the problem for an unknown URL under /api/."""
    return errors.problem_response(request, NOT_FOUND)


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the problem for a request that Django rejects, such as one for an unknown host."""
    del exception
    return errors.problem_response(request, error_catalogue.BAD_REQUEST)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the problem for an unknown URL."""
    del exception
    if request.path_info.startswith(API):
        return errors.problem_response(request, NOT_FOUND)
    return HttpResponseNotFound("There is nothing at this address.\n", content_type="text/plain; charset=utf-8")


def handler500(request: HttpRequest) -> HttpResponse:
    """Return the problem for an error outside of the API's views; Django has logged it."""
    error = sys.exception()
    if request.path_info.startswith(API):
        return errors.handle(error if isinstance(error, Exception) else Exception(), {"request": request})
    response = HttpResponseServerError("Something failed on our side.\n", content_type="text/plain; charset=utf-8")
    if isinstance(error, OperationalError | InterfaceError):
        response.content = "The service can't reach its database. Repeat the request in a moment.\n"
        response.status_code, response["Retry-After"] = 503, "1"
    return response


def _document(renderer: Callable[[], Any]) -> HttpResponse:
    body, media_type = _rendered(renderer, get_urlconf())
    headers = {"Cache-Control": "public, max-age=300", "Vary": "Accept"}
    return HttpResponse(body, content_type=media_type, headers=headers)


@lru_cache(maxsize=4)
def _rendered(renderer: Callable[[], Any], urlconf: str | None) -> tuple[bytes, str]:
    """Render the document. It depends on the code alone, so a process renders it once."""
    generator = SchemaGenerator(urlconf=urlconf)  # type: ignore[no-untyped-call]
    document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    instance = renderer()
    return instance.render(document, renderer_context={}), instance.media_type
