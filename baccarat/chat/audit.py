"""Chats as an audit follows them: who wrote while muted or too fast, what is kept against its digests, and the rows."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.chat import message_audit, projection, proof
from baccarat.chat.events import (
    ChatEvent,
    ChatMessageSent,
    FilterEvent,
    FilterWordAdded,
    PlayerReported,
    chat_filter_stream,
    chat_stream,
)
from baccarat.chat.rules import MESSAGES, NEWCOMER, ModerationState, evolve
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.operators import bans

_DESTROYED: Final = """
    SELECT player_id FROM crypto_personalkey AS kept WHERE wrapped IS NULL AND NOT EXISTS (
        SELECT FROM significant_significantevent
         WHERE kind = 'data_erased' AND subject = 'player:' || kept.player_id)
"""
RETENTION: Final = timedelta(days=1827)
"""How long the database holds on to them; older ones may be purged."""


@dataclass(slots=True)
class _Trace:
    """A player's stream so far, and the times of the last messages."""

    operator: UUID
    conduct: ModerationState = NEWCOMER
    said: deque[datetime] = field(default_factory=lambda: deque(maxlen=MESSAGES.count))


class ChatTraces:
    """Everything that the log has told of chats."""

    def __init__(self) -> None:
        self._players: dict[UUID, _Trace] = {}
        self._words: dict[str, FilterWordAdded] = {}
        self._lists: dict[str, int] = {}
        self._due: dict[str, dict[UUID, message_audit.ExpectedRow]] = {
            table: {} for table in message_audit.SELECT_STATEMENTS
        }

    def replay(self, event: ChatEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Follow one event and yield what contradicts the rules."""
        if isinstance(event, FilterEvent):
            yield from self._listed(event, stream=stream, version=version, where=where)
            return
        player = event.reporter if isinstance(event, PlayerReported) else event.player
        trace = self._players.setdefault(player, _Trace(event.operator))
        yield from _place(chat_stream(player), trace.conduct.version, stream=stream, version=version, where=where)
        if isinstance(event, ChatMessageSent):
            yield from _said(event, trace, where)
        trace.conduct = evolve(trace.conduct, event)
        table, subject, due = message_audit.expected_row(event)
        self._due[table][subject] = due

    def check_state(self) -> Iterator[Finding]:
        """Compare what is kept, and the rows, with what the events have led to."""
        yield from _unrecorded()
        old = fetch("SELECT clock_timestamp()")[0][0] - RETENTION
        for table, statement in message_audit.SELECT_STATEMENTS.items():
            yield from _texts(table, self._due[table], fetch(statement), old=old)
        for message in message_audit.find_wrongly_masked_messages():
            where = f"chat_chatmessage {message} shown"
            yield Finding("row differs", where, "what was said, with words covered", "another text")
        for where, actor, by in message_audit.find_misattributed_actions():
            yield Finding("row differs", f"{where} by", actor, by)
        voices = {
            player: projection.moderation_row(trace.conduct, operator=trace.operator, player=player)
            for player, trace in self._players.items()
        }
        yield from _rows(projection.MODERATION_TABLE, voices, projection.load_moderation_rows())
        words = {key: projection.filter_word_row(event) for key, event in self._words.items()}
        yield from _rows(projection.FILTER_WORD_TABLE, words, projection.load_filter_word_rows())
        gone = {
            player: trace.conduct.ban.until for player, trace in self._players.items() if trace.conduct.ban is not None
        }
        yield from _rows(bans.TABLE, gone, bans.all_bans())

    def _listed(self, event: FilterEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        before = self._lists.get(stream, 0)
        self._lists[stream] = version
        yield from _place(chat_filter_stream(event.operator), before, stream=stream, version=version, where=where)
        key = projection.filter_word_id(event.operator, event.folded)
        if isinstance(event, FilterWordAdded) == (key in self._words):
            known = "a word on the list" if key not in self._words else "a word not on the list"
            yield Finding("event out of place", where, known, event.folded)
        if isinstance(event, FilterWordAdded):
            self._words[key] = event
        else:
            self._words.pop(key, None)


def _place(due: str, before: int, *, stream: str, version: int, where: str) -> Iterator[Finding]:
    if stream != due:
        yield Finding("stream differs", where, due, stream)
    if version != before + 1:
        yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")


def _said(event: ChatMessageSent, trace: _Trace, where: str) -> Iterator[Finding]:
    mute, now = trace.conduct.mute, event.sent_at
    if mute is not None and mute.is_active(now):
        yield Finding("written while muted", where, f"nothing until {mute.until}", str(now))
    if len(trace.said) == MESSAGES.count and trace.said[0] > now - MESSAGES.window:
        yield Finding("written too fast", where, f"{MESSAGES.count} in {MESSAGES.window}", str(now))
    trace.said.append(now)


def _texts(
    table: str, due: Mapping[UUID, message_audit.ExpectedRow], rows: Iterable[tuple[Any, ...]], *, old: datetime
) -> Iterator[Finding]:
    """Compares what is kept with the log. What is older than `old` may be purged; who is erased can't be read."""
    missing, gone, found = dict(due), crypto_shredding.erased_players(), list(rows)
    texts = crypto_shredding.decrypt_many([text for _, _, text, *_ in found])
    salts = crypto_shredding.decrypt_many_bytes([bytes(salt) for _, salt, *_ in found])
    for (subject, stored, sealed, *facts), text, salt in zip(found, texts, salts, strict=True):
        wanted = missing.pop(subject, None)
        where = f"{table} {subject}"
        if wanted is None:
            yield Finding("row is extra", where, "none", "a row")
            continue
        for name, right, has in zip(message_audit.FACT_COLUMNS[table], wanted.facts, facts, strict=True):
            if right != has:
                yield Finding("row differs", f"{where} {name}", str(right), str(has))
        if crypto_shredding.owner_of(sealed) in gone or (not sealed and UUID(bytes=bytes(stored)[:16]) in gone):
            continue
        if not _proves(salt or bytes(stored), subject, text or "", wanted.digest):
            yield Finding("words differ", where, f"the text of digest {wanted.digest}", "another text")
    for subject in (subject for subject, each in missing.items() if each.recorded_at >= old):
        yield Finding("row is missing", f"{table} {subject}", "a row", "none")


def _proves(salt: bytes, subject: UUID, text: str, digest: str) -> bool:
    return len(salt) == proof.SALT_BYTES and proof.digest(salt=salt, subject=subject, text=text) == digest


def _unrecorded() -> Iterator[Finding]:
    """Keys that were destroyed while nobody recorded an erasure: what they sealed could have said anything."""
    for (player,) in fetch(_DESTROYED):
        yield Finding("key is gone", f"crypto_personalkey {player}", "a recorded erasure", "none")


def _rows(table: str, due: Mapping[Any, Any], found: Mapping[Any, Any]) -> Iterator[Finding]:
    for key in sorted(due.keys() | found.keys(), key=str):
        where = f"{table} {key}"
        if key not in found:
            yield Finding("row is missing", where, "a row", "none")
        elif key not in due:
            yield Finding("row is extra", where, "none", "a row")
        elif due[key] != found[key]:
            yield Finding("row differs", where, str(due[key]), str(found[key]))
