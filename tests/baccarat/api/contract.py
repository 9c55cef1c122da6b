"""The OpenAPI document as a judge: no answer may say less, more or other than what is documented."""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]

METHODS = ("get", "post", "put", "patch", "delete")
FORMATS = FormatChecker(formats=["uuid"])


@FORMATS.checks("date-time", raises=ValueError)
def is_moment(value: object) -> bool:
    """RFC 3339 in UTC."""
    return not isinstance(value, str) or (datetime.fromisoformat(value).tzinfo is not None and value.endswith("Z"))


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation."""

    method: str
    path: str
    document: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.document["operationId"])

    @property
    def callers(self) -> set[str]:
        """`operatorKey`, `playerToken`, both or none."""
        return {name for scheme in self.document.get("security", []) for name in scheme}

    @property
    def keyed(self) -> bool:
        """Whether it takes an Idempotency-Key."""
        return "Idempotency-Key" in {parameter["name"] for parameter in self.document.get("parameters", [])}

    def request_examples(self) -> list[Any]:
        return [each["value"] for body in self._request_bodies() for each in body["examples"].values()]

    def query_ids(self) -> list[str]:
        """Return the names of the query parameters that are ids."""
        parameters = [each for each in self.document.get("parameters", []) if each["in"] == "query"]
        return [each["name"] for each in parameters if each["schema"].get("format") == "uuid"]

    def body_ids(self) -> list[str]:
        """Return the names of the fields of the request that are ids."""
        schemas = [resolved(body["schema"]) for body in self._request_bodies()]
        fields = [field for schema in schemas for field in schema.get("properties", {}).items()]
        return [name for name, field in fields if field.get("format") == "uuid"]

    def _request_bodies(self) -> Iterator[dict[str, Any]]:
        yield from self.document.get("requestBody", {}).get("content", {}).values()

    def bodies(self) -> Iterator[dict[str, Any]]:
        """Every body, of the request and of each answer: its schema and its examples."""
        yield from self._request_bodies()
        for answer in self.document["responses"].values():
            for body in resolved(answer).get("content", {}).values():
                yield {**body, "examples": {name: resolved(each) for name, each in body.get("examples", {}).items()}}

    @property
    def tag(self) -> str:
        """The app that serves it."""
        return str(self.document["tags"][0])

    def url(self, ids: Mapping[str, str]) -> str:
        """Return the address with these ids in it."""
        return self.path.format_map(ids)


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the document, or the component that it refers to."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    component: dict[str, Any] = document()["components"][kind][name]
    return component


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """Return the document as it is served."""
    generator = SchemaGenerator(urlconf="casino.urls")  # type: ignore[no-untyped-call]
    made = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    served: dict[str, Any] = json.loads(json.dumps(made, default=str))
    return served


@lru_cache(maxsize=1)
def operations() -> tuple[Operation, ...]:
    """All operations of the service."""
    return tuple(
        Operation(method, path, found)
        for path, methods in document()["paths"].items()
        for method, found in methods.items()
        if method in METHODS
    )


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Operation]:
    return {operation.name: operation for operation in operations()}


def named(name: str) -> Operation:
    """Return the operation with this id."""
    return _by_name()[name]


@lru_cache(maxsize=1)
def _addresses() -> list[tuple[str, re.Pattern[str], Operation]]:
    """Each operation with its method and what its addresses look like."""
    return [
        (operation.method, re.compile(re.sub(r"\{[a-z_]+\}", "[^/]+", operation.path)), operation)
        for operation in operations()
    ]


def operation_of(method: str, path: str) -> Operation:
    """Return the operation that serves this address."""
    for served, address, operation in _addresses():
        if served == method and address.fullmatch(path):
            return operation
    raise LookupError(f"{method} {path} is not documented")


@lru_cache(maxsize=1)
def _closed_components() -> dict[str, Any]:
    """Return the document's components, in which an object has no member that is not documented.

    Problems stay open: some codes bring facts of their own.
    """
    components: dict[str, Any] = copy.deepcopy(document()["components"])
    for name, schema in components["schemas"].items():
        if "properties" in schema and name != "Problem":
            schema.setdefault("additionalProperties", False)
    return components


def faults(value: Any, schema: dict[str, Any]) -> list[str]:
    """List what in a value contradicts a schema of the document."""
    judge = _judge(json.dumps(schema, sort_keys=True))
    return [f"{error.json_path}: {error.message}" for error in judge.iter_errors(value)]


@lru_cache(maxsize=512)
def _judge(schema: str) -> Any:
    """Return a validator of one schema, cached with its references."""
    whole = {**json.loads(schema), "components": _closed_components()}
    return Draft202012Validator(whole, format_checker=FORMATS)


def check(method: str, path: str, answer: Any) -> None:
    """Assert that an answer is one that its operation's document promises."""
    kind = answer.headers.get("Content-Type", "")
    promised = operation_of(method, path).document["responses"]
    assert str(answer.status_code) in promised
    content = resolved(promised[str(answer.status_code)]).get("content")
    if answer.status_code >= 400:
        assert kind == "application/problem+json"
        assert faults(answer.json(), content[kind]["schema"]) == []
        assert answer.json()["status"] == answer.status_code
        return
    if content is None:
        assert answer.content == b""
        return
    if kind != "application/json":
        assert content[kind]["schema"] == {"type": "string", "format": "binary"}
        return
    assert faults(answer.json(), content[kind]["schema"]) == []
