"""Finishes the OpenAPI document: responses for problems, headers of all responses, and examples told once."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from types import NoneType
from typing import Any, Final, get_args

import msgspec

from casino.api import error_catalogue, errors
from casino.api.error_catalogue import ProblemType
from casino.api.shapes import REF, AmountText, CurrencyCode, HexText, LimitText, LimitUnit, Timestamp, components_of
from casino.kernel.errors import Amount, CommittedRefusal, all_refusals
from casino.observability.logging import HEADER

PROBLEMS: Final = "x-problems"
KEYED: Final = "x-keyed"
"""What an operation tells this module; the finished document has neither."""
_METHODS: Final = ("get", "post", "put", "patch", "delete")
HEADERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    HEADER: ("The id of the request, yours or a new one. Quote it to support.", {"type": "string"}),
    "RateLimit": ('Requests left in the window, and its seconds: `"credential";r=29870;t=1`.', {"type": "string"}),
    "RateLimit-Policy": ('The quota in a window of seconds: `"credential";q=30000;w=60`.', {"type": "string"}),
    "Cache-Control": ("How long it may be kept; `no-store` for all but public documents.", {"type": "string"}),
    "Content-Disposition": ('The name of the file: `attachment; filename="…"`.', {"type": "string"}),
    "Retry-After": ("Seconds to wait before the request is repeated.", {"type": "integer", "minimum": 0}),
    "WWW-Authenticate": ("The scheme to authenticate by (RFC 6750).", {"type": "string"}),
    "Idempotent-Replayed": (
        "`true` if this is the stored response of an earlier request with the same key.",
        {"type": "string", "enum": ["true"]},
    ),
}
_EVERYWHERE: Final = (HEADER, "RateLimit", "RateLimit-Policy", "Cache-Control")
OPTIONAL_HEADERS: Final = frozenset({"RateLimit", "RateLimit-Policy", "Idempotent-Replayed", "Content-Disposition"})
"""Sent where quotas are on, with stored responses, and with files: the others come wherever they are documented."""
_NO_FILES: Final = frozenset({"application/json", "application/schema+json", "text/event-stream", errors.MEDIA_TYPE})
_PATH: Final = {
    "code": "An error code.",
    "keyid": "The `keyid` of its signatures.",
    "name": "Its name.",
    "provider": "The provider's name, agreed with the operator.",
    "version": "The number of the version.",
}
"""What a parameter in an address is, unless it is an id."""
_BY_STATUS: Final = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def finish(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """Complete the document; the signature is that of drf-spectacular's hooks."""
    del generator, request, public
    operations = [methods[method] for methods in result["paths"].values() for method in _METHODS if method in methods]
    components = result["components"]
    components["headers"] = {
        name: {"description": text, "schema": schema, "required": name not in OPTIONAL_HEADERS}
        for name, (text, schema) in HEADERS.items()
    }
    _share_examples(operations, components)
    _add_problems(operations, components)
    for operation in operations:
        keyed = operation.pop(KEYED, False)
        operation.setdefault("security", [])
        _tell_scope(operation)
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                text = _PATH.get(parameter["name"], f"The {parameter['name']}'s id.")
                parameter.setdefault("description", text)
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                response["description"] = response["description"] or _describe(status, response, components["schemas"])
                response["headers"] = _headers(int(status), response.get("content", {}), keyed=keyed)
    result["paths"] = _unwrapped(result["paths"])
    return result


def _tell_scope(operation: dict[str, Any]) -> None:
    """Tell the scope of a key in words and as `x-scope`: security requirements have scopes with OAuth alone."""
    for scheme, scopes in [each for requirement in operation["security"] for each in requirement.items()]:
        for scope in scopes:
            operation["x-scope"] = scope
            operation["description"] = f"{operation['description']} An API key needs the scope `{scope}`."
        operation["security"][operation["security"].index({scheme: scopes})] = {scheme: []}


def _describe(status: str, response: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Describe a response by its first body's component."""
    body = next(iter(response["content"].values()))
    name = body["schema"].get("$ref", "").rpartition("/")[2]
    return str(schemas[name]["description"]) if name else f"{HTTPStatus(int(status)).phrase}: the file."


def _unwrapped(part: Any) -> Any:
    """Replace `allOf` with one reference, which OpenAPI 3.0 needed beside a description, by the reference."""
    match part:
        case {"allOf": [{"$ref": str(reference)}], **others}:
            return {"$ref": reference, **others}
        case dict():
            return {name: _unwrapped(each) for name, each in part.items()}
        case list():
            return [_unwrapped(each) for each in part]
        case _:
            return part


def facts_of(code: str) -> dict[str, Any]:
    """Return the types of a problem's facts by name."""
    refusal = next((each for each in all_refusals() if each.code == code), None)
    return error_catalogue.FACTS.get(code, {}) if refusal is None else dict(refusal.fact_types)


def required_facts_of(code: str) -> list[str]:
    """Return the names of the facts that every occurrence of a problem has."""
    return [name for name, type_ in facts_of(code).items() if NoneType not in get_args(type_)]


def _share_examples(operations: Sequence[Mapping[str, Any]], components: dict[str, Any]) -> None:
    """Refer to one example for each response type."""
    shared = components.setdefault("examples", {})
    for operation in operations:
        for response in operation["responses"].values():
            for body in response.get("content", {}).values():
                name = body["schema"].get("$ref", "").rpartition("/")[2]
                if "Answer" in body.get("examples", {}) and name:
                    shared[name] = {"value": body["examples"]["Answer"]["value"]}
                    body["examples"] = {"Answer": {"$ref": f"#/components/examples/{name}"}}


def _add_problems(operations: Sequence[dict[str, Any]], components: dict[str, Any]) -> None:
    """Add a response for each status with the schemas of its codes; what most operations answer alike is shared."""
    by_operation = [_codes_by_status(operation.pop(PROBLEMS)) for operation in operations]
    counts: dict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for statuses in by_operation:
        for status, codes in statuses.items():
            counts[status][codes] += 1
    usual = {status: codes for status, counter in counts.items() for codes, _ in counter.most_common(1)}
    shared = components.setdefault("responses", {})
    _, schemas = components_of(errors.Problem)
    components["schemas"].update(schemas, Problem=components_of(errors.Problem)[0], OtherProblem=_other_problem())
    for code in sorted({code for statuses in by_operation for codes in statuses.values() for code in codes}):
        for name, schema in _problem_schemas(code).items():
            components["schemas"].setdefault(name, schema)
    for operation, statuses in zip(operations, by_operation, strict=True):
        for status, codes in statuses.items():
            if usual[status] == codes:
                shared.setdefault(_response_name(status), _response(status, codes))
                operation["responses"][str(status)] = {"$ref": f"#/components/responses/{_response_name(status)}"}
            else:
                operation["responses"][str(status)] = _response(status, codes)
        operation["responses"] = dict(sorted(operation["responses"].items()))
    components["schemas"] = dict(sorted(components["schemas"].items()))


def _codes_by_status(problems: Sequence[ProblemType]) -> dict[int, tuple[str, ...]]:
    by_status: dict[int, list[str]] = defaultdict(list)
    for problem in problems:
        by_status[problem.status].append(problem.code)
    return {status: tuple(codes) for status, codes in by_status.items()}


def _response(status: int, codes: Sequence[str]) -> dict[str, Any]:
    schema = {"oneOf": [{"$ref": REF + name} for name in (*map(_schema_name, codes), "OtherProblem")]}
    listed = ", ".join(f"`{code}`" for code in codes)
    content = {errors.MEDIA_TYPE: {"schema": schema}}
    headers = _headers(status, content, codes)
    return {"description": f"{HTTPStatus(status).phrase}: {listed}", "content": content, "headers": headers}


def _problem_schemas(code: str) -> dict[str, Any]:
    """Return the component of a code, and those that its facts refer to."""
    problem = error_catalogue.all_problems()[code]
    facts = facts_of(code)
    public = [(name, _PUBLIC.get((name, type_), _PUBLIC.get(type_, type_))) for name, type_ in facts.items()]
    schema, referred = components_of(msgspec.defstruct("Facts", public))
    own = {"code": {"type": "string", "enum": [code]}, **schema["properties"]}
    own_schema = {
        "description": f"{problem.title}. {problem.remedy}",
        "allOf": [
            {"$ref": f"{REF}Problem"},
            {"type": "object", "properties": own, "required": ["code", *required_facts_of(code)]},
        ],
    }
    return {**referred, _schema_name(code): own_schema}


def _other_problem() -> dict[str, Any]:
    """Return the component of codes that do not exist yet: strict clients must be able to read an answer with one."""
    code = {"type": "string", "not": {"enum": sorted(error_catalogue.all_problems())}}
    return {
        "description": "A code that a later version added. Treat it by its status.",
        "allOf": [{"$ref": f"{REF}Problem"}, {"type": "object", "properties": {"code": code}, "required": ["code"]}],
    }


def header_names(
    status: int, media_types: Collection[str], codes: Collection[str] = (), *, keyed: bool = False
) -> list[str]:
    """Return the headers of a response: of success to a request with or without a key, or of the problems `codes`."""
    names = [*_EVERYWHERE, *_BY_STATUS.get(status, ())]
    if keyed or any(refusal.code in codes for refusal in all_refusals(CommittedRefusal)):
        names.append("Idempotent-Replayed")
    if not _NO_FILES.issuperset(media_types):
        names.append("Content-Disposition")
    return names


def _headers(
    status: int, content: Collection[str], codes: Collection[str] = (), *, keyed: bool = False
) -> dict[str, Any]:
    names = header_names(status, content, codes, keyed=keyed)
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _schema_name(code: str) -> str:
    return code.title().replace("_", "") + "Problem"


def _response_name(status: int) -> str:
    return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")


_STATUS_BY_NAME: Final = {_response_name(status): status.value for status in HTTPStatus}
_PUBLIC: Final[dict[Any, Any]] = {
    Amount: AmountText,
    Amount | None: AmountText | None,
    datetime: Timestamp,
    datetime | None: Timestamp | None,
    ("chips", list[str]): list[AmountText],
    ("commitment", str): HexText,
    ("terms", str): HexText,
    **{(name, str): LimitText for name in ("limit", "used", "remaining")},
    ("unit", str): LimitUnit,
    ("currency", str): CurrencyCode,
    ("currency", str | None): CurrencyCode | None,
}
"""How answers show a fact, by its type, or by its name and type."""
