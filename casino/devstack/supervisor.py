"""Keeps a stack running: what dies is reported and comes back, what changes on disk is loaded again."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import ORDER, Stack

INITIAL_BACKOFF = 0.5
MAX_BACKOFF = 30.0
HEALTHY_AFTER = 30.0
"""Seconds: the wait doubles with each death, up to the longest, and starts anew after a healthy while."""

SOURCES = ("casino", "wallet", "baccarat")


@dataclass(slots=True)
class RestartBackoff:
    """How long one process has to wait before it is started again."""

    started: float = 0.0
    wait: float = INITIAL_BACKOFF
    due: float | None = None

    def after_death(self, now: float) -> float:
        """Say when to start again."""
        if now - self.started > HEALTHY_AFTER:
            self.wait = INITIAL_BACKOFF
        self.due = now + self.wait
        self.wait = min(self.wait * 2, MAX_BACKOFF)
        return self.due

    def after_start(self, now: float) -> None:
        self.started, self.due = now, None


@dataclass(slots=True)
class Supervisor:
    """One look at all processes of a stack per `look`."""

    stack: Stack
    backoffs: dict[str, RestartBackoff] = field(default_factory=dict)

    def check_once(self, now: float) -> None:
        """Report processes that died, and start again those whose wait is over."""
        for child in self.stack.dead():
            patience = self.backoffs.setdefault(child.name, RestartBackoff())
            if patience.due is None:
                due = patience.after_death(now)
                self.stack.print_line(f"{child.exit_report()}\nIt starts again in {due - now:.1f} s.")
            elif now >= patience.due:
                child.start()
                patience.after_start(now)
                self.stack.print_line(f"{child.name} runs again.")


def newest_change(project: Path = PROJECT) -> float:
    """Return the time of the newest change to our sources."""
    files = (file for name in SOURCES for file in (project / name).rglob("*") if file.suffix in {".py", ".html"})
    times = (file.stat().st_mtime for file in files)
    return max(times, default=0.0)


def run_forever(stack: Stack, *, reload: bool) -> None:
    """Keep the stack running until a signal ends it; with `reload`, sources that change are loaded anew."""
    supervisor, before = Supervisor(stack), newest_change() if reload else 0.0
    while True:
        time.sleep(0.5)
        supervisor.check_once(time.monotonic())
        if reload and (newest := newest_change()) > before:
            before = newest
            stack.print_line("Sources changed: loading them again.")
            _restart([stack.child(name) for name in ORDER if name in stack.children])


def _restart(children: list[Child]) -> None:
    for child in children:
        child.restart()
