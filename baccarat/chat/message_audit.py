"""What is kept beside the log of each thing that was said, reported or done: by whom, where, to whom, and when."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.chat.events import (
    ChatMessageSent,
    ChatPlayerEvent,
    PlayerMuted,
    PlayerBanned,
    PlayerReported,
    PlayerUnmuted,
    ChatReportClosed,
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
"""The columns that say no words, by table."""
SELECT_STATEMENTS: Final[Mapping[str, str]] = {
    table: f"SELECT {key}, salt, {words}, {', '.join(FACT_COLUMNS[table])} FROM {table}"  # noqa: S608  (constants)
    for table, key, words in (
        ("chat_chatmessage", "id", "text"),
        ("chat_chatreport", "id", "reason"),
        ("chat_chatreportclosure", "report_id", "note"),
        ("chat_moderationaction", "id", "note"),
    )
}
"""What is kept: what it belongs to, the salt, the words, and the facts."""

_OTHERS: Final = """
SELECT 'chat_moderationaction ' || kept.id, metadata->>'actor', by FROM chat_moderationaction AS kept
  JOIN events_event ON stream = 'chat-' || player_id AND type = kind AND data->>'act' = kept.id::text
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
    """What should be kept of an event: the digest of its words, since when, and the facts in the table's order."""

    digest: str
    recorded_at: datetime
    facts: tuple[Any, ...]


def expected_row(event: ChatPlayerEvent) -> tuple[str, UUID, ExpectedRow]:
    """Tell in which table an event's words are kept, under which id, and what with them."""
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
        event.act,
        ExpectedRow(event.digest, when, (event.operator, event.player, type(event).__name__, *terms, when)),
    )


def find_wrongly_masked_messages() -> Iterator[UUID]:
    """Yield messages that are shown as something else than what was said with words covered."""
    rows = fetch("SELECT id, text, displayed_text FROM chat_chatmessage")
    said = crypto_shredding.decrypt_many([text for _, text, _ in rows])
    shown = crypto_shredding.decrypt_many([text for *_, text in rows])
    for (message, *_), one, other in zip(rows, said, shown, strict=True):
        if not _covers(one or "", other or ""):
            yield message


def _covers(said: str, shown: str) -> bool:
    return len(said) == len(shown) and all(two in {one, MASK_CHARACTER} for one, two in zip(said, shown, strict=True))


def find_misattributed_actions() -> list[tuple[str, str, str]]:
    """Return acts that are told of another person than the log says: where, who it was, who is told."""
    return [(where, actor, by) for where, actor, by in fetch(_OTHERS)]
