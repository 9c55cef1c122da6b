"""Keep a stack running: restart processes that die, and reload changed sources."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import ORDER, Stack

FIRST_BACKOFF = 0.5
MAX_BACKOFF = 4.0
HEALTHY_AFTER = 10.0
"""In seconds. A process that was healthy restarts at once; after that the wait doubles with each death."""
CHECK_INTERVAL = 0.1
RELOAD_INTERVAL = 0.5
"""Seconds between two checks of the processes, and of the sources."""

SOURCES = ("casino", "wallet", "baccarat")


@dataclass(slots=True)
class RestartBackoff:
    """The wait of one process before it is restarted."""

    started: float = 0.0
    wait: float = 0.0
    due: float | None = None

    def after_death(self, now: float) -> float:
        """Return the time of the next start."""
        if now - self.started > HEALTHY_AFTER:
            self.wait = 0.0
        self.due = now + self.wait
        self.wait = min(max(self.wait * 2, FIRST_BACKOFF), MAX_BACKOFF)
        return self.due

    def after_start(self, now: float) -> None:
        self.started, self.due = now, None


@dataclass(slots=True)
class Supervisor:
    """Restarts the processes of a stack; call `check_once` regularly."""

    stack: Stack
    backoffs: dict[str, RestartBackoff] = field(default_factory=dict)

    def check_once(self, now: float) -> None:
        """Report processes that died, and restart those whose wait is over."""
        for child in self.stack.dead():
            backoff = self.backoffs.setdefault(child.name, RestartBackoff())
            if backoff.due is None:
                due = backoff.after_death(now)
                self.stack.print_line(f"{child.exit_report()}\nIt restarts in {due - now:.1f} s.")
            if backoff.due is not None and now >= backoff.due:
                child.start()
                backoff.after_start(now)
                self.stack.print_line(f"{child.name} runs again.")


def newest_change(project: Path = PROJECT) -> float:
    """Return the time of the latest change of our sources."""
    files = (file for name in SOURCES for file in (project / name).rglob("*") if file.suffix in {".py", ".html"})
    times = (file.stat().st_mtime for file in files)
    return max(times, default=0.0)


def run_forever(stack: Stack, *, reload: bool) -> None:
    """Keep the stack running until a signal ends it; with `reload`, changed sources restart its processes."""
    supervisor, before = Supervisor(stack), newest_change() if reload else 0.0
    while True:
        time.sleep(RELOAD_INTERVAL if reload else CHECK_INTERVAL)
        supervisor.check_once(time.monotonic())
        if reload and (newest := newest_change()) > before:
            before = newest
            stack.print_line("Sources changed: restarting.")
            _restart([stack.child(name) for name in ORDER if name in stack.children])


def _restart(children: list[Child]) -> None:
    for child in children:
        child.restart()
