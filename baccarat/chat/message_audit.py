"""Computes the expected rows of messages, reports and actions beside the log: who, where, whom, and when."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.chat.events import (
    ChatMessageSent,
    ChatPlayerEvent,
    ChatReportClosed,
    PlayerBanned,
    PlayerMuted,
    PlayerReported,
    PlayerUnmuted,
)
from baccarat.chat.masking import MASK_CHARACTER
from casino.crypto import crypto_shredding
from casino.events.sql import fetch

FACT_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "chat_chatmessage": ("operator_id", "table_id", "seat", "player_id", "sent_at"),
    "chat_chatreport": ("operator_id", "table_id", "seat", "player_id", "reporter_id", "message_id", "reported_at"),
    "chat_chatreportclosure": ("outcome", "closed_at"),
    "chat_moderationaction": ("operator_id", "player_id", "kind", "reason", "until", "acted_at"),
}
"""The columns without personal texts, by table."""
SELECT_STATEMENTS: Final[Mapping[str, str]] = {
    table: f"SELECT {key}, salt, {text}, {', '.join(FACT_COLUMNS[table])} FROM {table}"  # noqa: S608  (constants)
    for table, key, text in (
        ("chat_chatmessage", "id", "text"),
        ("chat_chatreport", "id", "reason"),
        ("chat_chatreportclosure", "report_id", "note"),
        ("chat_moderationaction", "id", "note"),
    )
}
"""Rows of key, salt, text, and the other columns."""

_MISATTRIBUTED: Final = """
SELECT 'chat_moderationaction ' || kept.id, metadata->>'actor', by FROM chat_moderationaction AS kept
  JOIN events_event ON stream = 'chat-' || player_id AND type = kind AND data->>'action' = kept.id::text
 WHERE by <> metadata->>'actor'
UNION ALL
SELECT 'chat_chatreportclosure ' || report_id, metadata->>'actor', by FROM chat_chatreportclosure AS kept
  JOIN chat_chatreport ON chat_chatreport.id = report_id
  JOIN events_event ON stream = 'chat-' || player_id AND type = 'ChatReportClosed' AND data->>'report' = report_id::text
 WHERE by <> metadata->>'actor'
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """The row that an event should have: the digest of its text, its time, and the facts in the table's order."""

    digest: str
    recorded_at: datetime
    facts: tuple[Any, ...]


def expected_row(event: ChatPlayerEvent) -> tuple[str, UUID, ExpectedRow]:
    """Return the table, the key and the content of an event's row."""
    match event:
        case ChatMessageSent():
            facts: tuple[Any, ...] = (event.operator, event.table, event.seat, event.player, event.sent_at)
            return "chat_chatmessage", event.message, ExpectedRow(event.digest, event.sent_at, facts)
        case PlayerReported():
            facts = (event.operator, event.table, event.seat, event.player, event.reporter, event.message)
            return (
                "chat_chatreport",
                event.report,
                ExpectedRow(event.digest, event.reported_at, (*facts, event.reported_at)),
            )
        case ChatReportClosed():
            facts = (event.outcome.value, event.closed_at)
            return "chat_chatreportclosure", event.report, ExpectedRow(event.digest, event.closed_at, facts)
        case PlayerMuted() | PlayerBanned():
            when = event.muted_at if isinstance(event, PlayerMuted) else event.banned_at
            terms: tuple[Any, ...] = (event.reason.value, event.until)
        case _:
            when = event.unmuted_at if isinstance(event, PlayerUnmuted) else event.unbanned_at
            terms = (None, None)
    return (
        "chat_moderationaction",
        event.action,
        ExpectedRow(event.digest, when, (event.operator, event.player, type(event).__name__, *terms, when)),
    )


def find_wrongly_masked_messages() -> Iterator[UUID]:
    """Yield messages whose displayed text is not their text with words masked."""
    rows = fetch("SELECT id, text, displayed_text FROM chat_chatmessage")
    originals = crypto_shredding.decrypt_many([text for _, text, _ in rows])
    displayed = crypto_shredding.decrypt_many([text for *_, text in rows])
    for (message, *_), original, text in zip(rows, originals, displayed, strict=True):
        if not _masks(original or "", text or ""):
            yield message


def _masks(original: str, displayed: str) -> bool:
    return len(original) == len(displayed) and all(
        shown in {written, MASK_CHARACTER} for written, shown in zip(original, displayed, strict=True)
    )


def find_misattributed_actions() -> list[tuple[str, str, str]]:
    """Return rows whose `by` differs from the log's actor: the row, the actor, and `by`."""
    return [(where, actor, by) for where, actor, by in fetch(_MISATTRIBUTED)]
