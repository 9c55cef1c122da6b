"""What is looked at beside what apps below and above register: late work, processes, and what waits for people."""

from collections.abc import Callable
from typing import Final

from django.conf import settings

from casino.alerts import heartbeats, rules
from casino.checkpoints import audit_states, notes, signing
from casino.compliance.cases import IS_OPEN
from casino.events.sql import fetch
from casino.observability import health
from casino.observability.conditions import Observation
from casino.observability.health import Observations, late
from casino.significant.recorder import DESCRIPTIONS, SignificantEventKind

_JOB: Final = """
SELECT extract(epoch FROM clock_timestamp() - due_at)::float8 FROM jobs_job
 WHERE name = ANY (%s::text[]) AND (leased_until IS NULL OR leased_until <= clock_timestamp())
   AND NOT EXISTS (SELECT FROM jobs_job WHERE name = ANY (%s::text[]) AND leased_until > clock_timestamp())
 ORDER BY due_at LIMIT 1
"""
_CHECKPOINT: Final = """
SELECT coalesce(extract(epoch FROM clock_timestamp() - min(event.recorded_at)), 0)::float8
  FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
 WHERE seal.position = %s
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
_OVERDUE: Final = f"""
SELECT opened.kind, opened.operator_id, count(*)
  FROM (SELECT DISTINCT ON (case_id) case_id, due_at FROM compliance_caseentry WHERE kind = 'deadline'
         ORDER BY case_id, id DESC) AS deadline
  JOIN compliance_case AS opened ON opened.id = deadline.case_id
 WHERE deadline.due_at < clock_timestamp() AND {IS_OPEN}
 GROUP BY 1, 2
"""  # noqa: S608  (a constant)
_WEBHOOKS: Final = """
SELECT endpoint.operator_id, count(DISTINCT endpoint.id)
  FROM feed_webhookendpoint AS endpoint
  JOIN feed_webhookdelivery AS delivery ON delivery.endpoint_id = endpoint.id
 WHERE endpoint.status = 'active' AND delivery.due_at IS NOT NULL
   AND delivery.first_tried_at < clock_timestamp() - interval '10 minutes'
 GROUP BY 1
"""


def register() -> None:
    """Register all of them."""
    for name, check in (
        ("processes", processes), ("jobs", _jobs), ("checkpoints", _checkpoints), ("audit", _audit),
        ("witnesses", _witnesses),
    ):  # fmt: skip
        health.house.register(name, check)
    health.desk.register("dead_processes", dead_processes)
    health.desk.register("significant_events", _significant_events)
    health.desk.register("open_cases", _cases("open_cases", _CASES))
    health.desk.register("overdue_cases", _cases("overdue_cases", _OVERDUE))
    health.desk.register("webhooks_failing", _webhooks)


def delays() -> dict[str, float]:
    """Return how many seconds late jobs, checkpoints, the nightly audit and the witnesses' cosignatures are."""
    return {
        "jobs": _job_seconds(),
        "checkpoints": _unsigned_seconds() - settings.CHECKPOINT_SECONDS,
        "audit": audit_states.seconds_since_nightly() - 24 * 3600,
        "witnesses": notes.protection_window().seconds if settings.WITNESSES else 0.0,
    }


def processes() -> Observations:
    """Find the kinds of which no process runs."""
    return rules.missing_processes(heartbeats.list_processes())


def dead_processes() -> Observations:
    """Find the processes that died. They have names of hosts, which /healthz does not tell everybody."""
    return rules.dead_processes(heartbeats.list_processes())


def _job_seconds() -> float:
    names = list(settings.CELERY_BEAT_SCHEDULE)
    rows = fetch(_JOB, [names, names])
    return float(rows[0][0]) if rows else 0.0


def _jobs() -> Observations:
    return late("jobs", _job_seconds(), 120.0)


def _unsigned_seconds() -> float:
    return float(fetch(_CHECKPOINT, [signing.kept_size() + 1])[0][0])


def _checkpoints() -> Observations:
    return late("checkpoints", _unsigned_seconds(), settings.CHECKPOINT_SECONDS + 300.0)


def _audit() -> Observations:
    return late("audit", audit_states.seconds_since_nightly(), audit_states.LATE.total_seconds())


def _witnesses() -> Observations:
    if not settings.WITNESSES:
        return ()
    window = notes.protection_window()
    return late("witnesses", window.seconds, 120.0, quorum=window.quorum, all=window.witnesses)


def _significant_events() -> Observations:
    return [
        Observation(
            name="significant_events",
            part=f"{kind}:{operator or ''}",
            values={"title": _title(kind)},
            number=number,
            operator=operator,
            own_severity=severity,
        )
        for kind, severity, operator, number in fetch(_EVENTS)
    ]


def _title(kind: str) -> str:
    known = kind in set(SignificantEventKind)
    return DESCRIPTIONS[SignificantEventKind(kind)].title if known else kind.replace("_", " ")


def _cases(name: str, statement: str) -> Callable[[], Observations]:
    def check() -> Observations:
        return [
            Observation(
                name=name,
                part=f"{kind}:{operator}",
                values={"kind": kind.replace("_", " ")},
                number=number,
                operator=operator,
            )
            for kind, operator, number in fetch(statement)
        ]

    return check


def _webhooks() -> Observations:
    return [
        Observation(name="webhooks_failing", part=str(operator), number=number, operator=operator)
        for operator, number in fetch(_WEBHOOKS)
    ]
