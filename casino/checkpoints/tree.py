"""The stored Merkle tree over the log's digests. Leaf p - 1 holds the digest of position p.

The hashes of complete subtrees of at least TILE leaves are stored; smaller subtrees are computed from fewer than TILE
digests. So the cost of signing depends on the new events only, and a proof takes few look-ups however long the log is.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from casino.events.sql import execute, fetch
from casino.kernel.merkle import Range, Subtree, fold, leaf_hash, node_hash, peaks, root

STORED_LEVEL: Final = 8
"""The lowest level that is stored; a check constraint of the table repeats it."""
TILE: Final = 2**STORED_LEVEL

_DIGESTS: Final = "SELECT position, digest FROM events_seal WHERE position > %s AND position <= %s ORDER BY position"
_SOME_DIGESTS: Final = """
SELECT seal.position, seal.digest
FROM unnest(%s::bigint[], %s::bigint[]) AS wanted (after, upto)
JOIN events_seal AS seal ON seal.position > wanted.after AND seal.position <= wanted.upto
"""
_NODES: Final = """
SELECT level, place, hash FROM checkpoints_node
JOIN unnest(%s::smallint[], %s::bigint[]) AS wanted (level, place) USING (level, place)
"""
_COVERED: Final = "SELECT coalesce(max(size), 0) FROM checkpoints_checkpoint"
_ADD: Final = """
INSERT INTO checkpoints_node (level, place, hash) SELECT * FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[])
"""


class IncompleteTree(Exception):
    """The log or its tree lacks something below the requested position; the message names it."""


def grow(old: int, new: int) -> None:
    """Store the subtrees that are complete at `new` positions and were not at `old`. Raises IncompleteTree.

    Call it in the transaction that signs. It reads the digests after the last complete tile of `old`.
    """
    start = old // TILE * TILE
    level = _new_tiles(start, new)
    nodes = dict(level)
    known = {**_stored([each for each in peaks(0, start) if each.level >= STORED_LEVEL]), **level}
    while level:
        level = _parents(level, known)
        nodes.update(level)
        known.update(level)
    if nodes:
        execute(_ADD, [[each.level for each in nodes], [each.place for each in nodes], list(nodes.values())])


def covered() -> int:
    """Return for how many positions the tree is stored: up to the newest checkpoint."""
    return int(fetch(_COVERED)[0][0])


def grow_to(size: int) -> None:
    """Store the tree for at least so many positions, as `grow` does."""
    old = covered()
    if size > old:
        grow(old, size)


def hashes(ranges: Sequence[Range]) -> list[bytes]:
    """Return the hash of each range of leaves from `path_ranges` or `consistency_ranges`, in two statements.

    The ranges must be within the stored tree. Raises IncompleteTree.
    """
    subtrees_of_ranges = [peaks(start, end) for start, end in ranges]
    wanted = {each for subtrees in subtrees_of_ranges for each in subtrees}
    known = _stored([each for each in wanted if each.level >= STORED_LEVEL])
    known.update(_computed([each for each in wanted if each.level < STORED_LEVEL]))
    return [fold([known[each] for each in subtrees]) for subtrees in subtrees_of_ranges]


def peaks_of(size: int) -> list[bytes]:
    """Return the hashes of the complete subtrees that make up positions 1 to `size`. Raises IncompleteTree."""
    return hashes([Range(place << level, (place + 1) << level) for level, place in peaks(0, size)])


def root_of(size: int) -> bytes:
    """Return the root over positions 1 to `size`, which must be in the stored tree. Raises IncompleteTree."""
    return hashes([Range(0, size)])[0]


def _new_tiles(start: int, new: int) -> dict[Subtree, bytes]:
    """Compute the complete tiles from `start`, the end of a tile, up to `new`."""
    end = new // TILE * TILE
    rows = fetch(_DIGESTS, [start, end]) if end > start else []
    if len(rows) != max(0, end - start):
        raise IncompleteTree(f"positions {start + 1} to {end}: {len(rows)} seals instead of {end - start}")
    leaves = [leaf_hash(digest) for _, digest in rows]
    return {
        Subtree(STORED_LEVEL, (start + place) // TILE): root(leaves[place : place + TILE])
        for place in range(0, len(leaves), TILE)
    }


def _parents(children: dict[Subtree, bytes], known: dict[Subtree, bytes]) -> dict[Subtree, bytes]:
    """Compute the parents of all right children; their left siblings are new, too, or at the old right edge."""
    parents: dict[Subtree, bytes] = {}
    for (level, place), right in children.items():
        if place % 2:
            left = known.get(Subtree(level, place - 1))
            if left is None:
                raise IncompleteTree(f"node {level}/{place - 1}")
            parents[Subtree(level + 1, place // 2)] = node_hash(left, right)
    return parents


def _stored(wanted: Sequence[Subtree]) -> dict[Subtree, bytes]:
    if not wanted:
        return {}
    rows = fetch(_NODES, [[each.level for each in wanted], [each.place for each in wanted]])
    nodes = {Subtree(level, place): node for level, place, node in rows}
    for each in wanted:
        if each not in nodes:
            raise IncompleteTree(f"node {each.level}/{each.place}")
    return nodes


def _computed(wanted: Sequence[Subtree]) -> dict[Subtree, bytes]:
    """Compute small subtrees from the digests of their leaves."""
    if not wanted:
        return {}
    spans = {each: (each.place << each.level, (each.place + 1) << each.level) for each in wanted}
    rows = fetch(_SOME_DIGESTS, [[start for start, _ in spans.values()], [end for _, end in spans.values()]])
    digests = dict(rows)
    return {each: root(_leaves(digests, range(start + 1, end + 1))) for each, (start, end) in spans.items()}


def _leaves(digests: dict[int, bytes], positions: Iterable[int]) -> list[bytes]:
    try:
        return [leaf_hash(digests[position]) for position in positions]
    except KeyError as error:
        raise IncompleteTree(f"position {error}") from error
