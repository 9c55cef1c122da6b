"""Where an audit writes down what contradicts the rules or the record."""

from typing import Final

from casino.kernel.findings import Finding

MAX_TEXT_LENGTH: Final = 300
"""Characters of either side of a finding; more would hide the table of findings."""


class FindingCollector:
    """Findings in the order met."""

    __slots__ = ("findings",)

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(self, what: str, where: str, expected: object, found: object) -> None:
        """Note one contradiction, both sides as text."""
        self.findings.append(Finding(what, where, shorten(expected), shorten(found)))


def shorten(value: object) -> str:
    """Write a value as text of at most LONGEST characters."""
    text = str(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"
