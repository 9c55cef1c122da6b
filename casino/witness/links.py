"""The secret side of a chain: its links, and the paths that prove them, from a stored part of the tree."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from casino.kernel import merkle
from casino.witness import statements

BLOCK_HEIGHT: Final = 8
"""Subtrees of so many levels are stored by their roots and computed again when a path begins in them."""
_BLOCK: Final = 1 << BLOCK_HEIGHT
_MAX_TREES: Final = 4096
"""Trees that are kept in memory; each takes some 30 kB at the usual height."""


@dataclass(frozen=True, slots=True)
class ChainSecret:
    """k and the roots of the tree's blocks, joined."""

    secret: bytes
    block_roots: bytes

    @classmethod
    def derive(cls, secret: bytes, *, height: int) -> "ChainSecret":
        """Compute all links once; this takes a second for a million."""
        blocks = range(0, 1 << height, _BLOCK)
        roots = (merkle.root(statements.leaf_hashes(secret, start, start + _BLOCK)) for start in blocks)
        return cls(secret, b"".join(roots))

    @property
    def root(self) -> bytes:
        return merkle.root(_split(self.block_roots))


class LinkTrees:
    """Computes paths, and keeps the trees of the chains that were used last: a chain's next index is in the same."""

    def __init__(self) -> None:
        self._trees: OrderedDict[tuple[bytes, int], tuple[list[bytes], list[bytes]]] = OrderedDict()

    def path(self, chain: ChainSecret, index: int) -> list[bytes]:
        """Return the path of a link to the chain's root, for `merkle.is_included`."""
        block, place = divmod(index, _BLOCK)
        lower, upper = self._tree(chain, block)
        return [*_path(lower, place), *_path(upper, block)]

    def _tree(self, chain: ChainSecret, block: int) -> tuple[list[bytes], list[bytes]]:
        key = chain.secret, block
        tree = self._trees.pop(key, None)
        if tree is None:
            leaves = statements.leaf_hashes(chain.secret, block * _BLOCK, (block + 1) * _BLOCK)
            tree = _levels(leaves), _levels(_split(chain.block_roots))
        self._trees[key] = tree
        if len(self._trees) > _MAX_TREES:
            self._trees.popitem(last=False)
        return tree


def _levels(leaves: list[bytes]) -> list[bytes]:
    """Return the levels of a complete tree below its root, each as its hashes joined."""
    levels: list[bytes] = []
    while len(leaves) > 1:
        levels.append(b"".join(leaves))
        leaves = [merkle.node_hash(leaves[place], leaves[place + 1]) for place in range(0, len(leaves), 2)]
    return levels


def _path(levels: list[bytes], place: int) -> list[bytes]:
    places = ((place >> height) ^ 1 for height in range(len(levels)))
    return [level[32 * each : 32 * each + 32] for level, each in zip(levels, places, strict=True)]


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + 32] for start in range(0, len(hashes), 32)]
