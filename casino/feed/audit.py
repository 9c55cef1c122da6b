"""Compare the feeds with the log: each item that follows from an event is there, as it was told, and nothing else is.

What has expired is not compared, nor what was announced, which follows from rows that are compared themselves. Items
are those of the release that wrote them: a later one may tell of more, not of anything else.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from django.conf import settings

from casino.events import subscriptions
from casino.events.sql import fetch
from casino.feed import writer
from casino.feed.types import MISSING
from casino.kernel.findings import Finding

DIFFERS: Final = "feed differs from the log"
ITEM_MISSING: Final = "feed lacks an item"
UNEXPECTED: Final = "feed has an item of no event"
GAP: Final = "feed's numbers differ"
MAX_FINDINGS: Final = 1000
"""The most findings; one more says that there are others."""

_BATCH: Final = 2000
_EVENTS: Final = "FROM events_seal JOIN events_event AS event ON event.id = event_id"
_IS_KEPT: Final = f"""
    SELECT recorded_at >= clock_timestamp() - make_interval(days => %s) {_EVENTS} WHERE position = %s
"""
_LAST_EXPIRED: Final = f"""
    SELECT coalesce(max(position), 0) {_EVENTS}
     WHERE recorded_at < clock_timestamp() - make_interval(days => %s) AND position > %s
"""
_STORED: Final = """
    SELECT operator_id, position, type, subject, time, data::text, number FROM feed_feeditem
     WHERE position > %s AND position <= %s ORDER BY operator_id, number
"""
_WAS_TOLD: Final = "SELECT EXISTS (SELECT FROM feed_feeditem WHERE type = %s AND position < %s)"
_GAPS: Final = """
    WITH kept AS (
        SELECT operator_id, head.number AS last, (
                   SELECT min(number) FROM feed_feeditem AS item
                    WHERE item.operator_id = head.operator_id AND position > %s
               ) AS first
          FROM feed_feedhead AS head
    ), ordered AS (
        SELECT operator_id, number, last, position, lag(number) OVER own AS before, lead(number) OVER own AS after,
               max(position) OVER own AS highest
          FROM kept JOIN feed_feeditem AS item USING (operator_id) WHERE number >= first
        WINDOW own AS (PARTITION BY operator_id ORDER BY number)
    )
    SELECT operator_id, number, CASE WHEN number <> before + 1 THEN before + 1 ELSE last END, number FROM ordered
     WHERE number <> before + 1 OR position < highest OR (after IS NULL AND number <> last)
     ORDER BY 1, 2 LIMIT %s
"""
Place = tuple[UUID, int, str]
"""An operator, a position and a type of items."""
Content = tuple[str, Any, Mapping[str, Any]]
"""An item's subject, time and data."""


def check(*, since: int = 0) -> list[Finding]:
    """Return what differs in items of events after a position, on the caller's snapshot."""
    position = since if _is_kept(since) else max(since, _last_expired(since))
    findings = [
        Finding(GAP, f"feed of {operator}, item {number}", f"{expected} in the order of the log", str(actual))
        for operator, number, expected, actual in fetch(_GAPS, [position, MAX_FINDINGS])
    ]
    for finding in _compare_items(position):
        findings.append(finding)
        if len(findings) > MAX_FINDINGS:
            break
    return findings


def _is_kept(position: int) -> bool:
    """Return whether no item of a later event has expired; asked first, as it takes no time."""
    return any(kept for (kept,) in fetch(_IS_KEPT, [settings.FEED_DAYS, position]))


def _last_expired(since: int) -> int:
    return int(fetch(_LAST_EXPIRED, [settings.FEED_DAYS, since])[0][0])


def _compare_items(position: int) -> Iterator[Finding]:
    upto = subscriptions.subscriber_position(writer.SUBSCRIBER)
    while position < upto:
        batch = subscriptions.read_sealed(position, min(_BATCH, upto - position))
        if not batch:
            return
        yield from _compare(_derived(batch), _stored(position, batch[-1].position))
        position = batch[-1].position


def _derived(batch: Sequence[Any]) -> dict[Place, list[Content]]:
    items = defaultdict(list)
    for item in writer.items_of(batch):
        told = (item.subject, item.time, msgspec.json.decode(item.data))
        items[item.operator_id, item.position or 0, item.type].append(told)
    return items


def _stored(after: int, upto: int) -> dict[Place, list[Content]]:
    items = defaultdict(list)
    for operator, position, kind, subject, time, data, _ in fetch(_STORED, [after, upto]):
        items[operator, position, kind].append((subject, time, msgspec.json.decode(data)))
    return items


def _compare(derived: Mapping[Place, list[Content]], stored: Mapping[Place, list[Content]]) -> Iterator[Finding]:
    # Who could not read the event said so: in an alert and to the operator, or now in a finding of the log.
    unreadable = {place[:2] for place in (*stored, *derived) if place[2] == MISSING.full_name}
    for place in sorted({*derived, *stored}):
        operator, position, kind = place
        where = f"feed of {operator}, {kind} of position {position}"
        expected, actual = derived.get(place, []), stored.get(place, [])
        if place[:2] in unreadable:
            continue
        if len(actual) < len(expected) and (actual or fetch(_WAS_TOLD, [kind, position])[0][0]):
            yield Finding(ITEM_MISSING, where, f"{len(expected)} items", f"{len(actual)} items")
        elif len(actual) > len(expected):
            yield Finding(UNEXPECTED, where, f"{len(expected)} items", f"{len(actual)} items")
        for due, item in zip(expected, actual, strict=False):
            if not _agrees(due, item):
                yield Finding(DIFFERS, where, str(due)[:300], str(item)[:300])


def _agrees(due: Content, item: Content) -> bool:
    return due[:2] == item[:2] and {name: due[2].get(name) for name in item[2]} == item[2]
