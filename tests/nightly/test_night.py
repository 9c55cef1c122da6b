"""A night keeps what came of its parts, goes on where it was stopped, and its page says what fell short."""

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.nightly import __main__ as nightly
from tests.nightly import night, page, parts
from tests.nightly.parts import Part

JUNIT: Final = """<testsuites><testsuite>
<testcase classname="tests.test_one" name="test_good"/>
<testcase classname="tests.test_one" name="test_bad"><failure message="assert 1 == 2&#10;more">...</failure></testcase>
<testcase classname="tests.test_one" name="test_lost"><failure message="lost&#10;--- a&#10;+++ b">.</failure></testcase>
<testcase classname="tests.test_one" name="test_not_here"><skipped message="php is not installed"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep everything in a folder of the test's own."""
    for module, name, file in (
        *((night, "FOLDER", ""), (parts, "FOLDER", ""), (night, "STATE", "state.json"), (page, "PAGE", "report.md")),
        *((page, "COVERAGE", "coverage"), (nightly, "PROJECT", "")),
    ):
        monkeypatch.setattr(module, name, tmp_path / file)
    return tmp_path


def part(name: str, script: str, *, limit: int = 60) -> Part:
    return Part(name, (sys.executable, "-c", script), limit)


def test_the_page_names_failed_tests_unnoticed_mutants_and_skipped_programs(folder: Path) -> None:
    results = f"open({str(folder / 'one.xml')!r}, 'w').write({JUNIT!r}); exit(1)"

    assert nightly.all_of((part("one", results),), again=False) == 1

    written = (folder / "report.md").read_text(encoding="utf-8")
    assert "| one | 1 | 2 | 1 |" in written
    assert "- `tests/test_one::test_bad`: assert 1 == 2\n" in written
    assert "```diff\n--- a\n+++ b\n```" in written
    assert "1 x php is not installed" in written


def test_a_part_that_breaks_off_without_results_falls_short(folder: Path) -> None:
    outcome = night.run(part("one", "raise SystemExit('no room')"), 1)
    assert outcome.short == ["It ended with status 1: no room"]


def test_a_part_is_stopped_at_its_limit_with_all_of_its_processes(folder: Path) -> None:
    child = "import subprocess; p = subprocess.Popen(['sleep', '1000']); print(p.pid, flush=True); p.wait()"
    outcome = night.run(part("one", child, limit=3), 1)
    assert outcome.short == ["It was stopped after 0 minutes."]
    pid = int((folder / "one.txt").read_text().split()[0])
    assert not Path(f"/proc/{pid}").exists() or "zombie" in Path(f"/proc/{pid}/status").read_text()


def test_a_stopped_night_goes_on_and_one_that_ended_begins_anew(folder: Path) -> None:
    log = f"open({str(folder / 'log')!r}, 'a')"
    stopping = f"import os, signal; print('two', file={log}); os.kill(os.getppid(), signal.SIGINT)"
    one, three = (part(name, f"print({name!r}, file={log})") for name in ("one", "three"))
    with pytest.raises(KeyboardInterrupt):
        nightly.all_of((one, part("two", stopping), three), again=False)

    every = one, part("two", f"print('two', file={log})"), three
    for _ in range(2):
        assert nightly.all_of(every, again=False) == 0

    assert (folder / "log").read_text().split() == ["one", "two", "two", "three", "one", "two", "three"]
