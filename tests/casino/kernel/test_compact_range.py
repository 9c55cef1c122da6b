"""A tree grown leaf by leaf has the root of the whole at every size, and tells of every complete subtree once."""

import pytest

from casino.kernel.compact_range import CompactRange
from casino.kernel.merkle import Subtree, leaf_hash, root

DATA = [number.to_bytes(2) for number in range(70)]
LEAVES = [leaf_hash(each) for each in DATA]


def test_the_root_is_that_of_the_whole_at_every_size():
    grown = CompactRange()
    for size, data in enumerate(DATA):
        assert (grown.size, grown.root()) == (size, root(LEAVES[:size]))
        grown.add(data)


@pytest.mark.parametrize("level", [0, 3])
def test_every_complete_subtree_from_a_level_on_is_told_once(level):
    told = []
    grown = CompactRange(level=level, on_subtree=lambda *one: told.append(one))
    for data in DATA:
        grown.add(data)
    spans = [(each, place) for each in range(level, 7) for place in range(len(DATA) >> each)]
    expected = {Subtree(each, place): root(LEAVES[place << each : (place + 1) << each]) for each, place in spans}
    assert len(told) == len(expected)
    assert dict(told) == expected
