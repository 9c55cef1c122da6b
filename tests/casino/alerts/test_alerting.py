"""Alerts open, are told, escalate, are acknowledged and resolve; two hosts share the work."""

import base64
import hashlib
import hmac
from collections.abc import Generator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db.models import F

from casino.alerts import alerting, checks, heartbeats, sending
from casino.alerts.models import Alert, AlertMessage, Channel, Heartbeat, Stage
from casino.alerts.on_call import new_secret
from casino.alerts.rules import EXPECTED
from casino.compliance import cases
from casino.compliance.models import CaseEntry, CaseEntryKind, CaseKind
from casino.events.sql import database_now, execute
from casino.feed.signatures import parse_secret
from casino.observability import health
from casino.observability.conditions import Observation
from casino.significant import notes, recorder
from casino.significant.models import Unacknowledged
from tests.casino.alerts.on_call_service import MailServer, mail_server, on_call_list, target
from tests.casino.feed.receiving import Receiver, receiver
from tests.conftest import Database
from tests.threads import in_threads

ADMIN = "https://casino.example/admin"
CLOCK = recorder.SignificantEventKind.CLOCK_CHANGED


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch, database: Database) -> None:
    """Have all checks of the house pass, which have tests of their own, and all processes run."""
    monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://casino.example"])
    monkeypatch.setattr(health.house, "checks", dict.fromkeys(health.house.checks, lambda: ()))
    observe_anew()
    for kind in EXPECTED:
        heartbeats.beat((kind, "host", 1))


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Generator[MailServer]:
    """Serve mail where the settings send it."""
    with mail_server() as server:
        monkeypatch.setattr(settings, "EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
        for name, value in {"HOST": "127.0.0.1", "PORT": server.port, "USE_TLS": False, "HOST_USER": ""}.items():
            monkeypatch.setattr(settings, f"EMAIL_{name}", value)
        yield server


@pytest.fixture
def web() -> Generator[Receiver]:
    with receiver() as state:
        yield state


def observe_anew() -> None:
    """Forget what the checks found."""
    health.house.forget()
    health.desk.forget()


def later(seconds: int = 3) -> None:
    """Let time pass: move everything that happened back."""
    observe_anew()
    execute(
        "UPDATE alerts_alertpass SET passed_at = passed_at - make_interval(secs => %s), "
        "steady_since = steady_since - make_interval(secs => %s)",
        [min(seconds, 9), seconds],
    )
    back = timedelta(seconds=seconds)
    Alert.objects.update(seen_at=F("seen_at") - back, noticed_at=F("noticed_at") - back)
    AlertMessage.objects.update(due_at=F("due_at") - back)


def steady() -> None:
    """Make passes until processes are judged."""
    assert alerting.run_pass()
    later(60)
    for kind in EXPECTED:
        heartbeats.beat((kind, "host", 1))


def clock_changed() -> None:
    recorder.record(kind=CLOCK, operator=None, subject="clock", actor="system")


def test_a_significant_event_is_told_once_and_resolved_once_it_is_acknowledged(mails: MailServer) -> None:
    target(on_call_list(), Channel.EMAIL, "ann@example.com")
    clock_changed()
    for _ in range(2):
        assert alerting.run_pass()
        sending.send_due()
        later()
    assert mails.subjects() == ["[casino.localhost] Master clock changed: 1 not acknowledged"]
    assert mails.mails[0]["To"] == "ann@example.com"

    (event,) = [alert for alert in Alert.objects.all() if alert.kind == "significant_events" and "clock" in alert.key]
    notes.acknowledge_many([row.event_id for row in Unacknowledged.objects.all()], by="test", note="")
    for _ in range(2):
        later(30)
        assert alerting.run_pass()
        sending.send_due()
    event.refresh_from_db()
    assert event.resolved_at is not None
    assert mails.subjects()[-1] == "[casino.localhost] Resolved: Master clock changed: 1 not acknowledged"


def test_repeats_are_folded_until_somebody_has_acknowledged(mails: MailServer) -> None:
    target(on_call_list(), Channel.EMAIL, "ann@example.com")
    for _ in range(3):
        clock_changed()
        assert alerting.run_pass()
        sending.send_due()
        later()
    assert len(mails.mails) == 1
    alert = Alert.objects.get(key__startswith="significant_events:clock")
    assert alert.number == 3

    assert alerting.acknowledge(alert.pk, by="staff:1")
    assert not alerting.acknowledge(alert.pk, by="staff:2")
    sending.send_due()
    assert mails.subjects()[-1].startswith("[casino.localhost] Acknowledged by staff:1")
    clock_changed()
    assert alerting.run_pass()
    sending.send_due()
    assert mails.subjects()[-1] == "[casino.localhost] Master clock changed: 4 not acknowledged"
    assert len(mails.mails) == 3


def test_the_next_in_line_is_told_unless_somebody_acknowledges(mails: MailServer) -> None:
    target(on_call_list(), Channel.EMAIL, "first@example.com")
    target(on_call_list("Next", after_seconds=600), Channel.EMAIL, "next@example.com")
    clock_changed()
    assert alerting.run_pass()
    later(300)
    assert alerting.run_pass()
    assert not AlertMessage.objects.filter(target__label="next@example.com").exists()
    later(301)
    assert alerting.run_pass()
    sending.send_due()
    assert sorted(mail["To"] for mail in mails.mails) == ["first@example.com", "next@example.com"]

    clock = Alert.objects.get(key__startswith="significant_events:clock")
    alerting.acknowledge(clock.pk, by="staff:1")
    assert AlertMessage.objects.filter(alert=clock, stage=Stage.ACKNOWLEDGED).count() == 2


def test_each_channel_has_its_own_format(web: Receiver) -> None:
    row, secret = on_call_list(severity="critical"), new_secret()
    target(row, Channel.WEBHOOK, f"{web.url}/webhook", secret)
    target(row, Channel.CHAT, f"{web.url}/chat")
    target(row, Channel.PAGER, f"{web.url}/pager", "routing-key")
    clock_changed()
    assert alerting.run_pass()
    assert sending.send_due() == 3
    by_path = {message.path: message for message in web.messages}
    assert by_path["/webhook"].item["type"] == "alert.opened"
    assert by_path["/webhook"].item["data"]["runbook"] == f"{ADMIN}/runbook/significant_events/"
    verify_by_hmac(by_path["/webhook"], secret)
    assert by_path["/chat"].item["text"].splitlines() == [
        "\N{LARGE RED CIRCLE} Master clock changed: 1 not acknowledged",
        "It was recorded, and waits for a person.",
        "`Significant events in the admin`",
        f"Runbook: {ADMIN}/runbook/significant_events/",
        f"Alert: {ADMIN}/alerts/alert/{Alert.objects.get(key__startswith='significant_events:clock').pk}/change/",
    ]
    event = by_path["/pager"].item
    assert (event["routing_key"], event["event_action"]) == ("routing-key", "trigger")
    assert event["payload"]["severity"] == "critical"
    assert event["links"][0] == {"href": f"{ADMIN}/runbook/significant_events/", "text": "Runbook"}

    alerting.acknowledge(Alert.objects.get(key__startswith="significant_events:clock").pk, by="staff:1")
    assert sending.send_due() == 3
    last = [message for message in web.messages if message.path == "/pager"][-1].item
    assert (last["event_action"], last["dedup_key"]) == ("acknowledge", event["dedup_key"])


def verify_by_hmac(message: Any, secret: str) -> None:
    signed = f"{message.headers['webhook-id']}.{message.headers['webhook-timestamp']}.".encode() + message.body
    shared = parse_secret(secret).shared
    assert shared == base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(shared, signed, hashlib.sha256).digest()).decode()
    assert message.headers["webhook-signature"] == f"v1,{expected}"


def test_what_does_not_arrive_is_tried_again_and_holds_up_nobody(mails: MailServer, web: Receiver) -> None:
    row = on_call_list(severity="critical")
    target(row, Channel.EMAIL, "ann@example.com")
    target(row, Channel.CHAT, f"{web.url}/chat")
    mails.refuses = 1
    clock_changed()
    assert alerting.run_pass()
    assert sending.send_due() == 1
    failed = AlertMessage.objects.get(target__channel="email")
    assert "451" in failed.error
    later(10)
    assert sending.send_due() == 1
    assert len(mails.mails) == 1
    assert sending.send_due() == 0


def test_no_alert_goes_to_an_address_that_is_not_public(web: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    target(on_call_list(), Channel.CHAT, f"{web.url}/chat")
    monkeypatch.setattr(settings, "WEBHOOK_NETWORKS", [])
    clock_changed()
    assert alerting.run_pass()
    assert sending.send_due() == 0
    assert web.messages == []
    assert "not public" in AlertMessage.objects.earliest("pk").error


def test_a_kind_of_which_no_process_beats_is_told_until_one_does() -> None:
    steady()
    execute("UPDATE alerts_heartbeat SET beat_at = beat_at - interval '20 seconds' WHERE kind = 'sealer'")
    assert [each.name for each in checks.processes()] == ["no_sealer"]
    assert alerting.run_pass()
    alert = Alert.objects.get(kind="no_sealer")
    assert (alert.summary, alert.cause) == ("Live streams and feeds show nothing new", "No sealer runs")
    heartbeats.beat(("sealer", "host", 1))
    later(30)
    heartbeats.beat(("sealer", "host", 1))
    assert checks.processes() == []
    assert alerting.run_pass()
    assert Alert.objects.get(kind="no_sealer").resolved_at is not None


def test_an_alert_stays_open_while_its_check_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Observation] = [Observation(name="dealing", values={"late": "9 s"})]
    monkeypatch.setitem(health.house.checks, "dealing", lambda: found)
    assert alerting.run_pass()
    found[:] = [Observation(name="slow", part="dealing", values={"section": "Dealing"})]
    for _ in range(2):
        later(30)
        assert alerting.run_pass()
    assert {row.summary: row.resolved_at for row in Alert.objects.all()} == {
        "Cards and payouts have waited for 9 s": None, "Dealing can't be checked": None
    }  # fmt: skip
    found.clear()
    for _ in range(2):
        later(30)
        assert alerting.run_pass()
    assert not Alert.objects.filter(resolved_at=None).exists()


def test_a_process_that_died_is_told_until_another_is_in_its_place() -> None:
    steady()
    heartbeats.beat(("worker", "host", 2))
    execute("UPDATE alerts_heartbeat SET started_at = now() - interval '2 hours'")
    execute("UPDATE alerts_heartbeat SET beat_at = beat_at - interval '1 hour' WHERE pid = 2")
    assert alerting.run_pass()
    later()
    assert alerting.run_pass()
    assert Alert.objects.get(kind="process_died").resolved_at is None
    heartbeats.beat(("worker", "host", 3))
    for _ in range(2):
        later(30)
        alerting.run_pass()
    assert Alert.objects.get(kind="process_died").resolved_at is not None
    assert [row.pid for row in Heartbeat.objects.filter(kind="worker").order_by("pid")] == [1, 3]


def test_nothing_is_said_of_processes_just_after_an_outage() -> None:
    execute("UPDATE alerts_heartbeat SET beat_at = beat_at - interval '5 minutes'")
    assert alerting.run_pass()
    assert not Alert.objects.filter(kind__in=["process_died", *EXPECTED.values()]).exists()


def test_of_many_passes_at_once_one_writes() -> None:
    clock_changed()
    alerting.run_pass()
    later()
    assert sorted(in_threads(4, lambda _: alerting.run_pass())) == [False, False, False, True]


def test_the_dead_mans_signal_comes_only_while_somebody_watches(web: Receiver) -> None:
    target(on_call_list(), Channel.DEAD_MAN, f"{web.url}/signal")
    assert sending.send_due() == 0
    assert alerting.run_pass()
    assert sending.send_due() == 1
    assert sending.send_due() == 0
    assert [message.path for message in web.messages] == ["/signal"]
    execute("UPDATE alerts_deadmansignal SET due_at = due_at - interval '1 minute'")
    execute("UPDATE alerts_alertpass SET passed_at = passed_at - interval '1 minute'")
    assert [each.cause for each in checks.alerting()] == ["No worker-outbound has looked for 60 s"]
    assert sending.send_due() == 0


def test_a_case_after_its_newest_deadline_is_an_alert_until_it_is_resolved() -> None:
    operator, now = UUID(int=1), database_now()
    case = cases.open_case(operator=operator, kind=CaseKind.COMPLAINT, subject="round:7", details={})
    assert case is not None
    cases.assign_case(case, operator=operator, owner="staff:1", by="staff:1")

    def due(at: datetime) -> list[int]:
        CaseEntry.objects.create(case_id=case, kind=CaseEntryKind.DEADLINE, text="An answer.", due_at=at, by="staff:1")
        return overdue()

    def overdue() -> list[int]:
        observe_anew()
        return [each.number for each in alerting.observe()[0] if each.name == "overdue_cases"]

    assert due(now + timedelta(days=1)) == []
    assert due(now - timedelta(days=1)) == [1]
    assert due(now + timedelta(days=1)) == []
    assert due(now - timedelta(seconds=1)) == [1]
    cases.resolve_case(case, operator=operator, resolution="Answered.", by="staff:1")
    assert overdue() == []
