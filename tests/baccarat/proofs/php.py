"""Run the verifier in PHP: one process reads many exported rounds."""

import json
import shutil
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.programs import needs

VERIFIER: Final = Path(__file__).with_name("verifier.php")
HAS_PHP: Final = shutil.which("php") is not None
needs_php: Final = needs("php")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Exit status, checkpoint it is as of, who could have chosen, whose rules, caveats, and each check's result."""

    status: int
    as_of: dict[str, Any] | None
    could_choose: str | None
    published: bool | None
    caveats: list[str]
    checks: dict[str, tuple[str, str]]

    def failed(self) -> set[str]:
        return {name for name, (result, _) in self.checks.items() if result == "failed"}


def run_php(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the verifier with arguments. It has printed no warning."""
    command = ["php", str(VERIFIER), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.stderr == ""
    return done


def request(
    raw: bytes,
    *,
    keys: Collection[str] = (),
    receipts: Collection[bytes] = (),
    witness_keys: Collection[str] = (),
    require_signed: bool = False,
) -> dict[str, Any]:
    """Return a request to verify a file by a reader who trusts the keys, for whatever they sign."""
    cosigners = [each for each in (*keys, *witness_keys) if "+" in each]
    trusted = [each for each in keys if "+" not in each]
    return {
        "file": raw.decode(), "receipts": [each.decode() for each in receipts],
        "keys": trusted, "trusted_witnesses": trusted, "receipt_keys": trusted, "cosigners": cosigners,
        "witness_keys": [each for each in witness_keys if "+" not in each], "require_signed": require_signed,
    }  # fmt: skip


def verify_all(requests: Iterable[dict[str, Any]]) -> list[Verdict]:
    """Return the verdict of each request."""
    verdicts = [
        Verdict(
            each["status"],
            each["as_of"],
            each["could_choose"],
            each["published"],
            each["caveats"],
            {name: (result, why) for name, (result, why) in each["checks"].items()},
        )
        for each in json.loads(run_php("--batch", given=json.dumps(list(requests))).stdout)
    ]
    unforeseen = [why for each in verdicts for _, why in each.checks.values() if why.startswith("unforeseen")]
    assert unforeseen == []
    return verdicts
