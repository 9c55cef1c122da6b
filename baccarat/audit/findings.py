"""Collects contradictions that an audit finds."""

from typing import Final

from casino.kernel.findings import Finding

MAX_TEXT_LENGTH: Final = 300
"""Maximum characters of each side of a finding, so that the table of findings stays readable."""


class FindingCollector:
    """Findings in order of discovery."""

    __slots__ = ("findings",)

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(self, what: str, where: str, expected: object, found: object) -> None:
        """Add a contradiction, both sides as text."""
        self.findings.append(Finding(what, where, shorten(expected), shorten(found)))


def shorten(value: object) -> str:
    """Format a value as text of at most LONGEST characters."""
    text = str(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"
