"""Writes events about a player: locks the player's row, reads the clock, appends, and saves the new state."""

import os
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.chat import projection, proof
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import ChatPlayerEvent, chat_stream
from baccarat.chat.rules import ModerationState, evolve
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append


@dataclass(frozen=True, slots=True)
class PersonalText:
    """A personal text, what it belongs to, and the salt of its digest."""

    subject: UUID
    text: str
    salt: bytes

    @property
    def digest(self) -> str:
        return proof.digest(salt=self.salt, subject=self.subject, text=self.text)


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


def new_personal_text(text: str, *, subject: UUID | None = None) -> PersonalText:
    """Salt a text, for a new subject unless one is passed."""
    return PersonalText(subject or new_id(), text, os.urandom(proof.SALT_BYTES))


def encrypt_personal_text(text: PersonalText, *, player: UUID) -> EncryptedText:
    """Encrypt a text with a player's key, so that it is lost when the key is destroyed. Raises PersonErased."""
    key = crypto_shredding.get_or_create_cipher(player)
    return EncryptedText(key.encrypt_text(text.text), key.encrypt_bytes(text.salt))


def lock_moderation(*, operator: UUID, player: UUID) -> LockedModeration:
    """Lock a player's state until the transaction ends. Call it inside one."""
    state = projection.lock(operator=operator, player=player)
    return LockedModeration(operator, player, state, fetch("SELECT clock_timestamp()")[0][0])


def record(locked: LockedModeration, event: ChatPlayerEvent, metadata: Metadata) -> ModerationState:
    """Append an event to the player's stream, and save and return the state after it."""
    append([Append(chat_stream(locked.player), locked.state.version, (CATALOGUE.encode(event),), metadata)])
    after = evolve(locked.state, event)
    projection.save(after, operator=locked.operator, player=locked.player)
    return after
