"""The queue of deliveries. PostgreSQL holds what is due: any number of processes may deliver.

A run moves items from the feed into the queue, a window at a time, so that an endpoint that does not answer has a
bounded queue; the rest stays where it is, in the feed. A delivery is leased before it is sent, outside any
transaction. The lease of a process that dies expires, and the same message is sent again under the same id.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from casino.crypto.encryption import DecryptionFailed
from casino.events.outbox import Claim, Outbox
from casino.events.sql import execute, fetch
from casino.feed.acts import CHANGE_WEBHOOK
from casino.feed.models import WebhookEndpoint, WebhookSecret, WebhookStatus
from casino.feed.queries import FeedEnvelope, ItemRow, WebhookMessage, present_item
from casino.feed.types import matching_types
from casino.significant import act_log, recorder

logger = logging.getLogger(__name__)

PER_ENDPOINT: Final = 4
"""Deliveries of an endpoint that are sent at a time, each about another subject."""
MAX_QUEUED: Final = 1000
WINDOW: Final = 500
LEASE: Final = timedelta(seconds=60)
GIVE_UP: Final = timedelta(days=3)
TEST_TYPE: Final = "casino.webhook.test.v1"

_DUE_RUNS: Final = """
SELECT run.id FROM feed_webhookrun AS run
  JOIN feed_webhookendpoint AS endpoint ON endpoint.id = run.endpoint_id AND endpoint.status = 'active'
  JOIN feed_feedhead AS head ON head.operator_id = endpoint.operator_id
 WHERE run.queued < least(head.number, run.until)
   AND (SELECT count(*) FROM (SELECT FROM feed_webhookdelivery WHERE endpoint_id = endpoint.id
                                 AND due_at IS NOT NULL LIMIT %(most)s) AS waiting) < %(most)s
"""
_LOCK_RUN: Final = """
SELECT run.endpoint_id, endpoint.operator_id, endpoint.types, run.queued,
       least(run.queued + %(window)s, head.number, run.until), run.until
  FROM feed_webhookrun AS run
  JOIN feed_webhookendpoint AS endpoint ON endpoint.id = run.endpoint_id
  JOIN feed_feedhead AS head ON head.operator_id = endpoint.operator_id
 WHERE run.id = %(run)s AND run.queued < least(head.number, run.until)
   FOR UPDATE OF run SKIP LOCKED
"""
_ADD: Final = """
INSERT INTO feed_webhookdelivery (
    id, endpoint_id, run, number, subject, created_at, due_at, response_body
)
SELECT uuidv7(), %(endpoint)s, %(run)s, number, subject, %(now)s, %(now)s, ''
  FROM feed_feeditem
 WHERE operator_id = %(operator)s AND number > %(after)s AND number <= %(until)s
   AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
 ORDER BY number
    ON CONFLICT DO NOTHING
"""
# Endpoints with the fewest deliveries under way come first, so that many slow ones leave the others their turn.
# Two senders that claim at once exceed what an endpoint may have: then nothing is left, not less.
_FREE: Final = """
    SELECT due.id FROM feed_webhookendpoint AS endpoint
     CROSS JOIN LATERAL (
           SELECT count(*) AS number FROM feed_webhookdelivery AS sent
            WHERE sent.endpoint_id = endpoint.id AND sent.due_at IS NOT NULL AND sent.leased_until > %(now)s
     ) AS sending
     CROSS JOIN LATERAL (
           SELECT id FROM feed_webhookdelivery AS one
            WHERE one.endpoint_id = endpoint.id AND one.due_at <= %(now)s
              AND NOT EXISTS (
                  SELECT FROM feed_webhookdelivery AS earlier
                   WHERE earlier.run = one.run AND earlier.subject = one.subject AND earlier.number < one.number
                     AND earlier.due_at IS NOT NULL)
            ORDER BY one.due_at, one.id
            LIMIT greatest(0, %(each)s - sending.number)
              FOR UPDATE SKIP LOCKED
     ) AS due
     WHERE endpoint.status = 'active'
     ORDER BY sending.number + row_number() OVER (PARTITION BY endpoint.id), random()
     LIMIT %(limit)s
"""
DELIVERIES: Final = Outbox(
    "feed_webhookdelivery",
    gaps=[5.0, 30.0, 120.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0],
    leases=[LEASE.total_seconds()],
    ended="delivered_at",
    free=_FREE,
    also=f""", leased_until = %(now)s::timestamptz + interval '{LEASE.total_seconds()} seconds',
       last_tried_at = %(now)s, first_tried_at = coalesce(first_tried_at, %(now)s)""",
)
_MESSAGES: Final = """
SELECT delivery.id, delivery.endpoint_id, delivery.attempts, delivery.first_tried_at, delivery.number,
       delivery.created_at, endpoint.url, operator.slug, item.type, item.subject, item.time, item.data::text
  FROM feed_webhookdelivery AS delivery
  JOIN feed_webhookendpoint AS endpoint ON endpoint.id = delivery.endpoint_id
  JOIN operators_operator AS operator ON operator.id = endpoint.operator_id
  LEFT JOIN feed_feeditem AS item ON item.operator_id = endpoint.operator_id AND item.number = delivery.number
 WHERE delivery.id = ANY (%s::uuid[])
 ORDER BY delivery.number
"""


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A leased delivery. `body` is None where its item has expired; `secrets` are those that can be decrypted."""

    claim: Claim
    endpoint: UUID
    first_tried_at: datetime
    url: str
    message: str
    body: bytes | None
    secrets: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What came of an attempt: a status and the beginning of the answer, or why there is none."""

    status: int | None
    body: str = ""
    error: str = ""


def queue_new(now: datetime) -> int:
    """Queue new items for all endpoints, a window for each; return how many runs moved on."""
    return sum(_queue_run(run, now) for (run,) in fetch(_DUE_RUNS, {"most": MAX_QUEUED}))


def _queue_run(run: UUID, now: datetime) -> bool:
    with transaction.atomic():
        rows = fetch(_LOCK_RUN, {"run": run, "window": WINDOW})
        if not rows:
            return False
        endpoint, operator, patterns, after, until, last = rows[0]
        values = {"endpoint": endpoint, "run": run, "operator": operator, "after": after, "until": until, "now": now}
        execute(_ADD, {**values, "types": matching_types(patterns)})
        if until == last:
            execute("DELETE FROM feed_webhookrun WHERE id = %s", [run])
        else:
            execute("UPDATE feed_webhookrun SET queued = %s WHERE id = %s", [until, run])
        return True


def claim(now: datetime, *, limit: int) -> list[ClaimedDelivery]:
    """Lease up to `limit` due deliveries: of each endpoint a few, and of each subject its first."""
    ids = [claim.key for claim in DELIVERIES.claim(now, limit=limit, each=PER_ENDPOINT)]
    rows = fetch(_MESSAGES, [ids]) if ids else []
    secrets = _live_secrets({row[1] for row in rows}, now)
    return [
        ClaimedDelivery(Claim(id_, attempt), endpoint, first, message.url, message.webhook_id, body, secrets[endpoint])
        for id_, endpoint, attempt, first, *content in rows
        for message in (_message(id_, *content),)
        for body in (None if message.body is None else msgspec.json.encode(message.body),)
    ]


def messages(deliveries: Collection[UUID]) -> dict[UUID, WebhookMessage]:
    """Return what each of these deliveries sends, as far as they exist."""
    return {id_: _message(id_, *content) for id_, _, _, _, *content in fetch(_MESSAGES, [list(deliveries)])}


def _message(id_: UUID, number: int | None, created_at: datetime, url: str, slug: str, *item: Any) -> WebhookMessage:
    body = None
    if number is None:
        body = test_message(slug, id_, created_at)
    elif item[-1] is not None:
        body = present_item(slug, ItemRow(number, *item))
    return WebhookMessage(url=url, webhook_id=f"{slug}:{number or id_}", body=body)


def test_message(slug: str, delivery: UUID, time: datetime) -> FeedEnvelope:
    """Return the message of a test, which is no item and has the number 0."""
    row = ItemRow(0, TEST_TYPE, "webhooks/test", time, "{}")
    return msgspec.structs.replace(present_item(slug, row), id=f"{slug}:{delivery}")


def _live_secrets(endpoints: set[UUID], now: datetime) -> dict[UUID, tuple[bytes, ...]]:
    live: dict[UUID, list[bytes]] = {endpoint: [] for endpoint in endpoints}
    for row in WebhookSecret.objects.filter(endpoint__in=endpoints).order_by("-id"):
        if row.expires_at is None or row.expires_at > now:
            try:
                live[row.endpoint_id].append(row.opened())
            except DecryptionFailed as error:  # one endpoint's secret must not hold up the others
                logger.critical("ALERT a secret of webhook %s can't be decrypted: %s", row.endpoint_id, error)
    return {endpoint: tuple(secrets) for endpoint, secrets in live.items()}


def record(delivery: ClaimedDelivery, outcome: DeliveryOutcome, now: datetime) -> None:
    """Record what came of an attempt; after three days of failures, pause the endpoint.

    Does nothing if the lease has expired and another attempt has begun.
    """
    answer = {"leased_until": None, "response_status": outcome.status, "response_body": outcome.body}
    if delivery.body is None or (outcome.status is not None and 200 <= outcome.status < 300):
        DELIVERIES.done(delivery.claim, now, error=outcome.error, **answer)
        return
    end = delivery.first_tried_at + GIVE_UP
    with transaction.atomic():
        if not DELIVERIES.failed({delivery.claim: outcome.error}, now, latest=end, **answer):
            return
        if outcome.status == 410:
            pause(delivery.endpoint, reason="The receiver answered 410 Gone.", by="system")
        elif now >= end:
            pause(delivery.endpoint, reason="A delivery failed for three days.", by="system")


def pause(endpoint: UUID, *, reason: str, by: str) -> bool:
    """Send nothing more to an endpoint until it is resumed, and record that; False if it is paused."""
    active = WebhookEndpoint.objects.select_for_update().filter(pk=endpoint, status=WebhookStatus.ACTIVE).first()
    if active is None:
        return False
    active.status, active.paused_reason = WebhookStatus.PAUSED, reason
    active.save(update_fields=["status", "paused_reason"])
    act_log.done(
        CHANGE_WEBHOOK.name,
        kind=recorder.SignificantEventKind.WEBHOOK_PAUSED,
        operator=active.operator_id,
        subject=f"webhook:{endpoint}",
        actor=by,
        reason=f"{active.url}: {reason}",
    )
    return True
