"""Rules and dashboard name figures that exist, and sections of the manual that exist."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from casino.alerts import metrics
from casino.devstack.home import PROJECT
from casino.observability import figures, health
from casino.observability.conditions import CONDITIONS, Level
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


def test_every_rule_has_a_severity_and_a_section_of_the_runbook() -> None:
    anchors = {heading.lower().replace(" ", "-") for heading in HEADINGS}
    for rule in RULES:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        label, _, name = rule["annotations"]["runbook_url"].partition("/admin/runbook/")
        assert label == "{{ $externalLabels.casino }}"
        assert name == "{{ $labels.check }}/" or name.removesuffix("/") in anchors, rule["alert"]


def test_rules_wake_somebody_for_the_checks_that_alerts_call_critical() -> None:
    named = {rule["alert"]: set(re.findall(r'~"([^"]*)"', rule["expr"])) for rule in RULES}
    levels = {name: CONDITIONS[name].level for name in health.house.checks if name in CONDITIONS}
    levels["processes"] = Level.STOPS
    of_level = {level: {name for name, its in levels.items() if its is level} for level in Level}
    stands, at_risk = ({*"".join(named[alert]).split("|")} for alert in ("CasinoStands", "CasinoIsAtRisk"))
    assert (stands, at_risk) == (of_level[Level.STOPS], of_level[Level.URGENT])
    assert {*"".join(named["CasinoWarns"]).split("|")} == stands | at_risk


def test_the_dashboard_has_what_grafana_needs() -> None:
    assert {"uid", "title", "schemaVersion", "panels", "templating"} <= DASHBOARD.keys()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids) == len(set(places))
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in DASHBOARD["panels"])


@needs("promtool")
def test_prometheus_accepts_the_rules() -> None:
    command = [shutil.which("promtool") or "", "check", "rules", str(FOLDER / "rules.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
