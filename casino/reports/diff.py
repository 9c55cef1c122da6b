"""What two versions of a report say differently, row by row. Pure."""

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that only one of two versions has: `gone` since the older one, or new in the newer."""

    removed: bool
    row: tuple[Any, ...]


def diff_rows(older: dict[str, Any], newer: dict[str, Any]) -> list[RowChange]:
    """List the rows of two documents that differ, sorted so that a row stands beside what became of it."""
    before, after = (Counter(tuple(row) for row in each["rows"]) for each in (older, newer))
    found = [RowChange(removed=True, row=row) for row in (before - after).elements()]
    found += [RowChange(removed=False, row=row) for row in (after - before).elements()]
    return sorted(found, key=lambda change: ([str(cell) for cell in change.row], not change.removed))
