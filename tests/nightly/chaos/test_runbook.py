"""Each symptom of runbook.md is brought about, seen by the page's check, and ended by its command."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from tests.nightly.chaos.runbook import FORKS, LOGIN, ROWS, Reader, Row
from tests.nightly.chaos.symptoms import SYMPTOMS
from tests.processes import wait_until
from tests.support.whole_system import System


@pytest.fixture(scope="module")
def forks(shared_system: System) -> Iterator["subprocess.Popen[str]"]:
    """Load the code of manage.py's commands once."""
    environment = {**shared_system.stack.environment, "DJANGO_SUPERUSER_PASSWORD": "only-for-tests-0"}
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(  # noqa: S603
        command, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        yield process
        process.stdin.close()


@pytest.fixture
def reader(system: System, forks: "subprocess.Popen[str]", tmp_path: Path) -> Iterator[Reader]:
    """Read the page with a system that is sound before, and again afterwards if the test fails."""
    reader = Reader(system, tmp_path, forks, {"LOGIN": LOGIN, "FOLDER": "folder"})
    if not system.query("SELECT 1 FROM auth_user WHERE username = %s", [LOGIN]):
        reader.manage(f"createsuperuser --noinput --username {LOGIN} --email {LOGIN}@example.com")
    reader.forget_logs()
    usual = {name: dict(child.environment) for name, child in system.stack.children.items()}
    yield reader
    if reader.is_followed:
        return
    for name, child in system.stack.children.items():
        if child.environment != usual[name]:
            child.environment = usual[name]
            child.stop()
    system.stack.child("postgres").start()
    assert wait_until(
        lambda: "command not found" not in reader.shell('psql "$SUPERUSER_URL" -c "ALTER SYSTEM RESET ALL"')
    )
    reader.compose("compose up --detach")


def test_the_runbook_has_25_symptoms_or_more_and_each_is_brought_about() -> None:
    assert [row.symptom for row in ROWS] == list(SYMPTOMS)
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symptom)
def test_a_symptom_is_seen_by_the_check_of_the_page_and_ended_by_its_command(row: Row, reader: Reader) -> None:
    symptom: Callable[[Reader], AbstractContextManager[None]] = contextlib.contextmanager(SYMPTOMS[row.symptom])

    def says() -> str:
        return re.sub("|".join(map(re.escape, reader.values)), lambda name: reader.values[name[0]], row.says)

    def is_over() -> bool:
        answer = reader.do(row.check)
        reader.forget_logs()
        return says() not in answer

    with symptom(reader):
        assert wait_until(lambda: says() in reader.do(row.check)), reader.do(row.check)
        said = [reader.do(command) for command in row.commands]
        reader.forget_logs()
        assert wait_until(is_over), (said, reader.do(row.check))
    reader.is_followed = True
