"""Child processes that never outlive this one: stopped on every exit, by the kernel if this process is killed."""

import contextlib
import ctypes
import os
import pwd
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from casino.devstack.errors import DevstackError

PR_SET_PDEATHSIG = 1
TAIL_LINES = 12
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def parent_death_hook(death_signal: int) -> Callable[[], None] | None:
    """Return a function for a child to call before exec, so that the kernel signals it when we die (prctl(2)).

    It must be called after the child's user has changed, because changing credentials clears the setting.
    """
    if LIBC is None:
        return None
    parent, prctl = os.getpid(), LIBC.prctl

    def before_exec() -> None:
        prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        if os.getppid() != parent:  # we died in between
            os.kill(os.getpid(), signal.SIGKILL)

    return before_exec


class Child:
    """One named process with a log file. `start` and `stop` can be called repeatedly.

    The kernel ties a child to the thread that starts it: start children from a long-lived thread.
    """

    def __init__(
        self,
        *,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        folder: Path = Path("/"),
        user: str | None = None,
        stop_signal: int = signal.SIGTERM,
        death_signal: int = signal.SIGKILL,
        grace: float = 15.0,
    ) -> None:
        self.name = name
        self.command = list(command)
        self.environment = dict(environment)
        self.log = log
        self.folder = folder
        self.user = user
        self.stop_signal = stop_signal
        self.death_signal = death_signal
        self.grace = grace
        self.process: subprocess.Popen[bytes] | None = None
        self.wanted = False

    def start(self) -> None:
        """Start the process in a new session; its output is appended to its log."""
        self.wanted = True
        if self.alive():
            return
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=parent_death_hook(self.death_signal),  # noqa: PLW1509  (no lock is taken in it)
                **process_user(self.user),
            )

    def alive(self) -> bool:
        """Return whether the process runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the last start. Raises DevstackError if it was never started."""
        if self.process is None:
            raise DevstackError(f"{self.name} was not started.")
        return self.process.pid

    def stop(self) -> None:
        """Signal the process to end, wait for its grace period in seconds, then kill the rest of its group."""
        self.wanted = False
        if self.process is None:
            return
        if self.alive():
            self.process.send_signal(self.stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.grace)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its group at once (SIGKILL). `wanted` stays true, so a supervisor restarts it."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def restart(self) -> None:
        """Stop the process and start it again."""
        self.stop()
        self.start()

    def tail(self) -> str:
        """Return the last lines of the log."""
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:])

    def exit_report(self) -> str:
        """Return how the process ended, with the tail of its log."""
        code = self.process.poll() if self.process else None
        how = "never started" if code is None else f"killed by signal {-code}" if code < 0 else f"exit status {code}"
        return f"{self.name} ended unexpectedly ({how}). The end of {self.log}:\n{self.tail()}"

    def wait_until(self, ready: Callable[[], bool], *, seconds: float = 60.0) -> None:
        """Wait until `ready()` is true. Raises DevstackError if the process dies, or after this many seconds."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.alive():
                raise DevstackError(self.exit_report())
            if time.monotonic() > deadline:
                raise DevstackError(
                    f"{self.name} was not ready after {seconds:.0f} seconds. Its log: {self.log}\n{self.tail()}"
                )
            time.sleep(0.03)


class ProcessUser(TypedDict, total=False):
    """Arguments of Popen and run for running as another user."""

    user: int
    group: int
    extra_groups: list[int]


def process_user(user: str | None) -> ProcessUser:
    """Return the arguments of Popen and run for this user, with none of our groups."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def run_to_end(
    command: Sequence[str], *, environment: Mapping[str, str], user: str | None = None, folder: Path = Path("/")
) -> str:
    """Run a command to its end and return its output. Raises DevstackError with the output if it fails."""
    result = subprocess.run(
        list(command),
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        start_new_session=True,
        preexec_fn=parent_death_hook(signal.SIGKILL),
        **process_user(user),
    )
    if result.returncode:
        last = "\n".join(result.stdout.splitlines()[-TAIL_LINES:])
        raise DevstackError(f"`{Path(command[0]).name}` failed with exit status {result.returncode}:\n{last}")
    return result.stdout


@contextlib.contextmanager
def defer_signals() -> Generator[None]:
    """Ignore SIGINT, SIGTERM and SIGHUP during a shutdown."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_all(children: Sequence[Child]) -> None:
    """Stop these processes in parallel, so that their grace periods overlap."""
    with defer_signals():
        threads = [threading.Thread(target=child.stop) for child in children]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
