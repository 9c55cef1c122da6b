"""Figures for Prometheus at `/metrics`, read from PostgreSQL: the same whichever process answers.

They are of the whole installation, so the processes of a pool and all hosts are added up in them.
"""

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.alerts import alerting, heartbeats, rules
from casino.events.sql import fetch
from casino.observability import health

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_QUEUES: Final = """
SELECT 'events to seal', (SELECT count(*) FROM events_unsealed)
UNION ALL SELECT 'announcements', (SELECT count(*) FROM events_announcement)
UNION ALL SELECT 'webhook deliveries', (SELECT count(*) FROM feed_webhookdelivery WHERE due_at IS NOT NULL)
UNION ALL SELECT 'e-mails', (SELECT count(*) FROM mail_email WHERE sent_at IS NULL)
UNION ALL SELECT 'alert messages', (SELECT count(*) FROM alerts_alertmessage WHERE due_at IS NOT NULL)
UNION ALL SELECT 'significant events', (SELECT count(*) FROM significant_unacknowledged)
"""
_ALERTS: Final = "SELECT severity, count(*) FROM alerts_alert WHERE resolved_at IS NULL GROUP BY 1"


@dataclass(slots=True)
class Gauge:
    """A figure, once for each value of its label."""

    name: str
    help: str
    label: str
    values: dict[str, float] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield the figure in the text format of Prometheus."""
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} gauge"
        for value, number in sorted(self.values.items()):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            yield f'{self.name}{{{self.label}="{escaped}"}} {number:g}'


def gauges() -> list[Gauge]:
    """Read all figures."""
    processes = heartbeats.list_processes()
    running = dict.fromkeys(rules.EXPECTED, 0.0)
    dead = dict.fromkeys(rules.EXPECTED, 0.0)
    for process in processes:
        counted = dead if process.is_dead else running
        counted[process.kind] = counted.get(process.kind, 0.0) + 1
    checks = {name: float(text == health.OK) for name, text in health.house.results().items()}
    alerts: Mapping[str, int] = dict(fetch(_ALERTS))
    return [
        Gauge("casino_check_ok", "Whether a check of /healthz passes.", "check", checks),
        Gauge("casino_late_seconds", "How late the oldest piece of work is.", "work", _late()),
        Gauge(
            "casino_queue_length", "How many wait.", "queue", {name: float(number) for name, number in fetch(_QUEUES)}
        ),
        Gauge("casino_processes", "Processes that run.", "process", running),
        Gauge("casino_dead_processes", "Processes without a heartbeat that did not end in order.", "process", dead),
        Gauge(
            "casino_alerts_open",
            "Alerts that are not resolved.",
            "severity",
            {severity: float(alerts.get(severity, 0)) for severity in ("notice", "warning", "critical")},
        ),
    ]


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all figures to who has settings.METRICS_TOKEN. Raises Http404 for anybody else."""
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.META.get("HTTP_AUTHORIZATION", "").encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(wanted, given):
        raise Http404
    lines = (line for gauge in gauges() for line in gauge.lines())
    return HttpResponse("\n".join([*lines, ""]), content_type=CONTENT_TYPE)


def _late() -> dict[str, float]:
    late = {name: _seconds(statement) for name, statement in health.WATCHED.items()}
    return late | {name: max(seconds, 0.0) for name, seconds in alerting.delays().items()}


def _seconds(statement: str) -> float:
    seconds = fetch(statement)
    return 0.0 if not seconds or seconds[0][0] is None else max(float(seconds[0][0]), 0.0)
