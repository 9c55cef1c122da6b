"""The tree over the log's digests, grown by what is new and asked for few hashes: leaf p - 1 has position p's digest.

Complete subtrees of 2**STORED leaves and more are kept; what is smaller is worked out from the digests, which are read
by ranges of less than 2**STORED rows. So signing costs what came since, and a proof few look-ups, however long the log.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from casino.events.sql import execute, fetch
from casino.kernel.merkle import Range, Subtree, fold, leaf_hash, node_hash, peaks, root

STORED_LEVEL: Final = 8
"""The lowest level whose hashes are kept; the table's rule says so too."""
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
_ADD: Final = """
INSERT INTO checkpoints_node (level, place, hash) SELECT * FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[])
"""


class IncompleteTree(Exception):
    """The log or its tree lacks something below the position that was asked for; the message names it."""


def grow(old: int, new: int) -> None:
    """Keep the subtrees that are complete at `new` positions and were not at `old`. Raises NotWhole.

    Call it in the transaction that signs; it reads the digests after the last complete tile of `old`.
    """
    start = old // TILE * TILE
    found = _tiles(start, new)
    frontier = [each for each in peaks(0, start) if each.level >= STORED_LEVEL]
    known = {**_stored(frontier), **found}
    row = found
    while row:
        row = _above(row, known)
        found.update(row)
        known.update(row)
    if found:
        execute(_ADD, [[each.level for each in found], [each.place for each in found], list(found.values())])


def hashes(ranges: Sequence[Range]) -> list[bytes]:
    """Return the hash of each range of leaves that `path_ranges` or `consistency_ranges` named.

    The ranges must lie within what was grown. Raises NotWhole. Two statements, whatever is asked.
    """
    made_of = [peaks(start, end) for start, end in ranges]
    wanted = {each for some in made_of for each in some}
    known = _stored([each for each in wanted if each.level >= STORED_LEVEL])
    known.update(_worked_out([each for each in wanted if each.level < STORED_LEVEL]))
    return [fold([known[each] for each in some]) for some in made_of]


def peaks_of(size: int) -> list[bytes]:
    """Return the hashes of the complete subtrees side by side over positions 1 to `size`. Raises NotWhole."""
    return hashes([Range(place << level, (place + 1) << level) for level, place in peaks(0, size)])


def root_of(size: int) -> bytes:
    """Return the root over positions 1 to `size`, which were grown. Raises NotWhole."""
    return hashes([Range(0, size)])[0]


def _tiles(start: int, new: int) -> dict[Subtree, bytes]:
    """The complete tiles after `start`, which ends one, up to `new`."""
    end = new // TILE * TILE
    rows = fetch(_DIGESTS, [start, end]) if end > start else []
    if len(rows) != max(0, end - start):
        raise IncompleteTree(f"positions {start + 1} to {end}: {len(rows)} seals instead of {end - start}")
    leaves = [leaf_hash(digest) for _, digest in rows]
    return {
        Subtree(STORED_LEVEL, (start + place) // TILE): root(leaves[place : place + TILE])
        for place in range(0, len(leaves), TILE)
    }


def _above(row: dict[Subtree, bytes], known: dict[Subtree, bytes]) -> dict[Subtree, bytes]:
    """The nodes above a row's right halves; their left halves are new as well, or stood at the old edge."""
    made: dict[Subtree, bytes] = {}
    for (level, place), right in row.items():
        if place % 2:
            left = known.get(Subtree(level, place - 1))
            if left is None:
                raise IncompleteTree(f"node {level}/{place - 1}")
            made[Subtree(level + 1, place // 2)] = node_hash(left, right)
    return made


def _stored(wanted: Sequence[Subtree]) -> dict[Subtree, bytes]:
    if not wanted:
        return {}
    rows = fetch(_NODES, [[each.level for each in wanted], [each.place for each in wanted]])
    found = {Subtree(level, place): kept for level, place, kept in rows}
    for each in wanted:
        if each not in found:
            raise IncompleteTree(f"node {each.level}/{each.place}")
    return found


def _worked_out(wanted: Sequence[Subtree]) -> dict[Subtree, bytes]:
    """Small subtrees from the digests of their leaves."""
    if not wanted:
        return {}
    spans = {each: (each.place << each.level, (each.place + 1) << each.level) for each in wanted}
    rows = fetch(_SOME_DIGESTS, [[start for start, _ in spans.values()], [end for _, end in spans.values()]])
    leaves = dict(rows)
    return {each: root(_leaves(leaves, range(start + 1, end + 1))) for each, (start, end) in spans.items()}


def _leaves(digests: dict[int, bytes], positions: Iterable[int]) -> list[bytes]:
    try:
        return [leaf_hash(digests[position]) for position in positions]
    except KeyError as missing:
        raise IncompleteTree(f"position {missing}") from missing
