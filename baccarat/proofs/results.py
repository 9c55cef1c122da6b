"""The result of checking an exported round."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class CheckVerdict(StrEnum):
    """Result of one check: correct, not checkable with what is available, not applicable to this round, or wrong."""

    OK = "ok"
    NOT_CHECKABLE = "open"
    NOT_APPLICABLE = "none"
    FAILED = "failed"


class OverallVerdict(StrEnum):
    """Overall result; PARTLY when nothing is wrong but some checks were not possible."""

    VERIFIED = "verified"
    PARTLY = "partly"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """One check: name, verdict and a sentence; if it failed, also the expected and the actual value."""

    name: str
    verdict: CheckVerdict
    text: str
    expected: str = ""
    actual: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of an exported round; `round` is its id, None if the file is not an export."""

    round: str | None
    checks: tuple[ProofCheck, ...]

    @property
    def verdict(self) -> OverallVerdict:
        verdicts = {check.verdict for check in self.checks}
        if CheckVerdict.FAILED in verdicts:
            return OverallVerdict.FAILED
        return OverallVerdict.PARTLY if CheckVerdict.NOT_CHECKABLE in verdicts else OverallVerdict.VERIFIED

    def document(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, in the format of the stand-alone verifier."""
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
    """A value differs: what, the expected value, the actual value."""

    def __init__(self, what: str, expected: object = "", actual: object = "") -> None:
        super().__init__(what)
        self.what, self.expected, self.actual = what, format_value(expected), format_value(actual)


class CheckNotPossible(Exception):
    """Something cannot be checked with what is available; the message says why."""


class CheckNotApplicable(Exception):
    """The round has nothing of this kind; the message says so."""


def format_value(value: object) -> str:
    """Format a value: text as it is, bytes in hex, anything else as JSON."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def require_equal(expected: object, actual: object, what: str) -> None:
    """Raise Mismatch if two values differ in value or type."""
    if type(expected) is not type(actual) or expected != actual:
        raise Mismatch(what, expected, actual)
