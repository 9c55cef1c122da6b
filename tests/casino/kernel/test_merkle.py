"""RFC 9162 trees: known roots and proofs, comparison with the RFC's definitions, refusal of every changed proof."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.kernel import merkle
from tests.support.depth import examples

# The eight leaves, and the roots of their first 1 to 8, that Certificate Transparency's implementations share as test
# vectors for RFC 6962, whose hashing RFC 9162 keeps.
LEAVES = [
    merkle.leaf_hash(bytes.fromhex(data))
    for data in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
FIRST_OF_EIGHT = [
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
]
SIZES = st.integers(1, 70)
A_FEW = settings(max_examples=examples(25))


def split(size):
    """Return the largest power of two below `size`, by the RFC's definition."""
    k = 1
    while k * 2 < size:
        k *= 2
    return k


def node(left, right):
    return sha256(b"\x01" + left + right).digest()


def mth(leaves):
    """Return the tree hash by RFC 9162, 2.1.1."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return node(mth(leaves[:k]), mth(leaves[k:]))


def path(m, leaves):
    """Return the inclusion proof by RFC 9162, 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    return [*path(m, leaves[:k]), mth(leaves[k:])] if m < k else [*path(m - k, leaves[k:]), mth(leaves[:k])]


def subproof(m, leaves, b):
    """Return the consistency proof by RFC 9162, 2.1.4.1."""
    if m == len(leaves):
        return [] if b else [mth(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], b), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


def leaves_of(size):
    return [merkle.leaf_hash(number.to_bytes(4)) for number in range(size)]


def flipped(value, bit):
    changed = bytearray(value)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("size", range(1, 9))
def test_the_shared_vectors_have_their_roots(size):
    assert merkle.root(LEAVES[:size]).hex() == ROOTS[size - 1]


def test_the_empty_tree_has_the_hash_of_the_empty_string():
    assert merkle.root([]).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_shared_vectors_first_path():
    assert [each.hex() for each in merkle.path(LEAVES, 0)] == FIRST_OF_EIGHT


def test_the_example_of_the_rfc():
    """Check the tree of seven leaves of RFC 9162, 2.1.5, with the RFC's letters for its nodes."""
    a, b, c, d, e, f, j = leaves = leaves_of(7)
    g, h, i = node(a, b), node(c, d), node(e, f)
    k, l = node(g, h), node(i, j)  # noqa: E741  (the RFC's letter)
    assert merkle.path(leaves, 0) == [b, h, l]
    assert merkle.path(leaves, 3) == [c, g, l]
    assert merkle.path(leaves, 4) == [f, j, k]
    assert merkle.path(leaves, 6) == [i, k]
    assert merkle.consistency(leaves, 3) == [c, d, g, l]
    assert merkle.consistency(leaves, 4) == [l]
    assert merkle.consistency(leaves, 6) == [i, j, k]


@A_FEW
@given(SIZES, st.data())
def test_roots_and_proofs_equal_the_rfcs_definitions(size, data):
    leaves = leaves_of(size)
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    assert merkle.root(leaves) == mth(leaves)
    assert merkle.path(leaves, index) == path(index, leaves)
    assert merkle.consistency(leaves, old) == subproof(old, leaves, True)


def test_every_leaf_of_every_small_tree_is_included_at_its_index_only():
    for size in range(1, 18):
        leaves = leaves_of(size)
        root = merkle.root(leaves)
        for index in range(size):
            proof = merkle.path(leaves, index)
            places = [place for place in range(size) if merkle.is_included(leaves[index], place, size, proof, root)]
            assert places == [index]


def test_every_small_tree_is_consistent_with_every_smaller_one():
    leaves = leaves_of(17)
    roots = [merkle.root(leaves[:size]) for size in range(18)]
    for new in range(18):
        for old in range(new + 1):
            proof = merkle.consistency(leaves[:new], old)
            assert merkle.is_consistent(old, new, roots[old], roots[new], proof)
            assert not merkle.is_consistent(old, new, roots[old], roots[new], [*proof, roots[0]])
            if proof:
                assert not merkle.is_consistent(old, new, roots[old], roots[new], proof[:-1])


@A_FEW
@given(SIZES, st.data())
def test_any_changed_bit_of_an_inclusion_proof_is_refused(size, data):
    leaves = leaves_of(size)
    index, bit = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, 255))
    proof, root = merkle.path(leaves, index), merkle.root(leaves)
    assert merkle.is_included(leaves[index], index, size, proof, root)
    assert not merkle.is_included(flipped(leaves[index], bit), index, size, proof, root)
    assert not merkle.is_included(leaves[index], index, size, proof, flipped(root, bit))
    for place, each in enumerate(proof):
        changed = [*proof[:place], flipped(each, bit), *proof[place + 1 :]]
        assert not merkle.is_included(leaves[index], index, size, changed, root)


@A_FEW
@given(st.integers(2, 70), st.data())
def test_any_changed_bit_of_a_consistency_proof_is_refused(size, data):
    leaves = leaves_of(size)
    old, bit = data.draw(st.integers(1, size - 1)), data.draw(st.integers(0, 255))
    before, after, proof = merkle.root(leaves[:old]), merkle.root(leaves), merkle.consistency(leaves, old)
    assert merkle.is_consistent(old, size, before, after, proof)
    assert not merkle.is_consistent(old, size, flipped(before, bit), after, proof)
    assert not merkle.is_consistent(old, size, before, flipped(after, bit), proof)
    for place, each in enumerate(proof):
        changed = [*proof[:place], flipped(each, bit), *proof[place + 1 :]]
        assert not merkle.is_consistent(old, size, before, after, changed)


@A_FEW
@given(SIZES, st.data())
def test_a_tree_with_one_changed_leaf_is_not_consistent(size, data):
    leaves = leaves_of(size)
    old = data.draw(st.integers(1, size))
    other = list(leaves)
    other[data.draw(st.integers(0, old - 1))] = merkle.leaf_hash(b"something else")
    before, after = merkle.root(leaves[:old]), merkle.root(other)
    assert not merkle.is_consistent(old, size, before, after, merkle.consistency(other, old))


@A_FEW
@given(SIZES, st.data())
def test_each_range_of_a_proof_is_folded_from_complete_subtrees(size, data):
    leaves = leaves_of(size)
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size))
    for start, end in [*merkle.path_ranges(index, size), *merkle.consistency_ranges(old, size), (0, size)]:
        whole = [mth(leaves[place << level : (place + 1) << level]) for level, place in merkle.peaks(start, end)]
        assert merkle.fold(whole) == mth(leaves[start:end])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: merkle.path([], 0),
        lambda: merkle.path(LEAVES, 8),
        lambda: merkle.path(LEAVES, -1),
        lambda: merkle.consistency(LEAVES, 9),
        lambda: merkle.consistency(LEAVES, -1),
        lambda: merkle.peaks(1, 3),
    ],
)
def test_leaves_and_ranges_that_no_tree_has_are_refused(ask):
    with pytest.raises(ValueError, match=r"tree|range"):
        ask()


@pytest.mark.parametrize(("index", "size"), [(-1, 8), (8, 8), (0, 0)])
def test_no_index_outside_the_tree_is_included(index, size):
    assert not merkle.is_included(LEAVES[0], index, size, merkle.path(LEAVES, 0), merkle.root(LEAVES))


@pytest.mark.parametrize(("old", "new"), [(9, 8), (-1, 8)])
def test_no_tree_is_consistent_with_a_larger_one(old, new):
    root = merkle.root(LEAVES)
    assert not merkle.is_consistent(old, new, root, root, [])


DATA = [number.to_bytes(2) for number in range(70)]
DATA_LEAVES = [merkle.leaf_hash(data) for data in DATA]


def test_a_compact_range_has_the_root_of_the_tree_at_every_size():
    compact = merkle.CompactRange()
    for size, data in enumerate(DATA):
        assert (compact.size, compact.root()) == (size, merkle.root(DATA_LEAVES[:size]))
        compact.add(data)


@pytest.mark.parametrize("lowest", [0, 3])
def test_a_compact_range_reports_every_complete_subtree_once(lowest):
    subtrees = []
    compact = merkle.CompactRange(level=lowest, on_subtree=lambda *subtree: subtrees.append(subtree))
    for data in DATA:
        compact.add(data)
    places = [(level, place) for level in range(lowest, 7) for place in range(len(DATA) >> level)]
    expected = {
        merkle.Subtree(level, place): merkle.root(DATA_LEAVES[place << level : (place + 1) << level])
        for level, place in places
    }
    assert len(subtrees) == len(expected)
    assert dict(subtrees) == expected
