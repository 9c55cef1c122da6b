"""Alerts and on-call lists in the admin: staff acknowledge, administrators say who is told."""

from html import unescape

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from casino.alerts import alerting
from casino.alerts.models import Alert, OnCallList, OnCallTarget
from casino.alerts.on_call import open_address
from casino.operators import services
from casino.significant import recorder
from casino.significant.models import SignificantEvent
from tests.support.office import page_of, staff

pytestmark = pytest.mark.django_db
VIEW = ("alerts.view_alert", "alerts.acknowledge_alert")
CHANGE = ("alerts.view_oncalllist", "alerts.change_oncalllist")
TERMS = {"name": "Duty", "kinds": ["dealing"], "severity": "critical", "after_minutes": 10}


def act(client: Client, model: str, row: Alert | OnCallList, action: str, **fields: object) -> str:
    url = reverse(f"admin:alerts_{model}_{action}", args=[row.pk])
    return unescape(client.post(url, fields, follow=True).content.decode())


def add_list(client: Client, **changes: object) -> str:
    answer = client.post(reverse("admin:alerts_oncalllist_new"), {**TERMS, **changes}, follow=True)
    return unescape(answer.content.decode())


@pytest.fixture
def alert() -> Alert:
    recorder.record(kind=recorder.SignificantEventKind.CLOCK_CHANGED, operator=None, subject="clock", actor="system")
    alerting.run_pass()
    return Alert.objects.get(key__startswith="significant_events:clock")


def test_staff_acknowledge_an_alert_once(alert: Alert) -> None:
    services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    client = staff(*VIEW, works_for="lucky")  # which is every operator
    assert alert.summary in client.get(page_of("alerts_alert", alert.pk)).content.decode()
    assert "You have acknowledged the alert." in act(client, "alert", alert, "acknowledge")
    alert.refresh_from_db()
    assert alert.acknowledged_by.startswith("staff:")
    assert "not offered here, or not any more" in act(client, "alert", alert, "acknowledge")


def test_selected_alerts_are_acknowledged_at_once(alert: Alert) -> None:
    services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    fields = {"action": "acknowledge_selected", "index": "0", "_selected_action": [alert.pk]}
    url = reverse("admin:alerts_alert_changelist")
    assert staff(VIEW[0], name="reader", works_for="lucky").post(url, fields).status_code == 403
    client = staff(*VIEW, works_for="lucky")
    assert "Acknowledged 1 alerts." in client.post(url, fields, follow=True).content.decode()
    assert "Acknowledged 0 alerts." in client.post(url, fields, follow=True).content.decode()
    alert.refresh_from_db()
    assert alert.acknowledged_by.startswith("staff:")
    assert LogEntry.objects.count() == 1


def test_staff_of_one_operator_see_no_alert_of_the_installation(alert: Alert) -> None:
    for slug in ("lucky", "rival"):
        services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True)
    client = staff(*VIEW, works_for="lucky")
    assert alert.summary not in client.get(reverse("admin:alerts_alert_changelist")).content.decode()
    act(client, "alert", alert, "acknowledge")
    alert.refresh_from_db()
    assert alert.acknowledged_at is None


def test_an_administrator_adds_changes_and_removes_a_list_and_each_change_is_recorded() -> None:
    client = staff(*CHANGE)
    assert "The list is added." in add_list(client)
    row = OnCallList.objects.get()
    assert (row.kinds, row.severity, row.after_seconds) == (["dealing"], "critical", 600)
    assert "Another list has this name." in add_list(client)
    act(client, "oncalllist", row, "edit", **{**TERMS, "kinds": [], "after_minutes": 0})
    row.refresh_from_db()
    assert (row.kinds, row.after_seconds) == ([], 0)
    assert "The list is removed." in act(client, "oncalllist", row, "remove")
    reasons = SignificantEvent.objects.filter(subject__startswith="on_call_list:").values_list("reason", flat=True)
    assert sorted(reasons) == [f"An on-call list was {what} (Duty)" for what in ("added", "changed", "removed")]


def test_a_target_is_checked_and_its_secret_is_kept_and_never_shown() -> None:
    client = staff(*CHANGE)
    add_list(client)
    row = OnCallList.objects.get()

    def add(channel: str, address: str, secret: str = "") -> str:
        return act(client, "oncalllist", row, "add_target", channel=channel, address=address, secret=secret)

    assert "Enter a valid email address" in add("email", "nobody")
    assert "The address is not public" in add("chat", "https://10.0.0.1/hook")
    assert "A secret is written whsec_" in add("webhook", "https://pager.example/hook", "secret")
    assert "A pager needs its routing key." in add("pager", "https://pager.example/v2/enqueue")
    assert not OnCallTarget.objects.exists()

    secret = "whsec_" + "c2VjcmV0" * 4
    assert "The target is added." in add("webhook", "https://pager.example/hook/t0ken", secret)
    target = OnCallTarget.objects.get()
    assert open_address(target.key_id, target.encrypted).secret == secret
    page = client.get(page_of("alerts_oncalllist", row.pk)).content.decode()
    assert "pager.example" in page
    for hidden in (secret, "t0ken"):
        assert hidden not in page
        assert not LogEntry.objects.filter(change_message__contains=hidden).exists()
    assert "The target is removed." in act(client, "oncalllist", row, "remove_target", target=target.pk)
    assert not OnCallTarget.objects.exists()


def test_without_the_permission_nobody_changes_who_is_told() -> None:
    client = staff("alerts.view_oncalllist")
    assert client.post(reverse("admin:alerts_oncalllist_new"), TERMS).status_code == 403
    assert not OnCallList.objects.exists()
