"""Heartbeats in PostgreSQL: who runs, and for how long without a gap."""

import pytest

from casino.alerts import checks, heartbeats
from casino.alerts.models import Heartbeat
from casino.alerts.rules import EXPECTED
from casino.events.sql import execute

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def everybody_runs() -> None:
    for kind in EXPECTED:
        heartbeats.beat((kind, "host", 1))
    execute(
        "UPDATE alerts_heartbeat SET steady_since = now() - interval '1 hour', started_at = now() - interval '2 hours'"
    )


def silent(kind: str, seconds: int = 20, pid: int = 1) -> None:
    execute(
        "UPDATE alerts_heartbeat SET beat_at = beat_at - make_interval(secs => %s) WHERE (kind, pid) = (%s, %s)",
        [seconds, kind, pid],
    )


def found() -> list[str]:
    return [each.key for each in (*checks.processes(), *checks.dead_processes())]


def test_a_kind_of_which_no_process_beats_is_missing_until_one_does() -> None:
    silent("sealer")
    assert found() == ["no_sealer"]
    heartbeats.beat(("sealer", "host", 1))
    assert found() == []


def test_a_process_that_died_is_found_until_another_is_in_its_place_and_forgotten_later() -> None:
    heartbeats.beat(("worker", "host", 2))
    silent("worker", seconds=3600, pid=2)
    assert found() == ["process_died:worker:host:2"]
    heartbeats.forget_replaced()
    assert Heartbeat.objects.filter(pid=2).exists(), "nobody has replaced it"
    heartbeats.beat(("worker", "host", 3))
    assert found() == []
    heartbeats.forget_replaced()
    assert [row.pid for row in Heartbeat.objects.filter(kind="worker").order_by("pid")] == [1, 3]


def test_nothing_is_said_of_processes_just_after_an_outage() -> None:
    for kind in EXPECTED:
        silent(kind, seconds=300)
    heartbeats.beat(("web", "host", 1))
    assert found() == []
    execute("UPDATE alerts_heartbeat SET steady_since = now() - interval '1 minute' WHERE kind = 'web'")
    assert found() == ["no_worker", "no_worker_background", "no_worker_outbound", "no_sealer"]
