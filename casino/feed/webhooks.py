"""Webhooks of an operator: endpoints, their secrets, replays and tests. One transaction each."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.feed import acts, queue, signatures
from casino.feed.models import WebhookDelivery, WebhookEndpoint, WebhookRun, WebhookSecret, WebhookStatus
from casino.feed.queries import find_types
from casino.feed.refusals import (
    FeedExpired,
    FeedNumberAhead,
    TooManyWebhooks,
    UnknownWebhook,
    WebhookIsPaused,
    WebhookNotPaused,
)
from casino.operators import changes, notices
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator
from casino.outbound.destinations import check_url
from casino.significant import act_log
from casino.staff.duties import Act

MAX_WEBHOOKS: Final = 20
OVERLAP: Final = timedelta(hours=24)
"""How long an old secret still signs beside a new one."""
_BOUNDS: Final = """
SELECT coalesce((SELECT number FROM feed_feedhead WHERE operator_id = %(operator)s), 0),
       (SELECT min(number) FROM feed_feeditem WHERE operator_id = %(operator)s)
"""


def register(*, operator: UUID, url: str, types: Sequence[str], by: str) -> tuple[WebhookEndpoint, str, Change | None]:
    """Register an endpoint for what happens from now on; return it with its secret, and with what waits.

    A live operator's waits for another person, since it goes on getting the feed when the key that registered it is
    gone. Raises InvalidWebhookUrl, UnknownFeedType, TooManyWebhooks, ChangeNeedsSecondPerson.
    """
    check_url(url)
    find_types(types)
    with transaction.atomic():
        owner = Operator.objects.select_for_update(no_key=True).get(pk=operator)
        if WebhookEndpoint.objects.filter(operator_id=operator).count() >= MAX_WEBHOOKS:
            raise TooManyWebhooks(limit=MAX_WEBHOOKS)
        now = database_now()
        endpoint = WebhookEndpoint.objects.create(
            id=new_id(now),
            operator_id=operator,
            url=url,
            types=list(types),
            created_at=now,
            status=WebhookStatus.WAITING,
        )
        secret = _draw_secret(endpoint, now)
        summary = f"Send {', '.join(types) or 'the whole feed'} of {owner.slug} to {url}"
        details, subject = {"webhook": str(endpoint.pk)}, _subject(endpoint)
        change = changes.make(owner, ChangeName.WEBHOOK, subject=subject, summary=summary, details=details, by=by)
        if change is not None:
            _record(endpoint, by, "A webhook waits for another person")
    endpoint.refresh_from_db()
    return endpoint, secret, change


def register_change() -> None:
    """Let two persons send a live operator's feed elsewhere."""
    changes.register(
        ChangeKind(ChangeName.WEBHOOK, acts.REGISTER_WEBHOOK, _begin, concerns=_administrators, drop=_forget)
    )


def _begin(change: Change) -> None:
    endpoint = WebhookEndpoint.objects.select_for_update().get(pk=change.details["webhook"])
    endpoint.status = WebhookStatus.ACTIVE
    endpoint.save(update_fields=["status"])
    WebhookRun.objects.create(id=new_id(database_now()), endpoint=endpoint, queued=_head(endpoint.operator_id)[0])
    _record(endpoint, change.requested_by, "A webhook was registered", acts.REGISTER_WEBHOOK)


def _forget(change: Change) -> None:
    """Remove the endpoint of a change that ended without effect."""
    for endpoint in WebhookEndpoint.objects.filter(pk=change.details["webhook"]):
        _remove(endpoint, change.decided_by or "system", "A webhook was not confirmed")


def _administrators(change: Change) -> list[str]:
    return notices.members_with(acts.REGISTER_WEBHOOK.name, operator=changes.operator_of(change))


def _subject(endpoint: WebhookEndpoint) -> str:
    return f"webhook:{endpoint.pk}"


def list_webhooks(*, operator: UUID) -> list[WebhookEndpoint]:
    return list(WebhookEndpoint.objects.filter(operator_id=operator).prefetch_related("secrets").order_by("id"))


def find_webhook(*, operator: UUID, webhook: UUID, lock: bool = False) -> WebhookEndpoint:
    """Return an operator's endpoint, optionally locked for update. Raises UnknownWebhook."""
    rows = WebhookEndpoint.objects.select_for_update() if lock else WebhookEndpoint.objects.all()
    endpoint = rows.filter(operator_id=operator, pk=webhook).first()
    if endpoint is None:
        raise UnknownWebhook
    return endpoint


def remove(*, operator: UUID, webhook: UUID, by: str) -> None:
    """Remove an endpoint with its deliveries, and what waits for another person about it. Raises UnknownWebhook."""
    with transaction.atomic():
        endpoint = find_webhook(operator=operator, webhook=webhook, lock=True)
        waits = changes.waiting(ChangeName.WEBHOOK, _subject(endpoint))
        if waits is not None:
            changes.cancel(waits.pk, by=by)
        _remove(endpoint, by, "A webhook was removed")


def rotate_secret(*, operator: UUID, webhook: UUID, by: str) -> tuple[WebhookEndpoint, str]:
    """Draw a new secret, beside which the last one signs for another day; return it. Raises UnknownWebhook."""
    with transaction.atomic():
        endpoint = find_webhook(operator=operator, webhook=webhook, lock=True)
        now = database_now()
        endpoint.secrets.exclude(expires_at=None).delete()
        endpoint.secrets.update(expires_at=now + OVERLAP)
        secret = _draw_secret(endpoint, now)
        _record(endpoint, by, "A webhook's secret was rotated")
    return endpoint, secret


def pause(*, operator: UUID, webhook: UUID, by: str) -> WebhookEndpoint:
    """Send nothing more until the endpoint is resumed. Raises UnknownWebhook, WebhookIsPaused."""
    with transaction.atomic():
        endpoint = find_webhook(operator=operator, webhook=webhook, lock=True)
        if not queue.pause(endpoint.pk, reason="It was paused by hand.", by=by):
            raise WebhookIsPaused
    endpoint.refresh_from_db()
    return endpoint


def resume(*, operator: UUID, webhook: UUID, by: str) -> WebhookEndpoint:
    """Send what waits and what is new; three days of attempts begin again. Raises UnknownWebhook, WebhookNotPaused."""
    with transaction.atomic():
        endpoint = find_webhook(operator=operator, webhook=webhook, lock=True)
        if endpoint.status != WebhookStatus.PAUSED:
            raise WebhookNotPaused
        endpoint.status, endpoint.paused_reason = WebhookStatus.ACTIVE, ""
        endpoint.save(update_fields=["status", "paused_reason"])
        waiting = endpoint.deliveries.filter(due_at__isnull=False, leased_until=None)
        waiting.update(due_at=database_now(), first_tried_at=None)
        _record(endpoint, by, "A webhook was resumed")
    return endpoint


def replay(*, operator: UUID, webhook: UUID, after: int, until: int, by: str) -> WebhookEndpoint:
    """Send the items after one number until another again, each once, beside what is new.

    Raises UnknownWebhook, WebhookIsPaused, FeedNumberAhead, FeedExpired.
    """
    with transaction.atomic():
        endpoint = find_webhook(operator=operator, webhook=webhook, lock=True)
        if endpoint.status != WebhookStatus.ACTIVE:
            raise WebhookIsPaused
        head, oldest = _head(operator)
        if until > head or after >= until:
            raise FeedNumberAhead(f"The last number is {head}; `after` is less than `until`.", head=head)
        if oldest is None or after + 1 < oldest:
            raise FeedExpired(oldest=head + 1 if oldest is None else oldest)
        WebhookRun.objects.create(id=new_id(database_now()), endpoint=endpoint, queued=after, until=until)
        _record(endpoint, by, f"A webhook's items {after + 1} to {until} are sent again")
    return endpoint


def send_test(*, operator: UUID, webhook: UUID) -> WebhookDelivery:
    """Queue a message that is no item. Raises UnknownWebhook, WebhookIsPaused."""
    endpoint = find_webhook(operator=operator, webhook=webhook)
    if endpoint.status != WebhookStatus.ACTIVE:
        raise WebhookIsPaused
    now = database_now()
    return WebhookDelivery.objects.create(
        id=new_id(now), endpoint=endpoint, subject="webhooks/test", created_at=now, due_at=now
    )


def list_deliveries(
    *, operator: UUID, webhook: UUID, before: UUID | None, limit: int, waiting: bool | None = None
) -> list[WebhookDelivery]:
    """List an endpoint's deliveries, newest first; `waiting` selects those that wait or those that do not.

    Raises UnknownWebhook.
    """
    rows = find_webhook(operator=operator, webhook=webhook).deliveries.order_by("-id")
    if waiting is not None:
        rows = rows.filter(due_at__isnull=not waiting)
    return list((rows if before is None else rows.filter(id__lt=before))[:limit])


def live_secrets(endpoint: WebhookEndpoint, *, now: datetime) -> list[WebhookSecret]:
    """Return the secrets that sign an endpoint's messages, the newest first."""
    return list(endpoint.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=now)).order_by("-id"))


def _head(operator: UUID) -> Any:
    return fetch(_BOUNDS, {"operator": operator})[0]


def _draw_secret(endpoint: WebhookEndpoint, now: datetime) -> str:
    """Draw the secret that signs from now on; return its text."""
    secret = signatures.new_secret()
    WebhookSecret(endpoint=endpoint, created_at=now).sealed(secret).save(force_insert=True)
    return signatures.text_of(secret)


def _remove(endpoint: WebhookEndpoint, by: str, reason: str) -> None:
    WebhookEndpoint.objects.filter(pk=endpoint.pk).delete()
    _record(endpoint, by, reason)


def _record(endpoint: WebhookEndpoint, by: str, reason: str, act: Act = acts.CHANGE_WEBHOOK) -> None:
    act_log.done(
        act.name,
        operator=endpoint.operator_id,
        subject=f"webhook:{endpoint.pk}",
        actor=by,
        reason=f"{reason}: {endpoint.url}",
    )
