"""The budget of `make test` does what `tests/budget.py` says, also with several processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from tests.budget import BUDGET

CONFTEST = """
from tests import budget

pytest_plugins = ["tests.budget"]
budget.LIMIT, budget.QUIET = 0.3, 60.0  # no machine is that slow


def pytest_addoption(parser):
    parser.addoption("--whole-contract", action="store_true")
"""
TESTS = """
import time

import pytest


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.fixture(scope="module")
def dear():
    burn(0.5)


@pytest.fixture
def own():
    burn(0.5)


def test_cheap_after_a_shared_fixture(dear): pass
def test_that_burns(): burn(0.5)
def test_that_sleeps(): time.sleep(0.5)
def test_with_a_fixture_of_its_own(own): pass
"""


@pytest.mark.parametrize("processes", [0, 2])
def test_a_test_that_burns_fails_and_what_tests_share_is_blamed_on_none(tmp_path: Path, processes: int) -> None:
    (tmp_path / "tests/wallet").mkdir(parents=True)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "tests/wallet/test_use.py").write_text(TESTS)
    environment = {"PYTHONPATH": str(PROJECT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", str(processes), "--whole-contract", "-q", "tests"]
    done = subprocess.run(  # noqa: S603
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    failed = {line.split()[1].rpartition("::")[2] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == {"test_that_burns", "test_with_a_fixture_of_its_own"}, done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("wallet ")]
    _, used, budget, *_ = line.split()
    assert (float(used) > 1.4, int(budget)) == (True, BUDGET["folders"]["wallet"])


def test_an_exception_names_an_existing_test_and_has_a_reason() -> None:
    for name, reason in BUDGET["exceptions"].items():
        file, _, test = name.partition("::")
        assert f"def {test}(" in (PROJECT / file).read_text(encoding="utf-8"), name
        assert reason
