"""Play that fills a feed, and readers of it."""

import json
from typing import Any

from casino.events import sealer
from casino.events.sql import fetch
from casino.feed import writer
from tests.baccarat.api.people import Tenant, bet, company, deal_all


def play(house: Tenant, rounds: int = 1) -> str:
    """Have Alice play rounds at a new table, and return the table."""
    table, (alice,) = company(house, "mini", "Alice")
    for _ in range(rounds):
        bet(alice, table, banker="25.00")
        deal_all()
    publish()
    return table


def publish() -> None:
    """Seal everything and write the feed."""
    sealer.seal_all()
    while writer.write_new_items():
        pass


def read_all(house: Tenant, *, limit: int = 500, **query: Any) -> list[dict[str, Any]]:
    """Read a whole feed, page by page."""
    items, after, head = [], 0, 1
    while after < head:
        page = house.read("feed", after=after, limit=limit, **query)
        items.extend(page["items"])
        after, head = page["next"], page["head"]
    return items


def stored(house: Tenant) -> list[tuple[int, str]]:
    """Return numbers and types as they are stored."""
    return fetch("SELECT number, type FROM feed_feeditem WHERE operator_id = %s ORDER BY number", [house.id])


def types_of(items: list[dict[str, Any]]) -> list[str]:
    return [item["type"].split(".", 1)[1].removesuffix(".v1") for item in items]


def text_of(items: Any) -> str:
    return json.dumps(items)
