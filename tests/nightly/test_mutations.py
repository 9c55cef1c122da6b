"""The tests notice small faults in rules, rounds, wallet and permissions.

MUTATIONS of them (60) are drawn by SEED. Each is put into a copy of the tree, where the tests that execute the line run
until one fails: of those that `make random-order` noted, first those of the module's own folder, then those that
execute most of the module. Others of that folder that execute the module follow. `equivalent_mutants.toml` has faults
that need not be noticed, with the reasons.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from coverage import CoverageData

from casino.devstack.home import PROJECT
from tests.nightly.mutants import AREAS, Mutant, drawn, mutants
from tests.nightly.parts import COVERAGE
from tests.services import Services

COUNT: Final = int(os.environ.get("MUTATIONS") or 60)
SEED: Final = os.environ.get("SEED", "0")
MOST_TESTS: Final = 250
MOST_SECONDS: Final = 400
ENDLESS: Final = 90
"""Seconds after which a test that still runs has noticed."""
EQUIVALENT: Final = tomllib.loads(Path(__file__).with_name("equivalent_mutants.toml").read_text(encoding="utf-8"))
FOLDERS: Final = ("baccarat", "casino", "deploy", "tests", "wallet")
FILES: Final = ("manage.py", "pyproject.toml", "constraints.txt", "Makefile", "README.md")
CONTRACT: Final = "tests/casino/api/test_errors.py"
"""Tests of what is declared of all refusals."""
FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", re.MULTILINE)


def chosen() -> Iterator[Mutant]:
    """Yield COUNT mutants, as many of each area."""
    seen = set[Mutant]()
    for number, area in enumerate(itertools.cycle(AREAS)):
        if len(seen) == COUNT:
            return
        for mutant in drawn(PROJECT, area, Random(f"{SEED} {number}")):
            if mutant not in seen and mutant.change not in EQUIVALENT.get(mutant.file, {}):
                seen.add(mutant)
                yield mutant
                break


@pytest.fixture(scope="session")
def recorded() -> CoverageData:
    """Read which test executes which line."""
    assert COVERAGE.exists(), "`make random-order` notes which test executes which line: run it first."
    data = CoverageData(str(COVERAGE))
    data.read()
    return data


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the tree, with what is compiled."""
    folder = tmp_path_factory.mktemp("mutated")
    for name in FOLDERS:
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("node_modules"))
    for name in FILES:
        shutil.copy2(PROJECT / name, folder / name)
    return folder


def likely_tests(mutant: Mutant, recorded: CoverageData) -> list[str]:
    """Return the tests that may notice, the most likely first."""
    path = PROJECT / mutant.file
    assert path.stat().st_mtime < COVERAGE.stat().st_mtime, f"{mutant.file} changed: run `make random-order` again."
    tests = {
        line: {_test(each) for each in contexts} for line, contexts in recorded.contexts_by_lineno(str(path)).items()
    }
    executes = Counter(test for each in tests.values() for test in each if test)
    executing = set[str]().union(*(tests.get(line, ()) for line in mutant.lines))
    mirror = f"tests/{Path(mutant.file).parent}/"
    if executing == {""}:  # executed at import: whatever uses the module may notice, or a module of its folder
        mirrored = (test for each in recorded.measured_contexts() if (test := _test(each)).startswith(mirror))
        declared = (test for each in recorded.measured_contexts() if (test := _test(each)).startswith(CONTRACT))
        chosen = {*(executes or mirrored), *(declared if path.stem == "refusals" else ())}
    elif executing:  # what is cached is executed by the first test that asks for it alone
        chosen = executing.union(test for test in executes if test.startswith(mirror))
    else:
        return []
    return sorted(
        chosen - {""},
        key=lambda test: (test not in executing, not test.startswith((mirror, CONTRACT)), -executes[test], test),
    )[:MOST_TESTS]


def _test(context: str) -> str:
    """Return the test of a context, which names a phase of it, too; none of what is executed at import."""
    return context.rpartition("|")[0]


def failing(tests: list[str], copy: Path, services: Services) -> str | None:
    """Return the first of the tests that fails in the copy, or what else ended them; None if all pass."""
    (copy / "chosen.txt").write_text("\n".join(tests), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "--tb=no", "-p", "no:cacheprovider"),
        *("-o", f"faulthandler_timeout={ENDLESS}", "-o", "faulthandler_exit_on_timeout=true", "@chosen.txt"),
    ]
    addresses = {
        "DATABASE_URL": services.addresses.url,
        "DATABASE_OWNER_URL": services.addresses.owner_url,
        "REDIS_URL": services.redis_url,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**kept, **addresses, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == pytest.ExitCode.OK:
        return None
    found = FAILED.search(done.stdout)
    return found[1] if found else f"status {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}"


@pytest.mark.parametrize("mutant", list(chosen()), ids=lambda mutant: f"{mutant.file}:{mutant.lines[0]}")
def test_a_mutant_is_noticed(mutant: Mutant, copy: Path, recorded: CoverageData, services: Services) -> None:
    tests = likely_tests(mutant, recorded)
    if not tests:
        pytest.fail(f"no quick test executes it\n{mutant.diff}", pytrace=False)
    file = copy / mutant.file
    file.write_text(mutant.after, encoding="utf-8")
    try:
        noticed = failing(tests, copy, services)
    finally:
        shutil.copy2(PROJECT / mutant.file, file)
    if noticed is None:
        pytest.fail(f"{len(tests)} tests notice nothing\n{mutant.diff}", pytrace=False)
    print(f"{mutant.file}:{mutant.lines[0]}: {noticed}")
    again = [noticed] if noticed.startswith("tests/") else tests
    assert failing(again, copy, services) is None, f"{noticed}: without it, too"


def test_each_kind_of_fault_is_made(tmp_path: Path) -> None:
    lines = (
        "def f(x: int) -> int:",
        "    if x < 5 and g(x):",
        "        require(Scope.PLAY)",
        "        raise ValueError",
        "    x += 1 if not x else 0",
        "    return -x - x",
        "OTHER = Scope.READ",
    )
    (tmp_path / "wallet").mkdir()
    (tmp_path / "wallet/module.py").write_text("\n".join(lines), encoding="utf-8")

    changes = {each.change.partition("\n+")[2].strip() for each in mutants(tmp_path / "wallet/module.py", tmp_path)}

    assert changes == {
        "if (x < 5 or g(x)):", "if (x <= 5) and g(x):", "if x < (6) and g(x):", "if x < (4) and g(x):",
        "pass", "require((Scope.READ))", "x += (0 if not x else 1)", "x += 1 if (x) else 0", "x -= 1 if not x else 0",
        "x += (2) if not x else 0", "x += (0) if not x else 0", "x += 1 if not x else (1)", "x += 1 if not x else (-1)",
        "return None", "return (-x + x)", "OTHER = (Scope.PLAY)",
    }  # fmt: skip
