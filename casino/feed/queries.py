"""Reads of an operator's feed, as the API, streams and webhooks return it."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, cast
from uuid import UUID

import msgspec
from msgspec import Meta

from casino.api.shapes import ItemList, Shape, Timestamp, open_enum
from casino.events.sql import fetch
from casino.feed.refusals import FeedExpired, FeedNumberAhead, UnknownFeedType
from casino.feed.types import feed_types, matching_types, type_names

SCHEMAS: Final = "/api/v1/feed/schemas/"
MAX_LIMIT: Final = 500
# One statement, so that no item expires between the look at the oldest number and the read.
_READ: Final = """
SELECT head.number, oldest.number, item.number, item.type, item.subject, item.time, item.data::text
  FROM (SELECT coalesce(max(number), 0) AS number FROM feed_feedhead WHERE operator_id = %(operator)s) AS head
 CROSS JOIN LATERAL (
       SELECT coalesce(min(number), head.number + 1) AS number FROM feed_feeditem WHERE operator_id = %(operator)s
 ) AS oldest
  LEFT JOIN LATERAL (
       SELECT number, type, subject, time, data FROM feed_feeditem
        WHERE operator_id = %(operator)s AND number > %(after)s
          AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
        ORDER BY number LIMIT %(limit)s
 ) AS item ON true
 ORDER BY item.number
"""
TypeName = Annotated[str, open_enum(type_names, example="baccarat.round.settled.v1")]


class FeedEnvelope(Shape):
    """A CloudEvents 1.0 envelope with the number that proves completeness."""

    specversion: Literal["1.0"]
    id: Annotated[str, Meta(description="Slug and number; also the `webhook-id`.", examples=["lucky:1043"])]
    source: Annotated[str, Meta(examples=["/operators/lucky"])]
    type: TypeName
    subject: Annotated[str, Meta(examples=["rounds/0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"])]
    time: Timestamp
    datacontenttype: Literal["application/json"]
    dataschema: Annotated[str, Meta(examples=["/api/v1/feed/schemas/baccarat.round.settled.v1"])]
    number: Annotated[int, Meta(description="Ascends by one from item to item.", examples=[1043])]
    data: Annotated[
        dict[str, Any], Meta(description="By the schema of the type.", examples=[{"outcome": "banker", "number": 812}])
    ]


class WebhookMessage(Shape):
    """What a delivery sends in a POST; each attempt has its own `webhook-timestamp` and signatures."""

    url: Annotated[str, Meta(examples=["https://lucky.example/webhooks"])]
    webhook_id: Annotated[str, Meta(description="The header `webhook-id`.", examples=["lucky:1043"])]
    body: Annotated[FeedEnvelope | None, Meta(description="Null once the item has expired.")]


class FeedPage(Shape):
    """Items after a number, in order."""

    items: tuple[FeedEnvelope, ...]
    next: Annotated[int, Meta(description="Send it as `after` next time.", examples=[1043])]
    head: Annotated[int, Meta(description="The last number of the feed.", examples=[1043])]


class FeedTypeResponse(Shape):
    """A type of items."""

    type: TypeName
    summary: Annotated[str, Meta(examples=["The cards and the outcome."])]
    dataschema: Annotated[str, Meta(examples=["/api/v1/feed/schemas/baccarat.round.settled.v1"])]


class FeedTypeList(ItemList[FeedTypeResponse]):
    """All types of items, in alphabetical order."""


class ItemRow(NamedTuple):
    """A stored item."""

    number: int
    type: str
    subject: str
    time: Any
    data: str


def read_feed(*, operator: UUID, slug: str, after: int, types: Sequence[str] | None, limit: int) -> FeedPage:
    """Return items after a number; `types` are full names, None for all. Raises FeedExpired, FeedNumberAhead."""
    rows = fetch(_READ, {"operator": operator, "after": after, "types": types, "limit": limit})
    head, oldest = rows[0][:2]
    if after + 1 < oldest:
        raise FeedExpired(f"The oldest number is {oldest}.", oldest=oldest)
    if after > head:
        raise FeedNumberAhead(f"The last number is {head}: is this the feed that you have read?", head=head)
    items = tuple(present_item(slug, ItemRow(*row[2:])) for row in rows if row[2] is not None)
    return FeedPage(items=items, next=items[-1].number if len(items) == limit else head, head=head)


def present_item(slug: str, row: ItemRow) -> FeedEnvelope:
    """Return the envelope of a stored item; its data stays as it was written."""
    return FeedEnvelope(
        specversion="1.0",
        id=f"{slug}:{row.number}",
        source=f"/operators/{slug}",
        type=row.type,
        subject=row.subject,
        time=row.time,
        datacontenttype="application/json",
        dataschema=SCHEMAS + row.type,
        number=row.number,
        data=cast("dict[str, Any]", msgspec.Raw(row.data.encode())),  # encoded as it is
    )


def find_types(patterns: Sequence[str]) -> list[str] | None:
    """Return the full names of the types that patterns name, None without any. Raises UnknownFeedType."""
    try:
        return matching_types(patterns)
    except LookupError as error:
        raise UnknownFeedType(f"No type is called {str(error.args[0])[:60]!r}.") from None


def list_types() -> FeedTypeList:
    types = feed_types().items()
    items = (FeedTypeResponse(type=name, summary=each.summary, dataschema=SCHEMAS + name) for name, each in types)
    return FeedTypeList(items=tuple(items))


def schema_of(name: str) -> dict[str, Any] | None:
    """Return the JSON Schema of a type's data, complete in itself; None if there is no such type."""
    feed_type = feed_types().get(name)
    if feed_type is None:
        return None
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMAS + name,
        "title": name,
        **msgspec.json.schema(feed_type.data, ref_template="#/$defs/{name}"),
    }
