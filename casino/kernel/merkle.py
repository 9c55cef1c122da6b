"""The Merkle tree of RFC 9162 (Certificate Transparency Version 2.0), section 2.1, over SHA-256.

A leaf's hash is SHA-256(0x00 || data), a node's SHA-256(0x01 || left || right); a tree of n > 1 leaves splits at the
largest power of two below n; the tree of no leaves has SHA-256 of nothing as its root. The single words below take and
return 32-byte hashes. Proofs are lists of hashes of ranges of leaves: `path_ranges` and `consistency_ranges` name those
ranges, and `peaks` the complete subtrees that each is made of, so that a long log can keep the hashes of complete
subtrees and prove anything from a few of them.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

EMPTY: Final = sha256().digest()
"""The root of a tree without leaves."""


class Range(NamedTuple):
    """The leaves from index `start`, from 0, up to but without `end`."""

    start: int
    end: int


class Subtree(NamedTuple):
    """A complete subtree: its 2**level leaves begin at index place * 2**level."""

    level: int
    place: int


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf that holds `data`."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two hashes."""
    return sha256(b"\x01" + left + right).digest()


def root(leaf_hashes: Sequence[bytes]) -> bytes:
    """Return the hash of the tree over those leaves, in order; EMPTY if there is none."""
    return fold([_complete(leaf_hashes[start:end]) for start, end in _spans(0, len(leaf_hashes))])


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the hash over complete subtrees that stand side by side, larger before smaller, as `peaks` does.

    EMPTY if there is none.
    """
    if not hashes:
        return EMPTY
    *rest, folded = hashes
    for left in reversed(rest):
        folded = node_hash(left, folded)
    return folded


def path(leaf_hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the inclusion proof of the leaf at `index`, from 0: its neighbours' hashes, the lowest first.

    Raises ValueError when there is no such leaf (RFC 9162, 2.1.3.1).
    """
    return [root(leaf_hashes[start:end]) for start, end in path_ranges(index, len(leaf_hashes))]


def consistency(leaf_hashes: Sequence[bytes], old_size: int) -> list[bytes]:
    """Return the proof that the first `old_size` leaves were a tree that has only been added to.

    Empty where there is nothing to prove: for the same size, and for 0. Raises ValueError when the old tree is larger
    (RFC 9162, 2.1.4.1).
    """
    return [root(leaf_hashes[start:end]) for start, end in consistency_ranges(old_size, len(leaf_hashes))]


def is_included(leaf_hash: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Tell whether that leaf stands at `index`, from 0, in the tree of `size` leaves with that root.

    Anything that is no such proof is False; nothing is raised (RFC 9162, 2.1.3.2).
    """
    if not 0 <= index < size:
        return False
    place, last, computed = index, size - 1, leaf_hash
    for neighbour in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            computed = node_hash(neighbour, computed)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            computed = node_hash(computed, neighbour)
        place, last = place >> 1, last >> 1
    return last == 0 and computed == root


def is_consistent(old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether the tree of `new_size` leaves goes on from the one of `old_size`, by their roots.

    Anything that is no such proof is False; nothing is raised. Every tree goes on from the one without leaves (RFC
    9162, 2.1.4.2, which leaves that case out).
    """
    if not 0 <= old_size <= new_size:
        return False
    if old_size in {0, new_size}:
        return not proof and old_root == (new_root if old_size else EMPTY)
    hashes = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    return bool(hashes) and _climb(old_size - 1, new_size - 1, hashes) == (old_root, new_root)


def path_ranges(index: int, size: int) -> list[Range]:
    """Name the ranges whose hashes are the inclusion proof of the leaf at `index` in a tree of `size`.

    Raises ValueError when there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"A tree of {size} leaves has no leaf {index}.")
    found, start, end = [], 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            found.append(Range(middle, end))
            end = middle
        else:
            found.append(Range(start, middle))
            start = middle
    return found[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[Range]:
    """Name the ranges whose hashes are the consistency proof of two sizes.

    Raises ValueError unless 0 <= old_size <= new_size.
    """
    if not 0 <= old_size <= new_size:
        raise ValueError(f"A tree of {new_size} leaves does not go on from one of {old_size}.")
    if old_size in {0, new_size}:
        return []
    found, start, end = [], 0, new_size
    while old_size != end:
        middle = start + _split(end - start)
        if old_size <= middle:
            found.append(Range(middle, end))
            end = middle
        else:
            found.append(Range(start, middle))
            start = middle
    if start:
        found.append(Range(start, end))
    return found[::-1]


def peaks(start: int, end: int) -> list[Subtree]:
    """Name the complete subtrees, larger before smaller, that a proof's range of leaves is made of.

    `fold` of their hashes is the range's. Raises ValueError when no proof has a range that begins and ends so.
    """
    spans = list(_spans(start, end))
    if any(begin % (stop - begin) for begin, stop in spans):
        raise ValueError(f"No tree splits into a part from {start} to {end}.")
    return [Subtree((stop - begin).bit_length() - 1, begin // (stop - begin)) for begin, stop in spans]


def _climb(place: int, last: int, hashes: list[bytes]) -> tuple[bytes, bytes] | None:
    """Both roots that the proof leads to, going up from the last leaf of the old tree; None if it ends elsewhere."""
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = hashes[0]
    for each in hashes[1:]:
        if last == 0:
            return None
        if place & 1 or place == last:
            old, new = node_hash(each, old), node_hash(each, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, each)
        place, last = place >> 1, last >> 1
    return (old, new) if last == 0 else None


def _complete(hashes: Sequence[bytes]) -> bytes:
    """The hash of a subtree whose number of leaves is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[place], hashes[place + 1]) for place in range(0, len(hashes), 2)]
    return hashes[0]


def _spans(start: int, end: int) -> Iterator[Range]:
    """Powers of two, the largest first, that add up to a range."""
    while start < end:
        size = 1 << ((end - start).bit_length() - 1)
        yield Range(start, start + size)
        start += size


def _split(size: int) -> int:
    """The largest power of two below `size`, which is above 1."""
    return 1 << ((size - 1).bit_length() - 1)
