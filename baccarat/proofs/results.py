"""What a check of an exported round says."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class CheckVerdict(StrEnum):
    """How one check ended: right, not checkable with what there is, not applicable to this round, or wrong."""

    OK = "ok"
    NOT_CHECKABLE = "open"
    NOT_APPLICABLE = "none"
    FAILED = "failed"


class OverallVerdict(StrEnum):
    """What all checks come to; PARTLY when nothing is wrong but not everything could be checked."""

    VERIFIED = "verified"
    PARTLY = "partly"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """One check by name, its verdict and a sentence; of a failed one also what was expected and what was found."""

    name: str
    verdict: CheckVerdict
    text: str
    expected: str = ""
    actual: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Every check of one exported round; `round` is its id, None where the file is no export."""

    round: str | None
    checks: tuple[ProofCheck, ...]

    @property
    def verdict(self) -> OverallVerdict:
        verdicts = {check.verdict for check in self.checks}
        if CheckVerdict.FAILED in verdicts:
            return OverallVerdict.FAILED
        return OverallVerdict.PARTLY if CheckVerdict.NOT_CHECKABLE in verdicts else OverallVerdict.VERIFIED

    def document(self) -> dict[str, Any]:
        """Return all of it, JSON-ready, as the stand-alone verifier prints it."""
        checks = [
            {
                "name": check.name,
                "verdict": str(check.verdict),
                "text": check.text,
                "expected": check.expected,
                "found": check.actual,
            }
            for check in self.checks
        ]
        return {"verdict": str(self.verdict), "round": self.round, "checks": checks}


class Mismatch(Exception):
    """Something differs: what, what it should be, and what it is."""

    def __init__(self, what: str, expected: object = "", found: object = "") -> None:
        super().__init__(what)
        self.what, self.expected, self.found = what, format_value(expected), format_value(found)


class CheckNotPossible(Exception):
    """Something can't be checked with what there is; the message says why."""


class CheckNotApplicable(Exception):
    """There is nothing of the kind in this round; the message says so."""


def format_value(value: object) -> str:
    """Write a value for a reader: a text as it is, bytes in hex, anything else as JSON."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def require_equal(expected: object, found: object, what: str) -> None:
    """Raise Wrong where two values differ, or are of different kinds."""
    if type(expected) is not type(found) or expected != found:
        raise Mismatch(what, expected, found)
