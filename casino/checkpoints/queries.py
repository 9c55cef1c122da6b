"""Reads of checkpoints: proofs for third parties, and the status of a checkpoint. No personal data, only digests."""

from collections.abc import Sequence
from dataclasses import dataclass

from casino.checkpoints import records, tree
from casino.checkpoints.document import CheckpointDocument
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.events.sql import fetch
from casino.kernel.merkle import consistency_ranges, path_ranges


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """Proof that the digest is at that position of the checkpoint's tree, at leaf index position - 1."""

    checkpoint: CheckpointDocument
    position: int
    digest: bytes
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """Proof that the newer checkpoint's tree extends the older one's."""

    old: CheckpointDocument
    new: CheckpointDocument
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class CheckpointStatus:
    """Comparison of a checkpoint with the log. `signature_valid` is None when no key is trusted."""

    matches_log: bool
    signature_valid: bool | None
    copied: bool


def get_checkpoint(number: int) -> CheckpointDocument:
    """Return the checkpoint of that number. Raises UnknownCheckpoint."""
    checkpoint = records.find_by_number(number) if 1 <= number < 2**63 else None
    if checkpoint is None:
        raise UnknownCheckpoint
    return checkpoint


def prove_inclusion(*, position: int, number: int | None) -> InclusionProof:
    """Prove a position in the checkpoint of that number, or in the oldest that covers it if None.

    Raises UnknownCheckpoint, NotInCheckpoint.
    """
    checkpoint = records.covering(position) if number is None else get_checkpoint(number)
    if checkpoint is None or position > checkpoint.position:
        raise NotInCheckpoint
    ((digest,),) = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    (path,) = inclusion_paths([position], checkpoint)
    return InclusionProof(checkpoint, position, digest, path)


def prove_consistency(*, old: int, new: int) -> ConsistencyProof:
    """Prove that checkpoint `new` extends `old`. Raises UnknownCheckpoint, CheckpointsReversed."""
    if old > new:
        raise CheckpointsReversed
    first, second = get_checkpoint(old), get_checkpoint(new)
    return ConsistencyProof(first, second, consistency_path(first, second))


def inclusion_paths(positions: Sequence[int], checkpoint: CheckpointDocument) -> list[list[bytes]]:
    """Return the inclusion path of each position in the checkpoint's tree, for `merkle.is_included`, in two statements.

    Positions count from 1, so their leaf index is position - 1. Raises ValueError for a position outside the tree,
    tree.IncompleteTree when the log lacks something.
    """
    ranges_of_paths = [path_ranges(position - 1, checkpoint.position) for position in positions]
    hashes = iter(tree.hashes([each for ranges in ranges_of_paths for each in ranges]))
    return [[next(hashes) for _ in ranges] for ranges in ranges_of_paths]


def consistency_path(old: CheckpointDocument, new: CheckpointDocument) -> list[bytes]:
    """Return the proof that the newer tree extends the older one, for `merkle.is_consistent`.

    Raises ValueError when `new` has fewer positions than `old`, and tree.IncompleteTree.
    """
    return tree.hashes(consistency_ranges(old.position, new.position))


def checkpoint_status(checkpoint: CheckpointDocument) -> CheckpointStatus:
    """Compare a checkpoint with the log. The tree is read as stored; only the audit computes it again."""
    copied = fetch("SELECT EXISTS (SELECT FROM checkpoints_copy WHERE number = %s)", [checkpoint.number])
    keyring = checkpoint_keyring()
    return CheckpointStatus(
        matches_log=records.digest_at(checkpoint.position) == checkpoint.head
        and _root(checkpoint.position) == checkpoint.root,
        signature_valid=keyring.verifies(checkpoint) and checkpoint.log == records.log_id() if keyring.public else None,
        copied=bool(copied[0][0]),
    )


def _root(position: int) -> bytes | None:
    try:
        return tree.root_of(position)
    except tree.IncompleteTree:
        return None
