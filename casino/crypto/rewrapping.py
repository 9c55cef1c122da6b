"""Encrypt players' own keys under another of PERSONAL_KEYS, in batches. Data under players' keys stays as it is."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from casino.crypto.crypto_shredding import key_associated_data
from casino.crypto.encryption import DecryptionFailed, EncryptedSecret, decrypt_secret, encrypt_secret
from casino.crypto.models import PersonalKey


@dataclass(frozen=True, slots=True)
class RewrappedBatch:
    """How many keys were under which key of the ring before, and the players whose keys none of the ring decrypts.

    `last` is the player to continue after, None after the last batch.
    """

    keys: Mapping[str, int]
    unreadable: tuple[UUID, ...]
    last: UUID | None


def rewrap(first: str, *, after: UUID, limit: int) -> RewrappedBatch:
    """Encrypt up to `limit` keys, of players above an id, under the first of PERSONAL_KEYS, whose id is `first`.

    Call it in a transaction.
    """
    old = PersonalKey.objects.filter(player_id__gt=after, wrapped__isnull=False).exclude(key_id=first)
    rows = list(old.select_for_update().order_by("player_id")[:limit])
    before: Counter[str] = Counter()
    ready: list[PersonalKey] = []
    unreadable: list[UUID] = []
    for row in rows:
        belongs_to = key_associated_data(row.player_id)
        try:
            key = decrypt_secret(EncryptedSecret(row.key_id, bytes(row.wrapped or b"")), associated_data=belongs_to)
        except DecryptionFailed:
            unreadable.append(row.player_id)
            continue
        before[row.key_id] += 1
        encrypted = encrypt_secret(key, associated_data=belongs_to)
        row.key_id, row.wrapped = encrypted.key_id, encrypted.data
        ready.append(row)
    PersonalKey.objects.bulk_update(ready, ["key_id", "wrapped"])
    return RewrappedBatch(before, tuple(unreadable), rows[-1].player_id if len(rows) == limit else None)
