"""Samples of what must stay bounded while a system runs for long, and their plots."""

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from matplotlib.figure import Figure

from tests.processes import alive, descendants
from tests.support.whole_system import System

OURS: Final = ("web", "worker", "worker-background", "worker-outbound", "sealer")
WORKING: Final = (
    "events_unsealed",
    "events_announcement",
    "baccarat_duetable",
    "baccarat_table",
    "baccarat_shoesecret",
    "wallet_balance",
    "jobs_job",
    "feed_delivery",
    "alerts_heartbeat",
    "alerts_figure",
)
"""Tables whose rows are changed or deleted: what they take grows by bloat alone."""
MEGABYTE: Final = 2**20
PAGE: Final = 4096
_STATE: Final = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::float8,
       (SELECT sum(pg_total_relation_size(to_regclass(name)))::float8 FROM unnest(%s::text[]) AS name),
       (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(recorded_at)), 0)::float8 FROM events_event
         WHERE id IN (SELECT event_id FROM events_unsealed)),
       (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(due_at)), 0)::float8 FROM baccarat_duetable
         WHERE due_at < clock_timestamp())
"""
Series = dict[str, list[float]]


class Sampler(threading.Thread):
    """Samples a system every so many seconds until `over` is set. `panels` holds the series by what they measure."""

    def __init__(self, system: System, *, every: float) -> None:
        super().__init__(daemon=True)
        self.system, self.every, self.over = system, every, threading.Event()
        self.minutes: list[float] = []
        self.panels: dict[str, Series] = {name: {} for name in PANELS}

    def run(self) -> None:
        """Take samples; one that the database does not answer is left out."""
        began = time.monotonic()
        while not self.over.wait(self.every):
            try:
                ((connections, working, unsealed, overdue),) = self.system.query(_STATE, [list(WORKING)])
            except psycopg.Error:
                continue
            self.minutes.append((time.monotonic() - began) / 60)
            self._add("memory", {name: self._sum(name, memory) for name in OURS})
            self._add("open files", {name: self._sum(name, files) for name in OURS})
            self._add("connections", {"all": connections})
            self._add("working tables", {"all": working / MEGABYTE})
            self._add("lag", {"oldest event unsealed": unsealed, "oldest round due": overdue})

    def _add(self, panel: str, sample: dict[str, float]) -> None:
        for name, number in sample.items():
            self.panels[panel].setdefault(name, []).append(number)

    def _sum(self, name: str, measure: Callable[[Path], float]) -> float:
        pid = self.system.stack.child(name).pid
        return sum(measure(Path("/proc") / str(each)) for each in [pid, *(pid for pid, _ in alive(descendants(pid)))])

    def grown(self) -> list[str]:
        """Return what was larger in the last third of the time than in the second, by more than it may."""
        third = len(self.minutes) // 3
        faults = []
        for panel, (_, allowance) in PANELS.items():
            for name, numbers in self.panels[panel].items():
                before, after = statistics.median(numbers[third : -third or None]), statistics.median(numbers[-third:])
                if after > 1.1 * before + allowance:
                    faults.append(f"{panel} of {name}: {before:.1f}, then {after:.1f}")
        return faults

    def draw(self, file: Path) -> None:
        """Plot every series over the minutes."""
        file.parent.mkdir(exist_ok=True)
        figure = Figure(figsize=(11, 14), layout="constrained")
        axes: Sequence[Any] = figure.subplots(len(PANELS), 1, sharex=True)
        for each, (panel, (unit, _)) in zip(axes, PANELS.items(), strict=True):
            for name, numbers in self.panels[panel].items():
                each.plot(self.minutes, numbers, label=name, linewidth=1)
            each.set(ylabel=f"{panel}, {unit}", ylim=(0, None))
            each.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
        axes[-1].set(xlabel="minutes")
        figure.savefig(file)


PANELS: Final = {
    "memory": ("MB", 30.0),
    "open files": ("number", 20.0),
    "connections": ("number", 5.0),
    "working tables": ("MB", 4.0),
    "lag": ("s", 5.0),
}
"""What is measured, in which unit, and by how much it may rise beside a tenth."""


def memory(process: Path) -> float:
    """Return a process's resident memory, 0 once it has ended."""
    try:
        return int((process / "statm").read_text(encoding="ascii").split()[1]) * PAGE / MEGABYTE
    except OSError:
        return 0.0


def files(process: Path) -> float:
    """Return how many files a process has open, 0 once it has ended."""
    try:
        return float(sum(1 for _ in (process / "fd").iterdir()))
    except OSError:
        return 0.0
