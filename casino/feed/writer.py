"""Gives every item of an operator's feed its number. One writer works at a time: the subscriber's row is its lock.

Items, numbers and the saved position are one transaction, so a writer that is killed leaves a whole batch or nothing,
and the next one continues without a gap or a repeat.
"""

import contextlib
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction

from casino.events import announcements, subscriptions
from casino.events.announcements import AnnouncedFact
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.records import SealedEvent
from casino.events.sql import database_now, execute, fetch
from casino.feed.types import (
    MISSING,
    Facts,
    FeedSource,
    FeedType,
    ItemMissing,
    announced_types,
    feed_sources,
    operator_of,
)
from casino.kernel.errors import Refusal
from casino.operators.models import Operator

logger = logging.getLogger(__name__)

SUBSCRIBER: Final = "feed"
BATCH: Final = 500
_WRITE: Final = """
WITH input AS MATERIALIZED (
    SELECT item.*, row_number() OVER (PARTITION BY operator_id ORDER BY place) AS step
    FROM ROWS FROM (jsonb_to_recordset(%s::jsonb) AS (
        operator_id uuid, position bigint, type text, subject text, time timestamptz, data jsonb
    )) WITH ORDINALITY AS item (operator_id, position, type, subject, time, data, place)
), head AS (
    INSERT INTO feed_feedhead AS head (operator_id, number)
    SELECT operator_id, count(*) FROM input GROUP BY operator_id ORDER BY operator_id
    ON CONFLICT (operator_id) DO UPDATE SET number = head.number + excluded.number
    RETURNING operator_id, number
)
INSERT INTO feed_feeditem (operator_id, number, position, type, subject, time, data)
SELECT operator_id, head.number - count(*) OVER (PARTITION BY operator_id) + step, position, type, subject, time, data
FROM input JOIN head USING (operator_id)
RETURNING operator_id
"""
# Items expire in the order of their numbers, so that what is left has no gap.
DELETED_AT_ONCE: Final = 5000
_HEADS: Final = "SELECT operator_id FROM feed_feedhead ORDER BY operator_id"
_FIRST_KEPT: Final = """
SELECT coalesce((SELECT number FROM feed_feeditem WHERE operator_id = %(operator)s AND time >= %(before)s
                  ORDER BY number LIMIT 1), number + 1) FROM feed_feedhead WHERE operator_id = %(operator)s
"""
_EXPIRE_ITEMS: Final = f"""
DELETE FROM feed_feeditem WHERE operator_id = %(operator)s AND number = ANY (ARRAY(
    SELECT number FROM feed_feeditem WHERE operator_id = %(operator)s AND number < %(kept)s
     ORDER BY number LIMIT {DELETED_AT_ONCE}))
"""  # noqa: S608  (a constant)
_EXPIRE_DELIVERIES: Final = f"""
DELETE FROM feed_webhookdelivery WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM feed_webhookdelivery WHERE created_at < %s AND (due_at IS NULL OR leased_until IS NULL)
     LIMIT {DELETED_AT_ONCE}))
"""  # noqa: S608  (a constant)
_EXPIRE_SECRETS: Final = "DELETE FROM feed_webhooksecret WHERE expires_at < %s"


class NewItem(NamedTuple):
    """An item without its number."""

    operator_id: UUID
    position: int | None
    type: str
    subject: str
    time: datetime
    data: msgspec.Raw


def write_new_items(*, limit: int = BATCH) -> int:
    """Write the items of what was sealed or announced since the last call; return how many facts were read.

    `limit` is for each of the two. 0 means that there is nothing new, or that another process writes.
    """
    with transaction.atomic():
        position = subscriptions.claim(SUBSCRIBER)
        if position is None:
            return 0
        sealed, announced = subscriptions.read_sealed(position, limit), announcements.take(limit)
        _write([*items_of(sealed), *_announced_items(announced)])
        if sealed:
            subscriptions.save_position(SUBSCRIBER, sealed[-1].position)
        return len(sealed) + len(announced)


def _write(items: Sequence[NewItem]) -> None:
    if items:
        fetch(_WRITE, [msgspec.json.encode([item._asdict() for item in items]).decode()])


def items_of(batch: Sequence[SealedEvent]) -> list[NewItem]:
    """Return the items of a batch in the order of the log."""
    items = [item for source in feed_sources() for item in _items(source, batch)]
    return sorted(items, key=lambda item: item.position or 0)


def _announced_items(batch: Sequence[AnnouncedFact]) -> Iterator[NewItem]:
    everybody: list[UUID] | None = None
    for fact in batch:
        if fact.operator is None and everybody is None:
            everybody = list(Operator.objects.order_by("id").values_list("id", flat=True))
        for operator in everybody or () if fact.operator is None else (fact.operator,):
            yield from _items_of_fact(fact, operator)


def _items_of_fact(fact: AnnouncedFact, operator: UUID) -> list[NewItem]:
    try:
        kind = announced_types()[fact.type]
        rows = list(kind.items(msgspec.json.decode(fact.data, type=kind.event), {}))
    except (KeyError, msgspec.DecodeError, Refusal) as error:
        logger.critical("ALERT announcement %s is not in the feed: %s", fact.id, error)
        kind = MISSING
        rows = list(kind.items(ItemMissing(f"announcement-{fact.id} {fact.type}", ()), {}))
    return [
        NewItem(operator, None, kind.full_name, subject, fact.announced_at, msgspec.Raw(data)) for subject, data in rows
    ]


def _items(source: FeedSource, batch: Sequence[SealedEvent]) -> Iterator[NewItem]:
    types: dict[str, list[FeedType]] = {}
    for each in source.types:
        types.setdefault(each.event.__name__, []).append(each)
    own = [sealed for sealed in batch if sealed.type in types]
    facts = source.load_facts(own) if own else {}
    for sealed in own:
        about = facts.get(sealed.stream, {})
        try:
            event = source.registry.decode(sealed.type, sealed.schema, sealed.data)
            yield from _items_of(sealed, event, types[sealed.type], about)
        except (MalformedEvent, UnknownEvent, msgspec.DecodeError, KeyError, Refusal) as error:
            # One unreadable event must not hide those after it. The audit reports it, too.
            logger.critical("ALERT position %s is not in the feed: %s", sealed.position, error)
            missing = ItemMissing(sealed.stream, tuple(each.full_name for each in types[sealed.type]))
            with contextlib.suppress(msgspec.DecodeError):  # then nothing says whose event it is
                owner = {"operator": operator_of(msgspec.json.decode(sealed.data, type=dict[str, Any]))}
                yield from _items_of(sealed, missing, [MISSING], {**owner, **about})


def _items_of(sealed: SealedEvent, event: Any, types: Sequence[FeedType], facts: Facts) -> list[NewItem]:
    operator = facts.get("operator") or getattr(event, "operator", None)
    operator = operator or operator_of(msgspec.json.decode(sealed.metadata, type=dict[str, Any]))
    if operator is None:
        return []
    return [
        NewItem(operator, sealed.position, each.full_name, subject, sealed.recorded_at, msgspec.Raw(data))
        for each in types
        for subject, data in each.items(event, facts)
    ]


def expire(now: datetime | None = None) -> int:
    """Delete items and deliveries older than settings.FEED_DAYS, and expired secrets; return how many items.

    Outside of a transaction each batch is one: nobody waits long, and what is left goes the next time.
    """
    now = now or database_now()
    before = now - timedelta(days=settings.FEED_DAYS)
    while execute(_EXPIRE_DELIVERIES, [before]) == DELETED_AT_ONCE:
        continue
    execute(_EXPIRE_SECRETS, [now])
    return sum(_expire_items(operator, before) for (operator,) in fetch(_HEADS))


def _expire_items(operator: UUID, before: datetime) -> int:
    ((kept,),) = fetch(_FIRST_KEPT, {"operator": operator, "before": before})
    total = 0
    while deleted := execute(_EXPIRE_ITEMS, {"operator": operator, "kept": kept}):
        total += deleted
    return total
