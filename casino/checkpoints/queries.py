"""Reads of checkpoints: proofs for third parties, and the status of a checkpoint. No personal data, only digests."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from casino.checkpoints import notes, records, tree
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.records import SignedCheckpoint
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.crypto.signed_note import MalformedNote, UntrustedNote
from casino.kernel.merkle import consistency_ranges, path_ranges


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """Proof that the digest is at that position of the checkpoint's tree, at leaf index position - 1."""

    checkpoint: SignedCheckpoint
    position: int
    digest: bytes
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """Proof that the newer checkpoint's tree extends the older one's."""

    old: SignedCheckpoint
    new: SignedCheckpoint
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class CheckpointStatus:
    """Comparison of a checkpoint with the log. `signed_by` is None when no key is trusted, "" for no trusted key."""

    matches_log: bool
    signed_by: str | None
    copied: bool


def published() -> SignedCheckpoint:
    """Return the newest checkpoint, cosigned where there are witnesses. Raises UnknownCheckpoint."""
    size = notes.latest_cosigned().size if settings.WITNESSES else 0
    newest = records.find(size) if size else records.latest()
    if newest is None:
        raise UnknownCheckpoint
    return newest


def get_checkpoint(size: int) -> SignedCheckpoint:
    """Return the checkpoint of that size. Raises UnknownCheckpoint."""
    checkpoint = records.find(size)
    if checkpoint is None:
        raise UnknownCheckpoint
    return checkpoint


def prove_inclusion(*, position: int, size: int | None) -> InclusionProof:
    """Prove a position in the checkpoint of that size, or in the oldest that covers it if None.

    Raises UnknownCheckpoint, NotInCheckpoint.
    """
    checkpoint = records.covering(position) if size is None else get_checkpoint(size)
    digest = records.digest_at(position)
    if checkpoint is None or position > checkpoint.size or digest is None:
        raise NotInCheckpoint
    (path,) = inclusion_paths([position], checkpoint)
    return InclusionProof(checkpoint, position, digest, path)


def prove_consistency(*, old: int, new: int) -> ConsistencyProof:
    """Prove that the checkpoint of size `new` extends that of `old`. Raises UnknownCheckpoint, CheckpointsReversed."""
    if old > new:
        raise CheckpointsReversed
    first, second = get_checkpoint(old), get_checkpoint(new)
    return ConsistencyProof(first, second, consistency_path(first, second))


def inclusion_paths(positions: Sequence[int], checkpoint: SignedCheckpoint) -> list[list[bytes]]:
    """Return the inclusion path of each position in the checkpoint's tree, for `merkle.is_included`, in two statements.

    Positions count from 1, so their leaf index is position - 1. Raises ValueError for a position outside the tree,
    tree.IncompleteTree when the log lacks something.
    """
    ranges_of_paths = [path_ranges(position - 1, checkpoint.size) for position in positions]
    hashes = iter(tree.hashes([each for ranges in ranges_of_paths for each in ranges]))
    return [[next(hashes) for _ in ranges] for ranges in ranges_of_paths]


def consistency_path(old: SignedCheckpoint, new: SignedCheckpoint) -> list[bytes]:
    """Return the proof that the newer tree extends the older one, for `merkle.is_consistent`.

    Raises ValueError when `new` has fewer positions than `old`, and tree.IncompleteTree.
    """
    return tree.hashes(consistency_ranges(old.size, new.size))


def checkpoint_status(checkpoint: SignedCheckpoint) -> CheckpointStatus:
    """Compare a checkpoint with the log. The tree is read as stored; only the audit computes it again."""
    copy = records.latest_copy()
    return CheckpointStatus(
        matches_log=_root(checkpoint.size) == checkpoint.root,
        signed_by=_signer(checkpoint) if checkpoint_keyring().public else None,
        copied=copy is not None and copy.size >= checkpoint.size,
    )


def _signer(checkpoint: SignedCheckpoint) -> str:
    try:
        return notes.signer(checkpoint)
    except (MalformedNote, UntrustedNote):
        return ""


def _root(size: int) -> bytes | None:
    try:
        return tree.root_of(size)
    except tree.IncompleteTree:
        return None
