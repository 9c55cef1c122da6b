"""The cut, against an implementation that shares no line with ours, and what players may send for it."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.cut import Contribution, MalformedContribution, parse_contribution
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.fairness.terms import close_cut

COMMITMENT = "c0" * 32
CONTRIBUTED = {3: b"\xaa\xbb", 1: b"luck", 14: bytes(range(32))}
lists = st.dictionaries(st.integers(1, 14), st.binary(min_size=1, max_size=32), min_size=1, max_size=4)


def contributions(contributed: dict[int, bytes]) -> list[Contribution]:
    return [Contribution(seat, data.hex()) for seat, data in contributed.items()]


def closed(*given: Contribution, commitment: str = COMMITMENT) -> bytes:
    return close_cut(commitment=commitment, witnesses=(), contributions=given)


def independent(commitment: str, contributed: dict[int, bytes]) -> bytes:
    """Compute the cut as specified, byte by byte: nobody signed, and there is no witness."""
    text = b"casino.baccarat.cut.v2\0" + bytes.fromhex(commitment) + b"\0" + len(contributed).to_bytes(4, "big")
    for seat in sorted(contributed):
        text += bytes([seat]) + bytes(8) + len(contributed[seat]).to_bytes(8, "big") + contributed[seat]
    return hashlib.sha256(text).digest()


def test_the_cut_is_the_golden_one() -> None:
    fixed = closed(*contributions(CONTRIBUTED))

    assert fixed == independent(COMMITMENT, CONTRIBUTED)
    assert fixed.hex() == "8545a4779c60bafe1671b914cf0f2fbedb028b7666188d9f5c5074cce762b839"


@given(lists)
def test_the_cut_equals_an_independent_implementation_in_any_order_of_seats(contributed: dict[int, bytes]) -> None:
    fixed = independent(COMMITMENT, contributed)

    assert closed(*contributions(contributed)) == closed(*reversed(contributions(contributed))) == fixed


@given(lists, lists)
def test_other_contributions_are_another_cut(one: dict[int, bytes], other: dict[int, bytes]) -> None:
    assert (closed(*contributions(one)) == closed(*contributions(other))) is (one == other)
    assert closed(*contributions(one)) != closed(*contributions(one), commitment="c1" * 32)


def test_one_byte_of_one_seat_changes_the_whole_order() -> None:
    cuts = closed(), closed(Contribution(1, "00")), closed(Contribution(1, "01"))

    orders = [shuffle(bytes(32), cut=cut, decks=8) for cut in cuts]
    same = sum(a == b for a, b in zip(orders[1], orders[2], strict=True))
    assert same < 30  # 416 cards meet by chance about 8 times
    assert len(set(orders)) == 3


@pytest.mark.parametrize("digits", ["", "a", "zz", "0x00", "aa bb", "aa\n", "é0", "00" * 33, " 00"])
def test_only_one_to_32_bytes_in_hex_are_a_contribution(digits: str) -> None:
    with pytest.raises(MalformedContribution):
        parse_contribution(digits)


def test_one_byte_and_32_are_contributions() -> None:
    assert (parse_contribution("00"), parse_contribution("fF" * 32)) == (b"\0", b"\xff" * 32)
