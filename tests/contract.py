"""Compares every answer of the API in every test with what the operation documents.

A status, code, fact or header that the operation does not document fails the test in which it occurs, and so does a
header that is documented as required and is not sent. With `--whole-contract`, as in `make test`, a documented code
that no test produced fails the run, unless NOT_PRODUCED has its reason; a reason that no longer holds fails it, too.
A refusal that a test provokes below HTTP counts: every refusal becomes an answer in the same way.
"""

import functools
import json
from collections.abc import Generator
from typing import Any, Final

import pytest
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver

from casino.api.contract import problems_of
from casino.api.document import OPTIONAL_HEADERS, facts_of, header_names, required_facts_of
from casino.api.error_catalogue import ProblemType
from casino.api.errors import MEDIA_TYPE, Problem
from casino.kernel.errors import Refusal

PREFIX: Final = "/api/v1/"
NOT_PRODUCED: Final = {
    "deal 202": "a wager waits for an operator's own wallet only; the house's wallet answers in the transaction",
    "rebetAndDeal 202": "as of deal",
    "overloaded": "answered before Django, by the process that tests/system/casino/api/test_wsgi_pool.py starts",
    "request_timeout": "answered before Django, by the process that tests/system/casino/api/test_wsgi_pool.py starts",
}
"""Documented codes, and further statuses of success, that no test produces, with the reason."""
OF_HTTP: Final = frozenset({
    "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Allow", "Content-Length", "Content-Type",
    "Content-Security-Policy", "Cross-Origin-Opener-Policy", "Referrer-Policy", "Vary", "X-Content-Type-Options",
    "X-Accel-Buffering", "X-Frame-Options",
})  # fmt: skip
"""Headers of HTTP, for browsers and for proxies, which the document leaves to their standards."""
FILES: Final = ("application/octet-stream",)
"""A list may come as a file, too, which has a name."""
_undocumented: Final[list[str]] = []
_produced: Final[set[str]] = set()
PRODUCED: Final = pytest.StashKey[set[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --whole-contract."""
    parser.addoption("--whole-contract", action="store_true", help="fail if a documented code was not produced")


@pytest.fixture(autouse=True, scope="session")
def compared_with_the_contract() -> Generator[None]:
    """Look at every answer and every refusal of this process."""
    answer = BaseHandler.get_response

    def compare(handler: BaseHandler, request: HttpRequest) -> Any:
        response = answer(handler, request)
        if settings.ROOT_URLCONF == "casino.urls" and request.path_info.startswith(PREFIX):
            _compare(request, response)
        return response

    initialise, describe = Refusal.__init__, Problem.of

    def count_refusal(refusal: Refusal, detail: str = "", **facts: object) -> None:
        _produced.add(refusal.code)
        initialise(refusal, detail, **facts)

    def count_problem(problem: ProblemType, **occurrence: Any) -> Problem:
        _produced.add(problem.code)
        return describe(problem, **occurrence)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseHandler, "get_response", compare)
        patch.setattr(Refusal, "__init__", count_refusal)
        patch.setattr(Problem, "of", count_problem)
        yield


@pytest.fixture(autouse=True)
def documented() -> Generator[None]:
    """Fail a test in which the API answered what its operation does not document."""
    yield
    if _undocumented:
        found = "\n".join(sorted(set(_undocumented)))
        _undocumented.clear()
        pytest.fail(
            f"Answers that their operations do not document (`refusals` of @operation):\n{found}", pytrace=False
        )


def _compare(request: HttpRequest, response: HttpResponse) -> None:
    view: Any = getattr(request.resolver_match, "func", None)
    view = getattr(view, "cls", view)
    handler = getattr(view, str(request.method).lower(), view)
    if hasattr(handler, "contract") and handler.contract.successes:
        _produced.add(f"{handler.contract.name} {response.status_code}")
    if not hasattr(handler, "contract"):
        return
    name = f"{view.__module__}.{getattr(view, '__name__', '')} {request.method}"
    if response.headers.get("Content-Type") != MEDIA_TYPE:
        keyed = getattr(handler, "idempotent", False)
        _compare_headers(name, response, _headers(response.status_code, FILES, keyed=keyed))
        return
    problem = json.loads(response.content)
    code = problem["code"]
    _compare_headers(name, response, _headers(response.status_code, (MEDIA_TYPE,), (code,)))
    in_path = bool(request.resolver_match and request.resolver_match.kwargs)
    if code not in _codes(view, str(request.method), in_path=in_path):
        _undocumented.append(f"{name}: {problem['status']} {code}")
    facts = set(problem) - set(Problem.__struct_fields__)
    known, required = _facts(code)
    wrong = facts - known | required - facts
    if wrong:
        _undocumented.append(f"{name}: {code}: {sorted(wrong)} differ from the refusal's `fact_types`")


# Derived from declarations, which do not change while tests run, for each answer anew otherwise.
_headers = functools.cache(header_names)


@functools.cache
def _codes(view: Any, method: str, *, in_path: bool) -> frozenset[str]:
    return frozenset(problems_of(view, method, in_path=in_path))


@functools.cache
def _facts(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of a problem's facts, and of those that it always has."""
    return frozenset(facts_of(code)), frozenset(required_facts_of(code))


def _compare_headers(name: str, response: HttpResponse, documented: list[str]) -> None:
    sent = set(response.headers) - OF_HTTP
    wrong = sent - set(documented) | set(documented) - OPTIONAL_HEADERS - sent
    if wrong:
        _undocumented.append(f"{name}: {response.status_code}: headers {sorted(wrong)} differ from the document")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the codes of a worker to the controller, or compare all with those that are documented."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["produced"] = sorted(_produced)
        return
    _produced.update(session.config.stash.get(PRODUCED, ()))
    if (
        session.config.getoption("--whole-contract")
        and session.exitstatus == pytest.ExitCode.OK
        and (_lacking() or _outdated())
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the codes of a worker that has finished."""
    produced = node.config.stash.setdefault(PRODUCED, set())
    produced.update(getattr(node, "workeroutput", {}).get("produced", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the documented codes that no test produced, and reasons that hold no longer."""
    if not config.getoption("--whole-contract"):
        return
    for advice, codes in (
        ("Documented, but produced by no test (write one, or give the reason in tests/contract.py)", _lacking()),
        ("Produced by a test, or not documented (remove the reason in tests/contract.py)", _outdated()),
    ):
        if codes:
            terminalreporter.section("CONTRACT", red=True, bold=True)
            terminalreporter.line(f"{advice}: {', '.join(codes)}")


def _lacking() -> list[str]:
    return sorted(documented_codes() - _produced - NOT_PRODUCED.keys())


def _outdated() -> list[str]:
    return sorted(NOT_PRODUCED.keys() - (documented_codes() - _produced))


def documented_codes() -> set[str]:
    """Return every code that an operation documents, and its statuses of success if it has several."""
    codes: set[str] = set()
    for path, callback in _callbacks(get_resolver("casino.urls")):
        view = getattr(callback, "cls", callback)
        for method in ("get", "post", "put", "patch", "delete"):
            contract = getattr(getattr(view, method, None), "contract", None)
            if contract is not None:
                codes |= problems_of(view, method, in_path="<" in path).keys()
                codes |= {f"{contract.name} {status}" for status in contract.successes}
    return codes


def _callbacks(resolver: Any, prefix: str = "/") -> Generator[tuple[str, Any]]:
    for each in resolver.url_patterns:
        path = f"{prefix}{each.pattern}"
        if hasattr(each, "url_patterns"):
            yield from _callbacks(each, path)
        elif path.startswith(PREFIX):
            yield path, each.callback
