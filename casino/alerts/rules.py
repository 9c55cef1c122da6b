"""Which processes are missing: rules without a database or a clock."""

from collections.abc import Sequence
from typing import Final

from casino.alerts.heartbeats import BEAT_SECONDS, DEAD_SECONDS, ProcessState, unreplaced
from casino.observability.conditions import Observation

STEADY_SECONDS: Final = DEAD_SECONDS + 2 * BEAT_SECONDS
"""How long one process must have beaten without a gap before another's silence is its own, and not an outage's."""
EXPECTED: Final = {
    kind: f"no_{kind.replace('-', '_')}" for kind in ("web", "worker", "worker-background", "worker-outbound", "sealer")
}
"""Kinds of processes of which at least one must run, with the conditions that none does."""
DIED: Final = "process_died"


def missing_processes(processes: Sequence[ProcessState]) -> list[Observation]:
    """Find the kinds of which no process runs."""
    judged = [kind for kind in EXPECTED if kind not in _running(processes) | _unjudged(processes)]
    return [Observation(name=EXPECTED[kind]) for kind in judged]


def dead_processes(processes: Sequence[ProcessState]) -> list[Observation]:
    """Find the processes that died and were not replaced, of kinds of which others run."""
    judged = _running(processes) - _unjudged(processes)
    return [
        Observation(
            name=DIED,
            part=f"{process.kind}:{process.host}:{process.pid}",
            values={"process": process.kind, "pid": process.pid, "host": process.host},
        )
        for process in unreplaced(processes)
        if process.kind in judged
    ]


def _running(processes: Sequence[ProcessState]) -> set[str]:
    return {process.kind for process in processes if not process.is_dead}


def _unjudged(processes: Sequence[ProcessState]) -> set[str]:
    """Return the kinds that may be beginning to beat again: all that ran, until one has beaten for a while."""
    steady = any(process.steady >= STEADY_SECONDS for process in processes if not process.is_dead)
    return set() if steady else {process.kind for process in processes}
