"""Use case of rotating keys: re-encrypt seeds that are under an older key with the first key, in batches."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.storage import shoe_seeds
from casino.significant import recorder

BATCH: Final = 500
_FIRST: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class ShoeKeyRotation:
    """Number of seeds re-encrypted from each key, and the shoes whose seeds no key decrypts."""

    key: str
    reencrypted: dict[str, int]
    unreadable: tuple[UUID, ...]


def rotate(*, actor: str, batch: int = BATCH) -> ShoeKeyRotation:
    """Re-encrypt every seed with the first key of SHOE_KEYS. Each batch is one transaction that records its results.

    If interrupted, completed batches remain; call it again to do the rest. Seeds encrypted meanwhile by a process with
    the old key order are left for another call.
    """
    resealed: dict[str, int] = {}
    unreadable: list[UUID] = []
    last = _FIRST
    while True:
        with transaction.atomic():
            result = shoe_seeds.reencrypt(after=last, limit=batch)
            if result.reencrypted:
                recorder.record(
                    kind=recorder.SignificantEventKind.KEY_ROTATED,
                    operator=None,
                    subject="keys:shoes",
                    actor=actor,
                    before={"seeds": result.reencrypted},
                    after={"key": result.key, "seeds": sum(result.reencrypted.values())},
                )
        for key, count in result.reencrypted.items():
            resealed[key] = resealed.get(key, 0) + count
        unreadable.extend(result.unreadable)
        if result.last is None:
            return ShoeKeyRotation(result.key, resealed, tuple(unreadable))
        last = result.last
