"""The cut, against an implementation that shares no line with ours, and what players may send for it."""

import hashlib
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.cut import Contribution, MalformedContribution, compute_cut, parse_contribution
from baccarat.domain.fairness.shuffle import Scheme, shuffle

SHOE = UUID("01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44")
CONTRIBUTED = {3: b"\xaa\xbb", 1: b"luck", 14: bytes(range(32))}
lists = st.dictionaries(st.integers(1, 14), st.binary(min_size=1, max_size=32), min_size=1, max_size=4)


def contributions(contributed: dict[int, bytes]) -> list[Contribution]:
    return [Contribution(seat, data.hex()) for seat, data in contributed.items()]


def independent(shoe: UUID, contributed: dict[int, bytes]) -> bytes:
    """Compute the cut as specified, byte by byte."""
    text = b"casino.baccarat.cut.v1\0" + int(shoe).to_bytes(16, "big") + len(contributed).to_bytes(8, "big")
    for seat in sorted(contributed):
        text += seat.to_bytes(8, "big") + len(contributed[seat]).to_bytes(8, "big") + contributed[seat]
    return hashlib.sha256(text).digest()


def test_the_cut_is_the_golden_one() -> None:
    fixed = compute_cut(SHOE, contributions(CONTRIBUTED))

    assert fixed == independent(SHOE, CONTRIBUTED)
    assert fixed.hex() == "6c73c132673980172f73c8490150eb80e71cb1443cb200fc5c02a243b13bf1f1"


@given(lists)
def test_the_cut_equals_an_independent_implementation_in_any_order_of_seats(
    contributed: dict[int, bytes],
) -> None:
    fixed = independent(SHOE, contributed)

    assert (
        compute_cut(SHOE, contributions(contributed))
        == compute_cut(SHOE, reversed(contributions(contributed)))
        == fixed
    )


@given(lists, lists)
def test_other_contributions_are_another_cut(one: dict[int, bytes], other: dict[int, bytes]) -> None:
    assert (compute_cut(SHOE, contributions(one)) == compute_cut(SHOE, contributions(other))) is (one == other)
    assert compute_cut(SHOE, contributions(one)) != compute_cut(UUID(int=1), contributions(one))


def test_nobodys_cut_is_empty_and_one_byte_of_one_seat_changes_the_whole_order() -> None:
    seed = bytes(32)
    uncut, once, other = (compute_cut(SHOE, seats) for seats in ([], [Contribution(1, "00")], [Contribution(1, "01")]))

    assert uncut == b""
    orders = [shuffle(seed, cut=cut, decks=8, scheme=Scheme.OPEN_CUT) for cut in (uncut, once, other)]
    same = sum(a == b for a, b in zip(orders[1], orders[2], strict=True))
    assert same < 30  # 416 cards meet by chance about 8 times
    assert len(set(orders)) == 3


@pytest.mark.parametrize("digits", ["", "a", "zz", "0x00", "aa bb", "aa\n", "é0", "00" * 33, " 00"])
def test_only_one_to_32_bytes_in_hex_are_a_contribution(digits: str) -> None:
    with pytest.raises(MalformedContribution):
        parse_contribution(digits)


def test_one_byte_and_32_are_contributions() -> None:
    assert (parse_contribution("00"), parse_contribution("fF" * 32)) == (b"\0", b"\xff" * 32)
