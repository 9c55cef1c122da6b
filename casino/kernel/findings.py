"""Findings: what an audit or another check reports."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction: its stable kind, the row or position concerned, and both values as text."""

    kind: str
    location: str
    expected: str
    actual: str
