"""A run of the tests that is ended at any moment leaves no process and no folder, beside other runs that go on."""

import os
import signal
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT, SHARED_TEMP_FOLDER, TEMPORARY, Home, temporary_home
from tests.processes import alive, begin, clean_environment, descendants, wait_until
from tests.services import MEMORY

WAITING = """
import sys
from pathlib import Path
from tests.processes import begin

def test_waits_for_a_process_of_its_own(database):
    sleeper = begin([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    Path(__file__).with_name("waits").touch()
    sleeper.wait()
"""


@pytest.fixture
def run(tmp_path):
    """Run a test that waits in another process than the controller; yield the controller and all below it."""
    (tmp_path / "test_waiting.py").write_text(WAITING, encoding="utf-8")
    (tmp_path / "t").mkdir()
    arguments = [*"-c pyproject.toml -p tests.conftest -n 1".split(), str(tmp_path / "test_waiting.py")]
    with (tmp_path / "output").open("wb") as output:
        controller = begin(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=PROJECT,
            env=clean_environment(TMPDIR=str(tmp_path / "t")),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        waits = wait_until(lambda: (tmp_path / "waits").exists() or controller.poll() is not None, seconds=300)
        assert waits, (tmp_path / "output").read_text()
        assert controller.poll() is None, (tmp_path / "output").read_text()
        below = descendants(controller.pid)
        yield controller, below
        for pid, _ in alive(below):
            os.kill(pid, signal.SIGKILL)
    finally:
        controller.kill()
        controller.wait()


def folders(temporary: Path) -> set[Path]:
    """Return the folders of the homes that are in a folder for temporary files: themselves, data and sockets."""
    homes = {home.resolve() for home in temporary.glob(f"{TEMPORARY}*")}
    names = {Home(folder=home, secrets=None, lock=None).short_name for home in homes}
    elsewhere = (temporary, Path("/tmp"), SHARED_TEMP_FOLDER, MEMORY)  # noqa: S108
    return homes | {found for base, name in product(elsewhere, names) for found in base.glob(f"{name}*")}


def command_lines(processes: set[tuple[int, str]]) -> list[str]:
    return [(Path("/proc") / str(pid) / "cmdline").read_text().replace("\0", " ") for pid, _ in processes]


@pytest.mark.parametrize(
    ("signals", "whole_group"),
    [
        pytest.param([signal.SIGINT] * 3, True, id="Ctrl-C thrice"),
        pytest.param([signal.SIGHUP], True, id="the terminal closes"),
        pytest.param([signal.SIGKILL], False, id="killed"),
    ],
)
def test_nothing_of_a_run_outlives_it(run, signals, whole_group, tmp_path, monkeypatch):
    controller, below = run
    used = folders(tmp_path / "t")
    assert len(below) > 8
    assert len(used) > 2
    for number in signals:
        os.kill(-controller.pid if whole_group else controller.pid, number)
        time.sleep(0.3)
    assert controller.wait(120) != 0
    assert wait_until(lambda: not alive(below)), command_lines(alive(below))
    if signal.SIGKILL in signals:  # the next run removes them
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
        with temporary_home():
            pass
    assert [folder for folder in used if folder.exists()] == []
