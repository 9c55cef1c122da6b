"""What each operation promises: the query parameters that it knows, and every problem that it may answer with.

The OpenAPI document is derived from this, unknown parameters are refused by it, and the test suite compares with it
whatever occurs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter
from msgspec.structs import fields

from casino.api import error_catalogue as catalogue
from casino.api.error_catalogue import ProblemType, RequestRejected, problem_for_refusal
from casino.api.paging import PARAMETERS as PAGING
from casino.api.requests import Body
from casino.events.store import VersionConflict
from casino.kernel.conversion import codes_of
from casino.kernel.errors import Refusal

Declared = type[Refusal] | ProblemType | str
"""A refusal, a problem of HTTP, or the code of a refusal that an app above contributes."""

_ALWAYS: Final = (
    catalogue.BAD_REQUEST,
    catalogue.UNKNOWN_PARAMETER,
    catalogue.NOT_ACCEPTABLE,
    catalogue.TOO_MANY_REQUESTS,
    catalogue.INTERNAL_ERROR,
    catalogue.UNAVAILABLE,
    catalogue.OVERLOADED,
)
WITH_BODY: Final = frozenset({"PATCH", "POST", "PUT"})
"""The methods whose bodies are read: one that is not documented must be empty."""
_BODY: Final = (
    catalogue.MALFORMED_JSON,
    catalogue.REQUEST_TIMEOUT,
    catalogue.BODY_TOO_LARGE,
    catalogue.UNSUPPORTED_MEDIA_TYPE,
)
_IDEMPOTENT: Final = (
    catalogue.IDEMPOTENCY_KEY_REQUIRED,
    catalogue.IDEMPOTENCY_KEY_MALFORMED,
    catalogue.IDEMPOTENCY_KEY_REUSED,
    catalogue.LENGTH_REQUIRED,
    VersionConflict,
)
_PAGED: Final = (catalogue.INVALID_CURSOR, catalogue.INVALID_LIMIT)


@dataclass(frozen=True, eq=False)
class Contract:
    """What `operation` declares of one method of a view."""

    refusals: Sequence[Declared] = ()
    request: Any = None
    parameters: Sequence[Any] = ()
    name: str = ""
    successes: frozenset[int] = frozenset()
    """The statuses of success, where there are several."""

    @cached_property
    def query_parameters(self) -> frozenset[str]:
        """The names of the query parameters that the operation knows."""
        return frozenset(_query_names(self.parameters))

    def refuse_unknown(self, query: Iterable[str]) -> None:
        """Check the names of a query's parameters. Raises RequestRejected (unknown_parameter)."""
        for name in query:
            if name not in self.query_parameters:
                known = ", ".join(sorted(self.query_parameters))
                names = f"It knows {known}." if known else "This operation has none."
                raise RequestRejected(catalogue.UNKNOWN_PARAMETER, f"There is no parameter {name[:40]!r}. {names}")


def problems_of(view: Any, method: str, *, in_path: bool) -> dict[str, ProblemType]:
    """Return every problem that an operation may answer with, by code; `in_path`: its address has parameters."""
    handler = getattr(view, method.lower(), view)
    contract: Contract = getattr(handler, "contract", Contract())
    declared: list[Declared] = [*_ALWAYS, *getattr(view, "refusals", ()), *contract.refusals]
    for authentication in getattr(view, "authentication_classes", ()):
        declared += getattr(authentication, "problems", ())
    for parameter in (*contract.parameters, *headers_of(view, method)):
        declared += getattr(parameter, "refusals", ())
    if in_path:
        declared.append(catalogue.NOT_FOUND)
    if method.upper() in WITH_BODY:
        declared += _BODY
    if getattr(handler, "idempotent", False):
        declared += _IDEMPOTENT
    if any(parameter in contract.parameters for parameter in PAGING):
        declared += _PAGED
    problems = [_problem(each) for each in declared]
    parsed = [contract.request, *contract.parameters]
    codes = {code for kind in parsed if is_struct(kind) for code in codes_of(kind)}
    if codes or method.upper() in WITH_BODY:
        codes |= {"unknown_field", "invalid_fields"}
    problems += [catalogue.find_problem(code) or catalogue.INVALID_FIELDS for code in codes]
    return {problem.code: problem for problem in sorted(problems, key=lambda problem: (problem.status, problem.code))}


def headers_of(view: Any, method: str) -> Sequence[Any]:
    """Return the headers that an operation takes because of what its view is for."""
    find: Callable[[str], Sequence[Any]] | None = getattr(view, "signed_headers", None)
    return () if find is None else find(method)


def _problem(declared: Declared) -> ProblemType:
    if isinstance(declared, ProblemType):
        return declared
    return catalogue.all_problems()[declared] if isinstance(declared, str) else problem_for_refusal(declared)


def _query_names(parameters: Sequence[Any]) -> Iterator[str]:
    for parameter in parameters:
        if is_struct(parameter):
            yield from (each.encode_name for each in fields(parameter))
        elif parameter.location == OpenApiParameter.QUERY:
            yield parameter.name


def is_struct(each: Any) -> bool:
    """Tell whether this is the struct of a request."""
    return isinstance(each, type) and issubclass(each, Body)
