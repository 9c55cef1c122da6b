"""What a check reports when something is not as it must be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One contradiction: `what` is a stable name, `where` says which row, and both sides are given as text."""

    kind: str
    location: str
    expected: str
    actual: str
