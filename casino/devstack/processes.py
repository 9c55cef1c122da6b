"""Child processes that never outlive us: ended on every way out, by the kernel if we are killed."""

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
from types import FrameType
from typing import TypedDict

from casino.devstack.errors import DevstackError

PR_SET_PDEATHSIG = 1
TAIL_LINES = 12
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def parent_death_hook(death_signal: int) -> Callable[[], None] | None:
    """Return what a child runs before exec so that the kernel signals it when we die (Linux: prctl(2)).

    It has to run after the child's user has changed, because changing credentials clears the setting.
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
    """One named process with a log file. `start` and `stop` can be called again and again.

    The kernel ties a child to the thread that starts it: start children from a thread that lives on.
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
        """Start the process in a session of its own; its output goes to the end of its log."""
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
        """Say whether the process runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the last start. Raises Trouble when it was never started."""
        if self.process is None:
            raise DevstackError(f"{self.name} was not started.")
        return self.process.pid

    def stop(self) -> None:
        """Ask the process to end, wait for its grace in seconds, then kill what is left of its group."""
        self.wanted = False
        if self.process is None:
            return
        if self.alive():
            self.process.send_signal(self.stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.grace)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its group at once (SIGKILL). It is still wanted: a supervisor restarts it."""
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
        """Say how the process ended, with the tail of its log."""
        code = self.process.poll() if self.process else None
        how = "never started" if code is None else f"killed by signal {-code}" if code < 0 else f"exit status {code}"
        return f"{self.name} ended unexpectedly ({how}). The end of {self.log}:\n{self.tail()}"

    def wait_until(self, ready: Callable[[], bool], *, seconds: float = 30.0) -> None:
        """Wait until `ready()` holds. Raises Trouble if the process dies or the seconds pass before."""
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
    """What Popen and run take to become another user."""

    user: int
    group: int
    extra_groups: list[int]


def process_user(user: str | None) -> ProcessUser:
    """Return what Popen and run need to become this user, with none of our groups."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def run_to_end(
    command: Sequence[str], *, environment: Mapping[str, str], user: str | None = None, folder: Path = Path("/")
) -> str:
    """Run a command to its end and return its output. Raises Trouble with the output when it fails."""
    done = subprocess.run(
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
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-TAIL_LINES:])
        raise DevstackError(f"`{Path(command[0]).name}` failed with exit status {done.returncode}:\n{last}")
    return done.stdout


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextlib.contextmanager
def exit_on_signals() -> Generator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit, so that every `finally` on the way out runs.

    One that was ignored before stays so: who starts us by nohup(1) wants us to outlive the terminal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _leave) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def defer_signals() -> Generator[None]:
    """Hold back SIGINT, SIGTERM and SIGHUP while things are being ended."""
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
    """Stop these processes. Each has its own grace; they take it together, not one after the other."""
    with defer_signals():
        threads = [threading.Thread(target=child.stop) for child in children]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
