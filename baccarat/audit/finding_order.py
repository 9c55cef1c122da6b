"""One order for findings, however the work was shared out: section by section, then by the place they speak of."""

import re
from collections.abc import Iterable
from typing import Final

from casino.kernel.findings import Finding

_NUMBER: Final = re.compile(r"(\d+)")


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by where they are, numbers as numbers, then by what they say; each is there once."""
    return sorted(dict.fromkeys(findings), key=_key)


def _key(finding: Finding) -> tuple[object, ...]:
    parts = _NUMBER.split(finding.location)
    where = tuple((int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts))
    return where, finding.kind, finding.expected, finding.actual
