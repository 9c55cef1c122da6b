"""Stores chats: events with their encrypted texts, projections of players and filter words, and their rebuild."""

import functools
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, get_args
from uuid import UUID

from baccarat.chat.events import (
    SALT_BYTES,
    ChatEvent,
    ChatPlayerEvent,
    FilterEvent,
    FilterWordAdded,
    ModerationReason,
    PlayerReported,
    chat_stream,
    text_digest,
)
from baccarat.chat.models import FilterWord, PlayerModeration
from baccarat.chat.rules import NEWCOMER, ModerationState, Sanction, evolve
from casino.crypto import crypto_shredding
from casino.events.codec import EventRegistry, EventType
from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append
from casino.operators import sessions

CATALOGUE: Final = EventRegistry(EventType(event) for event in get_args(ChatEvent))
"""Every event of chats, with its schema."""
MODERATION: Final = ProjectionTable.of(PlayerModeration)
FILTER_WORDS: Final = ProjectionTable.of(FilterWord)
PROJECTIONS: Final = {
    MODERATION.table: "player_id",
    FILTER_WORDS.table: "id",
    sessions.BAN_TABLE: "player_id",
}
"""Tables that can be rebuilt from the events, with their keys."""
# Inserts a new player's row, or locks the row that is there: later transactions wait here.
_LOCK: Final = f"""
    INSERT INTO chat_playermoderation AS stored (player_id, operator_id, version) VALUES (%s, %s, 0)
    ON CONFLICT (player_id) DO UPDATE SET version = stored.version RETURNING {", ".join(MODERATION.names)}
"""  # noqa: S608  (constants)


def load_moderation(*, operator: UUID, player: UUID) -> ModerationState:
    rows = PlayerModeration.objects.filter(player_id=player, operator_id=operator)
    row = rows.values_list(*MODERATION.names).first()
    return ModerationState() if row is None else _moderation_state(row)


def save_moderation(state: ModerationState, *, operator: UUID, player: UUID) -> None:
    MODERATION.upsert([moderation_row(state, operator=operator, player=player)])


def moderation_row(state: ModerationState, *, operator: UUID, player: UUID) -> Row:
    (mute_reason, muted_until), (ban_reason, banned_until) = _columns(state.mute), _columns(state.ban)
    return MODERATION.row(
        player_id=player,
        operator_id=operator,
        version=state.version,
        mute_reason=mute_reason,
        muted_until=muted_until,
        ban_reason=ban_reason,
        banned_until=banned_until,
    )


def filter_word_id(operator: UUID | None, normalized: str) -> str:
    """Return the key of a word's row: a word is on each list once."""
    return f"{operator or 'everyone'}/{normalized}"


def filter_word_row(event: FilterWordAdded) -> Row:
    return FILTER_WORDS.row(
        id=filter_word_id(event.operator, event.normalized),
        operator_id=event.operator,
        word=event.word,
        normalized=event.normalized,
        added_at=event.added_at,
    )


def add_word(event: FilterWordAdded) -> None:
    FILTER_WORDS.upsert([filter_word_row(event)])


def remove_word(operator: UUID | None, normalized: str) -> None:
    FilterWord.objects.filter(id=filter_word_id(operator, normalized)).delete()


def _moderation_state(row: tuple[Any, ...]) -> ModerationState:
    _, _, version, mute_reason, muted_until, ban_reason, banned_until = row
    mute = None if mute_reason is None else Sanction(muted_until, ModerationReason(mute_reason))
    ban = None if ban_reason is None else Sanction(banned_until, ModerationReason(ban_reason))
    return ModerationState(version, mute, ban)


def _columns(sanction: Sanction | None) -> tuple[Any, Any]:
    return (None, None) if sanction is None else (sanction.reason.value, sanction.until)


@dataclass(frozen=True, slots=True)
class PersonalText:
    """A personal text, what it belongs to, and the salt of its digest."""

    subject: UUID
    text: str
    salt: bytes

    @property
    def digest(self) -> str:
        return text_digest(salt=self.salt, subject=self.subject, text=self.text)


@dataclass(frozen=True, slots=True)
class EncryptedText:
    """A personal text as it is stored: text and salt encrypted with the key of its writer or subject."""

    text: str
    salt: bytes


@dataclass(frozen=True, slots=True)
class LockedModeration:
    """A player's state in a locked row, and the database's time after locking it."""

    operator: UUID
    player: UUID
    state: ModerationState
    now: datetime


def new_personal_text(text: str, *, subject: UUID) -> PersonalText:
    """Salt a text about a subject, such as a message or a report."""
    return PersonalText(subject, text, os.urandom(SALT_BYTES))


def encrypt_personal_text(text: PersonalText, *, player: UUID) -> EncryptedText:
    """Encrypt a text with a player's key, so that it is lost when the key is destroyed. Raises PersonErased."""
    key = crypto_shredding.get_or_create_cipher(player)
    return EncryptedText(key.encrypt_text(text.text), key.encrypt_bytes(text.salt))


def lock_moderation(*, operator: UUID, player: UUID) -> LockedModeration:
    """Lock a player's state until the transaction ends. Call it inside one."""
    state = _moderation_state(fetch(_LOCK, [player, operator])[0])
    return LockedModeration(operator, player, state, fetch("SELECT clock_timestamp()")[0][0])


def record(locked: LockedModeration, event: ChatPlayerEvent, metadata: Metadata) -> ModerationState:
    """Append an event to the player's stream, and save and return the state after it."""
    append([Append(chat_stream(locked.player), locked.state.version, (CATALOGUE.encode(event),), metadata)])
    after = evolve(locked.state, event)
    save_moderation(after, operator=locked.operator, player=locked.player)
    return after


def _project(events: Events) -> None:
    for history in stream_histories(CATALOGUE, events, *(event.__name__ for event in CATALOGUE.events)):
        if isinstance(history[0], FilterEvent):
            _project_filter_words(history)
        else:
            _project_player(history)


def _project_filter_words(history: list[FilterEvent]) -> None:
    for event in history:
        if isinstance(event, FilterWordAdded):
            add_word(event)
        else:
            remove_word(event.operator, event.normalized)


def _project_player(history: list[ChatPlayerEvent]) -> None:
    first = history[0]
    player = first.reporter if isinstance(first, PlayerReported) else first.player
    state = functools.reduce(evolve, history, NEWCOMER)
    save_moderation(state, operator=first.operator, player=player)
    if state.ban is None:
        sessions.lift_ban(player=player)
    else:
        sessions.save_ban(player=player, until=state.ban.until)


PROJECTOR: Final = Projector(PROJECTIONS, _project)
"""Derives the projections from the events."""
