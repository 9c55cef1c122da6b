"""Chats in the audit: mutes and rates, personal texts against their digests, and the projections."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.chat import storage
from baccarat.chat.events import (
    SALT_BYTES,
    ChatEvent,
    ChatMessageSent,
    ChatPlayerEvent,
    ChatReportClosed,
    FilterEvent,
    FilterWordAdded,
    PlayerBanned,
    PlayerMuted,
    PlayerReported,
    PlayerUnmuted,
    chat_filter_stream,
    chat_stream,
    text_digest,
)
from baccarat.chat.masking import MASK_CHARACTER
from baccarat.chat.rules import MESSAGES, NEWCOMER, ModerationState, evolve
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.operators import sessions

_FACT_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "chat_chatmessage": ("operator_id", "table_id", "seat", "player_id", "sent_at"),
    "chat_chatreport": ("operator_id", "table_id", "seat", "player_id", "reporter_id", "message_id", "reported_at"),
    "chat_chatreportclosure": ("outcome", "closed_at"),
    "chat_moderationaction": ("operator_id", "player_id", "kind", "reason", "until", "acted_at"),
}
"""The columns without personal texts, by table."""
_TEXTS: Final = {
    "chat_chatmessage": "text", "chat_chatreport": "reason", "chat_chatreportclosure": "note",
    "chat_moderationaction": "note",
}  # fmt: skip
_KEYS: Final = {table: "report_id" if table == "chat_chatreportclosure" else "id" for table in _TEXTS}
_SELECT_STATEMENTS: Final[Mapping[str, str]] = {
    table: f"SELECT {_KEYS[table]}, salt, {text}, {', '.join(_FACT_COLUMNS[table])} FROM {table}"  # noqa: S608
    for table, text in _TEXTS.items()
}
"""Rows of key, salt, text, and the other columns."""

_DESTROYED: Final = """
    SELECT player_id FROM crypto_personalkey AS kept WHERE wrapped IS NULL AND NOT EXISTS (
        SELECT FROM significant_significantevent
         WHERE kind = 'data_erased' AND subject = 'player:' || kept.player_id)
"""
RETENTION: Final = timedelta(days=1827)
"""How long the database keeps rows; older ones may be purged."""

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
class _ExpectedRow:
    """The row that an event should have: the digest of its text, its time, and the facts in the table's order."""

    digest: str
    recorded_at: datetime
    facts: tuple[Any, ...]


@dataclass(slots=True)
class _Trace:
    """A player's stream so far, and the times of the last messages."""

    operator: UUID
    state: ModerationState = NEWCOMER
    sent: deque[datetime] = field(default_factory=lambda: deque(maxlen=MESSAGES.count))


class ChatTraces:
    """The state of all chats as replayed so far."""

    def __init__(self) -> None:
        self._players: dict[UUID, _Trace] = {}
        self._words: dict[str, FilterWordAdded] = {}
        self._lists: dict[str, int] = {}
        self._due: dict[str, dict[UUID, _ExpectedRow]] = {table: {} for table in _SELECT_STATEMENTS}

    def replay(self, event: ChatEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield what contradicts the rules."""
        if isinstance(event, FilterEvent):
            yield from self._replay_filter_words(event, stream=stream, version=version, where=where)
            return
        player = event.reporter if isinstance(event, PlayerReported) else event.player
        trace = self._players.setdefault(player, _Trace(event.operator))
        yield from _check_position(
            chat_stream(player), trace.state.version, stream=stream, version=version, where=where
        )
        if isinstance(event, ChatMessageSent):
            yield from _check_message(event, trace, where)
        trace.state = evolve(trace.state, event)
        table, subject, due = _expected_row(event)
        self._due[table][subject] = due

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the tables with the replayed state; `partial` if of the players' streams only some were replayed."""
        yield from _unrecorded_erasures()
        old = fetch("SELECT clock_timestamp()")[0][0] - RETENTION
        for table, statement in _SELECT_STATEMENTS.items():
            keys = list(self._due[table])
            only = f" WHERE {_KEYS[table]} = ANY (%s::uuid[])" if partial else ""
            rows = fetch(statement + only, [keys] if partial else [])
            yield from _check_texts(table, self._due[table], rows, old=old)
        for message in _find_wrongly_masked_messages(list(self._due["chat_chatmessage"]) if partial else None):
            where = f"chat_chatmessage {message} displayed_text"
            yield Finding("row differs", where, "the text with words masked", "another text")
        for where, actor, by in _find_misattributed_actions():
            yield Finding("row differs", f"{where} by", actor, by)
        states = (
            storage.moderation_row(trace.state, operator=trace.operator, player=player)
            for player, trace in self._players.items()
        )
        yield from storage.MODERATION.compare(states, partial=partial)
        yield from storage.FILTER_WORDS.compare(map(storage.filter_word_row, self._words.values()))
        yield from self._check_bans(partial=partial)

    def _check_bans(self, *, partial: bool) -> Iterator[Finding]:
        states = ((player, trace.state) for player, trace in self._players.items())
        expected = {player: state.ban.until for player, state in states if state.ban is not None}
        stored = {key: until for key, until in sessions.all_bans().items() if not partial or key in self._players}
        for player in sorted(expected.keys() | stored.keys()):
            where = f"{sessions.BAN_TABLE} {player}"
            if player not in stored:
                yield Finding("row is missing", where, "a row", "none")
            elif player not in expected:
                yield Finding("row is extra", where, "none", "a row")
            elif expected[player] != stored[player]:
                yield Finding("row differs", where, str(expected[player]), str(stored[player]))

    def _replay_filter_words(self, event: FilterEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        before = self._lists.get(stream, 0)
        self._lists[stream] = version
        yield from _check_position(
            chat_filter_stream(event.operator), before, stream=stream, version=version, where=where
        )
        key = storage.filter_word_id(event.operator, event.normalized)
        if isinstance(event, FilterWordAdded) == (key in self._words):
            known = "a word on the list" if key not in self._words else "a word not on the list"
            yield Finding("event out of place", where, known, event.normalized)
        if isinstance(event, FilterWordAdded):
            self._words[key] = event
        else:
            self._words.pop(key, None)


def _check_position(expected: str, before: int, *, stream: str, version: int, where: str) -> Iterator[Finding]:
    if stream != expected:
        yield Finding("stream differs", where, expected, stream)
    if version != before + 1:
        yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")


def _check_message(event: ChatMessageSent, trace: _Trace, where: str) -> Iterator[Finding]:
    mute, now = trace.state.mute, event.sent_at
    if mute is not None and mute.is_active(now):
        yield Finding("written while muted", where, f"nothing until {mute.until}", str(now))
    if len(trace.sent) == MESSAGES.count and trace.sent[0] > now - MESSAGES.window:
        yield Finding("written too fast", where, f"{MESSAGES.count} in {MESSAGES.window}", str(now))
    trace.sent.append(now)


def _check_texts(
    table: str, expected: Mapping[UUID, _ExpectedRow], rows: Iterable[tuple[Any, ...]], *, old: datetime
) -> Iterator[Finding]:
    """Compare rows and texts with the events.

    Rows older than `old` may have been purged. Texts of erased players can't be decrypted.
    """
    missing, erased, stored = dict(expected), crypto_shredding.erased_players(), list(rows)
    texts = crypto_shredding.decrypt_many([text for _, _, text, *_ in stored])
    salts = crypto_shredding.decrypt_many_bytes([bytes(salt) for _, salt, *_ in stored])
    for (subject, stored_salt, ciphertext, *facts), text, salt in zip(stored, texts, salts, strict=True):
        row = missing.pop(subject, None)
        where = f"{table} {subject}"
        if row is None:
            yield Finding("row is extra", where, "none", "a row")
            continue
        for name, due, actual in zip(_FACT_COLUMNS[table], row.facts, facts, strict=True):
            if due != actual:
                yield Finding("row differs", f"{where} {name}", str(due), str(actual))
        if crypto_shredding.owner_of(ciphertext) in erased:
            continue
        if not ciphertext and UUID(bytes=bytes(stored_salt)[:16]) in erased:
            continue
        if not _proves(salt or bytes(stored_salt), subject, text or "", row.digest):
            yield Finding("words differ", where, f"the text of digest {row.digest}", "another text")
    for subject in (subject for subject, row in missing.items() if row.recorded_at >= old):
        yield Finding("row is missing", f"{table} {subject}", "a row", "none")


def _proves(salt: bytes, subject: UUID, text: str, digest: str) -> bool:
    return len(salt) == SALT_BYTES and text_digest(salt=salt, subject=subject, text=text) == digest


def _unrecorded_erasures() -> Iterator[Finding]:
    """Yield keys that were destroyed without a recorded erasure."""
    for (player,) in fetch(_DESTROYED):
        yield Finding("key is gone", f"crypto_personalkey {player}", "a recorded erasure", "none")


def _expected_row(event: ChatPlayerEvent) -> tuple[str, UUID, _ExpectedRow]:
    """Return the table, the key and the content of an event's row."""
    match event:
        case ChatMessageSent():
            facts: tuple[Any, ...] = (event.operator, event.table, event.seat, event.player, event.sent_at)
            return "chat_chatmessage", event.message, _ExpectedRow(event.digest, event.sent_at, facts)
        case PlayerReported():
            facts = (event.operator, event.table, event.seat, event.player, event.reporter, event.message)
            return (
                "chat_chatreport",
                event.report,
                _ExpectedRow(event.digest, event.reported_at, (*facts, event.reported_at)),
            )
        case ChatReportClosed():
            facts = (event.outcome.value, event.closed_at)
            return "chat_chatreportclosure", event.report, _ExpectedRow(event.digest, event.closed_at, facts)
        case PlayerMuted() | PlayerBanned():
            when = event.muted_at if isinstance(event, PlayerMuted) else event.banned_at
            terms: tuple[Any, ...] = (event.reason.value, event.until)
        case _:
            when = event.unmuted_at if isinstance(event, PlayerUnmuted) else event.unbanned_at
            terms = (None, None)
    return (
        "chat_moderationaction",
        event.action,
        _ExpectedRow(event.digest, when, (event.operator, event.player, type(event).__name__, *terms, when)),
    )


def _find_wrongly_masked_messages(among: list[UUID] | None) -> Iterator[UUID]:
    """Yield messages, of all or `among` some, whose displayed text is not their text with words masked."""
    statement = "SELECT id, text, displayed_text FROM chat_chatmessage"
    rows = fetch(statement) if among is None else fetch(f"{statement} WHERE id = ANY (%s::uuid[])", [among])
    originals = crypto_shredding.decrypt_many([text for _, text, _ in rows])
    displayed = crypto_shredding.decrypt_many([text for *_, text in rows])
    for (message, *_), original, text in zip(rows, originals, displayed, strict=True):
        if not _masks(original or "", text or ""):
            yield message


def _masks(original: str, displayed: str) -> bool:
    return len(original) == len(displayed) and all(
        new in {old, MASK_CHARACTER} for old, new in zip(original, displayed, strict=True)
    )


def _find_misattributed_actions() -> list[tuple[str, str, str]]:
    """Return rows whose `by` differs from the log's actor: the row, the actor, and `by`."""
    return [(where, actor, by) for where, actor, by in fetch(_MISATTRIBUTED)]
