"""The rules of Prometheus, made of the table of conditions; `make frozen` writes deploy/prometheus/rules.yaml."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from casino.alerts.metrics import CONDITION
from casino.observability.conditions import CONDITIONS, Condition

_WAITS: Final = {"Processes": "0s", "Database": "5s", "Redis": "5s"}
"""For how long something must have been wrong, by section: a process counts as dead only after some seconds anyway."""
_WAIT: Final = "10s"
AWAY: Final = "CasinoIsAway"
WATCHDOG: Final = "CasinoWatchdog"
_VALUES: Final = {
    "late": "{{ $value | humanizeDuration }}",
    "number": "{{ $value }}",
    "bets": "bets there are voided after 45 s",
}
_HEAD: Final = """\
# Made of casino/observability/conditions.py by `make frozen`. Scrape /metrics of one web every five seconds, as
# prometheus.yaml does; links begin with the external label `casino`, which is the address of the service.
groups:
  - name: casino
    rules:
"""


class _MetricRule(NamedTuple):
    """An alert about figures, for which there is no condition: how bad, and the section of the runbook."""

    name: str
    severity: str
    section: str
    summary: str
    expression: str


_METRIC_RULES: Final = (
    _MetricRule(
        AWAY, "critical", "processes", "No web answers Prometheus", 'absent(up{job="casino"} == 1)'
    ),
    _MetricRule(
        "CasinoFailsRequests", "critical", "requests-failing", "More than one response in twenty is an error of ours",
        'sum(rate(casino_responses_total{status=~"5.."}[5m])) > 0.05 * sum(rate(casino_responses_total[5m]))',
    ),
    _MetricRule(
        "CasinoIsSlow", "warning", "slow-requests", "A step of one command in twenty takes longer than a second",
        'histogram_quantile(0.95, sum by (le) (rate(casino_step_seconds_bucket{work="command"}[5m]))) > 1',
    ),
    _MetricRule(
        "CasinoTaskFails", "warning", "tasks-failing", "The task {{ $labels.task }} fails again and again",
        "sum by (task) (increase(casino_task_failures_total[15m])) > 2",
    ),
    _MetricRule(
        "CasinoPoolIsFull", "warning", "slow-requests", "Requests wait for a thread of the pool {{ $labels.pool }}",
        "sum by (pool) (casino_pool_requests) > 2 * sum by (pool) (casino_pool_threads)",
    ),
    _MetricRule(
        "CasinoConnectionsRunOut", "warning", "connections", "PostgreSQL has few connections left",
        'casino_database_connections{connections="used"} > ignoring (connections) 0.9 * '
        'casino_database_connections{connections="most"}',
    ),
)  # fmt: skip


def alert_name(condition: str) -> str:
    """Return the name of a condition's alert."""
    return "Casino" + condition.title().replace("_", "")


def rules() -> str:
    """Return the file."""
    return _HEAD + "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    for name, row in CONDITIONS.items():
        texts = {"summary": row.effect, "cause": row.cause, "command": row.command}
        said = {key: _templated(text, row) for key, text in texts.items()}
        expression, wait = f'{CONDITION}{{condition="{name}"}}', _WAITS.get(row.section, _WAIT)
        yield from _rule(alert_name(name), expression, wait=wait, section=name, **said)
    for rule in _METRIC_RULES:
        yield from _rule(rule.name, rule.expression, severity=rule.severity, section=rule.section, summary=rule.summary)
    yield f"      - alert: {WATCHDOG}"
    yield "        expr: vector(1)"
    yield "        labels: { severity: none }"
    yield "        annotations: { summary: Prometheus and Alertmanager work; this ends when one of them does not }"


def _rule(
    name: str, expression: str, *, section: str, wait: str = _WAIT, severity: str = "", **said: str
) -> Iterator[str]:
    yield f"      - alert: {name}"
    yield f"        expr: {_quoted(expression)}"
    yield f"        for: {wait}"
    yield "        keep_firing_for: 20s"
    if severity:
        yield f"        labels: {{ severity: {severity} }}"
    yield "        annotations:"
    for key, text in said.items():
        yield f"          {key}: {_quoted(text)}"
    yield f"          runbook_url: '{{{{ $externalLabels.casino }}}}/admin/runbook/{section}/'"


def _quoted(text: str) -> str:
    """Return a text as YAML has it, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def _templated(text: str, row: Condition) -> str:
    return text.format_map(_VALUES | {name: f"{{{{ $labels.{name} }}}}" for name in row.labels})
