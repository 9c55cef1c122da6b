"""Figures at /metrics: for who has the token, of all processes together."""

import re

import pytest
from django.test import Client
from pytest_django import Settings

from casino.alerts import heartbeats
from casino.events.sql import execute
from casino.observability import health

pytestmark = pytest.mark.django_db
LINE = re.compile(r'^(casino_\w+)\{(\w+)="([^"\\]+)"\} (\d\S*)$')
TOKEN = "scrape-" + "t" * 20


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    health.house.forget()


def scrape() -> dict[tuple[str, str], float]:
    answer = Client().get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer["content-type"].partition(";")[0]) == (200, "text/plain")
    lines = answer.content.decode().splitlines()
    samples = [LINE.match(line) for line in lines if not line.startswith("#")]
    assert all(samples)
    named = {match[1] for match in samples if match}
    assert named == {line.split()[2] for line in lines if line.startswith("# TYPE")}
    return {(match[1], match[3]): float(match[4]) for match in samples if match}


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
    assert (before["casino_check_ok", "mail"], after["casino_check_ok", "mail"]) == (1, 0)
