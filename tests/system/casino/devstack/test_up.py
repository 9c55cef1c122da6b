"""`manage.py up`: everything runs, comes back when killed, and nothing outlives it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from casino.devstack.home import PROJECT
from casino.devstack.system import free_port, is_responding
from tests.processes import alive, child_with, clean_environment, descendants, manage, wait_until
from tests.system.paying import Caller


def run(*arguments, environment):
    command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    return subprocess.run(  # noqa: S603
        command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Variables with a folder of homes of this file's own, which is cleaned as `make clean` cleans."""
    homes = tmp_path_factory.mktemp("up") / "homes with space"
    variables = clean_environment(CASINO_HOME=str(homes))
    yield variables
    command = [sys.executable, "-m", "casino.devstack.clean"]
    subprocess.run(command, env=variables, cwd=PROJECT, check=True)  # noqa: S603
    assert list(homes.glob("*/")) == []


@contextlib.contextmanager
def running(environment, log, port=0):
    """`manage.py up` on a port, by default any free one, when it has said that it runs; yields process and address."""
    with manage("up", "--port", str(port), "--no-reload", environment=environment, log=log) as up:
        wait_until(lambda: "Stop with Ctrl-C" in log.read_text() or up.poll() is not None, seconds=120)
        assert "Stop with Ctrl-C" in log.read_text(), log.read_text()
        yield up, re.search(r"^Web +(http://127\.0\.0\.1:\d+)", log.read_text(), re.MULTILINE)[1]


def keys_when_ready(port, homes):
    """Read the operator's keys in a folder of homes as soon as the service says that it is ready."""
    assert wait_until(lambda: is_responding(port=port, path="/readyz"), seconds=120)
    return [file.read_text() for file in homes.rglob("operator-key")]


def test_the_whole_system_runs_until_it_is_stopped_and_the_next_start_finds_its_data(environment, tmp_path):
    log, port, homes = tmp_path / "up.log", free_port(0), Path(environment["CASINO_HOME"])
    beside = ThreadPoolExecutor()
    ready = beside.submit(keys_when_ready, port, homes)
    with beside, running(environment, log, port) as (up, base):
        (key,) = ready.result()
        assert "admin / " in log.read_text()
        site = re.search(r"^Embedded +(http://127\.0\.0\.1:\d+)/", log.read_text(), re.MULTILINE)[1]
        assert "In our wallet" in httpx.get(site).text

        attached = run("migrate", "--check", "--skip-checks", environment=environment)
        assert attached.returncode == 0, attached.stderr

        taken = run("up", "--port", str(port), environment=environment)
        assert taken.returncode == 1
        assert f"Port {port} on 127.0.0.1 cannot be used" in taken.stderr
        assert "Traceback" not in taken.stderr

        os.kill(child_with(up.pid, "worker --concurrency"), signal.SIGKILL)
        assert wait_until(lambda: "worker runs again" in log.read_text())
        assert "worker ended unexpectedly (killed by signal 9)" in log.read_text()

        below = descendants(up.pid)
        assert len(below) > 10
        up.send_signal(signal.SIGINT)
        assert up.wait(60) == 0
        assert alive(below) == set()
    assert "Traceback" not in log.read_text().rpartition("worker runs again")[2]

    with running(environment, tmp_path / "up.log") as (up, base):
        Caller(base, key).get("operator/key")
        below = descendants(up.pid)
        up.kill()
        up.wait()
        again = run("migrate", "--check", "--skip-checks", environment=environment)
        assert again.returncode == 0, again.stderr
        assert wait_until(lambda: not alive(below))


def test_a_home_that_cannot_be_written_has_a_clear_message(tmp_path):
    (tmp_path / "file").write_text("in the way")
    failed = run("up", "--port", "0", environment=clean_environment(CASINO_HOME=str(tmp_path / "file")))
    assert failed.returncode == 1
    assert "CASINO_HOME" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_one_external_server_without_the_other_has_a_clear_message(tmp_path):
    environment = clean_environment(CASINO_HOME=str(tmp_path), DATABASE_URL="postgresql://nobody@/none")
    failed = run("up", "--port", "0", environment=environment)
    assert failed.returncode == 1
    assert failed.stderr.startswith("Set REDIS_URL too")


def test_on_servers_given_by_url_nothing_is_embedded(database, environment, tmp_path):
    given, log = {**environment, **database.environment}, tmp_path / "up.log"
    with running(given, log) as (up, base):
        assert is_responding(port=int(base.rpartition(":")[2]), path="/readyz")
        assert "Login" not in log.read_text()
        with pytest.raises(AssertionError, match="No child"):
            child_with(up.pid, "postgres")
        with pytest.raises(AssertionError, match="No child"):
            child_with(up.pid, "redis-server")
        up.terminate()
        assert up.wait(60) == 128 + signal.SIGTERM
