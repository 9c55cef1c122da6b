"""What is wrong, what of it people are told, and when: rules without a database or a clock."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from casino.alerts.heartbeats import ProcessState, unreplaced
from casino.significant.recorder import Severity

SETTLE: Final = timedelta(seconds=20)
"""How long something must have been right for its alert to be resolved: what comes back sooner is a repeat."""
EXPECTED: Final = ("web", "worker", "worker-background", "worker-outbound", "sealer")
"""Kinds of processes of which at least one must run."""
_ORDER: Final = {severity: rank for rank, severity in enumerate(Severity)}


class AlertKind(StrEnum):
    """Kinds of alerts, by which on-call lists choose. Each has a section in deploy/docs/operations.md."""

    PROCESS_MISSING = "process_missing"
    PROCESS_DIED = "process_died"
    HEALTH = "health"
    JOBS_LATE = "jobs_late"
    CHECKPOINTS_LATE = "checkpoints_late"
    WITNESSES_LATE = "witnesses_late"
    AUDIT_LATE = "audit_late"
    WEBHOOKS_FAILING = "webhooks_failing"
    SIGNIFICANT_EVENTS = "significant_events"
    OPEN_CASES = "open_cases"
    OVERDUE_CASES = "overdue_cases"
    OPEN_DISCREPANCIES = "open_discrepancies"


DELAYS: Final = {
    "jobs": (AlertKind.JOBS_LATE, 120.0, "A periodic job has been due for some minutes, and nobody runs any"),
    "checkpoints": (AlertKind.CHECKPOINTS_LATE, 300.0, "No checkpoint has been signed for too long"),
    "audit": (AlertKind.AUDIT_LATE, 6 * 3600.0, "No nightly audit has come to its end for more than a day"),
    "witnesses": (AlertKind.WITNESSES_LATE, 120.0, "Witnesses have not cosigned the log for some minutes"),
}
"""What may be late by so many seconds, checkpoints beyond CHECKPOINT_SECONDS, the audit beyond a day."""
PROCESS_KINDS: Final = frozenset({AlertKind.PROCESS_MISSING, AlertKind.PROCESS_DIED})


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong now. `key` names it for as long as it lasts, `number` counts what it consists of."""

    key: str
    kind: AlertKind
    severity: Severity
    summary: str
    number: int = 1
    operator: UUID | None = None


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

    opened: list[Condition] = field(default_factory=list)
    seen: list[tuple[OpenAlert, Condition]] = field(default_factory=list)
    renewed: list[OpenAlert] = field(default_factory=list)
    resolved: list[OpenAlert] = field(default_factory=list)


def fold(
    alerts: Iterable[OpenAlert], conditions: Iterable[Condition], now: datetime, *, unjudged: Collection[str] = ()
) -> AlertChanges:
    """Compare the open alerts with what is wrong now; leave alerts of kinds that could not be judged as they are."""
    changes, wrong = AlertChanges(), {condition.key: condition for condition in conditions}
    for alert in alerts:
        condition = wrong.pop(alert.key, None)
        if condition is not None:
            changes.seen.append((alert, condition))
            if alert.acknowledged is not None and condition.number > alert.acknowledged:
                changes.renewed.append(alert)
        elif alert.kind not in unjudged and now - alert.seen_at >= SETTLE:
            changes.resolved.append(alert)
    changes.opened.extend(wrong.values())
    return changes


def process_conditions(processes: Sequence[ProcessState]) -> list[Condition]:
    """Return the kinds of which no process runs, and the processes that died and were not replaced."""
    running = {process.kind for process in processes if not process.is_dead}
    missing = [kind for kind in EXPECTED if kind not in running]
    died = [process for process in unreplaced(processes) if process.kind in running]
    return [
        *(
            Condition(f"process:{kind}", AlertKind.PROCESS_MISSING, Severity.CRITICAL, f"No {kind} runs")
            for kind in missing
        ),
        *(
            Condition(
                f"process:{process.kind}:{process.host}:{process.pid}",
                AlertKind.PROCESS_DIED,
                Severity.WARNING,
                f"A {process.kind} has died or hangs: process {process.pid} on {process.host}",
            )
            for process in died
        ),
    ]


def health_conditions(results: Mapping[str, str]) -> list[Condition]:
    """Return the checks of /healthz that fail."""
    return [
        Condition(f"health:{name}", AlertKind.HEALTH, Severity.CRITICAL, f"{name}: {text}")
        for name, text in results.items()
        if text not in {"ok", "down", "no answer"}  # the last two: this process could not ask
    ]


def delay_conditions(delays: Mapping[str, float]) -> list[Condition]:
    """Return what is later than it may be, by its name in DELAYS."""
    return [
        Condition(name, kind, Severity.CRITICAL, summary)
        for name, (kind, limit, summary) in DELAYS.items()
        if delays[name] > limit
    ]


def queue_conditions(
    *,
    events: Iterable[tuple[str, str, str, UUID | None, int]],
    cases: Iterable[tuple[str, UUID, int]],
    overdue: Iterable[tuple[str, UUID, int]],
    webhooks: Iterable[tuple[UUID, int]],
) -> list[Condition]:
    """Return what waits for a person: significant events by kind, cases by kind, failing webhooks, by operator."""
    return [
        *(
            Condition(
                f"significant:{kind}:{operator or ''}",
                AlertKind.SIGNIFICANT_EVENTS,
                Severity(severity),
                f"{title}: {number} not acknowledged",
                number,
                operator,
            )
            for kind, title, severity, operator, number in events
        ),
        *_of_cases("case", AlertKind.OPEN_CASES, Severity.WARNING, "without an owner", cases),
        *_of_cases("overdue", AlertKind.OVERDUE_CASES, Severity.CRITICAL, "after their deadline", overdue),
        *(
            Condition(
                f"webhooks:{operator}",
                AlertKind.WEBHOOKS_FAILING,
                Severity.WARNING,
                f"Webhooks of an operator that fail: {number}",
                number,
                operator,
            )
            for operator, number in webhooks
        ),
    ]


def _of_cases(
    name: str, alert: AlertKind, severity: Severity, state: str, rows: Iterable[tuple[str, UUID, int]]
) -> list[Condition]:
    return [
        Condition(
            f"{name}:{kind}:{operator}",
            alert,
            severity,
            f"Cases {state} ({kind.replace('_', ' ')}): {number}",
            number,
            operator,
        )
        for kind, operator, number in rows
    ]
