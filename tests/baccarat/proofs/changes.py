"""Change golden files: any of their values, and any of their lists, as who forged them could."""

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

from baccarat.proofs import verifier
from tests.baccarat.proofs.forging import Document

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path to every scalar value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    paths = [leaf for name, each in inside for leaf in leaves(each, (*path, name))]
    yield from paths or [path]


def lists(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path to every list that is not empty."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, list) and value:
        yield path
    for name, each in inside:
        yield from lists(each, (*path, name))


def at(document: Any, path: Path) -> Any:
    for name in path:
        document = document[name]
    return document


def change_value(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case None:
            return 1
        case _:
            return [1] if value == [] else {"more": 1}


def _add(items: list[Any]) -> None:
    added = copy.deepcopy(items[-1])
    paths = list(leaves(added))
    items.append(change_value(added) if paths == [()] else added)
    for path in paths if paths != [()] else ():
        at(added, path[:-1])[path[-1]] = change_value(at(added, path))


def _double(items: list[Any]) -> None:
    items.insert(0, copy.deepcopy(items[0]))


def _remove(items: list[Any]) -> None:
    items.pop()


def _exchange(items: list[Any]) -> None:
    items[0], items[-1] = items[-1], items[0]


LIST_CHANGES: Final[dict[str, Callable[[list[Any]], None]]] = {
    "added": _add, "doubled": _double, "removed": _remove, "exchanged": _exchange,
}  # fmt: skip


def kind_of(document: Document, path: Path) -> str:
    """Return what is at a path: the type of its event, and names."""
    kind = document["events"][path[1]]["type"] if path[0] == "events" and len(path) > 1 else ""
    return "/".join((kind, *(name for name in path if isinstance(name, str))))


def is_used(document: Document, path: Path) -> bool:
    """Return whether a check uses what is there: some of an event's data is for other readers."""
    if path[0] == "rules":
        return len(path) > 1 and path[1] in verifier.RULES
    if path[0] != "events" or len(path) < 4:
        return path[0] != "exported_at"
    event = document["events"][path[1]]
    used = verifier.EVENTS.get(event["type"])
    if path[2] != "data" or used is None:
        return False
    if event["stream"] not in {f"round-{document['round']['id']}", f"table-{document['round']['table']}"}:
        return path[3] == "next_terms"  # of the cards of rounds before, the next terms alone matter
    if path[3:5] == ("rules", "values"):
        return len(path) > 5 and path[5] in verifier.RULES
    return path[3].removesuffix("?") in {name.removesuffix("?") for name in used}
