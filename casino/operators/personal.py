"""What is personal, at rest: sealed under a key of each player's own, and gone for good when that key is destroyed.

A player's key lies in the database, sealed under PERSONAL_KEYS from outside of it. A text names the player whose key
opens it, so that a hundred texts of a table's players are opened with one question. References are found by a mark of
theirs: an HMAC under the last one of PERSONAL_KEYS, which therefore stays where it is.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import transaction

from casino.events.rows import execute, fetch
from casino.kernel.refusals import Kind, Refusal
from casino.sealing import KEY, Sealed, Unreadable, decrypt, encrypt, seal, unseal

PREFIX: Final = "~sealed1~"
ERASED: Final = "(erased)"
"""What stands in the place of a text whose key was destroyed."""
UNREADABLE: Final = "(unreadable)"
"""What stands in the place of a text that its key does not open, or whose key is missing."""

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
_OLD: Final = "SELECT player_id, key_id, wrapped FROM operators_personalkey WHERE wrapped IS NOT NULL AND key_id <> %s"
_WRAP: Final = "UPDATE operators_personalkey SET key_id = %s, wrapped = %s WHERE player_id = %s AND wrapped IS NOT NULL"


class PersonErased(Refusal):
    code = "person_erased"
    kind = Kind.CONFLICT
    title = "What was personal of this player has been erased"
    remedy = "Register the person anew."


@dataclass(frozen=True, slots=True)
class PersonalKey:
    """A player's own key, opened."""

    player: UUID
    cipher: AESGCM

    def text(self, text: str) -> str:
        """This will seal a text, to be stored in place of it; an empty one stays empty."""
        if not text:
            return text
        sealed = encrypt(self.cipher, text.encode(), belongs_to=_belongs_to(self.player))
        return f"{PREFIX}{self.player.hex}~{urlsafe_b64encode(sealed).decode()}"

    def data(self, data: bytes) -> bytes:
        """This will seal bytes, to be stored in place of them, after the id of whose they are."""
        return self.player.bytes + encrypt(self.cipher, data, belongs_to=_belongs_to(self.player))


def new_key(player: UUID) -> tuple[PersonalKey, Sealed]:
    """This will draw a key for a player, with what is to be stored of it."""
    drawn = secrets.token_bytes(KEY)
    return PersonalKey(player, AESGCM(drawn)), seal(drawn, belongs_to=_wrapped_for(player))


def key_of(player: UUID) -> PersonalKey:
    """This will open a player's key, or give the player one. Raises PersonErased, Unreadable."""
    rows = fetch(_KEYS, [[player]])
    if not rows:
        _, sealed = new_key(player)
        execute(_KEEP, [player, sealed.key_id, sealed.data])
        rows = fetch(_KEYS, [[player]])
    ((_, key_id, wrapped),) = rows
    if wrapped is None:
        raise PersonErased
    return _opened_key(player, key_id, wrapped)


def mark(reference: str) -> bytes:
    """This will return what an operator's reference of a player is found by."""
    last = settings.PERSONAL_KEYS.rpartition(",")[2].strip().partition(":")[2]
    return hmac.digest(bytes.fromhex(last), b"casino.personal.reference.v1\x00" + reference.encode(), "sha256")


def is_sealed(value: object) -> bool:
    """This will tell whether a stored value is a sealed text."""
    return isinstance(value, str) and value.startswith(PREFIX)


def opened(texts: Sequence[str | None]) -> list[str | None]:
    """This will open stored texts with one question for all their keys; what was never sealed stays as it is.

    One whose key was destroyed is ERASED, one that can't be opened UNREADABLE.
    """
    keys = _Keys({owner_of(text) for text in texts if text is not None and is_sealed(text)})
    return [keys.text(text) if text is not None and is_sealed(text) else text for text in texts]


def opened_data(stored: Sequence[bytes]) -> list[bytes | None]:
    """This will open what `PersonalKey.data` has sealed, with one question; None for what can't be opened."""
    keys = _Keys({UUID(bytes=data[:16]) for data in stored if len(data) > 16})
    return [keys.data(UUID(bytes=data[:16]), data[16:]) if len(data) > 16 else None for data in stored]


def destroyed() -> set[UUID]:
    """This will return the players whose keys were destroyed."""
    return {player for (player,) in fetch("SELECT player_id FROM operators_personalkey WHERE wrapped IS NULL")}


def open_rows(rows: Iterable[Any]) -> None:
    """This will open every sealed text among the values of these objects, in their places, with one question."""
    found = [(row, name, value) for row in rows for name, value in vars(row).items() if is_sealed(value)]
    for (row, name, _), text in zip(found, opened([value for _, _, value in found]), strict=True):
        setattr(row, name, text)


def destroy(player: UUID) -> None:
    """This will destroy a player's key, so that nothing that was sealed under it can be read again. Not undone."""
    execute(_DESTROY, [player])


def rewrap() -> int:
    """This will seal every player's key under the first of PERSONAL_KEYS, and return how many were not.

    Raises Unreadable.
    """
    with transaction.atomic():
        first = settings.PERSONAL_KEYS.partition(":")[0].strip()
        old = fetch(_OLD, [first])
        for player, key_id, wrapped in old:
            drawn = unseal(Sealed(key_id, bytes(wrapped)), belongs_to=_wrapped_for(player))
            sealed = seal(drawn, belongs_to=_wrapped_for(player))
            execute(_WRAP, [sealed.key_id, sealed.data, player])
    return len(old)


class _Keys:
    """The keys of some players, asked for at once."""

    def __init__(self, players: Collection[UUID | None]) -> None:
        wanted = [player for player in players if player is not None]
        rows = fetch(_KEYS, [wanted]) if wanted else []
        self._known: Mapping[UUID, tuple[str, bytes | None]] = {player: (one, two) for player, one, two in rows}
        self._ciphers: dict[UUID, AESGCM | None] = {}

    def text(self, text: str) -> str:
        player = owner_of(text)
        if player is not None and player in self._known and self._known[player][1] is None:
            return ERASED
        found = None if player is None else self.data(player, _payload(text))
        return UNREADABLE if found is None else found.decode()

    def data(self, player: UUID, data: bytes) -> bytes | None:
        cipher = self._cipher(player)
        if cipher is None:
            return None
        try:
            return decrypt(cipher, data, belongs_to=_belongs_to(player))
        except Unreadable:
            return None

    def _cipher(self, player: UUID) -> AESGCM | None:
        if player not in self._ciphers:
            key_id, wrapped = self._known.get(player, ("", None))
            try:
                self._ciphers[player] = None if wrapped is None else _opened_key(player, key_id, wrapped).cipher
            except Unreadable:
                self._ciphers[player] = None
        return self._ciphers[player]


def _opened_key(player: UUID, key_id: str, wrapped: bytes) -> PersonalKey:
    return PersonalKey(player, AESGCM(unseal(Sealed(key_id, bytes(wrapped)), belongs_to=_wrapped_for(player))))


def owner_of(text: str) -> UUID | None:
    """This will tell whose key opens a sealed text; None for one that is none."""
    if not is_sealed(text):
        return None
    try:
        return UUID(hex=text[len(PREFIX) : len(PREFIX) + 32])
    except ValueError:
        return None


def _payload(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text[len(PREFIX) + 33 :])
    except ValueError:
        return b""


def _belongs_to(player: UUID) -> bytes:
    return b"casino.personal.v1\x00" + player.bytes


def _wrapped_for(player: UUID) -> bytes:
    return b"casino.personal.key.v1\x00" + player.bytes
