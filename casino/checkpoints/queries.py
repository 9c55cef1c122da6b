"""What anyone with a credential may ask about the log: checkpoints, keys and proofs. Digests only, nobody's data."""

from dataclasses import dataclass

from casino.checkpoints import proofs, records
from casino.checkpoints.document import Checkpoint
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.events.sql import fetch


@dataclass(frozen=True, slots=True)
class Inclusion:
    """That the digest stands at the position (from 1) of the checkpoint's tree, at leaf index position - 1."""

    checkpoint: Checkpoint
    position: int
    digest: bytes
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class Consistency:
    """That the newer checkpoint's tree goes on from the older one's."""

    old: Checkpoint
    new: Checkpoint
    path: list[bytes]


def checkpoint(number: int) -> Checkpoint:
    """Return the checkpoint of that number. Raises UnknownCheckpoint."""
    found = records.of_number(number) if 1 <= number < 2**63 else None
    if found is None:
        raise UnknownCheckpoint
    return found


def inclusion(*, position: int, number: int | None) -> Inclusion:
    """Prove a position in the checkpoint of that number, or in the oldest that holds it when None.

    Raises UnknownCheckpoint, NotInCheckpoint.
    """
    wanted = records.covering(position) if number is None else checkpoint(number)
    if wanted is None or position > wanted.position:
        raise NotInCheckpoint
    ((digest,),) = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    (path,) = proofs.proof_of([position], wanted)
    return Inclusion(wanted, position, digest, path)


def consistency(*, old: int, new: int) -> Consistency:
    """Prove that checkpoint `new` goes on from `old`. Raises UnknownCheckpoint, CheckpointsReversed."""
    if old > new:
        raise CheckpointsReversed
    first, second = checkpoint(old), checkpoint(new)
    return Consistency(first, second, proofs.consistency_of(first, second))
