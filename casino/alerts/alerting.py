"""Decides what is wrong and queues messages about it: a pass every two seconds, in any number of processes.

The row of AlertPass is the lease. A process observes, then writes in one transaction that ends its pass only if no
other has passed since: one that froze in between does no harm when it wakes, and any other takes over at once.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import transaction

from casino.alerts import heartbeats, rules
from casino.alerts.models import Alert
from casino.alerts.rules import AlertChanges, CallRule, OpenAlert
from casino.events.sql import database_now, execute, fetch
from casino.observability import health
from casino.observability.conditions import Observation
from casino.significant.recorder import Severity

logger = logging.getLogger(__name__)

PASS_SECONDS: Final = 2.0
GAP: Final = timedelta(seconds=10)
"""A longer time between two passes was an outage, after which processes get time for their first heartbeats."""
STEADY: Final = timedelta(seconds=heartbeats.DEAD_SECONDS + 2 * heartbeats.BEAT_SECONDS)
_LAST: Final = "SELECT passed_at, steady_since, clock_timestamp() FROM alerts_alertpass WHERE id = 1"
_FIRST: Final = """
INSERT INTO alerts_alertpass (id, passed_at, steady_since) VALUES (1, clock_timestamp() - interval '1 hour', now())
    ON CONFLICT DO NOTHING
"""
_TAKE: Final = """
UPDATE alerts_alertpass SET passed_at = %(now)s, steady_since = %(steady)s WHERE id = 1 AND passed_at = %(last)s
"""
_OPEN: Final = """
INSERT INTO alerts_alert (key, kind, severity, operator_id, summary, cause, command, subjects, number, opened_at,
                          seen_at, noticed_at, notice, acknowledged_by, acknowledged_number)
VALUES (%(key)s, %(kind)s, %(severity)s, %(operator)s, %(summary)s, %(cause)s, %(command)s, %(subjects)s::text[],
        %(number)s, %(now)s, %(now)s, %(now)s, 1, '', 0)
"""
_SEEN: Final = """
UPDATE alerts_alert
   SET seen_at = %(now)s, number = %(number)s, severity = %(severity)s, summary = %(summary)s, cause = %(cause)s,
       command = %(command)s, subjects = %(subjects)s::text[],
       acknowledged_number = least(acknowledged_number, %(number)s)
 WHERE id = %(id)s
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
    findings, unjudged = observe(steady=last.now - steady_since >= STEADY)
    with transaction.atomic():
        if not execute(_TAKE, {"now": last.now, "steady": steady_since, "last": last.passed_at}):
            return False
        changes = rules.fold(_open_alerts(), findings, last.now, unjudged=unjudged)
        _write(changes, last.now)
        _queue_messages(last.now)
    heartbeats.forget_replaced()
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


def observe(*, steady: bool = True) -> tuple[list[Observation], list[str]]:
    """Return everything that is wrong now, and the keys of what could not be judged.

    Processes are not judged unless alerting was `steady`: after an outage all begin to beat again.
    """
    states = heartbeats.list_processes()
    found = rules.missing_processes(states) + rules.dead_processes(states) if steady else []
    unjudged = rules.unjudged_processes(states, steady=steady)
    for name, findings in {**health.house.results(), **health.desk.results()}.items():
        if name in OWN_CHECKS:
            continue
        if any(each.name in {"database", "slow"} for each in findings):
            unjudged.append(name)
        found += (each for each in findings if each.name != "database")  # which this process could not ask
    return found, unjudged


OWN_CHECKS: Final = frozenset({"processes", "alerting"})
"""Checks of /healthz that come from here, and are no news here."""


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
    for finding in changes.opened:
        logger.error("ALERT %s: %s (%s)", finding.effect, finding.cause, finding.name)
        execute(_OPEN, _row(finding, now))
    for alert, finding in changes.seen:
        execute(_SEEN, _row(finding, now) | {"id": alert.id})
    if changes.renewed:
        execute(_RENEW, [now, [alert.id for alert in changes.renewed]])
    resolved = [alert.id for alert in changes.resolved]
    if resolved:
        execute(_RESOLVE, [now, resolved])
        execute(_FOLLOW_UP, ["resolved", resolved])


def _row(finding: Observation, now: datetime) -> dict[str, object]:
    return {
        "key": finding.key, "kind": finding.name, "severity": finding.severity, "operator": finding.operator,
        "summary": finding.effect, "cause": finding.cause, "command": finding.command,
        "subjects": list(finding.where), "number": finding.number, "now": now,
    }  # fmt: skip


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
