"""How an act of or about a player is written: the player's row locked, the clock read after it, the event appended."""

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
    """A text of a person as it is kept: for what, with which salt, and the digest that the log has of it."""

    subject: UUID
    text: str
    salt: bytes

    @property
    def digest(self) -> str:
        """What the log remembers of it."""
        return proof.digest(salt=self.salt, subject=self.subject, text=self.text)


@dataclass(frozen=True, slots=True)
class EncryptedText:
    """Words as they are stored: text and salt sealed under the key of whose they are, or whom they are about."""

    text: str
    salt: bytes


@dataclass(frozen=True, slots=True)
class LockedModeration:
    """A player's locked page: who it is about, what holds, and the database's time since it is locked."""

    operator: UUID
    player: UUID
    moderation: ModerationState
    now: datetime


def new_personal_text(text: str, *, subject: UUID | None = None) -> PersonalText:
    """Make words of a text, for a new subject unless one is given."""
    return PersonalText(subject or new_id(), text, os.urandom(proof.SALT_BYTES))


def encrypt_personal_text(words: PersonalText, *, player: UUID) -> EncryptedText:
    """Seal words under a player's key, so that they go when it is destroyed. Raises PersonErased."""
    key = crypto_shredding.get_or_create_cipher(player)
    return EncryptedText(key.encrypt_text(words.text), key.encrypt_bytes(words.salt))


def lock_moderation(*, operator: UUID, player: UUID) -> LockedModeration:
    """Lock a player's page until the transaction ends. Call it inside one."""
    conduct = projection.lock(operator=operator, player=player)
    return LockedModeration(operator, player, conduct, fetch("SELECT clock_timestamp()")[0][0])


def record(page: LockedModeration, event: ChatPlayerEvent, metadata: Metadata) -> ModerationState:
    """Append an event to the player's stream, and keep what holds after it."""
    append([Append(chat_stream(page.player), page.moderation.version, (CATALOGUE.encode(event),), metadata)])
    after = evolve(page.moderation, event)
    projection.save(after, operator=page.operator, player=page.player)
    return after
