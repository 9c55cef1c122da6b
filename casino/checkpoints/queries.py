"""What anyone with a credential may ask about the log: checkpoints, keys and proofs. Digests only, nobody's data."""

from dataclasses import dataclass

from casino.checkpoints import proofs, records
from casino.checkpoints.document import CheckpointDocument
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.events.sql import fetch


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """That the digest stands at the position (from 1) of the checkpoint's tree, at leaf index position - 1."""

    checkpoint: CheckpointDocument
    position: int
    digest: bytes
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """That the newer checkpoint's tree goes on from the older one's."""

    old: CheckpointDocument
    new: CheckpointDocument
    path: list[bytes]


def get_checkpoint(number: int) -> CheckpointDocument:
    """Return the checkpoint of that number. Raises UnknownCheckpoint."""
    found = records.find_by_number(number) if 1 <= number < 2**63 else None
    if found is None:
        raise UnknownCheckpoint
    return found


def prove_inclusion(*, position: int, number: int | None) -> InclusionProof:
    """Prove a position in the checkpoint of that number, or in the oldest that holds it when None.

    Raises UnknownCheckpoint, NotInCheckpoint.
    """
    wanted = records.covering(position) if number is None else get_checkpoint(number)
    if wanted is None or position > wanted.position:
        raise NotInCheckpoint
    ((digest,),) = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    (path,) = proofs.inclusion_paths([position], wanted)
    return InclusionProof(wanted, position, digest, path)


def prove_consistency(*, old: int, new: int) -> ConsistencyProof:
    """Prove that checkpoint `new` goes on from `old`. Raises UnknownCheckpoint, CheckpointsReversed."""
    if old > new:
        raise CheckpointsReversed
    first, second = get_checkpoint(old), get_checkpoint(new)
    return ConsistencyProof(first, second, proofs.consistency_path(first, second))
