"""Players' own keys under another of PERSONAL_KEYS, batch by batch; what is sealed under them stays as it is."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from casino.crypto.crypto_shredding import key_associated_data
from casino.crypto.encryption import DecryptionFailed, EncryptedSecret, decrypt_secret, encrypt_secret
from casino.events.sql import execute, fetch

_OLD: Final = """
    SELECT player_id, key_id, wrapped FROM operators_personalkey
     WHERE player_id > %s AND wrapped IS NOT NULL AND key_id <> %s ORDER BY player_id LIMIT %s FOR UPDATE
"""
_WRAP: Final = """
    UPDATE operators_personalkey SET key_id = given.key_id, wrapped = given.wrapped
      FROM unnest(%s::uuid[], %s::text[], %s::bytea[]) AS given (player_id, key_id, wrapped)
     WHERE operators_personalkey.player_id = given.player_id
"""


@dataclass(frozen=True, slots=True)
class RewrappedBatch:
    """What one batch did: keys by the one of the ring they were under, players of keys that none opens, where to go on.

    `last` is None when it was the last batch.
    """

    keys: Mapping[str, int]
    unreadable: tuple[UUID, ...]
    last: UUID | None


def rewrap(first: str, *, after: UUID, limit: int) -> RewrappedBatch:
    """Seal up to `limit` keys, of players after an id, under the first of PERSONAL_KEYS, whose id is `first`.

    Call it in a transaction.
    """
    rows = fetch(_OLD, [after, first, limit])
    ready: list[tuple[UUID, str, EncryptedSecret]] = []
    unreadable: list[UUID] = []
    for player, key_id, wrapped in rows:
        belongs_to = key_associated_data(player)
        try:
            drawn = decrypt_secret(EncryptedSecret(key_id, bytes(wrapped)), associated_data=belongs_to)
        except DecryptionFailed:
            unreadable.append(player)
            continue
        ready.append((player, key_id, encrypt_secret(drawn, associated_data=belongs_to)))
    if ready:
        columns = (
            [player for player, _, _ in ready],
            [new.key_id for _, _, new in ready],
            [new.data for *_, new in ready],
        )
        execute(_WRAP, list(columns))
    last = rows[-1][0] if len(rows) == limit else None
    return RewrappedBatch(Counter(before for _, before, _ in ready), tuple(unreadable), last)
