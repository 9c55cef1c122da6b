"""What is personal, at rest: sealed under a key of each player's own, and gone for good when that key is destroyed.

Names, references, chats, and words of staff about a player: notices, notes of adjustments, exclusions, voids and
payments that differ, why a player is stopped, remarks on significant events. A player's key lies in the database,
sealed under PERSONAL_KEYS from outside of it. A text names the players whose keys open it, so that a hundred texts take
one question. Words about several are sealed under a key made of all of theirs: to destroy one destroys the words.
"""

import hashlib
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from casino.crypto.encryption import (
    KEY_BYTES,
    DecryptionFailed,
    EncryptedSecret,
    decrypt,
    decrypt_secret,
    encrypt,
    encrypt_secret,
)
from casino.events.sql import execute, fetch
from casino.kernel.errors import Refusal, RefusalKind

PREFIX: Final = "~sealed1~"
ERASED: Final = "(erased)"
"""What stands in the place of a text whose key was destroyed."""
UNREADABLE: Final = "(unreadable)"
"""What stands in the place of a text that its key does not open, or whose key is missing."""
REDACTED: Final = "(sealed words)"
_TOKEN: Final = re.compile(r"~sealed1~[0-9a-f]{32}(?:\.[0-9a-f]{32})*~[A-Za-z0-9_=-]+")

_KEYS: Final = "SELECT player_id, key_id, wrapped FROM operators_personalkey WHERE player_id = ANY (%s::uuid[])"
_KEEP: Final = """
    INSERT INTO operators_personalkey (player_id, key_id, wrapped, made_at) VALUES (%s, %s, %s, clock_timestamp())
    ON CONFLICT (player_id) DO NOTHING
"""
_DESTROY: Final = """
    INSERT INTO operators_personalkey AS kept (player_id, key_id, wrapped, made_at, destroyed_at)
    VALUES (%s, '', NULL, clock_timestamp(), clock_timestamp())
    ON CONFLICT (player_id) DO UPDATE SET wrapped = NULL, key_id = '',
                                          destroyed_at = coalesce(kept.destroyed_at, excluded.destroyed_at)
"""


class PersonalDataErased(Refusal):
    code = "person_erased"
    kind = RefusalKind.CONFLICT
    title = "What was personal of this player has been erased"
    remedy = "Register the person anew."


@dataclass(frozen=True, slots=True)
class PlayerCipher:
    """A player's own key, opened."""

    player: UUID
    cipher: AESGCM

    def encrypt_text(self, text: str) -> str:
        """Seal a text, to be stored in place of it; an empty one stays empty."""
        if not text:
            return text
        return _sealed(self.cipher, text, (self.player,))

    def encrypt_bytes(self, data: bytes) -> bytes:
        """Seal bytes, to be stored in place of them, after the id of whose they are."""
        return self.player.bytes + encrypt(self.cipher, data, associated_data=_belongs_to(self.player))


def new_key(player: UUID) -> tuple[PlayerCipher, EncryptedSecret]:
    """Draw a key for a player, with what is to be stored of it."""
    drawn = secrets.token_bytes(KEY_BYTES)
    return PlayerCipher(player, AESGCM(drawn)), encrypt_secret(drawn, associated_data=key_associated_data(player))


def get_or_create_cipher(player: UUID) -> PlayerCipher:
    """Open a player's key, or give the player one. Raises PersonErased, Unreadable."""
    return PlayerCipher(player, AESGCM(_drawn(player)))


def _drawn(player: UUID) -> bytes:
    rows = fetch(_KEYS, [[player]])
    if not rows:
        _, sealed = new_key(player)
        execute(_KEEP, [player, sealed.key_id, sealed.data])
        rows = fetch(_KEYS, [[player]])
    ((_, key_id, wrapped),) = rows
    if wrapped is None:
        raise PersonalDataErased
    return _unwrapped(player, key_id, wrapped)


def encrypt_text(player: UUID, text: str) -> str:
    """Seal words about a player, to be stored in place of them; empty ones stay empty.

    About one whose key was destroyed no words are kept: what is stored then is ERASED. Raises Unreadable.
    """
    if not text:
        return text
    try:
        return get_or_create_cipher(player).encrypt_text(text)
    except PersonalDataErased:
        return ERASED


def encrypt_shared_text(players: Iterable[UUID], text: str) -> str:
    """Seal words that may speak of any of these players, to be stored in place of them.

    They are ERASED when one of the players is; of nobody they stay as they are. Raises Unreadable.
    """
    whose = tuple(sorted(set(players)))
    if not text or len(whose) < 2:
        return encrypt_text(whose[0], text) if whose else text
    try:
        return _sealed(_joint([_drawn(player) for player in whose]), text, whose)
    except PersonalDataErased:
        return ERASED


def is_encrypted(value: object) -> bool:
    """Tell whether a stored value is a sealed text."""
    return isinstance(value, str) and value.startswith(PREFIX)


def decrypt_many(texts: Sequence[str | None]) -> list[str | None]:
    """Open stored texts with one question for all their keys; what was never sealed stays as it is.

    One whose key was destroyed is ERASED, one that can't be opened UNREADABLE. A sentence that quotes sealed words is
    returned with those words opened.
    """
    found = {token for text in texts if text for token in _TOKEN.findall(text)}
    keys = _Keys({owner for token in found for owner in _owners(token)})
    said = {token: keys.text(token) for token in found}
    return [text and _quoting(text, said) for text in texts]


def redact(text: str) -> str:
    """Leave out the sealed words that a text quotes, for what is kept for good and can't forget them."""
    return _TOKEN.sub(REDACTED, text)


def decrypt_text(text: str) -> str:
    """Open the sealed words that one text is or quotes, as `opened` does."""
    return decrypt_many([text])[0] or ""


def _quoting(text: str, said: Mapping[str, str]) -> str:
    if is_encrypted(text) and not _TOKEN.match(text):
        return UNREADABLE
    return _TOKEN.sub(lambda token: said[token[0]], text) if PREFIX in text else text


def decrypt_many_bytes(stored: Sequence[bytes]) -> list[bytes | None]:
    """Open what `PersonalKey.data` has sealed, with one question; None for what can't be opened."""
    keys = _Keys({UUID(bytes=data[:16]) for data in stored if len(data) > 16})
    return [keys.data((UUID(bytes=data[:16]),), data[16:]) if len(data) > 16 else None for data in stored]


def erased_players() -> set[UUID]:
    """Return the players whose keys were destroyed."""
    return {player for (player,) in fetch("SELECT player_id FROM operators_personalkey WHERE wrapped IS NULL")}


def decrypt_rows(rows: Iterable[Any]) -> None:
    """Open every text among the values of these objects that is sealed or quotes what is, in their places."""
    named = ((row, name, value) for row in rows for name, value in vars(row).items() if isinstance(value, str))
    found = [each for each in named if PREFIX in each[2]]
    for (row, name, _), text in zip(found, decrypt_many([value for _, _, value in found]), strict=True):
        setattr(row, name, text)


def destroy_key(player: UUID) -> None:
    """Destroy a player's key, so that nothing that was sealed under it can be read again. Not undone."""
    execute(_DESTROY, [player])


class _Keys:
    """The keys of some players, asked for at once."""

    def __init__(self, players: Collection[UUID]) -> None:
        rows = fetch(_KEYS, [list(players)]) if players else []
        self._known: Mapping[UUID, tuple[str, bytes | None]] = {player: (one, two) for player, one, two in rows}
        self._ciphers: dict[tuple[UUID, ...], AESGCM | None] = {}

    def text(self, token: str) -> str:
        owners = _owners(token)
        if any(self._known.get(owner, ("", b""))[1] is None for owner in owners):
            return ERASED
        found = self.data(owners, _payload(token))
        return UNREADABLE if found is None else found.decode()

    def data(self, owners: tuple[UUID, ...], data: bytes) -> bytes | None:
        if owners not in self._ciphers:
            self._ciphers[owners] = self._cipher(owners)
        cipher = self._ciphers[owners]
        try:
            return None if cipher is None else decrypt(cipher, data, associated_data=_belongs_to(*owners))
        except DecryptionFailed:
            return None

    def _cipher(self, owners: tuple[UUID, ...]) -> AESGCM | None:
        try:
            drawn = [_unwrapped(owner, *self._known.get(owner, ("", None))) for owner in owners]
        except DecryptionFailed:
            return None
        return AESGCM(drawn[0]) if len(drawn) == 1 else _joint(drawn)


def _unwrapped(player: UUID, key_id: str, wrapped: bytes | None) -> bytes:
    if wrapped is None:
        raise DecryptionFailed("The player has no key.")
    return decrypt_secret(EncryptedSecret(key_id, bytes(wrapped)), associated_data=key_associated_data(player))


def _joint(drawn: Sequence[bytes]) -> AESGCM:
    """A key that only who has all of these can make: each is 256 bits of chance, in the order of their players."""
    return AESGCM(hashlib.sha256(b"casino.personal.joint.v1\x00" + b"".join(drawn)).digest())


def owner_of(text: str) -> UUID | None:
    """Tell whose key opens a sealed text; None for one that is none, or is of several players."""
    owners = _owners(text) if _TOKEN.fullmatch(text) else ()
    return owners[0] if len(owners) == 1 else None


def _owners(token: str) -> tuple[UUID, ...]:
    return tuple(UUID(hex=each) for each in token[len(PREFIX) :].partition("~")[0].split("."))


def _sealed(cipher: AESGCM, text: str, owners: tuple[UUID, ...]) -> str:
    sealed = encrypt(cipher, text.encode(), associated_data=_belongs_to(*owners))
    return f"{PREFIX}{'.'.join(owner.hex for owner in owners)}~{urlsafe_b64encode(sealed).decode()}"


def _payload(token: str) -> bytes:
    try:
        return urlsafe_b64decode(token.rpartition("~")[2])
    except ValueError:
        return b""


def _belongs_to(*players: UUID) -> bytes:
    return b"casino.personal.v1\x00" + b"".join(player.bytes for player in players)


def key_associated_data(player: UUID) -> bytes:
    """Say what a stored key of a player's is bound to."""
    return b"casino.personal.key.v1\x00" + player.bytes
