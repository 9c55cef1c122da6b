"""Late reveals: publishes seeds of rounds that were voided while their key was missing."""

from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.tables.commands import RevealShoe
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.events.store import Metadata

ACTOR: Final = "system:reveal"

_OWED: Final = """
SELECT round.id, round.operator_id, secret.shoe_id, round.state->'opened'->>'commitment'
  FROM baccarat_shoesecret AS secret
  JOIN baccarat_round AS round ON round.phase = 'voided' AND round.state->'opened'->>'shoe' = secret.shoe_id::text
 WHERE round.state->'opened'->>'commitment' IS NOT NULL ORDER BY round.id
"""


def reveal_overdue_seeds() -> int:
    """Reveal all seeds that can be read now, each in its own transaction. Returns the number revealed."""
    return sum(_reveal(*row) for row in fetch(_OWED))


def _reveal(round_: UUID, operator: UUID, shoe: UUID, commitment: str) -> bool:
    metadata = Metadata(operator=str(operator), actor=ACTOR, causation="late reveal", correlation=f"round-{round_}")
    with transaction.atomic():
        journal, now = repository.lock_table_of_round(round_=round_, operator=operator)
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is None:
            return False
        journal.decide_on_table(RevealShoe(shoe=shoe, round=round_, commitment=commitment, seed=seed.hex(), now=now))
        journal.revealed_shoes.append(shoe)
        repository.save([(journal, metadata)])
    return True
