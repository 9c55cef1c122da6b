"""`manage.py status`: what the house owes and whether it is late, on one screen, with the command that helps."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import Error, connection
from rich.console import Console
from rich.table import Table

from casino.checkpoints import audit_states, notes
from casino.checkpoints.models import AuditKind
from casino.events.sql import fetch
from casino.observability import health

_WEB, _WORKER, _BACKGROUND = ("docker compose restart " + name for name in ("web", "worker", "worker-background"))
REMEDIES: Final = {
    "database": "docker compose ps postgres; docker compose logs postgres",
    "migrations": "docker compose run --rm migrate",
    "clock": "chronyc tracking; manage.py integrity",
    "currencies": "compare CURRENCIES of all processes",
    "personal_keys": "compare PERSONAL_KEYS of all processes",
    "shoe_keys": "compare SHOE_KEYS of all processes",
    "redis": "docker compose restart redis",
    "disk": "df -h; manage.py purge",
    "sealing": "docker compose restart sealer",
    "dealing": f"{_WORKER}; docker compose logs worker",
    "payments": f"{_BACKGROUND}; see the payments page of the admin",
    "feed": "docker compose restart worker-outbound",
    "mail": f"{_BACKGROUND}; compare EMAIL_HOST with the mail server",
    "report_deliveries": f"{_BACKGROUND}; see the saved reports in the admin",
    "jobs": _BACKGROUND,
    "audit": f"{_BACKGROUND}; manage.py audit --nightly",
    "witnesses": "manage.py checkpoint; docker compose logs worker-background",
    "webhooks": "see the webhooks page of the admin; POST /api/v1/webhooks/<id>/resume",
    "processes": "docker compose ps; docker compose up --detach",
    "alerting": "docker compose restart worker-outbound",
    "stops": "manage.py resume, when what they were for is over",
    "alerts": "see the alerts page of the admin",
    "significant events": "acknowledge them in the admin",
}
"""The command that helps, by the name of a check."""
JOBS_LATE: Final = 60.0
PROTECTION_LATE: Final = 60.0
_JOBS: Final = """
SELECT name, extract(epoch FROM clock_timestamp() - due_at)::float8,
       EXISTS (SELECT FROM jobs_job WHERE name = ANY (%s::text[]) AND leased_until > clock_timestamp())
  FROM jobs_job WHERE name = ANY (%s::text[]) AND (leased_until IS NULL OR leased_until <= clock_timestamp())
 ORDER BY due_at LIMIT 1
"""
_PAUSED: Final = "SELECT count(*) FROM feed_webhookendpoint WHERE status = 'paused'"
_STOPS: Final = "SELECT id, at FROM baccarat_killswitch WHERE active ORDER BY scope <> 'gaming', at"
_ALERTS: Final = """
SELECT count(*) FILTER (WHERE severity = 'critical'), count(*) FROM alerts_alert
 WHERE resolved_at IS NULL AND acknowledged_at IS NULL
"""
_UNACKNOWLEDGED: Final = """
SELECT count(*) FILTER (WHERE event.severity = 'critical'), count(*) FROM significant_unacknowledged AS waiting
  JOIN significant_significantevent AS event ON event.id = waiting.event_id
"""


class StatusColour(StrEnum):
    """GREEN: nothing to do. AMBER: somebody should look. RED: the house does not do what it has to."""

    GREEN = "green"
    AMBER = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One thing that the house owes, and how it stands."""

    name: str
    colour: StatusColour
    text: str


def collect() -> list[StatusLine]:
    """Return all lines, in the order in which a person should look at them."""
    lines = [_of_check(name, text) for name, text in health.readiness.results(redis=health.check_redis).items()]
    if any(line.colour is StatusColour.RED and line.name in {"database", "migrations"} for line in lines):
        return lines  # nothing else can be asked
    lines += [_of_check(name, text) for name, text in health.house.results().items()]
    questions = (_jobs, _audit, _witnesses, _webhooks, _stops, _alerts, _significant_events)
    return [*lines, *(line for question in questions for line in _ask(question))]


def _ask(question: Callable[[], StatusLine]) -> Iterator[StatusLine]:
    try:
        yield question()
    except Error as error:
        connection.close()
        yield StatusLine(question.__name__.strip("_").replace("_", " "), StatusColour.RED, f"no answer: {error}")


def _of_check(name: str, text: str) -> StatusLine:
    if text == health.OK:
        return StatusLine(name, StatusColour.GREEN, text)
    return StatusLine(name, StatusColour.AMBER if name == "redis" else StatusColour.RED, text)


def _jobs() -> StatusLine:
    names = list(settings.CELERY_BEAT_SCHEDULE)
    rows = fetch(_JOBS, [names, names])
    if not rows:
        return StatusLine("jobs", StatusColour.RED, "no job has ever been run")
    name, late, busy = rows[0]
    if late <= JOBS_LATE:
        return StatusLine("jobs", StatusColour.GREEN, "all jobs run in time")
    text = f"{name} has been due for {late:.0f} s"
    return (
        StatusLine("jobs", StatusColour.AMBER, f"{text} behind another job")
        if busy
        else StatusLine("jobs", StatusColour.RED, text)
    )


def _audit() -> StatusLine:
    last = audit_states.latest(*AuditKind)
    late = audit_states.seconds_since_nightly() > audit_states.LATE.total_seconds()
    text = "none yet" if last is None else f"{last.ended_at:%Y-%m-%d %H:%M}, {last.verdict}"
    found = last is not None and last.findings
    return StatusLine("audit", StatusColour.RED if late or found else StatusColour.GREEN, text)


def _witnesses() -> StatusLine:
    if not settings.WITNESSES:
        return StatusLine("witnesses", StatusColour.AMBER, "no witness is configured: nobody outside cosigns the log")
    window = notes.protection_window()
    colour = StatusColour.GREEN if window.seconds <= PROTECTION_LATE else StatusColour.RED
    return StatusLine("witnesses", colour, str(window))


def _webhooks() -> StatusLine:
    ((paused,),) = fetch(_PAUSED)
    return StatusLine("webhooks", StatusColour.AMBER if paused else StatusColour.GREEN, f"{paused} paused")


def _stops() -> StatusLine:
    rows = fetch(_STOPS)
    if not rows:
        return StatusLine("stops", StatusColour.GREEN, "nothing is stopped")
    (what, since), more = rows[0], len(rows) - 1
    text = f"{what.rstrip(':').replace(':', ' ')} is stopped since {since:%Y-%m-%d %H:%M} UTC"
    return StatusLine("stops", StatusColour.AMBER, f"{text}, and {more} more" if more else text)


def _alerts() -> StatusLine:
    ((critical, waiting),) = fetch(_ALERTS)
    text = f"{waiting} wait for acknowledgement, {critical} of them critical"
    return StatusLine("alerts", StatusColour.AMBER if waiting else StatusColour.GREEN, text)


def _significant_events() -> StatusLine:
    ((critical, waiting),) = fetch(_UNACKNOWLEDGED)
    text = f"{waiting} wait for acknowledgement, {critical} of them critical"
    return StatusLine("significant events", StatusColour.AMBER if critical else StatusColour.GREEN, text)


class Command(BaseCommand):
    """Print the lines, and exit with 1 if one is red."""

    help = "Show what the house owes and whether it is late, with the command that helps. Exit 1 if anything is red."
    requires_system_checks = ()

    def handle(self, **_: Any) -> None:
        lines = collect()
        table = Table(box=None, pad_edge=False)
        for column in ("", "what", "how it stands", "what helps"):
            table.add_column(column, overflow="fold")
        for line in lines:
            colour = line.colour.name.lower()
            helps = "" if line.colour is StatusColour.GREEN else REMEDIES[line.name]
            table.add_row(f"[{line.colour}]{colour}[/]", line.name, line.text, helps)
        console = Console(width=None if sys.stdout.isatty() else 160)
        with console.capture() as capture:
            console.print(table)
        self.stdout.write(capture.get())
        if any(line.colour is StatusColour.RED for line in lines):
            sys.exit(1)
