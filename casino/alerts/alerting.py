"""Decides what is wrong and queues messages about it: a pass every two seconds, in any number of processes.

The row of AlertPass is the lease. A process observes, then writes in one transaction that ends its pass only if no
other has passed since: one that froze in between does no harm when it wakes, and any other takes over at once.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction

from casino.alerts import heartbeats, rules
from casino.alerts.models import Alert
from casino.alerts.rules import AlertChanges, AlertKind, CallRule, Condition, OpenAlert
from casino.checkpoints import audit_states, notes
from casino.events.sql import database_now, execute, fetch
from casino.observability import health
from casino.significant.recorder import DESCRIPTIONS, Severity, SignificantEventKind

logger = logging.getLogger(__name__)

PASS_SECONDS: Final = 2.0
GAP: Final = timedelta(seconds=10)
"""A longer time between two passes was an outage, after which processes get time for their first heartbeats."""
STEADY: Final = timedelta(seconds=heartbeats.DEAD_SECONDS + 2 * heartbeats.BEAT_SECONDS)
LATE: Final = 15.0
"""Seconds without a pass after which alerting counts as dead."""
_LAST: Final = "SELECT passed_at, steady_since, clock_timestamp() FROM alerts_alertpass WHERE id = 1"
_FIRST: Final = """
INSERT INTO alerts_alertpass (id, passed_at, steady_since) VALUES (1, clock_timestamp() - interval '1 hour', now())
    ON CONFLICT DO NOTHING
"""
_TAKE: Final = """
UPDATE alerts_alertpass SET passed_at = %(now)s, steady_since = %(steady)s WHERE id = 1 AND passed_at = %(last)s
"""
_JOB: Final = """
SELECT extract(epoch FROM clock_timestamp() - due_at)::float8 FROM jobs_job
 WHERE name = ANY (%s::text[]) AND (leased_until IS NULL OR leased_until <= clock_timestamp())
   AND NOT EXISTS (SELECT FROM jobs_job WHERE name = ANY (%s::text[]) AND leased_until > clock_timestamp())
 ORDER BY due_at LIMIT 1
"""
_CHECKPOINT: Final = """
SELECT coalesce(extract(epoch FROM clock_timestamp() - min(event.recorded_at)), 0)::float8
  FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
 WHERE seal.position = 1 + coalesce((SELECT max(position) FROM checkpoints_checkpoint), 0)
"""
_EVENTS: Final = """
SELECT event.kind, event.severity, event.operator_id, count(*)
  FROM significant_unacknowledged AS waiting
  JOIN significant_significantevent AS event ON event.id = waiting.event_id
 GROUP BY 1, 2, 3
"""
_CASES: Final = """
SELECT kind, operator_id, count(*) FROM compliance_case AS one
 WHERE NOT EXISTS (SELECT FROM compliance_caseaction AS action WHERE action.case_id = one.id)
 GROUP BY 1, 2
"""
_OVERDUE: Final = """
SELECT one.kind, one.operator_id, count(*)
  FROM (SELECT DISTINCT ON (case_id) case_id, due_at FROM compliance_caseentry WHERE kind = 'deadline'
         ORDER BY case_id, id DESC) AS deadline
  JOIN compliance_case AS one ON one.id = deadline.case_id
 WHERE deadline.due_at < clock_timestamp()
   AND NOT EXISTS (SELECT FROM compliance_caseaction AS action
                    WHERE action.case_id = one.id AND action.action = 'resolved')
 GROUP BY 1, 2
"""
_WEBHOOKS: Final = """
SELECT endpoint.operator_id, count(DISTINCT endpoint.id)
  FROM feed_webhookendpoint AS endpoint
  JOIN feed_webhookdelivery AS delivery ON delivery.endpoint_id = endpoint.id
 WHERE endpoint.status = 'active' AND delivery.due_at IS NOT NULL
   AND delivery.first_tried_at < clock_timestamp() - interval '10 minutes'
 GROUP BY 1
"""
_OPEN: Final = """
INSERT INTO alerts_alert (key, kind, severity, operator_id, summary, number, opened_at, seen_at, noticed_at,
                          notice, acknowledged_by, acknowledged_number)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, 1, '', 0)
"""
_SEEN: Final = """
UPDATE alerts_alert SET seen_at = %s, number = %s, summary = %s, severity = %s,
       acknowledged_number = least(acknowledged_number, %s)
 WHERE id = %s
"""
_RENEW: Final = """
UPDATE alerts_alert
   SET notice = notice + 1, noticed_at = %s, acknowledged_at = NULL, acknowledged_by = '', acknowledged_number = 0
 WHERE id = ANY (%s::bigint[])
"""
_RESOLVE: Final = "UPDATE alerts_alert SET resolved_at = %s WHERE id = ANY (%s::bigint[])"
_TELL: Final = """
INSERT INTO alerts_alertmessage (alert_id, target_id, stage, notice, attempts, error)
SELECT alert.id, target.id, 'opened', alert.notice, 0, ''
  FROM unnest(%s::bigint[], %s::bigint[]) AS pair (alert_id, list_id)
  JOIN alerts_alert AS alert ON alert.id = pair.alert_id
  JOIN alerts_oncalltarget AS target ON target.on_call_list_id = pair.list_id AND target.channel <> 'dead_man'
 ORDER BY alert.id, target.id
    ON CONFLICT DO NOTHING
"""
_FOLLOW_UP: Final = """
INSERT INTO alerts_alertmessage (alert_id, target_id, stage, notice, attempts, error)
SELECT DISTINCT told.alert_id, told.target_id, %s, alert.notice, 0, ''
  FROM alerts_alertmessage AS told JOIN alerts_alert AS alert ON alert.id = told.alert_id
 WHERE told.alert_id = ANY (%s::bigint[]) AND told.stage = 'opened'
    ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """Rows of an upper layer that must not wait: `sql` counts them by operator, given `hours()`."""

    kind: AlertKind
    severity: Severity
    summary: str
    sql: str
    hours: Callable[[], int]

    def conditions(self) -> list[Condition]:
        """Return one condition for each operator with such rows."""
        return [
            Condition(
                f"{self.kind}:{operator}", self.kind, self.severity, f"{self.summary}: {number}", number, operator
            )
            for operator, number in fetch(self.sql, [self.hours()])
        ]


WAITING: Final[list[WaitingRows]] = []
"""Filled by upper layers when they start."""


class _Last(NamedTuple):
    passed_at: datetime
    steady_since: datetime
    now: datetime


def run_pass() -> bool:
    """Bring the alerts up to date and queue messages; False if another process did it meanwhile, or just before."""
    last = _last_pass()
    if (last.now - last.passed_at).total_seconds() < PASS_SECONDS:
        return False
    steady_since = last.now if last.now - last.passed_at > GAP else last.steady_since
    judges_processes = last.now - steady_since >= STEADY
    conditions = observe(processes=judges_processes)
    unjudged = frozenset() if judges_processes else rules.PROCESS_KINDS
    with transaction.atomic():
        if not execute(_TAKE, {"now": last.now, "steady": steady_since, "last": last.passed_at}):
            return False
        alerts = _open_alerts()
        changes = rules.fold(alerts, conditions, last.now, unjudged=unjudged)
        _write(changes, last.now)
        _queue_messages(last.now)
    heartbeats.forget_dead()
    return True


def acknowledge(alert: int, *, by: str) -> bool:
    """Stop an alert's escalation, and tell whoever was told of it; False if it is acknowledged or resolved."""
    with transaction.atomic():
        row = Alert.objects.select_for_update().filter(pk=alert, acknowledged_at=None, resolved_at=None).first()
        if row is None:
            return False
        row.acknowledged_at, row.acknowledged_by, row.acknowledged_number = database_now(), by, row.number
        row.save(update_fields=["acknowledged_at", "acknowledged_by", "acknowledged_number"])
        execute(_FOLLOW_UP, ["acknowledged", [alert]])
    return True


def check_processes() -> str:
    """Return `ok` if at least one process of each kind runs."""
    running = {process.kind for process in heartbeats.list_processes() if not process.is_dead}
    missing = [kind for kind in rules.EXPECTED if kind not in running]
    return f"no {', no '.join(missing)} runs" if missing else health.OK


def check_alerting() -> str:
    """Return `ok` if a process has decided what is wrong just now."""
    rows = fetch("SELECT extract(epoch FROM clock_timestamp() - passed_at)::float8 FROM alerts_alertpass")
    silent = rows[0][0] if rows else None
    if silent is not None and silent <= LATE:
        return health.OK
    return "nobody has watched yet" if silent is None else f"nobody has watched for {silent:.0f} s"


def observe(*, processes: bool = True) -> list[Condition]:
    """Return everything that is wrong now."""
    states = heartbeats.list_processes() if processes else []
    results = {name: text for name, text in health.house.results().items() if name not in OWN_CHECKS}
    events = [(kind, _title(kind), severity, operator, number) for kind, severity, operator, number in fetch(_EVENTS)]
    return [
        *(rules.process_conditions(states) if processes else ()),
        *rules.health_conditions(results),
        *rules.delay_conditions(delays()),
        *rules.queue_conditions(
            events=events,
            cases=[(kind, operator, number) for kind, operator, number in fetch(_CASES)],
            overdue=[(kind, operator, number) for kind, operator, number in fetch(_OVERDUE)],
            webhooks=[(operator, number) for operator, number in fetch(_WEBHOOKS)],
        ),
        *(condition for rows in WAITING for condition in rows.conditions()),
    ]


def delays() -> dict[str, float]:
    """Return how many seconds late jobs, checkpoints, the nightly audit and the witnesses' cosignatures are."""
    names = list(settings.CELERY_BEAT_SCHEDULE)
    jobs = fetch(_JOB, [names, names])
    return {
        "jobs": jobs[0][0] if jobs else 0.0,
        "checkpoints": fetch(_CHECKPOINT)[0][0] - settings.CHECKPOINT_SECONDS,
        "audit": audit_states.seconds_since_nightly() - 24 * 3600,
        "witnesses": notes.protection_window().seconds if settings.WITNESSES else 0.0,
    }


OWN_CHECKS: Final = frozenset({"processes", "alerting"})
"""Checks of /healthz that come from here, and are no news here."""


def _title(kind: str) -> str:
    known = kind in set(SignificantEventKind)
    return DESCRIPTIONS[SignificantEventKind(kind)].title if known else kind.replace("_", " ")


def _last_pass() -> _Last:
    rows = fetch(_LAST)
    if not rows:
        execute(_FIRST)
        rows = fetch(_LAST)
    return _Last(*rows[0])


def _open_alerts() -> list[OpenAlert]:
    return [
        OpenAlert(
            row.pk, row.key, row.kind, Severity(row.severity), row.number, row.seen_at, row.noticed_at,
            None if row.acknowledged_at is None else row.acknowledged_number,
        )
        for row in Alert.objects.select_for_update().filter(resolved_at=None).order_by("pk")
    ]  # fmt: skip


def _write(changes: AlertChanges, now: datetime) -> None:
    for condition in changes.opened:
        logger.error("ALERT %s (%s)", condition.summary, condition.kind)
        each = (condition.key, condition.kind, condition.severity, condition.operator, condition.summary)
        execute(_OPEN, [*each, condition.number, now, now, now])
    for alert, condition in changes.seen:
        execute(_SEEN, [now, condition.number, condition.summary, condition.severity, condition.number, alert.id])
    if changes.renewed:
        execute(_RENEW, [now, [alert.id for alert in changes.renewed]])
    resolved = [alert.id for alert in changes.resolved]
    if resolved:
        execute(_RESOLVE, [now, resolved])
        execute(_FOLLOW_UP, ["resolved", resolved])


def _queue_messages(now: datetime) -> None:
    """Queue a message to each target of each list that is to be told by now, and was not."""
    call_rules = [
        CallRule(number, kinds, Severity(severity), timedelta(seconds=after))
        for number, kinds, severity, after in fetch("SELECT id, kinds, severity, after_seconds FROM alerts_oncalllist")
    ]
    pairs: Sequence[tuple[Any, Any]] = [
        (alert.id, rule.id) for alert in _open_alerts() for rule in call_rules if rule.covers(alert, now)
    ]
    if pairs:
        execute(_TELL, [[alert for alert, _ in pairs], [rule for _, rule in pairs]])
