"""Chats in the audit: mutes and rates, personal texts against their digests, and the projections."""

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
"""How long the database keeps rows; older ones may be purged."""


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
        self._due: dict[str, dict[UUID, message_audit.ExpectedRow]] = {
            table: {} for table in message_audit.SELECT_STATEMENTS
        }

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
        table, subject, due = message_audit.expected_row(event)
        self._due[table][subject] = due

    def check_state(self) -> Iterator[Finding]:
        """Compare the tables with the replayed state."""
        yield from _unrecorded_erasures()
        old = fetch("SELECT clock_timestamp()")[0][0] - RETENTION
        for table, statement in message_audit.SELECT_STATEMENTS.items():
            yield from _check_texts(table, self._due[table], fetch(statement), old=old)
        for message in message_audit.find_wrongly_masked_messages():
            where = f"chat_chatmessage {message} displayed_text"
            yield Finding("row differs", where, "the text with words masked", "another text")
        for where, actor, by in message_audit.find_misattributed_actions():
            yield Finding("row differs", f"{where} by", actor, by)
        yield from projection.MODERATION.compare(
            projection.moderation_row(trace.state, operator=trace.operator, player=player)
            for player, trace in self._players.items()
        )
        yield from projection.FILTER_WORDS.compare(map(projection.filter_word_row, self._words.values()))
        yield from self._check_bans()

    def _check_bans(self) -> Iterator[Finding]:
        states = ((player, trace.state) for player, trace in self._players.items())
        expected = {player: state.ban.until for player, state in states if state.ban is not None}
        stored = bans.all_bans()
        for player in sorted(expected.keys() | stored.keys()):
            where = f"{bans.TABLE} {player}"
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
        key = projection.filter_word_id(event.operator, event.normalized)
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
    table: str, expected: Mapping[UUID, message_audit.ExpectedRow], rows: Iterable[tuple[Any, ...]], *, old: datetime
) -> Iterator[Finding]:
    """Rows older than `old` may be missing, as they may be purged. Texts of erased players can't be decrypted."""
    missing, erased, stored = dict(expected), crypto_shredding.erased_players(), list(rows)
    texts = crypto_shredding.decrypt_many([text for _, _, text, *_ in stored])
    salts = crypto_shredding.decrypt_many_bytes([bytes(salt) for _, salt, *_ in stored])
    for (subject, stored_salt, ciphertext, *facts), text, salt in zip(stored, texts, salts, strict=True):
        row = missing.pop(subject, None)
        where = f"{table} {subject}"
        if row is None:
            yield Finding("row is extra", where, "none", "a row")
            continue
        for name, due, actual in zip(message_audit.FACT_COLUMNS[table], row.facts, facts, strict=True):
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
    return len(salt) == proof.SALT_BYTES and proof.digest(salt=salt, subject=subject, text=text) == digest


def _unrecorded_erasures() -> Iterator[Finding]:
    """Keys that were destroyed without a recorded erasure: what they encrypted could have been anything."""
    for (player,) in fetch(_DESTROYED):
        yield Finding("key is gone", f"crypto_personalkey {player}", "a recorded erasure", "none")
