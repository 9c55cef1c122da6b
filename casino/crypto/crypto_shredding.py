"""Personal data at rest, encrypted under a key of each player's own: destroying the key erases the data.

Covers names, references, chats, what partners write about a player's payments, and what staff write about a player:
notices, notes on adjustments, exclusions, voids, discrepancies and significant events, and why a player is stopped. A
player's key is stored in the database, encrypted under PERSONAL_KEYS from the environment. An encrypted text names its
players, so that the keys of a hundred texts take one query. A text about several players is encrypted under a key
derived from all of theirs: destroying one erases it.
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
from django.db.models.functions import Coalesce, Now

from casino.crypto.encryption import KEY_BYTES, DecryptionFailed, decrypt, encrypt
from casino.crypto.models import PersonalKey
from casino.kernel.errors import Refusal

PREFIX: Final = "~sealed1~"
NOBODY: Final = UUID(int=0)
"""Owns the key for texts that may be about a player of whom nothing is known."""
ERASED: Final = "(erased)"
"""Replaces a text whose key was destroyed."""
UNREADABLE: Final = "(unreadable)"
"""Replaces a text that its key does not decrypt, or whose key is missing."""
REDACTED: Final = "(encrypted text)"
_TOKEN: Final = re.compile(r"~sealed1~[0-9a-f]{32}(?:\.[0-9a-f]{32})*~[A-Za-z0-9_=-]+")


class PersonalDataErased(Refusal):
    code = "person_erased"
    title = "This player's personal data has been erased"
    remedy = "Register the person again."


@dataclass(frozen=True, slots=True)
class PlayerCipher:
    """A player's own key, decrypted."""

    player: UUID
    cipher: AESGCM

    def encrypt_text(self, text: str) -> str:
        """Return the stored form of a text; an empty one stays empty."""
        if not text:
            return text
        return _encrypt(self.cipher, text, (self.player,))

    def encrypt_bytes(self, data: bytes) -> bytes:
        """Return the stored form of bytes: the player's id, then the ciphertext."""
        return self.player.bytes + encrypt(self.cipher, data, associated_data=_belongs_to(self.player))


def new_key(player: UUID) -> tuple[PlayerCipher, PersonalKey]:
    """Draw a key for a player; return it with its row, which is not saved."""
    key = secrets.token_bytes(KEY_BYTES)
    return PlayerCipher(player, AESGCM(key)), PersonalKey(player_id=player).sealed(key)


def get_or_create_cipher(player: UUID) -> PlayerCipher:
    """Load a player's key, or create one. Raises PersonalDataErased, DecryptionFailed."""
    return PlayerCipher(player, AESGCM(_get_or_create_key(player)))


def _get_or_create_key(player: UUID) -> bytes:
    rows = _load_keys([player])
    if not rows:
        _, row = new_key(player)
        PersonalKey.objects.bulk_create([row], ignore_conflicts=True)
        rows = _load_keys([player])
    key_id, wrapped = rows[player]
    if wrapped is None:
        raise PersonalDataErased
    return _unwrap(player, key_id, wrapped)


def _load_keys(players: Collection[UUID]) -> dict[UUID, tuple[str, Any]]:
    rows = PersonalKey.objects.filter(player_id__in=players).values_list("player_id", "key_id", "wrapped")
    return {player: (key_id, wrapped) for player, key_id, wrapped in rows}


def encrypt_text(player: UUID, text: str) -> str:
    """Return the stored form of a text about a player; an empty one stays empty.

    Nothing about an erased player is stored but ERASED. Raises DecryptionFailed.
    """
    if not text:
        return text
    try:
        return get_or_create_cipher(player).encrypt_text(text)
    except PersonalDataErased:
        return ERASED


def encrypt_shared_text(players: Iterable[UUID], text: str) -> str:
    """Return the stored form of a text that may be about any of these players.

    It is ERASED when one of them is erased. Without players the text stays as it is. Raises DecryptionFailed.
    """
    owners = tuple(sorted(set(players)))
    if not text or len(owners) < 2:
        return encrypt_text(owners[0], text) if owners else text
    try:
        return _encrypt(_joint_cipher([_get_or_create_key(player) for player in owners]), text, owners)
    except PersonalDataErased:
        return ERASED


def is_encrypted(value: object) -> bool:
    return isinstance(value, str) and value.startswith(PREFIX)


def decrypt_many(texts: Sequence[str | None]) -> list[str | None]:
    """Decrypt stored texts with one query for all their keys; plain text stays as it is.

    A text whose key was destroyed becomes ERASED, one that cannot be decrypted UNREADABLE. A sentence that quotes
    encrypted texts is returned with those decrypted.
    """
    tokens = {token for text in texts if text for token in _TOKEN.findall(text)}
    keys = _Keys({owner for token in tokens for owner in _owners(token)})
    plain = {token: keys.text(token) for token in tokens}
    return [text and _replace_tokens(text, plain) for text in texts]


def redact(text: str) -> str:
    """Remove the encrypted texts that a text quotes, for records that are kept for good."""
    return _TOKEN.sub(REDACTED, text)


def decrypt_text(text: str) -> str:
    """Decrypt one text, as `decrypt_many` does."""
    return decrypt_many([text])[0] or ""


def _replace_tokens(text: str, plain: Mapping[str, str]) -> str:
    if is_encrypted(text) and not _TOKEN.match(text):
        return UNREADABLE
    return _TOKEN.sub(lambda token: plain[token[0]], text) if PREFIX in text else text


def decrypt_many_bytes(stored: Sequence[bytes]) -> list[bytes | None]:
    """Undo `PlayerCipher.encrypt_bytes`, with one query; None for what cannot be decrypted."""
    keys = _Keys({UUID(bytes=data[:16]) for data in stored if len(data) > 16})
    return [keys.data((UUID(bytes=data[:16]),), data[16:]) if len(data) > 16 else None for data in stored]


def erased_players() -> set[UUID]:
    """Return the players whose keys were destroyed."""
    return set(PersonalKey.objects.filter(wrapped=None).values_list("player_id", flat=True))


def decrypt_rows(rows: Iterable[Any]) -> None:
    """Decrypt, in place, every encrypted text among the attributes of these objects."""
    attributes = ((row, name, value) for row in rows for name, value in vars(row).items() if isinstance(value, str))
    encrypted = [each for each in attributes if PREFIX in each[2]]
    for (row, name, _), text in zip(encrypted, decrypt_many([value for _, _, value in encrypted]), strict=True):
        setattr(row, name, text)


def destroy_key(player: UUID) -> None:
    """Destroy a player's key, so that nothing encrypted under it can be read again. Cannot be undone."""
    PersonalKey.objects.bulk_create([PersonalKey(player_id=player, key_id="")], ignore_conflicts=True)
    PersonalKey.objects.filter(player_id=player).update(
        wrapped=None, key_id="", destroyed_at=Coalesce("destroyed_at", Now())
    )


class _Keys:
    """The keys of some players, loaded at once."""

    def __init__(self, players: Collection[UUID]) -> None:
        self._rows: Mapping[UUID, tuple[str, bytes | None]] = _load_keys(players) if players else {}
        self._ciphers: dict[tuple[UUID, ...], AESGCM | None] = {}

    def text(self, token: str) -> str:
        owners = _owners(token)
        if any(self._rows.get(owner, ("", b""))[1] is None for owner in owners):
            return ERASED
        data = self.data(owners, _payload(token))
        return UNREADABLE if data is None else data.decode()

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
            keys = [_unwrap(owner, *self._rows.get(owner, ("", None))) for owner in owners]
        except DecryptionFailed:
            return None
        return AESGCM(keys[0]) if len(keys) == 1 else _joint_cipher(keys)


def _unwrap(player: UUID, key_id: str, wrapped: bytes | None) -> bytes:
    if wrapped is None:
        raise DecryptionFailed("The player has no key.")
    return PersonalKey(player_id=player, key_id=key_id, wrapped=wrapped).opened()


def _joint_cipher(keys: Sequence[bytes]) -> AESGCM:
    """Derive a key that needs all of these: each is 256 random bits, in the order of their players."""
    return AESGCM(hashlib.sha256(b"casino.personal.joint.v1\x00" + b"".join(keys)).digest())


def owner_of(text: str) -> UUID | None:
    """Return the player whose key decrypts a text; None for plain text and for one of several players."""
    owners = _owners(text) if _TOKEN.fullmatch(text) else ()
    return owners[0] if len(owners) == 1 else None


def _owners(token: str) -> tuple[UUID, ...]:
    return tuple(UUID(hex=each) for each in token[len(PREFIX) :].partition("~")[0].split("."))


def _encrypt(cipher: AESGCM, text: str, owners: tuple[UUID, ...]) -> str:
    data = encrypt(cipher, text.encode(), associated_data=_belongs_to(*owners))
    return f"{PREFIX}{'.'.join(owner.hex for owner in owners)}~{urlsafe_b64encode(data).decode()}"


def _payload(token: str) -> bytes:
    try:
        return urlsafe_b64decode(token.rpartition("~")[2])
    except ValueError:
        return b""


def _belongs_to(*players: UUID) -> bytes:
    return b"casino.personal.v1\x00" + b"".join(player.bytes for player in players)
