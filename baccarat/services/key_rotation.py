"""The use case of rotating keys: seeds under an older key are sealed again under the first one, batch by batch."""

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
    """How many seeds went from which key to the first one, and the shoes whose seeds no key on our ring opens."""

    key: str
    reencrypted: dict[str, int]
    unreadable: tuple[UUID, ...]


def rotate(*, actor: str, batch: int = BATCH) -> ShoeKeyRotation:
    """Seal every seed under the first key of SHOE_KEYS. Each batch is a transaction that says what it did.

    Broken off, it has done whole batches: call it again and it does the rest. Seeds that a process which still has the
    old order of keys sealed meanwhile are left for another call.
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
