"""`manage.py up`: everything runs, comes back when killed, and nothing outlives it."""

import os
import re
import signal
import subprocess
import sys

import pytest

from casino.stack.home import PROJECT
from casino.stack.system import answers
from tests.processes import alive, child_with, clean_environment, descendants, manage, wait_until

pytestmark = pytest.mark.slow


def run(*arguments, environment):
    command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    return subprocess.run(  # noqa: S603
        command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False
    )


@pytest.fixture
def environment(tmp_path):
    """Variables with a folder of homes of the test's own, which is cleaned as `make clean` cleans."""
    variables = clean_environment(CASINO_HOME=str(tmp_path / "homes with space"))
    yield variables
    command = [sys.executable, "-m", "casino.stack.clean"]
    subprocess.run(command, env=variables, cwd=PROJECT, check=True)  # noqa: S603
    assert list((tmp_path / "homes with space").glob("*/")) == []


def test_the_whole_system_runs_until_it_is_stopped(environment, tmp_path):
    log = tmp_path / "up.log"
    with manage("up", "--port", "0", "--no-reload", environment=environment, log=log) as up:
        assert wait_until(lambda: "Stop with Ctrl-C" in log.read_text() or up.poll() is not None), log.read_text()
        base = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())[0]
        port = int(base.rpartition(":")[2])
        assert answers(port=port, path="/readyz")
        assert "admin / " in log.read_text()

        attached = run("migrate", "--check", environment=environment)
        assert attached.returncode == 0, attached.stderr

        taken = run("up", "--port", str(port), environment=environment)
        assert taken.returncode == 1
        assert f"Port {port} on 127.0.0.1 cannot be used" in taken.stderr
        assert "Traceback" not in taken.stderr

        os.kill(child_with(up.pid, "celery -A casino worker"), signal.SIGKILL)
        assert wait_until(lambda: "worker runs again" in log.read_text())
        assert "worker ended unexpectedly (killed by signal 9)" in log.read_text()

        below = descendants(up.pid)
        assert len(below) > 10
        up.send_signal(signal.SIGINT)
        assert up.wait(60) == 0
        assert alive(below) == set()
    assert "Traceback" not in log.read_text().rpartition("worker runs again")[2]


def test_a_supervisor_that_is_killed_leaves_no_process_and_the_next_start_finds_its_data(environment, tmp_path):
    log = tmp_path / "up.log"
    with manage("up", "--port", "0", "--no-reload", environment=environment, log=log) as up:
        assert wait_until(lambda: "Stop with Ctrl-C" in log.read_text() or up.poll() is not None), log.read_text()
        below = descendants(up.pid)
        up.kill()
        up.wait()
        again = run("migrate", "--check", environment=environment)
        assert again.returncode == 0, again.stderr
        assert wait_until(lambda: not alive(below))


def test_a_home_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    failed = run("up", "--port", "0", environment=clean_environment(CASINO_HOME=str(tmp_path / "file")))
    assert failed.returncode == 1
    assert "CASINO_HOME" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_one_server_given_without_the_other_is_said_in_a_sentence(tmp_path):
    environment = clean_environment(CASINO_HOME=str(tmp_path), DATABASE_URL="postgresql://nobody@/none")
    failed = run("up", "--port", "0", environment=environment)
    assert failed.returncode == 1
    assert failed.stderr.startswith("Set REDIS_URL too")


def test_on_servers_given_by_url_nothing_is_embedded(database, environment, tmp_path):
    given, log = {**environment, **database.environment}, tmp_path / "up.log"
    with manage("up", "--port", "0", "--no-reload", environment=given, log=log) as up:
        assert wait_until(lambda: "Stop with Ctrl-C" in log.read_text() or up.poll() is not None), log.read_text()
        assert answers(port=int(re.search(r"127\.0\.0\.1:(\d+)", log.read_text())[1]), path="/readyz")
        assert "Login" not in log.read_text()
        with pytest.raises(AssertionError, match="No child"):
            child_with(up.pid, "postgres")
        with pytest.raises(AssertionError, match="No child"):
            child_with(up.pid, "redis-server")
        up.terminate()
        assert up.wait(60) == 128 + signal.SIGTERM
