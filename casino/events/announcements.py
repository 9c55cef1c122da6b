"""Announcements: facts for operators' feeds whose record is a row of a table and no event, such as a player's session.

They are inserted in the transaction that writes that row. The one writer of feeds takes them in the transaction that
gives them their numbers, so each is in the feed exactly once, or both transactions are undone.
"""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from casino.events.sql import execute, fetch

_ANNOUNCE: Final = "INSERT INTO events_announcement (operator_id, type, data) VALUES (%s, %s, %s)"
# Ids ascend with the order of the commits that depend on each other; a late commit is taken when it is there.
_TAKE: Final = """
WITH taken AS (
    DELETE FROM events_announcement WHERE id IN (SELECT id FROM events_announcement ORDER BY id LIMIT %s)
    RETURNING id, operator_id, type, data, announced_at
)
SELECT id, operator_id, type, data::text, announced_at FROM taken ORDER BY id
"""


class AnnouncedFact(NamedTuple):
    """A fact: whose feed it is for (None: everybody's), the name of its dataclass, and its fields as JSON."""

    id: int
    operator: UUID | None
    type: str
    data: str
    announced_at: datetime


def announce(fact: Any, *, operator: UUID) -> None:
    """Announce a fact, a dataclass, to an operator. Call it in the transaction that records it."""
    execute(_ANNOUNCE, [operator, type(fact).__name__, msgspec.json.encode(fact).decode()])


def in_sql(fact: type, **expressions: str) -> str:
    """Return a statement's start that announces a fact whose fields are SQL expressions; append FROM.

    `operator_id` comes from the same rows. Raises ValueError unless every field has an expression.
    """
    if set(expressions) != {each.name for each in fields(fact)}:
        raise ValueError(f"{fact.__name__} has other fields.")
    data = ", ".join(f"'{name}', {expression}" for name, expression in expressions.items())
    return (
        "INSERT INTO events_announcement (operator_id, type, data) "
        f"SELECT operator_id, '{fact.__name__}', jsonb_build_object({data})"
    )


def take(limit: int) -> Sequence[AnnouncedFact]:
    """Take the oldest announcements, in order. Call it in the transaction that uses them, by one writer at a time."""
    return [AnnouncedFact(*row) for row in fetch(_TAKE, [limit])]
