"""What a client of one version of the API's document would miss in another."""

from collections.abc import Iterator
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
Document = dict[str, Any]


def breaking_changes(old: Document, new: Document) -> list[str]:
    """List what a compatible change must not do: remove what clients use, or require what they do not send."""
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
    for name, before in old["components"]["schemas"].items():
        after = new["components"]["schemas"].get(name)
        if after is None:
            yield f"schema {name} is gone"
            continue
        yield from (f"{name} has no value {each}" for each in _values(before) - _values(after))
        for before_part, after_part in zip(_parts(before), _parts(after), strict=False):
            fields, kept = before_part.get("properties", {}), after_part.get("properties", {})
            yield from (f"{name} has no field {each}" for each in fields.keys() - kept.keys())
            for each in fields.keys() & kept.keys():
                missing = _values(fields[each]) - _values(kept[each])
                yield from (f"{name}.{each} has no value {value}" for value in missing)
            required, requires = set(before_part.get("required", ())), set(after_part.get("required", ()))
            if name.endswith("Request"):
                yield from (f"{name} requires {each}" for each in requires - required)
            else:
                yield from (f"{name} may lack {each}" for each in (required - requires) & kept.keys())


def _parts(schema: Document) -> list[Document]:
    return [schema, *(part for part in schema.get("allOf", []) if "$ref" not in part)]


def _values(schema: Document) -> set[Any]:
    return set(schema.get("enum", ()))
