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
    """The exit status, the checkpoint that it is as of, the codes of caveats, and each check's result and reason."""

    status: int
    as_of: dict[str, Any] | None
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


def request(raw: bytes, *, keys: Collection[str] = (), receipt: bytes | None = None) -> dict[str, Any]:
    """Return a request to verify a file by a reader who trusts the keys, for whatever they sign."""
    cosigners = [each for each in keys if "+" in each]
    trusted = [each for each in keys if "+" not in each]
    return {
        "file": raw.decode(), "receipt": receipt if receipt is None else receipt.decode(),
        "keys": trusted, "witness_keys": trusted, "receipt_keys": trusted,
        "cosigners": cosigners,
    }  # fmt: skip


def verify_all(requests: Iterable[dict[str, Any]]) -> list[Verdict]:
    """Return the verdict of each request."""
    verdicts = [
        Verdict(
            each["status"],
            each["as_of"],
            each["caveats"],
            {name: (result, why) for name, (result, why) in each["checks"].items()},
        )
        for each in json.loads(run_php("--batch", given=json.dumps(list(requests))).stdout)
    ]
    unforeseen = [why for each in verdicts for _, why in each.checks.values() if why.startswith("unforeseen")]
    assert unforeseen == []
    return verdicts
