"""The parts of a night, in order: what runs, what it is given, and how long it may take.

Each is a target of make, too.
"""

import os
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

    A command's {seed} is the night's. A part without a command has nothing to run here; `otherwise` says why.
    """

    name: str
    command: tuple[str, ...]
    limit: int
    results: Path
    """JUnit, or the document of the benches."""
    environment: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""

    def words(self, seed: int) -> list[str]:
        """Return the command of a night with this seed."""
        return [word.format(seed=seed) for word in self.command]

    def variables(self, seed: int) -> dict[str, str]:
        """Return the environment of its process."""
        return {"SEED": str(seed), **self.environment, **os.environ, "PYTHONUNBUFFERED": "1"}

    @property
    def output(self) -> Path:
        """What the command printed."""
        return FOLDER / f"{self.name}.txt"


def tested(name: str, *arguments: str, limit: int, **environment: str) -> Part:
    """Return a part that runs tests."""
    results = FOLDER / f"{name}.xml"
    command = (sys.executable, "-m", "pytest", "-s", "--junitxml", str(results), *arguments)
    return Part(name, command, limit, results, environment)


def measured(name: str, *arguments: str, limit: int) -> Part:
    """Return a part that runs benches."""
    results = FOLDER / f"{name}.json"
    return Part(name, (sys.executable, "-m", "tests.nightly.bench", "--json", str(results), *arguments), limit, results)


def newest_python(*, limit: int) -> Part:
    """Return the part that runs `make unit` by the newest Python here."""
    python, results = newer_python(), FOLDER / "newest-python.xml"
    given = (f"PYTHON={python}", f"VENV=build/{python}", f"ARGS=--junitxml {results.relative_to(PROJECT)}")
    command = ("make", "unit", *given) if python else ()
    return Part("newest-python", command, limit, results, otherwise="no newer Python here")


def newer_python() -> str | None:
    """Return the newest Python here that is newer than this one."""
    for minor in range(20, sys.version_info.minor, -1):
        with suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([f"python3.{minor}", "-c", ""], check=True, capture_output=True)  # noqa: S603
            return f"python3.{minor}"
    return None


def deep_files() -> list[str]:
    """Return the files whose tests try some cases by day (tests/support/depth.py)."""
    files = sorted((PROJECT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(PROJECT)) for file in files if "tests.support.depth" in file.read_text(encoding="utf-8")]


CHAOS: Final = "tests/nightly/chaos"
APART: Final = {
    name: f"{CHAOS}/test_{file}.py"
    for name, file in (("runbook", "runbook"), ("floods", "floods"), ("restore-test", "backup"), ("soak", "soak"))
}
"""Parts of their own."""
OTHERS: Final = tuple(f"tests/nightly/{name}" for name in ("baccarat", "bench", "casino", "deploy", "wallet"))
MINUTE: Final = 60


def parts() -> tuple[Part, ...]:
    """Return all parts in order."""
    return (
        tested(
            *("random-order", "-n", "2", "--dist", "worksteal", "tests"),
            *("--random-order", "--random-order-bucket=module", "--random-order-seed={seed}"),
            *("--cov", "--cov-context=test", "--cov-report="),
            limit=30 * MINUTE,
            COVERAGE_FILE=str(COVERAGE),
        ),
        tested(
            "properties",
            "-n",
            "2",
            "-m",
            "hypothesis",
            "--hypothesis-seed={seed}",
            "tests",
            limit=30 * MINUTE,
            NIGHTLY="1",
        ),
        tested("every-case", "-n", "2", "-m", "not hypothesis", *deep_files(), limit=20 * MINUTE, NIGHTLY="1"),
        tested("browser", "-n", "0", "tests/nightly/browser", limit=20 * MINUTE),
        tested("chaos", "-n", "0", CHAOS, *(f"--ignore={file}" for file in APART.values()), limit=40 * MINUTE),
        tested("runbook", "-n", "0", APART["runbook"], limit=15 * MINUTE),
        tested("floods", "-n", "0", APART["floods"], limit=10 * MINUTE),
        tested("restore-test", "-n", "0", APART["restore-test"], limit=10 * MINUTE),
        tested("cluster-test", "-n", "0", "tests/nightly/cluster", limit=20 * MINUTE, FAULTS="5"),
        tested("upgrade-test", "-n", "0", "tests/nightly/upgrade", limit=10 * MINUTE),
        tested(
            *("fuzz", "-n", "0", "tests/nightly/fuzz", "tests/system/baccarat/proofs"),
            limit=20 * MINUTE,
            VERIFIER_FUZZ_SECONDS="300",
        ),
        tested("others", "-n", "0", *OTHERS, limit=20 * MINUTE),
        measured("bench", limit=30 * MINUTE),
        newest_python(limit=10 * MINUTE),
        tested("soak", "-n", "0", APART["soak"], limit=15 * MINUTE),
    )
