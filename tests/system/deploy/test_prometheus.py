"""Rules and dashboard name figures that exist, and sections of the manual that exist."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from casino.alerts import metrics, prometheus
from casino.devstack.home import PROJECT
from casino.observability import figures
from casino.observability.conditions import CONDITIONS, Observation, anchor, runbook_path
from tests.programs import needs

FOLDER = PROJECT / "deploy" / "prometheus"
RULES = [rule for group in yaml.safe_load((FOLDER / "rules.yaml").read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
SELECTOR = re.compile(r"\b(casino_\w+)(?:\{(\w+)=~?\"([^\"]+)\"\})?")
RUNBOOK = (PROJECT / "deploy/docs/runbook.md").read_text()
HEADINGS = re.findall(r"^#+ (.+)$", RUNBOOK, re.MULTILINE)


def expressions() -> list[str]:
    panels = [each["expr"] for panel in DASHBOARD["panels"] for each in panel["targets"]]
    return [*(rule["expr"] for rule in RULES), *panels]


@pytest.mark.django_db
def test_every_figure_that_they_name_exists_with_its_label() -> None:
    values = {gauge.name: gauge.values for gauge in metrics.gauges()}
    labels = {gauge.name: {gauge.label} for gauge in metrics.gauges()}
    labels[metrics.CONDITION] = {"condition", "severity"}
    for metric in figures.METRICS:
        is_counter = isinstance(metric, figures.Counter)
        labels[metric.name if is_counter else f"{metric.name}_bucket"] = {
            *metric.labels,
            *(() if is_counter else ["le"]),
        }
    named = [match for expression in expressions() for match in SELECTOR.findall(expression)]
    assert {name for name, _, _ in named} == set(labels), "a figure that nobody looks at, or one that is not there"
    for name, label, value in named:
        if label:
            assert label in labels[name], (name, label)
            assert name not in values or {*value.split("|")} <= values[name].keys(), (name, label, value)
    grouped = [pair for each in expressions() for pair in re.findall(r"by \(([\w, ]+)\) \(\w*\(?(casino_\w+)", each)]
    assert len(grouped) > len(DASHBOARD["panels"])
    for by, name in grouped:
        assert set(by.split(", ")) <= labels[name], (by, name)


def test_the_rules_are_those_of_the_table_of_conditions() -> None:
    if os.environ.get("FREEZE"):
        (FOLDER / "rules.yaml").write_text(prometheus.rules(), encoding="utf-8")
    assert (FOLDER / "rules.yaml").read_text(encoding="utf-8") == prometheus.rules(), "make frozen"


def test_every_rule_has_a_section_of_the_runbook_and_waits_for_ten_seconds_at_most() -> None:
    anchors = {heading.lower().replace(" ", "-") for heading in HEADINGS}
    for rule in RULES[:-1]:
        label, _, name = rule["annotations"]["runbook_url"].partition("/admin/runbook/")
        assert label == "{{ $externalLabels.casino }}"
        assert anchor(name.removesuffix("/")) in anchors, rule["alert"]
        assert (rule["for"], rule["keep_firing_for"]) in {(wait, "20s") for wait in ("0s", "5s", "10s")}


def observed(name: str) -> Observation:
    """Return a condition whose values are words."""
    values = {label: f"this {label}" for label in CONDITIONS[name].labels}
    measured = {"late": "7s", "number": "7", "bets": "bets there are voided after 45 s"}
    return Observation(name=name, values=values | measured, number=7)


def unit_test(name: str) -> dict[str, Any]:
    """Return a test of promtool: what is wrong in the second minute is told as the table has it."""
    seen = observed(name)
    values = {each: str(seen.values[each]) for each in seen.condition.labels}
    labels = {"condition": name, "severity": seen.severity, **values}
    series = f"{metrics.CONDITION}{{{','.join(f'{key}={json.dumps(value)}' for key, value in labels.items())}}}"
    told = {
        "exp_labels": labels,
        "exp_annotations": {
            "summary": seen.effect,
            "cause": seen.cause,
            "command": seen.command,
            "runbook_url": f"https://casino.example.com{runbook_path(name)}",
        },
    }
    at: dict[str, list[Any]] = {"55s": [], "1m10s": [told], "2m": [told], "2m35s": []}
    return {
        "interval": "5s",
        "external_labels": {"casino": "https://casino.example.com"},
        "input_series": [{"series": series, "values": "_x12 7x12 stale"}],
        "alert_rule_test": [
            {"eval_time": when, "alertname": prometheus.alert_name(name), "exp_alerts": alerts}
            for when, alerts in at.items()
        ],
    }


def told(labels: dict[str, str], **annotations: str) -> list[dict[str, Any]]:
    return [{"exp_labels": labels, "exp_annotations": annotations}]


AWAY: dict[str, Any] = {
    "interval": "5s",
    "external_labels": {"casino": "https://casino.example.com"},
    "input_series": [{"series": 'up{job="casino"}', "values": "1x12 0x24"}],
    "alert_rule_test": [
        {"eval_time": "1m", "alertname": prometheus.AWAY, "exp_alerts": []},
        {
            "eval_time": "1m20s",
            "alertname": prometheus.AWAY,
            "exp_alerts": told(
                {"severity": "critical"},
                summary="No web answers Prometheus",
                runbook_url="https://casino.example.com/admin/runbook/processes/",
            ),
        },
        {
            "eval_time": "0s",
            "alertname": prometheus.WATCHDOG,
            "exp_alerts": told(
                {"severity": "none"}, summary="Prometheus and Alertmanager work; this ends when one of them does not"
            ),
        },
    ],
}


@needs("promtool")
def test_each_condition_is_told_in_the_words_of_the_table_in_time_and_is_over_after_a_while(tmp_path: Path) -> None:
    tests: dict[str, Any] = {"rule_files": [str(FOLDER / "rules.yaml")], "evaluation_interval": "5s"}
    tests["tests"] = [*map(unit_test, CONDITIONS), AWAY]
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests), encoding="utf-8")
    command = [shutil.which("promtool") or "", "test", "rules", str(tmp_path / "tests.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


@needs("amtool")
def test_alertmanager_sends_each_alert_to_somebody() -> None:
    for labels, receiver in (
        (["alertname=CasinoNoWorker", "severity=critical"], "people on call"),
        (["alertname=CasinoJobs", "severity=critical"], "people on call"),
        (["alertname=CasinoSignificantEvents", "severity=notice"], "nobody"),
        ([f"alertname={prometheus.WATCHDOG}", "severity=none"], "dead man"),
    ):
        file = f"--config.file={FOLDER / 'alertmanager.yaml'}"
        command = [shutil.which("amtool") or "", "config", "routes", "test", file, *labels]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.stdout.strip() == receiver, done.stderr


def test_the_dashboard_has_what_grafana_needs() -> None:
    assert {"uid", "title", "schemaVersion", "panels", "templating"} <= DASHBOARD.keys()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids) == len(set(places))
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in DASHBOARD["panels"])


@needs("promtool")
def test_prometheus_accepts_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "metrics_token").write_text("token", encoding="utf-8")
    text = (FOLDER / "prometheus.yaml").read_text(encoding="utf-8")
    (tmp_path / "prometheus.yaml").write_text(text.replace("/run/secrets", str(tmp_path)), encoding="utf-8")
    shutil.copy(FOLDER / "rules.yaml", tmp_path)
    command = [shutil.which("promtool") or "", "check", "config", str(tmp_path / "prometheus.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
