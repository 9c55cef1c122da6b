"""The tree computed again from the log's digests, and every signed root and every kept node held against it."""

from collections.abc import Iterator, Sequence
from typing import Final

from casino.checkpoints import tree
from casino.checkpoints.document import CheckpointDocument
from casino.events.sql import fetch
from casino.kernel.compact_range import CompactRange
from casino.kernel.findings import Finding
from casino.kernel.merkle import Subtree

CUT: Final = "tail cut"
DIFFERS: Final = "log differs from its checkpoint"
NODE: Final = "tree node differs"
CHUNK: Final = 20_000

_DIGESTS: Final = """
SELECT position, digest FROM events_seal WHERE position > %s AND position <= %s ORDER BY position LIMIT %s
"""
_NODES: Final = "SELECT level, place, hash FROM checkpoints_node WHERE ((place + 1) << level::integer) > %s"


class TreeCheck:
    """Begins at `since`, whose root the kept tree must have, or at the first event; `covered` positions are kept."""

    def __init__(self, since: CheckpointDocument | None, *, covered: int) -> None:
        self.findings: list[Finding] = []
        self._covered = covered
        self._start = 0
        peaks: Sequence[bytes] = ()
        if since is not None and self._is_kept(since):
            self._start, peaks = since.position, tree.peaks_of(since.position)
        rows = fetch(_NODES, [self._start])
        self._kept = {Subtree(level, place): bytes(hashed) for level, place, hashed in rows}
        self._tree = CompactRange(size=self._start, peaks=peaks, level=tree.STORED_LEVEL, on_subtree=self._seen)

    def check(self, claims: Sequence[CheckpointDocument]) -> list[Finding]:
        """Grow the tree over all that the claims, of any order, speak of; returns what contradicts.

        Claims at or before the start are passed over.
        """
        wanted = sorted((each for each in claims if each.position > self._start), key=_place, reverse=True)
        last = max(self._covered, wanted[0].position if wanted else 0)
        for digest in self._digests(last):
            self._tree.add(digest)
            while wanted and wanted[-1].position == self._tree.size:
                self._hold(wanted.pop(), digest)
        if wanted:
            first, end = wanted[-1], f"the log ends at {self._tree.size}"
            self.findings.append(Finding(CUT, f"checkpoint {first.number}", f"position {first.position}", end))
        self._judge_rest()
        return self.findings

    def _is_kept(self, since: CheckpointDocument) -> bool:
        """Whether the kept tree has the signed root; if not it is told, and everything is computed again."""
        try:
            root = tree.root_of(since.position)
        except tree.IncompleteTree as trouble:
            self.findings.append(Finding(NODE, f"checkpoint {since.number}", since.root.hex(), str(trouble)))
            return False
        if root != since.root:
            self.findings.append(Finding(NODE, f"checkpoint {since.number}", since.root.hex(), root.hex()))
        return root == since.root

    def _hold(self, claim: CheckpointDocument, digest: bytes) -> None:
        root = self._tree.root()
        if (root, digest) != (claim.root, claim.head):
            expected = f"root {claim.root.hex()}, head {claim.head.hex()}"
            found = f"root {root.hex()}, head {digest.hex()}"
            self.findings.append(Finding(DIFFERS, f"checkpoint {claim.number}", expected, found))

    def _seen(self, subtree: Subtree, hashed: bytes) -> None:
        stored = self._kept.pop(subtree, None)
        if stored == hashed or (stored is None and _end(subtree) > self._covered):
            return
        self._tell(subtree, hashed.hex(), "none" if stored is None else stored.hex())

    def _judge_rest(self) -> None:
        """Kept nodes that no checkpoint speaks of."""
        for subtree, stored in sorted(self._kept.items()):
            if _end(subtree) > self._covered:
                self._tell(subtree, "none", stored.hex())

    def _tell(self, subtree: Subtree, expected: str, found: str) -> None:
        where = f"level {subtree.level} place {subtree.place}"
        self.findings.append(Finding(NODE, where, expected, found))

    def _digests(self, last: int) -> Iterator[bytes]:
        """The digests by position, up to the first that is missing: verification names it."""
        position = self._start
        while rows := fetch(_DIGESTS, [position, last, CHUNK]):
            for place, digest in rows:
                if place != position + 1:
                    return
                position = place
                yield digest


def _place(claim: CheckpointDocument) -> tuple[int, int]:
    return claim.position, claim.number


def _end(subtree: Subtree) -> int:
    return (subtree.place + 1) << subtree.level
