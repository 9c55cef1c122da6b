"""Saved reports reach a mailbox, an SFTP server and an object store, once each, and failures are tried again."""

import asyncio
import threading
from collections.abc import Generator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncssh
import boto3
import pytest
from django.core import mail
from django.test import override_settings
from django.urls import reverse
from moto.server import ThreadedMotoServer

from casino.crypto.encryption import parse_keyring
from casino.events.sql import database_now, execute, fetch
from casino.observability import health
from casino.operators import services
from casino.reports import delivery, generation, saved
from casino.reports.intervals import ReportPeriod, day_of, period_interval
from casino.reports.models import DeliveryChannel, Report, ReportDelivery, ReportDestination, SavedReport
from casino.reports.refusals import InvalidDestination, InvalidSavedReport, UnknownFormat
from casino.reports.renderers import render_report
from casino.reports.saved import DestinationAddress
from casino.significant.models import SignificantEvent
from tests.support.office import page_of, staff

PASSWORD = "a-password-of-sftp"
MAILBOX = DestinationAddress(address="regulator@example.com")


@pytest.fixture
def operator(db: None) -> UUID:
    key = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False).id
    execute("UPDATE operators_operator SET created_at = created_at - interval '3 days'")
    return key


@dataclass(frozen=True, slots=True)
class SftpServer:
    folder: Path
    address: str
    host_key: str
    user_key: str


class _Door(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("reports", PASSWORD)


@pytest.fixture
def sftp(tmp_path: Path) -> Generator[SftpServer]:
    """Serve a folder by SFTP on the loopback."""
    folder = tmp_path / "received"
    (folder / "daily").mkdir(parents=True)
    host, user = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    (tmp_path / "authorized").write_bytes(user.export_public_key())
    loop, ready, port = asyncio.new_event_loop(), threading.Event(), list[int]()

    async def serve() -> Any:
        server = await asyncssh.listen(
            "127.0.0.1", 0, server_host_keys=[host], server_factory=_Door,
            authorized_client_keys=str(tmp_path / "authorized"),
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=str(folder).encode()),
        )  # fmt: skip
        port.append(server.get_port())
        ready.set()
        return server

    def run() -> None:
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(serve())
        loop.run_forever()
        server.close()
        loop.run_until_complete(server.wait_closed())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(20)
    yield SftpServer(
        folder,
        f"sftp://reports@127.0.0.1:{port[0]}/daily",
        host.export_public_key().decode(),
        user.export_private_key().decode(),
    )
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)


def save(operator: UUID, name: str = "liability") -> SavedReport:
    return saved.save_report(
        title="Daily liability", name=name, period=ReportPeriod.DAY, operators=[operator], by="staff:1"
    )


def send_to(row: SavedReport, channel: DeliveryChannel, where: DestinationAddress) -> ReportDestination:
    return saved.add_destination(row, channel=channel, file_format="csv", where=where, by="staff:1")


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
    send_to(row, DeliveryChannel.EMAIL, MAILBOX)
    send_to(save(operator, "accounts"), DeliveryChannel.EMAIL, MAILBOX)
    report = report_of(operator)
    report_of(operator, 0)  # today is not over
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


def test_files_arrive_by_sftp_with_a_password_or_a_key_complete_and_again_the_same(
    operator: UUID, sftp: SftpServer
) -> None:
    row, report = save(operator), None
    for secret in (PASSWORD, sftp.user_key):
        where = DestinationAddress(address=sftp.address, secret=secret, host_key=sftp.host_key)
        send_to(row, DeliveryChannel.SFTP, where)
    report = report_of(operator)
    assert deliver() == 2, errors()
    file = render_report(report, "csv")
    (received,) = (sftp.folder / "daily").iterdir()
    assert (received.name, received.read_bytes()) == (file.name, file.content)
    assert len(mail.outbox) == 0


def test_another_servers_key_or_a_wrong_password_is_a_failure_that_is_tried_again(
    operator: UUID, sftp: SftpServer
) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    row = save(operator)
    send_to(row, DeliveryChannel.SFTP, DestinationAddress(address=sftp.address, secret=PASSWORD, host_key=other))
    wrong = DestinationAddress(address=sftp.address, secret="wrong", host_key=sftp.host_key)
    send_to(row, DeliveryChannel.SFTP, wrong)
    report_of(operator)
    assert deliver() == 0
    assert sorted(error.partition(":")[0] for error in errors()) == ["HostKeyNotVerifiable", "PermissionDenied"]
    assert list((sftp.folder / "daily").iterdir()) == []
    assert delivery.deliver_due() == 0, "not due yet"
    assert fetch("SELECT bool_and(due_at > clock_timestamp() + interval '50 seconds') FROM reports_reportdelivery") == [
        (True,)
    ]
    check = health.house.checks["report_deliveries"]
    assert check() == health.OK
    execute("UPDATE reports_reportdelivery SET created_at = clock_timestamp() - interval '2 hours'")
    assert check().startswith("a report has not been delivered for 72"), "alerting tells the people on call"


def test_files_arrive_in_an_object_store(operator: UUID) -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url, keys = f"http://{host}:{port}", {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        store = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        store.create_bucket(Bucket="regulator")
        row = save(operator)
        where = DestinationAddress(address=f"{url}/regulator/lucky", user="key", secret="secret")
        send_to(row, DeliveryChannel.S3, where)
        send_to(row, DeliveryChannel.S3, DestinationAddress(address=f"{url}/nowhere", user="key", secret="secret"))
        report = report_of(operator)
        assert deliver() == 1, errors()
        file = render_report(report, "csv")
        found = store.get_object(Bucket="regulator", Key=f"lucky/{file.name}")
        assert found["Body"].read() == file.content
        found["Body"].close()
        store.close()
        (error,) = errors()
        assert "OSError" in error or "FileNotFoundError" in error
    finally:
        server.stop()


def test_what_cannot_be_delivered_is_refused_and_what_changes_is_recorded(operator: UUID) -> None:
    row, before = save(operator), SignificantEvent.objects.count()
    subject = f"saved_report:{row.pk}"
    key = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    refused = {
        DeliveryChannel.EMAIL: [MAILBOX.__class__(address="nobody")],
        DeliveryChannel.SFTP: [
            DestinationAddress(address="sftp://host/x", secret="s", host_key=key),
            DestinationAddress(address="sftp://u:p@host/x", secret="s", host_key=key),
            DestinationAddress(address="sftp://u@host/x", secret="s"),
            DestinationAddress(address="sftp://u@10.0.0.1/x", secret="s", host_key=key),
            DestinationAddress(address="https://u@host/x", secret="s", host_key=key),
        ],
        DeliveryChannel.S3: [
            DestinationAddress(address="https://host", user="u", secret="s"),
            DestinationAddress(address="https://host/bucket", user="u"),
            DestinationAddress(address="https://169.254.169.254/bucket", user="u", secret="s"),
        ],
    }
    for channel, addresses in refused.items():
        for where in addresses:
            with pytest.raises(InvalidDestination):
                send_to(row, channel, where)
    with pytest.raises(UnknownFormat):
        saved.add_destination(row, channel=DeliveryChannel.EMAIL, file_format="xls", where=MAILBOX, by="staff:1")
    for wrong in ({"title": " "}, {"operators": []}, {"period": ReportPeriod.LIFETIME}):
        with pytest.raises(InvalidSavedReport):
            saved.save_report(
                **{"title": "x", "name": "liability", "period": ReportPeriod.DAY, "operators": [operator], **wrong},
                by="staff:1",
            )
    assert SignificantEvent.objects.count() == before
    destination = send_to(row, DeliveryChannel.EMAIL, MAILBOX)
    saved.remove_destination(destination, by="staff:1")
    saved.remove_report(row, by="staff:1")
    assert SignificantEvent.objects.filter(subject=subject).count() == 4


def test_addresses_are_encrypted_and_rotated(operator: UUID, settings: Any) -> None:
    destination = send_to(save(operator), DeliveryChannel.EMAIL, MAILBOX)
    assert b"regulator" not in bytes(destination.encrypted)
    settings.PERSONAL_KEYS = f"new:{'ab' * 32},{settings.PERSONAL_KEYS}"
    first = next(iter(parse_keyring(settings.PERSONAL_KEYS)))
    assert saved.rewrap(first) == ({destination.key_id: 1}, [])
    destination.refresh_from_db()
    assert saved.open_address(destination.key_id, bytes(destination.encrypted)) == MAILBOX
    with override_settings(PERSONAL_KEYS=f"other:{'cd' * 32}"):
        assert saved.rewrap("other")[1] == [str(destination)]


def test_a_saved_report_shows_all_its_operators_to_those_who_work_for_all(operator: UUID) -> None:
    other = services.create_operator(slug="other", name="Other", currencies=["EUR"], sandbox=False).id
    both = (
        "reports.view_savedreport",
        "reports.add_savedreport",
        "reports.change_savedreport",
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
    client.post(add, {"channel": "email", "format": "pdf", "address": "a@example.com"})
    assert ReportDestination.objects.get().label == "a@example.com"
    assert "a@example.com" in client.get(made.headers["Location"]).content.decode()

    one = staff(*both, name="one", works_for="lucky")
    assert one.get(made.headers["Location"]).status_code == 302
    assert one.post(add, {"channel": "email", "format": "pdf", "address": "b@example.com"}).status_code == 403
    assert "c-wrong" in one.post(reverse("admin:reports_savedreport_new"), fields).content.decode()
    assert SavedReport.objects.count() == ReportDestination.objects.count() == 1
