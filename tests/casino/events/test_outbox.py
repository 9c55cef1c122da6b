"""Every outbox keeps to one way: each row has one sender at a time, and what a late one says changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, cast
from uuid import UUID, uuid4

import pytest
from django.db import connection

from casino.compliance.data_exports import EXPORTS
from casino.compliance.models import DataExport, ExportKind
from casino.events.outbox import Claim, Outbox
from casino.events.sql import database_now, execute, fetch
from casino.feed.models import WebhookDelivery, WebhookEndpoint
from casino.feed.queue import DELIVERIES as WEBHOOKS
from casino.mail import outbox
from casino.mail.outbox import EMAILS
from casino.reports.delivery import DELIVERIES as REPORTS
from casino.reports.models import Report, ReportDelivery, ReportDestination, SavedReport
from tests.threads import in_threads
from wallet.payments.processor import PAYMENTS
from wallet.remote.delivery import CREDITS

OPERATOR: Final = uuid4()
SECOND: Final = timedelta(seconds=1)


def emails(count: int) -> None:
    for _ in range(count):
        outbox.send(address="ann@example.com", subject="Note", body="Text")


def webhooks(count: int) -> None:
    now = database_now()
    endpoint = WebhookEndpoint.objects.create(id=uuid4(), operator_id=OPERATOR, url="x", types=[], created_at=now)
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(id=uuid4(), endpoint=endpoint, run=OPERATOR, number=each, subject=f"{each}", created_at=now)
        for each in range(count)
    )


def reports(count: int) -> None:
    now = database_now()
    saved = SavedReport.objects.create(operators=[OPERATOR])
    to = ReportDestination.objects.create(saved_report=saved)
    times = dict.fromkeys(("since", "until", "generated_at"), now)
    for each in range(count):
        report = Report(id=uuid4(), operator_id=OPERATOR, version=each, position=0, rows=0, figures={}, **times)
        report.content = b""
        report.save(force_insert=True)
        ReportDelivery.objects.create(destination=to, report=report)


def exports(count: int) -> None:
    for _ in range(count):
        asked = {"operator_id": OPERATOR, "requested_at": database_now()}
        DataExport.objects.create(id=uuid4(), kind=ExportKind.OPERATOR, **asked)


def credits_(count: int) -> None:
    execute(
        "INSERT INTO wallet_remote_due (transaction_id, operator_id, due_at, since)"
        " SELECT id, %s, clock_timestamp(), clock_timestamp() FROM unnest(%s::uuid[]) AS id",
        [OPERATOR, [uuid4() for _ in range(count)]],
    )


def payments(count: int) -> None:
    for _ in range(count):
        execute("INSERT INTO wallet_payment_due (payment_id, kind) VALUES (%s, 'deposit')", [uuid4()])


@dataclass(frozen=True)
class Queue:
    """An outbox, what adds so many rows to it, and what its claims need to know."""

    outbox: Outbox
    add: Callable[[int], None]
    values: dict[str, Any]

    def claim(self, now: datetime, limit: int = 1) -> list[Claim]:
        return self.outbox.claim(now, limit=limit, **self.values)

    def row(self, columns: str = "due_at, attempts, error") -> tuple[Any, ...]:
        (row,) = fetch(f"SELECT {columns} FROM {self.outbox.table}")  # noqa: S608  (constants)
        return row


QUEUES: Final = {
    "e-mails": Queue(EMAILS, emails, {}),
    "webhooks": Queue(WEBHOOKS, webhooks, {"each": 100}),
    "reports": Queue(REPORTS, reports, {}),
    "exports": Queue(EXPORTS, exports, {}),
    "credits": Queue(CREDITS, credits_, {"operator": OPERATOR}),
    "payments": Queue(PAYMENTS, payments, {}),
}


@pytest.fixture(params=QUEUES)
def queue(request: pytest.FixtureRequest) -> Queue:
    return QUEUES[request.param]


def claim_three(queue: Queue, _: int) -> list[Claim]:
    return queue.claim(database_now(), 3)


@pytest.mark.usefixtures("database")
def test_processes_that_claim_at_once_share_the_rows_of_every_queue() -> None:
    for name, queue in QUEUES.items():
        queue.add(12)
        shares = [*in_threads(4, partial(claim_three, queue)), queue.claim(database_now(), 12)]
        claims = [claim for share in shares for claim in cast("list[Claim]", share)]
        assert len({claim.key for claim in claims}) == len(claims) == 12, name
        assert {claim.attempt for claim in claims} == {1}, name


def test_a_claimed_row_is_its_holders_until_the_lease_ends_and_then_anothers(db: None, queue: Queue) -> None:
    queue.add(1)
    now, lease = database_now(), queue.outbox.leases[0] * SECOND
    (first,) = queue.claim(now)
    assert queue.claim(now + lease - SECOND) == [], "its process may be alive"
    assert queue.claim(now + lease) == [Claim(first.key, 2)], "its process has died"


def test_what_a_sender_says_after_its_lease_does_not_touch_the_other_attempt(db: None, queue: Queue) -> None:
    queue.add(1)
    now, lease = database_now(), queue.outbox.leases[0] * SECOND
    (stalled,) = queue.claim(now)
    (other,) = queue.claim(now + lease)
    before = queue.row("*")
    assert queue.outbox.failed({stalled: "late"}, now + lease) == 0
    assert queue.row("*") == before
    assert queue.outbox.failed({other: "in time"}, now + lease) == 1
    assert queue.row("attempts, error") == (2, "in time")


def test_a_failure_is_noted_and_each_next_attempt_waits_longer_up_to_a_limit(db: None, queue: Queue) -> None:
    queue.add(1)
    now, gaps = database_now(), queue.outbox.gaps
    for attempt, gap in enumerate([*gaps, gaps[-1]], 1):
        (claim,) = queue.claim(now)
        assert queue.outbox.failed({claim: f"{attempt} {'x' * 1000}"}, now) == 1
        due, attempts, error = queue.row()
        assert (attempts, error[:3].strip(), len(error)) == (attempt, f"{attempt} x"[:3].strip(), 500)
        assert gap * SECOND <= due - now <= gap * 1.1 * SECOND
        now = due
    assert list(gaps) == sorted(gaps)


@pytest.mark.parametrize("queue", ["e-mails", "webhooks", "reports", "exports"], indirect=True)
def test_what_is_done_stays_done_and_is_claimed_no_more(db: None, queue: Queue) -> None:
    queue.add(1)
    now, lease = database_now(), queue.outbox.leases[0] * SECOND
    (stalled,) = queue.claim(now)
    (other,) = queue.claim(now + lease)
    assert not queue.outbox.done(stalled, now + lease), "another attempt has begun"
    assert queue.outbox.failed({other: "again"}, now + lease)
    now = queue.row()[0]
    (last,) = queue.claim(now)
    assert queue.outbox.done(last, now)
    assert queue.row(f"due_at, error, {queue.outbox.ended}") == (None, "", now)
    assert not queue.outbox.done(last, now + SECOND)
    assert not queue.outbox.failed({last: "late"}, now)
    assert queue.claim(now + timedelta(days=99)) == []


def test_one_row_that_fails_holds_up_no_other_and_a_process_that_dies_leaves_it_to_the_next(db: None) -> None:
    emails(3)
    seen: list[UUID | int] = []

    def do(claim: Claim) -> bool:
        seen.append(claim.key)
        if len(seen) == 1:
            raise RuntimeError("secret")
        if len(seen) == 3:
            raise KeyboardInterrupt
        return EMAILS.done(claim, database_now())

    with pytest.raises(KeyboardInterrupt):
        EMAILS.work(do, most=50)
    assert len(set(seen)) == 3
    rows = fetch("SELECT attempts, error, sent_at IS NOT NULL FROM mail_email ORDER BY id")
    assert rows == [(1, "RuntimeError", False), (1, "", True), (1, "", False)]
    assert EMAILS.work(do, most=50) == 0, "neither is due"
    execute("UPDATE mail_email SET due_at = clock_timestamp() WHERE due_at IS NOT NULL")
    assert EMAILS.work(do, most=50) == 2
    assert connection.in_atomic_block
