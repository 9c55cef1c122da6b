"""A child never outlives the one that started it."""

import os
import signal
import subprocess
import sys

import pytest

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child, run_to_end
from tests.processes import alive, descendants, wait_until

STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
SUPERVISOR = """
import os, sys, time
from pathlib import Path
from casino.devstack.processes import Child
from casino.observability.command_line import exit_on_signals
child = Child(name="nap", command=["/bin/sleep", "600"], environment={}, log=Path(sys.argv[1]))
try:
    with exit_on_signals():
        child.start()
        print(child.pid, flush=True)
        time.sleep(600)
finally:
    child.stop()
"""


def child(tmp_path, *command, grace=15.0):
    return Child(name="it", command=command, environment=dict(os.environ), log=tmp_path / "it.log", grace=grace)


def test_a_child_that_ignores_the_request_to_end_is_killed(tmp_path):
    stubborn = child(tmp_path, sys.executable, "-c", STUBBORN, grace=0.2)
    stubborn.start()
    stubborn.wait_until(lambda: "ready" in stubborn.tail())
    stubborn.stop()
    assert not stubborn.alive()
    assert stubborn.process.returncode == -signal.SIGKILL


def test_the_whole_group_ends_with_the_child(tmp_path):
    parent = child(tmp_path, "/bin/sh", "-c", "sleep 600 & sleep 600")
    parent.start()
    assert wait_until(lambda: len(descendants(parent.pid)) == 2)
    below = descendants(parent.pid)
    parent.kill()
    assert wait_until(lambda: not alive(below))


def test_a_child_that_dies_is_reported_with_the_end_of_its_log(tmp_path):
    failing = child(tmp_path, sys.executable, "-c", "print('the reason'); raise SystemExit(3)")
    failing.start()
    with pytest.raises(DevstackError, match=r"(?s)it ended unexpectedly \(exit status 3\).*the reason"):
        failing.wait_until(lambda: False)


def test_a_child_that_is_never_ready_is_reported(tmp_path):
    slow = child(tmp_path, "/bin/sleep", "600")
    slow.start()
    with pytest.raises(DevstackError, match="not ready"):
        slow.wait_until(lambda: False, seconds=0.1)
    slow.kill()


def test_a_failed_command_shows_its_last_lines():
    with pytest.raises(DevstackError, match=r"(?s)exit status 7.*last words"):
        run_to_end(["/bin/sh", "-c", "echo last words; exit 7"], environment={})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_signal_to_the_supervisor_leaves_a_child_behind(tmp_path, number):
    supervisor = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", SUPERVISOR, str(tmp_path / "log")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=PROJECT,
    )
    with supervisor:
        supervisor.stdout.readline()
        below = descendants(supervisor.pid)
        assert len(below) == 1
        supervisor.send_signal(number)
        supervisor.wait()
    assert wait_until(lambda: not alive(below))


def test_a_supervisor_under_nohup_outlives_its_terminal(tmp_path):
    supervisor = subprocess.Popen(  # noqa: S603
        ["nohup", sys.executable, "-c", SUPERVISOR, str(tmp_path / "log")],  # noqa: S607
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=PROJECT,
    )
    with supervisor:
        supervisor.stdout.readline()
        below = descendants(supervisor.pid)
        supervisor.send_signal(signal.SIGHUP)
        supervisor.terminate()
        assert supervisor.wait() == 128 + signal.SIGTERM
    assert wait_until(lambda: not alive(below))
