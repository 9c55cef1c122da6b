"""Looking at processes from outside, through /proc."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path

from casino.devstack.home import PROJECT


def descendants(pid: int) -> set[tuple[int, str]]:
    """Every process below this one, as (pid, time it started at): a reused number is another process."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (found := _parent_and_start(int(entry.name))) is not None:
            parents.setdefault(found[0], []).append((int(entry.name), found[1]))
    result, pending = set(), [pid]
    while pending:
        below = parents.get(pending.pop(), [])
        result.update(below)
        pending.extend(child for child, _ in below)
    return result


def alive(processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that still run; zombies that wait for their parent do not."""
    return {one for one in processes if (found := _parent_and_start(one[0])) is not None and found[1] == one[1]}


def _parent_and_start(pid: int) -> tuple[int, str] | None:
    try:
        fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), fields[19])


def _command_line(pid: int) -> str:
    """Its words, none if it has ended meanwhile."""
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def child_with(pid: int, words: str) -> int:
    """The pid of the direct child whose command line holds these words."""
    for child, _ in descendants(pid):
        found, line = _parent_and_start(child), _command_line(child)
        if found is not None and found[0] == pid and words in line:
            return child
    raise AssertionError(f"No child with {words!r} runs.")


def wait_until(holds: Callable[[], object], *, seconds: float = 60.0) -> bool:
    """Whether it came to hold in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def clean_environment(**changes: str) -> dict[str, str]:
    """Our variables without any that would point at servers."""
    secret = ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS")
    hidden = (*secret, "DATABASE", "REDIS", "CASINO", "PORT", "STATIC_ROOT", "PYTEST", "DJANGO")
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(hidden) or name == "CASINO_SCRATCH"
    }
    return {**kept, **changes}


@contextlib.contextmanager
def manage(
    *arguments: str, environment: Mapping[str, str], log: Path, program: Sequence[str] = ()
) -> Generator[subprocess.Popen[bytes]]:
    """manage.py with these arguments, its output in a file; killed with everything below it if a test leaves it."""
    command = list(program) or [sys.executable, str(PROJECT / "manage.py"), *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
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
