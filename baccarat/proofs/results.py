"""The result of checking an exported round."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

SIGNED: Final = frozenset({"inclusion", "signature", "key"})
"""The checks without which everything else may have been made up."""


REQUIRED: Final = frozenset({"witnesses", "closing"})
"""The checks by which the reader may require something."""
COSIGNATURES: Final = "cosignatures"


class CheckVerdict(StrEnum):
    """Result of one check: correct, not checkable with what is available, not applicable to this round, or wrong."""

    OK = "ok"
    NOT_CHECKABLE = "open"
    NOT_APPLICABLE = "none"
    FAILED = "failed"


class OverallVerdict(StrEnum):
    """Overall result; PARTLY when nothing is wrong but some checks were not possible.

    UNCOSIGNED when no trusted witness has cosigned the log; FORCED when nothing is wrong, but the cards were chosen;
    UNVERIFIED when no trusted key has signed everything, or what the reader requires is missing.
    """

    VERIFIED = "verified"
    PARTLY = "partly"
    UNCOSIGNED = "uncosigned"
    FORCED = "forced"
    UNVERIFIED = "unverified"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A witness whose cosigner's key is trusted, and when it cosigned."""

    name: str
    time: str

    def __str__(self) -> str:
        return f"{self.name} at {self.time}"


@dataclass(frozen=True, slots=True)
class CoveringCheckpoint:
    """A checkpoint, signed by a trusted key, that covers everything in the file, and who has cosigned it."""

    number: int
    made_at: str
    cosigned_by: tuple[Cosignature, ...] = ()

    def __str__(self) -> str:
        by = ", ".join(map(str, self.cosigned_by)) or "no witness that you trust"
        return f"As of checkpoint {self.number} of {self.made_at}, cosigned by {by}; a later void would not show here."


@dataclass(frozen=True, slots=True)
class Caveat:
    """What is no fault of the file but what its reader has to know: a code for programs, and a clause."""

    code: str
    text: str


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
    checkpoint: CoveringCheckpoint | None = None
    """The file's checkpoint, whoever has signed it."""
    caveats: tuple[Caveat, ...] = ()
    could_choose: str | None = None
    """Who could have chosen the cards: a code of verifier.CHOOSERS."""
    forced: bool = False
    """Whether a sandbox operator chose the cards."""

    @property
    def verdict(self) -> OverallVerdict:
        verdicts = {check.verdict for check in self.checks}
        if CheckVerdict.FAILED in verdicts:
            return OverallVerdict.FAILED
        if self.as_of is None:
            return OverallVerdict.UNVERIFIED
        if self.forced:
            return OverallVerdict.FORCED
        if not any(check.name == COSIGNATURES and check.verdict is CheckVerdict.OK for check in self.checks):
            return OverallVerdict.UNCOSIGNED
        return OverallVerdict.PARTLY if CheckVerdict.NOT_CHECKABLE in verdicts else OverallVerdict.VERIFIED

    @property
    def as_of(self) -> CoveringCheckpoint | None:
        """Return the checkpoint that the verdict rests on; None without a trusted signature, or if a check failed.

        Where the round has witnesses, their keys must be trusted, too, and what the reader requires must be there.
        """
        passed = {check.name for check in self.checks if check.verdict is CheckVerdict.OK}
        failed = any(check.verdict is CheckVerdict.FAILED for check in self.checks)
        open_ = {check.name for check in self.checks if check.verdict is CheckVerdict.NOT_CHECKABLE}
        return None if failed or REQUIRED & open_ or not passed >= SIGNED else self.checkpoint

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
        as_of = None
        if self.as_of is not None:
            as_of = {**asdict(self.as_of), "cosigned_by": list(map(asdict, self.as_of.cosigned_by))}
        caveats = list(map(asdict, self.caveats))
        return {
            "verdict": str(self.verdict), "round": self.round, "as_of": as_of, "could_choose": self.could_choose,
            "caveats": caveats, "checks": checks,
        }  # fmt: skip


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
