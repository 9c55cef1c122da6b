"""What a client of one version of the API's document would miss in another."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

METHODS = ("get", "post", "put", "patch", "delete")
ANYTHING: Final = {"type": "string"}
"""Beside an enum: further values may come."""
Document = dict[str, Any]


def breaking_changes(old: Document, new: Document) -> list[str]:
    """List what a compatible change must not do: remove what clients use, require what they do not send, or answer
    with values that the document did not leave open.
    """
    return sorted({*_operations(old, new), *_schemas(old, new)})


def _operations(old: Document, new: Document) -> Iterator[str]:
    for path, methods in old["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            before, after = methods[method], new["paths"].get(path, {}).get(method)
            name = f"{method.upper()} {path}"
            if after is None:
                yield f"{name} is gone"
                continue
            if before["operationId"] != after["operationId"]:
                yield f"{name} has another operationId"
            parameters, known = _parameters(before), _parameters(after)
            yield from (f"{name} has no parameter {each}" for each in parameters.keys() - known.keys())
            yield from (
                f"{name} requires {each}"
                for each, parameter in known.items()
                if parameter.get("required") and not parameters.get(each, {}).get("required")
            )
            yield from (
                f"{name} has no status {each}" for each in before["responses"].keys() - after["responses"].keys()
            )


def _parameters(operation: Document) -> dict[str, Any]:
    return {f"{each['in']} {each['name']}": each for each in operation.get("parameters", [])}


def _schemas(old: Document, new: Document) -> Iterator[str]:
    answered = _answered(old)
    for name, before in old["components"]["schemas"].items():
        after = new["components"]["schemas"].get(name)
        if after is None:
            yield f"schema {name} is gone"
            continue
        yield from _values_differ(name, before, after, answered=name in answered)
        for before_part, after_part in zip(_parts(before), _parts(after), strict=False):
            fields, kept = before_part.get("properties", {}), after_part.get("properties", {})
            yield from (f"{name} has no field {each}" for each in fields.keys() - kept.keys())
            for each in fields.keys() & kept.keys():
                yield from _values_differ(f"{name}.{each}", fields[each], kept[each], answered=name in answered)
            required, requires = set(before_part.get("required", ())), set(after_part.get("required", ()))
            if name.endswith("Request"):
                yield from (f"{name} requires {each}" for each in requires - required)
            else:
                yield from (f"{name} may lack {each}" for each in (required - requires) & kept.keys())


def _parts(schema: Document) -> list[Document]:
    return [schema, *(part for part in schema.get("allOf", []) if "$ref" not in part)]


def _values_differ(name: str, before: Document, after: Document, *, answered: bool) -> Iterator[str]:
    values, kept = _values(before), _values(after)
    yield from (f"{name} has no value {each}" for each in values - kept)
    if values and answered and ANYTHING not in before.get("anyOf", ()):
        yield from (f"{name} has a new value {each}" for each in kept - values)
        if ANYTHING in after.get("anyOf", ()):
            yield f"{name} may have new values"


def _values(schema: Document) -> set[Any]:
    return {value for part in (schema, *schema.get("anyOf", ())) for value in part.get("enum", ())}


def _answered(document: Document) -> set[str]:
    """Return the names of the schemas that responses refer to, directly or not."""
    methods = [methods[method] for methods in document["paths"].values() for method in METHODS if method in methods]
    parts: list[Any] = [document["components"].get("responses", {}), *(each["responses"] for each in methods)]
    names: set[str] = set()
    while parts:
        referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(parts.pop()))) - names
        names |= referred
        parts += [document["components"]["schemas"][name] for name in referred]
    return names
