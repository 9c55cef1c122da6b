"""The Merkle tree of RFC 9162 (Certificate Transparency Version 2.0), section 2.1, over SHA-256.

A leaf's hash is SHA-256(0x00 || data), a node's SHA-256(0x01 || left || right); a tree of n > 1 leaves splits at the
largest power of two below n; the root of the empty tree is SHA-256 of the empty string. Hashes have 32 bytes. A proof
is a list of hashes of ranges of leaves: `path_ranges` and `consistency_ranges` return those ranges, and `peaks` the
complete subtrees of a range, so that a log that stores the hashes of complete subtrees can prove anything from a few.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

EMPTY: Final = sha256().digest()
"""The root of the empty tree."""


class Range(NamedTuple):
    """The leaves with indexes from `start`, counted from 0, up to but not including `end`."""

    start: int
    end: int


class Subtree(NamedTuple):
    """A complete subtree of 2**level leaves, the first of which has index place * 2**level."""

    level: int
    place: int


SubtreeCallback = Callable[[Subtree, bytes], object]


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two hashes."""
    return sha256(b"\x01" + left + right).digest()


def root(leaf_hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaves, in order; EMPTY without leaves."""
    return fold([_complete(leaf_hashes[start:end]) for start, end in _spans(0, len(leaf_hashes))])


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the hash over adjacent complete subtrees in the order of `peaks`; EMPTY without any."""
    if not hashes:
        return EMPTY
    *rest, folded = hashes
    for left in reversed(rest):
        folded = node_hash(left, folded)
    return folded


def path(leaf_hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the inclusion proof of the leaf at `index`, counted from 0 (RFC 9162, 2.1.3.1).

    Raises ValueError when there is no such leaf.
    """
    return [root(leaf_hashes[start:end]) for start, end in path_ranges(index, len(leaf_hashes))]


def consistency(leaf_hashes: Sequence[bytes], old_size: int) -> list[bytes]:
    """Return the proof that the tree extends the tree of the first `old_size` leaves (RFC 9162, 2.1.4.1).

    The proof is empty for the same size and for 0. Raises ValueError when the old tree is larger.
    """
    return [root(leaf_hashes[start:end]) for start, end in consistency_ranges(old_size, len(leaf_hashes))]


def is_included(leaf_hash: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether `path` proves the leaf at `index`, counted from 0, of the tree of `size` leaves with that root.

    Never raises; a malformed proof is False (RFC 9162, 2.1.3.2).
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
    """Return whether `proof` shows that the tree of `new_size` leaves extends the one of `old_size` leaves.

    Never raises; a malformed proof is False. Every tree extends the empty one (RFC 9162, 2.1.4.2, omits that case).
    """
    if not 0 <= old_size <= new_size:
        return False
    if old_size in {0, new_size}:
        return not proof and old_root == (new_root if old_size else EMPTY)
    hashes = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    return bool(hashes) and _roots_of_proof(old_size - 1, new_size - 1, hashes) == (old_root, new_root)


def path_ranges(index: int, size: int) -> list[Range]:
    """Return the ranges whose hashes are the inclusion proof of the leaf at `index` in a tree of `size` leaves.

    Raises ValueError when there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"A tree of {size} leaves has no leaf {index}.")
    ranges: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            ranges.append(Range(middle, end))
            end = middle
        else:
            ranges.append(Range(start, middle))
            start = middle
    return ranges[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[Range]:
    """Return the ranges whose hashes are the consistency proof of two sizes.

    Raises ValueError unless 0 <= old_size <= new_size.
    """
    if not 0 <= old_size <= new_size:
        raise ValueError(f"A tree of {new_size} leaves does not extend one of {old_size}.")
    if old_size in {0, new_size}:
        return []
    ranges: list[Range] = []
    start, end = 0, new_size
    while old_size != end:
        middle = start + _split(end - start)
        if old_size <= middle:
            ranges.append(Range(middle, end))
            end = middle
        else:
            ranges.append(Range(start, middle))
            start = middle
    if start:
        ranges.append(Range(start, end))
    return ranges[::-1]


def peaks(start: int, end: int) -> list[Subtree]:
    """Return the complete subtrees, larger before smaller, that make up a range of leaves in a proof.

    `fold` of their hashes is the hash of the range. Raises ValueError for a range that no proof contains.
    """
    spans = list(_spans(start, end))
    if any(begin % (stop - begin) for begin, stop in spans):
        raise ValueError(f"No proof has a range from {start} to {end}.")
    return [Subtree((stop - begin).bit_length() - 1, begin // (stop - begin)) for begin, stop in spans]


def _roots_of_proof(place: int, last: int, hashes: list[bytes]) -> tuple[bytes, bytes] | None:
    """Compute both roots from a proof, upwards from the last leaf of the old tree; None if it does not fit."""
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
    """Return the hash of a complete subtree."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[place], hashes[place + 1]) for place in range(0, len(hashes), 2)]
    return hashes[0]


def _spans(start: int, end: int) -> Iterator[Range]:
    """Split a range into powers of two, the largest first."""
    while start < end:
        size = 1 << ((end - start).bit_length() - 1)
        yield Range(start, start + size)
        start += size


def _split(size: int) -> int:
    """Return the largest power of two below `size`, which is above 1."""
    return 1 << ((size - 1).bit_length() - 1)


class CompactRange:
    """The right edge of a growing tree: the hashes needed to add leaves and to compute the root at any size.

    It starts with `size` leaves and the hashes of `peaks(0, size)`. `on_subtree(subtree, hash)` is called for every
    subtree of `level` and above as it becomes complete.
    """

    def __init__(
        self, *, size: int = 0, peaks: Sequence[bytes] = (), level: int = 0, on_subtree: SubtreeCallback | None = None
    ) -> None:
        self.size = size
        self._peaks = list(peaks)
        self._level = level
        self._on_subtree = on_subtree

    def add(self, data: bytes) -> None:
        """Add a leaf. Hashes are computed inline for speed: this runs for every event of a log."""
        place, hashed, level, peaks = self.size, sha256(b"\x00" + data).digest(), 0, self._peaks
        self.size = place + 1
        while place & 1:
            if level >= self._level and self._on_subtree is not None:
                self._on_subtree(Subtree(level, place), hashed)
            hashed = sha256(b"\x01" + peaks.pop() + hashed).digest()
            place, level = place >> 1, level + 1
        peaks.append(hashed)
        if level >= self._level and self._on_subtree is not None:
            self._on_subtree(Subtree(level, place), hashed)

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        return fold(self._peaks)
