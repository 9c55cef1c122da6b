"""Child processes of tests, observed through /proc."""

import contextlib
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, Final

from casino.devstack.home import PROJECT
from casino.devstack.processes import LIBC, PR_SET_PDEATHSIG, parent_death_hook

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__, "casino.witness.command", "casino.devstack.operator.app"])


def descendants(pid: int) -> set[tuple[int, str]]:
    """Return every process below this one as (pid, start time): a reused pid is another process."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := _parent_and_start(int(entry.name))) is not None:
            parents.setdefault(parent[0], []).append((int(entry.name), parent[1]))
    result, pending = set(), [pid]
    while pending:
        below = parents.get(pending.pop(), [])
        result.update(below)
        pending.extend(child for child, _ in below)
    return result


def alive(processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Return those that still run, without zombies."""
    return {
        (pid, start)
        for pid, start in processes
        if (parent := _parent_and_start(pid)) is not None and parent[1] == start
    }


def _parent_and_start(pid: int) -> tuple[int, str] | None:
    try:
        fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), fields[19])


def _command_line(pid: int) -> str:
    """Return the command line, empty if the process has ended."""
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def child_with(pid: int, words: str) -> int:
    """Return the pid of the direct child whose command line contains these words."""
    for child, _ in descendants(pid):
        parent, line = _parent_and_start(child), _command_line(child)
        if parent is not None and parent[0] == pid and words in line:
            return child
    raise AssertionError(f"No child with {words!r} runs.")


def wait_until(holds: Callable[[], object], *, seconds: float = 60.0) -> bool:
    """Wait until the condition holds, and return whether it did in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def clean_environment(**changes: str) -> dict[str, str]:
    """Return this process's environment without secrets and server addresses."""
    secret = ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS")
    hidden = (*secret, "DATABASE", "REDIS", "CASINO", "PORT", "STATIC_ROOT", "PYTEST", "DJANGO")
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(hidden) or name == "CASINO_SCRATCH"
    }
    return {**kept, **changes}


def forked(
    run: Callable[[list[str]], object], *arguments: str, log: Path, environment: Mapping[str, str] | None = None
) -> ForkServerProcess:
    """Start a function as a program in a session of its own; what most of them import has been imported once."""
    process = FORKS.Process(target=_run, args=(run, list(arguments), log, environment or {}))
    process.start()
    return process


def run_module(name: str, arguments: list[str]) -> None:
    """Do what `python -m name` does."""
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__")


def _run(run: Callable[[list[str]], object], arguments: list[str], log: Path, environment: Mapping[str, str]) -> None:
    os.setsid()
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # as when the tests are killed
    with log.open("ab") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    os.environ.clear()
    os.environ.update(environment)
    run(arguments)


def begin(command: Sequence[str], **arguments: Any) -> "subprocess.Popen[Any]":
    """Start a process that the kernel kills when this one dies, which a killed run of the tests does without warning.

    It is tied to the thread that starts it: start it from the main thread.
    """
    hook = parent_death_hook(signal.SIGKILL)
    return subprocess.Popen(list(command), preexec_fn=hook, **arguments)  # noqa: S603, PLW1509  (no lock is taken in it)


@contextlib.contextmanager
def manage(
    *arguments: str, environment: Mapping[str, str], log: Path, program: Sequence[str] = ()
) -> Generator[subprocess.Popen[bytes]]:
    """Run manage.py with its output in a file, and kill it with all its children at the end."""
    command = list(program) or [sys.executable, str(PROJECT / "manage.py"), *arguments]
    with log.open("wb") as output:
        process = begin(
            command, env=dict(environment), cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(40)
        for pid, _ in alive(descendants(process.pid)):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
