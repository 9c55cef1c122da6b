"""Contributions, the cut that closes before the first chip, and terms, byte by byte as published."""

import hashlib
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.fairness.cut import Contribution, MalformedContribution
from baccarat.domain.fairness.terms import (
    Terms,
    WitnessIndex,
    close_cut,
    digest_cards,
    encode_contribution,
    encode_witnesses,
)

TABLE, SHOE = UUID("01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44"), UUID("01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a45")
COMMITMENT = "11" * 32
WITNESSES = (WitnessIndex("bb" * 32, 5), WitnessIndex("aa" * 32, 2**40))
X = b"\x02" + b"\xaa" * 32 + (2**40).to_bytes(8, "big") + b"\xbb" * 32 + (5).to_bytes(8, "big")
KEY = b"\x77" * 32
TERMS = Terms(
    table=TABLE,
    number=12,
    shoe=SHOE,
    next_place=18,
    cards=digest_cards(("Kd", "9h")),
    rules="22" * 32,
    commitment=COMMITMENT,
    cut="33" * 32,
    witnesses=WITNESSES,
    next_commitment="44" * 32,
)


def test_witnesses_are_counted_and_ordered_by_chain() -> None:
    assert encode_witnesses(()) == b"\0"
    assert encode_witnesses(WITNESSES) == encode_witnesses(WITNESSES[::-1]) == X


@pytest.mark.parametrize(
    "witnesses",
    [
        (WitnessIndex("aa", 1),),
        (WitnessIndex("aa" * 32, 1),) * 2,
        tuple(WitnessIndex(f"{n:064x}", 1) for n in range(5)),
    ],
)
def test_malformed_repeated_and_more_than_four_witnesses_are_refused(witnesses: tuple[WitnessIndex, ...]) -> None:
    with pytest.raises(ValueError, match=r"32 bytes|at most 4"):
        encode_witnesses(witnesses)


def test_a_contribution_is_signed_over_table_commitment_witnesses_and_seat() -> None:
    expected = b"casino.baccarat.contribution.v1\0" + TABLE.bytes + b"\x11" * 32 + X + b"\x03" + b"\0" * 7 + b"\x04luck"

    signed = encode_contribution(
        table=TABLE, commitment=COMMITMENT, witnesses=WITNESSES, seat=3, contribution=b"luck".hex()
    )

    assert signed == expected
    with pytest.raises(MalformedContribution):
        encode_contribution(table=TABLE, commitment=COMMITMENT, witnesses=(), seat=3, contribution="")


def test_the_cut_is_the_published_vector_and_holds_keys_where_seats_signed() -> None:
    text = b"casino.baccarat.cut.v2\0" + b"\x11" * 32 + X + b"\0\0\0\x02"
    text += b"\x01" + b"\0" * 8 + b"\0" * 7 + b"\x04luck"
    text += b"\x0e" + b"\0" * 7 + b"\x20" + KEY + b"\0" * 7 + b"\x01\xff"
    listed = [Contribution(14, "ff", KEY.hex()), Contribution(1, b"luck".hex())]

    cut = close_cut(commitment=COMMITMENT, witnesses=WITNESSES, contributions=listed)

    assert cut == hashlib.sha256(text).digest()
    assert cut.hex() == "9d26717cb12d0dc666234f39d13f58c9976732f66a6b8f77ab05fb329ef8348d"


def test_a_cut_to_which_nobody_contributed_is_a_cut_of_its_own_drawing() -> None:
    cuts = {
        close_cut(commitment=commitment, witnesses=witnesses, contributions=())
        for commitment in (COMMITMENT, "12" * 32)
        for witnesses in ((), WITNESSES)
    }

    assert len(cuts) == 4
    assert {len(cut) for cut in cuts} == {32}
    nobody = b"casino.baccarat.cut.v2\0" + b"\x11" * 32 + b"\0" + b"\0" * 4
    assert hashlib.sha256(nobody).digest() in cuts


def test_terms_are_the_published_vector() -> None:
    text = b"casino.baccarat.terms.v1\0" + TABLE.bytes + (12).to_bytes(8, "big") + SHOE.bytes + (18).to_bytes(8, "big")
    text += hashlib.sha256(b"Kd9h").digest() + b"\x22" * 32 + b"\x11" * 32 + b"\x33" * 32 + X + b"\x44" * 32

    assert TERMS.digest() == hashlib.sha256(text).hexdigest()
    assert TERMS.digest() == "3a0cf8f37d7ad09b2c06856e3ce3bc9fe401c523e706f6cadf492d574a3eaf00"


@pytest.mark.parametrize(
    "change",
    [
        {"table": SHOE}, {"number": 13}, {"shoe": TABLE}, {"next_place": 17}, {"cards": "00" * 32},
        {"rules": "00" * 32}, {"commitment": "00" * 32}, {"cut": "00" * 32}, {"witnesses": ()},
        {"next_commitment": "00" * 32},
    ],
)  # fmt: skip
def test_any_other_term_is_another_digest(change: dict[str, Any]) -> None:
    assert replace(TERMS, **change).digest() != TERMS.digest()
