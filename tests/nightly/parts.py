"""The parts of a night, in order: what runs, what it is given, and how long it may take.

Each is a target of make, too.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from casino.devstack.home import PROJECT

FOLDER: Final = PROJECT / "build/nightly"
COVERAGE: Final = FOLDER / "coverage"
"""Which test of the quick suite executes which line."""


@dataclass(frozen=True, slots=True)
class Part:
    """A command and the seconds it may take. `environment` holds what it is given unless the caller's has it.

    In the command, {seed} is the night's, and {results} the file that says what came of it: JUnit, or JSON of benches.
    A part without a command has nothing to run here; `otherwise` says why.
    """

    name: str
    command: tuple[str, ...]
    limit: int
    environment: Mapping[str, str] = field(default_factory=dict)
    kind: str = "xml"
    otherwise: str = ""

    @property
    def results(self) -> Path:
        """The file of results."""
        return FOLDER / f"{self.name}.{self.kind}"

    @property
    def output(self) -> Path:
        """The file that it prints to at night."""
        return FOLDER / f"{self.name}.txt"

    def words(self, seed: int) -> list[str]:
        """Return the command of a night with this seed."""
        return [word.format(seed=seed, results=self.results) for word in self.command]

    def variables(self, seed: int) -> dict[str, str]:
        """Return the environment of its process."""
        return {"SEED": str(seed), **self.environment, **os.environ, "PYTHONUNBUFFERED": "1"}


def tested(name: str, *arguments: str, limit: int, **environment: str) -> Part:
    """Return a part that runs tests."""
    command = (sys.executable, "-m", "pytest", "--junitxml", "{results}", *arguments)
    return Part(name, command, limit, environment)


def newest_python(*, limit: int) -> Part:
    """Return the part that runs `make unit` by the newest Python here."""
    python = newer_python()
    command = ("make", "unit", f"PYTHON={python}", f"VENV=build/{python}", "ARGS=--junitxml '{results}'")
    return Part("newest-python", command if python else (), limit, otherwise="no newer Python here")


def newer_python() -> str | None:
    """Return the newest Python here that is newer than this one."""
    for minor in range(20, sys.version_info.minor, -1):
        with suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([f"python3.{minor}", "-c", ""], check=True, capture_output=True)  # noqa: S603
            return f"python3.{minor}"
    return None


def with_more_cases() -> list[str]:
    """Return the quick tests that have more to try at night."""
    deeper = re.compile(r"^from tests\.support\.depth import .*\b(deep|DEEP)\b", re.MULTILINE)
    files = sorted((PROJECT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(PROJECT)) for file in files if deeper.search(file.read_text(encoding="utf-8"))]


CHAOS: Final = "tests/nightly/chaos"
APART: Final = {
    name: f"{CHAOS}/test_{file}.py"
    for name, file in (("runbook", "runbook"), ("floods", "floods"), ("restore-test", "backup"), ("soak", "soak"))
}
"""Parts of their own."""
OTHERS: Final = tuple(
    f"tests/nightly/{name}" for name in ("baccarat", "bench", "casino", "deploy", "stories", "wallet", "test_night.py")
)
VERIFIERS: Final = "tests/system/baccarat/proofs"
MINUTE: Final = 60


def parts() -> tuple[Part, ...]:
    """Return all parts in order: first what uses both cores, then what watches times and has the machine to itself."""
    both, alone = ("-n", "2"), ("-n", "0", "-s")
    ordered = ("--random-order", "--random-order-bucket=module", "--random-order-seed={seed}")
    traced = ("--cov", "--cov-context=test", "--cov-report=")
    seeded = ("-m", "hypothesis", "--hypothesis-seed={seed}")
    bench = (sys.executable, "-m", "tests.nightly.bench", "--json", "{results}", "--size", "night")
    chaos = (CHAOS, *(f"--ignore={file}" for file in APART.values()))
    more = with_more_cases()
    return (
        tested("random-order", *both, *ordered, *traced, "tests", limit=30 * MINUTE, COVERAGE_FILE=str(COVERAGE)),
        tested("mutations", *both, "tests/nightly/test_mutations.py", limit=40 * MINUTE),
        tested("every-case", *both, "-m", "not hypothesis", *more, limit=20 * MINUTE, NIGHTLY="1"),
        tested("properties", *both, *seeded, "tests", limit=30 * MINUTE, NIGHTLY="1"),
        tested("browser", *alone, "tests/nightly/browser", limit=30 * MINUTE),
        tested("chaos", *alone, *chaos, limit=40 * MINUTE),
        tested("runbook", *alone, APART["runbook"], limit=15 * MINUTE),
        tested("floods", *alone, APART["floods"], limit=10 * MINUTE),
        tested("restore-test", *alone, APART["restore-test"], limit=10 * MINUTE),
        tested("cluster-test", *alone, "tests/nightly/cluster", limit=20 * MINUTE, FAULTS="5"),
        tested("upgrade-test", *alone, "tests/nightly/upgrade", limit=10 * MINUTE),
        tested("fuzz", *alone, "tests/nightly/fuzz", VERIFIERS, limit=15 * MINUTE, VERIFIER_FUZZ_SECONDS="60"),
        tested("others", *alone, *OTHERS, limit=40 * MINUTE),
        Part("bench", bench, limit=30 * MINUTE, kind="json"),
        newest_python(limit=10 * MINUTE),
        tested(
            "soak", *alone, APART["soak"], limit=round(float(os.environ.get("HOURS") or 1 / 6) * 3600) + 10 * MINUTE
        ),
    )
