"""The right edge of a growing Merkle tree (RFC 9162): all that is needed to go on, and to say the root at any size."""

from collections.abc import Callable, Sequence
from hashlib import sha256

from casino.kernel.merkle import Subtree, fold

SubtreeCallback = Callable[[Subtree, bytes], object]


class CompactRange:
    """Complete subtrees side by side, larger before smaller; `size` leaves so far.

    `seen(subtree, hash)` is told of every subtree of `level` and above as it becomes complete. It begins with `size`
    leaves and the hashes that `merkle.peaks(0, size)` names.
    """

    def __init__(
        self, *, size: int = 0, peaks: Sequence[bytes] = (), level: int = 0, on_subtree: SubtreeCallback | None = None
    ) -> None:
        self.size = size
        self._peaks = list(peaks)
        self._level = level
        self._seen = on_subtree

    def add(self, data: bytes) -> None:
        """Add the leaf that holds `data`. Written for speed: it is called for every event of a log."""
        place, hashed, level, peaks = self.size, sha256(b"\x00" + data).digest(), 0, self._peaks
        self.size = place + 1
        while place & 1:
            if level >= self._level and self._seen is not None:
                self._seen(Subtree(level, place), hashed)
            hashed = sha256(b"\x01" + peaks.pop() + hashed).digest()
            place, level = place >> 1, level + 1
        peaks.append(hashed)
        if level >= self._level and self._seen is not None:
            self._seen(Subtree(level, place), hashed)

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        return fold(self._peaks)
