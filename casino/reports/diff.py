"""What two versions of a report say differently, row by row. Pure."""

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """A row that only one of two versions has: `gone` since the older one, or new in the newer."""

    gone: bool
    row: tuple[Any, ...]


def changes(older: dict[str, Any], newer: dict[str, Any]) -> list[Change]:
    """List the rows of two documents that differ, sorted so that a row stands beside what became of it."""
    before, after = (Counter(tuple(row) for row in each["rows"]) for each in (older, newer))
    found = [Change(gone=True, row=row) for row in (before - after).elements()]
    found += [Change(gone=False, row=row) for row in (after - before).elements()]
    return sorted(found, key=lambda change: ([str(cell) for cell in change.row], not change.gone))
