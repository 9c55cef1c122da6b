"""Figures for Prometheus at `/metrics`, read from PostgreSQL: the same whichever process answers.

They are of the whole installation: what the processes of a pool and of all hosts counted is added up in them, some
seconds after it happened.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.alerts import checks, heartbeats, rules
from casino.events.sql import fetch
from casino.observability import figures, health
from casino.observability.conditions import Observation

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
CONDITION: Final = "casino_condition"
_QUEUES: Final = """
SELECT 'events to seal', (SELECT count(*) FROM events_unsealed)
UNION ALL SELECT 'announcements', (SELECT count(*) FROM events_announcement)
UNION ALL SELECT 'webhook deliveries', (SELECT count(*) FROM feed_webhookdelivery WHERE due_at IS NOT NULL)
UNION ALL SELECT 'e-mails', (SELECT count(*) FROM mail_email WHERE sent_at IS NULL)
UNION ALL SELECT 'significant events', (SELECT count(*) FROM significant_unacknowledged)
UNION ALL SELECT 'audit findings', (
    SELECT count(*) FROM significant_unacknowledged AS waiting
      JOIN significant_significantevent AS event ON event.id = waiting.event_id
     WHERE event.kind IN ('audit_finding', 'integrity_failed'))
"""
_CONNECTIONS: Final = """
SELECT 'used', count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'
UNION ALL SELECT 'most', current_setting('max_connections')::bigint
"""
_COUNTED: Final = "SELECT name, labels, numbers FROM alerts_figure ORDER BY name, labels"
_IN_USE: Final = """
SELECT name, pool, sum(number::float8)
  FROM alerts_heartbeat, jsonb_each(gauges) AS gauge (name, pools), jsonb_each_text(pools) AS one (pool, number)
 WHERE beat_at > clock_timestamp() - make_interval(secs => %s) GROUP BY 1, 2
"""


class GaugeSource(NamedTuple):
    """Where a gauge comes from: a statement that returns values of its label, each with its number."""

    help: str
    label: str
    statement: str


SOURCES: Final[dict[str, GaugeSource]] = {
    "casino_queue_length": GaugeSource("How many wait.", "queue", _QUEUES),
    "casino_database_connections": GaugeSource(
        "Connections of PostgreSQL: used, and at most.", "connections", _CONNECTIONS
    ),
}
"""Gauges by their names; apps register theirs in AppConfig.ready()."""


@dataclass(slots=True)
class Gauge:
    """A figure that goes up and down, once for each value of its label."""

    name: str
    help: str
    label: str
    values: dict[str, float] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield the figure in the text format of Prometheus."""
        yield from _head(self.name, self.help, "gauge")
        for value, number in sorted(self.values.items()):
            yield _sample(self.name, {self.label: value}, number)


def gauges() -> list[Gauge]:
    """Read all figures that go up and down."""
    processes = heartbeats.list_processes()
    running = dict.fromkeys(rules.EXPECTED, 0.0)
    dead = dict.fromkeys(rules.EXPECTED, 0.0)
    for process in processes:
        counted = dead if process.is_dead else running
        counted[process.kind] = counted.get(process.kind, 0.0) + 1
    in_use: dict[str, dict[str, float]] = {name: {} for name in figures.GAUGES}
    for name, pool, number in fetch(_IN_USE, [heartbeats.DEAD_SECONDS]):
        in_use.setdefault(name, {})[pool] = number
    return [
        Gauge("casino_late_seconds", "How late the oldest piece of work is.", "work", _late()),
        Gauge("casino_processes", "Processes that run.", "process", running),
        Gauge("casino_dead_processes", "Processes without a heartbeat that did not end in order.", "process", dead),
        *(Gauge(name, text, "pool", in_use[name]) for name, text in figures.GAUGES.items()),
        *(
            Gauge(name, source.help, source.label, {value: float(number) for value, number in fetch(source.statement)})
            for name, source in SOURCES.items()
        ),
    ]


def counted_lines() -> Iterator[str]:
    """Yield what all processes have counted and timed, in the text format of Prometheus."""
    series: dict[str, list[tuple[Sequence[str], Sequence[float]]]] = {}
    for name, values, numbers in fetch(_COUNTED):
        series.setdefault(name, []).append((values, numbers))
    for metric in figures.METRICS:
        is_counter = isinstance(metric, figures.Counter)
        yield from _head(metric.name, metric.help, "counter" if is_counter else "histogram")
        for values, numbers in series.get(metric.name, ()):
            labels = dict(zip(metric.labels, values, strict=True))
            if is_counter:
                yield _sample(metric.name, labels, numbers[0])
            else:
                yield from _histogram(metric.name, labels, numbers)


def _histogram(name: str, labels: Mapping[str, str], numbers: Sequence[float]) -> Iterator[str]:
    *buckets, total = numbers
    for bound, number in zip([*map("{:g}".format, figures.BOUNDS), "+Inf"], accumulate(buckets), strict=True):
        yield _sample(f"{name}_bucket", {**labels, "le": bound}, number)
    yield _sample(f"{name}_sum", labels, total)
    yield _sample(f"{name}_count", labels, sum(buckets))


def _head(name: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, labels: Mapping[str, str], number: float) -> str:
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for value in labels.values())
    pairs = ",".join(f'{label}="{value}"' for label, value in zip(labels, escaped, strict=True))
    return f"{name}{{{pairs}}} {number:.15g}"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all figures to who has settings.METRICS_TOKEN. Raises Http404 for anybody else.

    Without PostgreSQL it says just that.
    """
    if not health.has_token(request):
        raise Http404
    lines = [*condition_lines()]
    try:
        lines += [*(line for gauge in gauges() for line in gauge.lines()), *counted_lines()]
    except (DatabaseError, InterfaceError):
        lines = [*condition_lines(Observation(name="database"))]
    return HttpResponse("\n".join([*lines, ""]), content_type=CONTENT_TYPE)


def condition_lines(*more: Observation) -> Iterator[str]:
    """Yield what is wrong in the text format of Prometheus: how much of it there is, or for how many seconds."""
    yield from _head(CONDITION, "What is wrong: how much of it there is, or how many seconds late.", "gauge")
    found: dict[str, None] = {}
    for each in (*health.conditions(), *more):
        labels = {"condition": each.name, "severity": str(each.severity)}
        labels |= {"operator": str(each.operator)} if each.operator else {}
        labels |= {name: str(value) for name, value in each.values.items() if name in each.condition.labels}
        found[_sample(CONDITION, labels, each.number)] = None
    yield from found


def _late() -> dict[str, float]:
    late = {name: _seconds(statement) for name, statement in health.WATCHED.items()}
    return late | {name: max(seconds, 0.0) for name, seconds in checks.delays().items()}


def _seconds(statement: str) -> float:
    seconds = fetch(statement)
    return 0.0 if not seconds or seconds[0][0] is None else max(float(seconds[0][0]), 0.0)
