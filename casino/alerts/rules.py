"""What is wrong, what of it people are told, and when: rules without a database or a clock."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from casino.alerts.heartbeats import ProcessState, unreplaced
from casino.observability.conditions import Observation
from casino.significant.recorder import Severity

SETTLE: Final = timedelta(seconds=20)
"""How long something must have been right for its alert to be resolved: what comes back sooner is a repeat."""
EXPECTED: Final = {
    kind: f"no_{kind.replace('-', '_')}" for kind in ("web", "worker", "worker-background", "worker-outbound", "sealer")
}
"""Kinds of processes of which at least one must run, with the conditions that none does."""
DIED: Final = "process_died"
_ORDER: Final = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """An alert that is not resolved; `acknowledged` is its number when somebody acknowledged it, None if nobody has."""

    id: int
    key: str
    kind: str
    severity: Severity
    number: int
    seen_at: datetime
    noticed_at: datetime
    acknowledged: int | None


@dataclass(frozen=True, slots=True)
class CallRule:
    """Which alerts a list is told, and how long after they opened, unless they have been acknowledged."""

    id: int
    kinds: Collection[str]
    severity: Severity
    after: timedelta

    def covers(self, alert: OpenAlert, now: datetime) -> bool:
        """Return whether the list is to be told of an alert by now."""
        return (
            alert.acknowledged is None
            and (not self.kinds or alert.kind in self.kinds)
            and _ORDER[alert.severity] >= _ORDER[self.severity]
            and now - alert.noticed_at >= self.after
        )


@dataclass(slots=True)
class AlertChanges:
    """What a pass does to the alerts. `renewed` are acknowledged ones that have grown since."""

    opened: list[Observation] = field(default_factory=list)
    seen: list[tuple[OpenAlert, Observation]] = field(default_factory=list)
    renewed: list[OpenAlert] = field(default_factory=list)
    resolved: list[OpenAlert] = field(default_factory=list)


def fold(
    alerts: Iterable[OpenAlert], findings: Iterable[Observation], now: datetime, *, unjudged: Collection[str] = ()
) -> AlertChanges:
    """Compare the open alerts with what is wrong now.

    Alerts whose keys are, or begin with, one in `unjudged` are left as they are: nobody knows whether they are over.
    """
    changes, wrong = AlertChanges(), {finding.key: finding for finding in findings}
    prefixes = tuple(f"{key}:" for key in unjudged)
    for alert in alerts:
        finding = wrong.pop(alert.key, None)
        if finding is not None:
            changes.seen.append((alert, finding))
            if alert.acknowledged is not None and finding.number > alert.acknowledged:
                changes.renewed.append(alert)
        elif not f"{alert.key}:".startswith(prefixes) and now - alert.seen_at >= SETTLE:
            changes.resolved.append(alert)
    changes.opened.extend(wrong.values())
    return changes


def missing_processes(processes: Iterable[ProcessState]) -> list[Observation]:
    """Find the kinds of which no process runs."""
    running = {process.kind for process in processes if not process.is_dead}
    return [Observation(name=name) for kind, name in EXPECTED.items() if kind not in running]


def dead_processes(processes: Sequence[ProcessState]) -> list[Observation]:
    """Find the processes that died and were not replaced, of kinds of which others run."""
    running = {process.kind for process in processes if not process.is_dead}
    return [
        Observation(
            name=DIED,
            part=f"{process.kind}:{process.host}:{process.pid}",
            values={"process": process.kind, "pid": process.pid, "host": process.host},
        )
        for process in unreplaced(processes)
        if process.kind in running
    ]


def unjudged_processes(processes: Iterable[ProcessState], *, steady: bool) -> list[str]:
    """Return the keys of alerts about processes that cannot be judged.

    That is all of them just after an outage; and where the last of a kind has died, those who died before it are not
    back.
    """
    if not steady:
        return [DIED, *EXPECTED.values()]
    missing = {finding.name for finding in missing_processes(processes)}
    return [f"{DIED}:{kind}" for kind, name in EXPECTED.items() if name in missing]
