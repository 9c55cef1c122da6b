"""Figures at /metrics: for who has the token, of all processes together."""

import os
import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, OperationalError, transaction
from django.test import Client
from pytest_django import Settings

from casino.alerts import heartbeats
from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.events.sql import execute
from casino.observability import figures, health
from casino.operators.models import Operator
from casino.significant import recorder

pytestmark = pytest.mark.django_db
LINE = re.compile(r'^(casino_\w+)\{(\w+="[^"\\]*"(?:,\w+="[^"\\]*")*)\} (\d\S*)$')
TOKEN = "scrape-" + "t" * 20


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    health.house.forget()
    health.desk.forget()
    figures.drain()


@pytest.fixture
def operator() -> UUID:
    return Operator.objects.create(id=uuid4(), slug="lucky", name="Lucky", currencies=["EUR"]).pk


def scrape() -> dict[tuple[str, str], float]:
    answer = Client().get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer["content-type"].partition(";")[0]) == (200, "text/plain")
    lines = answer.content.decode().splitlines()
    samples = [LINE.match(line) for line in lines if not line.startswith("#")]
    assert all(samples)
    named = {re.sub("_(bucket|sum|count)$", "", match[1]) for match in samples if match}
    assert named <= {line.split()[2] for line in lines if line.startswith("# TYPE")}
    return {(match[1], ",".join(re.findall('"(.*?)"', match[2]))): float(match[3]) for match in samples if match}


def test_only_who_has_the_token_reads_figures(settings: Settings) -> None:
    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"authorization": "Bearer guess"}).status_code == 404
    settings.METRICS_TOKEN = ""
    assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


def test_processes_of_a_pool_and_of_all_hosts_are_added_up() -> None:
    for host, pid in (("one", 1), ("one", 2), ("two", 1)):
        heartbeats.beat(("worker", host, pid))
    heartbeats.beat(("sealer", "one", 3))
    execute("UPDATE alerts_heartbeat SET beat_at = beat_at - interval '1 minute' WHERE kind = 'sealer'")
    figures = scrape()
    assert figures["casino_processes", "worker"] == 3
    assert (figures["casino_processes", "sealer"], figures["casino_dead_processes", "sealer"]) == (0, 1)
    assert figures["casino_processes", "web"] == 0


def test_what_waits_is_counted_and_the_oldest_is_timed() -> None:
    before = scrape()
    execute(
        "INSERT INTO mail_email (address, subject, body, created_at, due_at, attempts, error) "
        "VALUES ('a@b.example', 's', 'b', now() - interval '2 hours', now() - interval '1 hour', 3, 'no answer')"
    )
    health.house.forget()
    after = scrape()
    assert after["casino_queue_length", "e-mails"] - before["casino_queue_length", "e-mails"] == 1
    assert after["casino_late_seconds", "mail"] >= 7200
    assert ("casino_condition", "mail,warning") not in before
    assert after["casino_condition", "mail,warning"] >= 7200


def test_what_is_wrong_is_told_with_what_tells_one_from_another(operator: UUID) -> None:
    recorder.record(kind=recorder.SignificantEventKind.CLOCK_CHANGED, operator=None, subject="clock", actor="system")
    cases.open_case(operator=operator, kind=CaseKind.COMPLAINT, subject="round:7", details={})
    health.desk.forget()
    found = scrape()
    assert found["casino_condition", "significant_events,critical,Master clock changed"] == 1
    assert found["casino_condition", f"open_cases,warning,{operator},complaint"] == 1
    assert found["casino_condition", "no_sealer,critical"] == 1


def test_without_the_database_that_alone_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise OperationalError("no connection")

    monkeypatch.setattr("casino.alerts.metrics.gauges", fail)
    assert scrape()["casino_condition", "database,critical"] == 1


def test_what_processes_count_is_added_up_and_outlives_them() -> None:
    Client().get("/api/v1/unheard-of")
    heartbeats.add_figures()
    first = scrape()
    heartbeats.add_figures()  # as another process
    second = scrape()
    assert first["casino_refusals_total", "not_found"] == 1
    assert second["casino_refusals_total", "not_found"] == 1
    assert second["casino_responses_total", "404"] == 1
    assert second["casino_responses_total", "200"] == 1


def test_times_are_in_buckets_that_include_the_shorter_ones() -> None:
    for seconds in (0.0005, 0.001, 0.3, 60.0):
        figures.TASKS.observe(seconds, "reports.generate_due")
    heartbeats.add_figures()
    figures.TASKS.observe(0.3, "reports.generate_due")
    heartbeats.add_figures()
    read = scrape()
    buckets = [
        read["casino_task_seconds_bucket", f"reports.generate_due,{bound}"] for bound in ("0.001", "0.5", "+Inf")
    ]
    assert buckets == [2, 4, 5]
    assert read["casino_task_seconds_count", "reports.generate_due"] == 5
    assert read["casino_task_seconds_sum", "reports.generate_due"] == pytest.approx(60.6015)


def test_what_could_not_be_written_is_kept() -> None:
    figures.RESPONSES.count("204")
    with transaction.atomic():
        execute("SET TRANSACTION READ ONLY")
        with pytest.raises(DatabaseError):
            heartbeats.add_figures()
        transaction.set_rollback(True)
    figures.RESPONSES.count("204")
    heartbeats.add_figures()
    assert scrape()["casino_responses_total", "204"] == 2


def test_gauges_of_running_processes_are_added_up() -> None:
    figures.gauge(figures.OPEN_STREAMS, "test", lambda: 3.0)
    for pid in (1, 2, 3):
        heartbeats.beat(("web", "one", pid))
        heartbeats.beat(("web", "one", pid))
    execute("UPDATE alerts_heartbeat SET beat_at = beat_at - interval '1 minute' WHERE pid = 3")
    assert scrape()["casino_open_streams", "test"] == 6


def test_a_forked_process_counts_from_zero() -> None:
    figures.RESPONSES.count("418")
    child = os.fork()
    if child == 0:
        os._exit(len(figures.drain()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ("casino_responses_total", ("418",)) in figures.drain()
