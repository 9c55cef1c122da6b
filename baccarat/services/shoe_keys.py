"""Use cases of shoe keys: re-encrypt seeds after a rotation, and reveal seeds whose key was missing."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.tables import shoes
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.significant import recorder

REVEAL_ACTOR: Final = "system:reveal"
BATCH: Final = 500
_FIRST: Final = UUID(int=0)
_OVERDUE: Final = """
SELECT round.id, round.operator_id
  FROM baccarat_round AS round
  JOIN events_event AS opened ON opened.stream = 'round-' || round.id AND opened.version = 1
  JOIN baccarat_shoesecret AS secret ON secret.shoe_id::text = opened.data->>'shoe'
 WHERE round.phase = 'voided' AND opened.data->>'commitment' IS NOT NULL ORDER BY round.id
"""


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
    reencrypted: dict[str, int] = {}
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
            reencrypted[key] = reencrypted.get(key, 0) + count
        unreadable.extend(result.unreadable)
        if result.last is None:
            return ShoeKeyRotation(result.key, reencrypted, tuple(unreadable))
        last = result.last


def reveal_overdue_seeds() -> int:
    """Reveal the seeds of rounds voided while their key was missing, each in its own transaction.

    Returns the number revealed.
    """
    return sum(_reveal(*row) for row in fetch(_OVERDUE))


def _reveal(round_: UUID, operator: UUID) -> bool:
    metadata = Metadata(
        operator=str(operator), actor=REVEAL_ACTOR, causation="late reveal", correlation=f"round-{round_}"
    )
    with transaction.atomic():
        uow, now = repository.lock_table_of_round(round_=round_, operator=operator)
        opened = repository.load_round(round_)[0].require_opened()
        shoe, commitment = opened.shoe, opened.commitment
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is None:
            return False
        drawing = Drawing(opened.table, shoe, opened.number)
        uow.on_table(shoes.reveal_shoe, drawing=drawing, round_=round_, commitment=commitment, seed=seed.hex(), at=now)
        uow.revealed_shoes.append(shoe)
        repository.save([(uow, metadata)])
    return True
