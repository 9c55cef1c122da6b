"""Findings: what an audit or another check reports."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

MAX_OF_KIND: Final = 1000
"""The most findings of one kind that are kept; the others are counted."""
MAX_ERROR_LENGTH: Final = 300
UNCHECKED: Final = "can't be checked"
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
"""What PostgreSQL stores in no text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction: its stable kind, the row or position concerned, and both values as text.

    If `more` is not 0, the line stands for so many more of its kind.
    """

    kind: str
    location: str
    expected: str
    actual: str
    more: int = 0

    def __post_init__(self) -> None:
        for name in ("location", "expected", "actual"):
            if _UNSTORABLE.search(text := getattr(self, name)):
                object.__setattr__(self, name, _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text))


class Findings(list[Finding]):
    """Findings in the order of discovery: of each kind the first MAX_OF_KIND, at the end how many more there were.

    Whoever iterates gets these lines, too; the length is without them.
    """

    def __init__(self, found: Iterable[Finding] = ()) -> None:
        super().__init__()
        self._kept, self._more = Counter[str](), Counter[str]()
        self.extend(found)

    def append(self, finding: Finding) -> None:
        kind = finding.kind
        if finding.more or self._kept[kind] == MAX_OF_KIND:
            self._more[kind] += finding.more or 1
        else:
            self._kept[kind] += 1
            super().append(finding)

    def extend(self, found: Iterable[Finding]) -> None:
        """Append them one by one: what an iterator yields before it raises stays."""
        for finding in found:
            self.append(finding)

    def clear(self) -> None:
        self.__init__()  # type: ignore[misc]

    def __iter__(self) -> Iterator[Finding]:
        yield from super().__iter__()
        for kind, number in sorted(self._more.items()):
            yield Finding(kind, f"and {number} more", "", "", number)

    def __reduce__(self) -> tuple[type[Self], tuple[list[Finding]]]:
        return type(self), (list(self),)


def failure(where: str, error: Exception, *, kind: str = UNCHECKED) -> Finding:
    """Return the finding for an error that a check raised."""
    return Finding(kind, where, "no error", f"{type(error).__name__}: {error}"[:MAX_ERROR_LENGTH])
