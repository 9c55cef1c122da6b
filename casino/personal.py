"""What is personal, at rest: sealed under a key of each player's own, and gone for good when that key is destroyed.

Names, references, chats, and words of staff about a player: notices, notes of adjustments, exclusions and payments
that differ, remarks on significant events. A player's key lies in the database, sealed under PERSONAL_KEYS from outside
of it. A text names the player whose key opens it, so that a hundred texts of a table's players take one question.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

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
_OLD: Final = """
    SELECT player_id, key_id, wrapped FROM operators_personalkey
     WHERE player_id > %s AND wrapped IS NOT NULL AND key_id <> %s ORDER BY player_id LIMIT %s FOR UPDATE
"""
_WRAP: Final = """
    UPDATE operators_personalkey SET key_id = given.key_id, wrapped = given.wrapped
      FROM unnest(%s::uuid[], %s::text[], %s::bytea[]) AS given (player_id, key_id, wrapped)
     WHERE operators_personalkey.player_id = given.player_id
"""


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


def words(player: UUID, text: str) -> str:
    """This will seal words about a player, to be stored in place of them; empty ones stay empty.

    About one whose key was destroyed no words are kept: what is stored then is ERASED. Raises Unreadable.
    """
    if not text:
        return text
    try:
        return key_of(player).text(text)
    except PersonErased:
        return ERASED


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


@dataclass(frozen=True, slots=True)
class Rewrapped:
    """What one batch did: keys by the one of the ring they were under, players of keys that none opens, where to go on.

    `last` is None when it was the last batch.
    """

    keys: Mapping[str, int]
    unreadable: tuple[UUID, ...]
    last: UUID | None


def rewrap(first: str, *, after: UUID, limit: int) -> Rewrapped:
    """This will seal up to `limit` keys, of players after an id, under the first of PERSONAL_KEYS, whose id is `first`.

    Call it in a transaction.
    """
    rows = fetch(_OLD, [after, first, limit])
    ready: list[tuple[UUID, str, Sealed]] = []
    unreadable: list[UUID] = []
    for player, key_id, wrapped in rows:
        belongs_to = _wrapped_for(player)
        try:
            drawn = unseal(Sealed(key_id, bytes(wrapped)), belongs_to=belongs_to)
        except Unreadable:
            unreadable.append(player)
            continue
        ready.append((player, key_id, seal(drawn, belongs_to=belongs_to)))
    if ready:
        columns = (
            [player for player, _, _ in ready],
            [new.key_id for _, _, new in ready],
            [new.data for *_, new in ready],
        )
        execute(_WRAP, list(columns))
    last = rows[-1][0] if len(rows) == limit else None
    return Rewrapped(Counter(before for _, before, _ in ready), tuple(unreadable), last)


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
