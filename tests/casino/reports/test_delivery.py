"""Saved reports reach a mailbox, once each, and failures are tried again."""

import socket
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.urls import reverse

from casino.events.sql import database_now, execute, fetch
from casino.observability import health
from casino.operators import changes, services
from casino.operators.models import Change
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.reports import delivery, generation, saved
from casino.reports.intervals import ReportPeriod, day_of, period_interval
from casino.reports.models import Report, ReportDelivery, ReportDestination, SavedReport
from casino.reports.refusals import InvalidDestination, InvalidSavedReport, UnknownFormat
from casino.reports.renderers import render_report
from casino.significant.models import SignificantEvent
from tests.support.office import page_of, staff

MAILBOX = "regulator@example.com"


@pytest.fixture
def operator(db: None) -> UUID:
    key = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False).id
    execute("UPDATE operators_operator SET created_at = created_at - interval '3 days'")
    return key


def save(operator: UUID, name: str = "liability") -> SavedReport:
    return saved.save_report(
        title="Daily liability", name=name, period=ReportPeriod.DAY, operators=[operator], by="staff:1"
    )


def send_to(row: SavedReport, address: str = MAILBOX) -> ReportDestination:
    return saved.add_destination(row, address=address, file_format="csv", by="staff:1")


def test_two_persons_send_a_live_operators_report_to_another_address(operator: UUID) -> None:
    row = save(operator)
    change = saved.request_destination(row, address=MAILBOX, file_format="csv", by="staff:1")
    assert change is not None
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by="staff:1")
    assert not row.destinations.exists()
    changes.confirm(change.pk, by="staff:2")
    assert row.destinations.get().address == MAILBOX
    with pytest.raises(InvalidDestination):
        saved.request_destination(row, address="nowhere", file_format="csv", by="staff:1")


def test_staff_of_all_operators_confirm_that_a_report_of_several_is_sent(operator: UUID) -> None:
    other = services.create_operator(slug="other", name="Other", currencies=["EUR"], sandbox=False).id
    row = saved.save_report(
        title="Both", name="liability", period=ReportPeriod.DAY, operators=[operator, other], by="staff:1"
    )
    change = saved.request_destination(row, address=MAILBOX, file_format="csv", by="staff:1")
    assert change is not None
    assert change.operator_id is None


def report_of(operator: UUID, back: int = 1, name: str = "liability") -> Report:
    day = day_of(database_now(), "UTC") - timedelta(days=back)
    interval = period_interval(ReportPeriod.DAY, day=day, zone="UTC")
    return generation.generate_report(operator=operator, name=name, interval=interval, by="system")


def deliver() -> int:
    delivery.queue_deliveries()
    return delivery.deliver_due()


def errors() -> list[str]:
    return list(ReportDelivery.objects.filter(sent_at=None).values_list("error", flat=True))


def test_a_version_of_a_day_that_is_over_goes_once_to_each_destination(operator: UUID) -> None:
    report_of(operator, 2)  # before anybody wanted it
    row = save(operator)
    send_to(row)
    send_to(save(operator, "accounts"))
    report = report_of(operator)
    today = report_of(operator, 0)  # is not over
    assert render_report(today, "csv").name == f"lucky-liability-{today.label}-v1-so-far.csv"
    assert [deliver(), deliver()] == [1, 0]
    (message,) = mail.outbox
    file = render_report(report, "csv")
    assert message.attachments == [(file.name, file.content.decode(), "text/csv")]
    assert file.name == f"lucky-liability-{report.label}-v1.csv"
    assert (message.subject, message.to) == (file.name, ["regulator@example.com"])
    (one,) = ReportDelivery.objects.all()
    assert (one.attempts, one.error) == (1, "")

    execute("UPDATE reports_reportdelivery SET sent_at = NULL, due_at = clock_timestamp()")  # it died before noting so
    assert delivery.deliver_due() == 1
    assert len({sent.extra_headers["Message-ID"] for sent in mail.outbox}) == 1, "mail programs fold the two"


def test_what_the_mail_server_does_not_take_is_tried_again(operator: UUID, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    send_to(save(operator))
    report_of(operator)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        settings.EMAIL_HOST, settings.EMAIL_PORT = closed.getsockname()
    assert deliver() == 0
    (error,) = errors()
    assert error.startswith("ConnectionRefusedError")
    assert delivery.deliver_due() == 0, "not due yet"
    assert fetch("SELECT bool_and(due_at > clock_timestamp() + interval '50 seconds') FROM reports_reportdelivery") == [
        (True,)
    ]
    check = health.house.checks["report_deliveries"]
    assert not check()
    execute("UPDATE reports_reportdelivery SET created_at = clock_timestamp() - interval '2 hours'")
    assert [each.effect for each in check()] == ["A saved report has not reached its receiver for 2 h"]


def test_what_cannot_be_delivered_is_refused_and_what_changes_is_recorded(operator: UUID) -> None:
    row, before = save(operator), SignificantEvent.objects.count()
    subject = f"saved_report:{row.pk}"
    for address in ("nobody", "a@example.com, b@example.com", "a@example.com\nBcc: b@example.com", ""):
        with pytest.raises(InvalidDestination):
            send_to(row, address)
    with pytest.raises(UnknownFormat):
        saved.add_destination(row, address=MAILBOX, file_format="xls", by="staff:1")
    for wrong in ({"title": " "}, {"operators": []}, {"period": ReportPeriod.LIFETIME}):
        with pytest.raises(InvalidSavedReport):
            saved.save_report(
                **{"title": "x", "name": "liability", "period": ReportPeriod.DAY, "operators": [operator], **wrong},
                by="staff:1",
            )
    assert SignificantEvent.objects.count() == before
    destination = send_to(row)
    saved.remove_destination(destination, by="staff:1")
    saved.remove_report(row, by="staff:1")
    assert SignificantEvent.objects.filter(subject=subject).count() == 4


def test_a_saved_report_shows_all_its_operators_to_those_who_work_for_all(operator: UUID) -> None:
    other = services.create_operator(slug="other", name="Other", currencies=["EUR"], sandbox=False).id
    both = (
        "reports.view_savedreport",
        "reports.add_savedreport",
        "reports.change_savedreport",
        "reports.add_reportdestination",
        "reports.generate_report",
    )
    client = staff(*both, name="both")
    fields = {"title": "All", "name": "liability", "period": "day", "operators": [str(operator), str(other)]}
    made = client.post(reverse("admin:reports_savedreport_new"), fields)
    row = SavedReport.objects.get()
    assert made.headers["Location"] == page_of("reports_savedreport", row.pk)
    client.post(reverse("admin:reports_savedreport_create", args=[row.pk]), {"day": "2026-01-01"})
    page = client.get(made.headers["Location"]).content.decode()
    assert "All operators, 2026-01-01" in page
    add = reverse("admin:reports_savedreport_add_destination", args=[row.pk])
    client.post(add, {"format": "pdf", "address": "a@example.com"})
    changes.confirm(Change.objects.get(kind="report_destination").pk, by="staff:0")
    assert ReportDestination.objects.get().address == "a@example.com"
    assert "a@example.com" in client.get(made.headers["Location"]).content.decode()

    one = staff(*both, name="one", works_for="lucky")
    assert one.get(made.headers["Location"]).status_code == 302
    assert one.post(add, {"format": "pdf", "address": "b@example.com"}).status_code == 403
    assert "c-wrong" in one.post(reverse("admin:reports_savedreport_new"), fields).content.decode()
    assert SavedReport.objects.count() == ReportDestination.objects.count() == 1
