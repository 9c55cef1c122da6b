"""Proofs to a third party: a position is in a checkpoint's tree; one checkpoint's log goes on from another's."""

from collections.abc import Sequence

from casino.checkpoints import tree
from casino.checkpoints.document import CheckpointDocument
from casino.kernel.merkle import consistency_ranges, path_ranges


def inclusion_paths(positions: Sequence[int], checkpoint: CheckpointDocument) -> list[list[bytes]]:
    """Return each position's inclusion path in the checkpoint's tree, as `merkle.is_included` takes it.

    Positions count from 1 and stand at index position - 1. Raises ValueError for a position that the tree does not
    hold, tree.NotWhole when the log has lost what it is made of. Two statements for all of them.
    """
    asked = [path_ranges(position - 1, checkpoint.position) for position in positions]
    found = iter(tree.hashes([one for ranges in asked for one in ranges]))
    return [[next(found) for _ in ranges] for ranges in asked]


def consistency_path(old: CheckpointDocument, new: CheckpointDocument) -> list[bytes]:
    """Return the proof that the newer tree goes on from the older, as `merkle.is_consistent` takes it.

    Raises ValueError when `new` has fewer positions than `old`, and tree.NotWhole.
    """
    return tree.hashes(consistency_ranges(old.position, new.position))
