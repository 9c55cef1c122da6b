"""A commitment opens with its own seed only; openings of single cards are checked by an independent reader."""

import hashlib
import hmac
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.commitment import (
    CardOpening,
    Drawing,
    NoSuchCard,
    open_cards,
    shoe_root,
)
from baccarat.domain.fairness.shuffle import MalformedSeed, shuffle
from baccarat.domain.rules.cards import Card

SEEDS = st.binary(min_size=32, max_size=32)

TABLE, SHOE = UUID("01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44"), UUID("01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a45")
SEVENTH = Drawing(TABLE, SHOE, 7)


def test_a_commitment_is_the_published_vector() -> None:
    committed = SEVENTH.commit(bytes(range(32)))

    assert committed == "9b3887b974c4d1f3599a468adfa5c43ca9495052d0660f6ab713634caa2a68f1"


@given(SEEDS)
def test_it_is_sha_256_behind_a_tag_over_seed_and_drawing_and_opens_with_its_seed(seed: bytes) -> None:
    text = b"casino.baccarat.commitment.v2\0" + seed + TABLE.bytes + SHOE.bytes + (7).to_bytes(8, "big")

    assert SEVENTH.commit(seed) == hashlib.sha256(text).hexdigest()
    assert SEVENTH.opens(SEVENTH.commit(seed), seed)


@given(SEEDS, SEEDS)
def test_it_opens_with_no_other_seed(seed: bytes, other: bytes) -> None:
    assert SEVENTH.opens(SEVENTH.commit(seed), other) is (seed == other)


@given(SEEDS, st.text(max_size=70))
def test_no_seed_opens_a_text_that_is_not_its_commitment(seed: bytes, text: str) -> None:
    assert SEVENTH.opens(text, seed) is (text == SEVENTH.commit(seed))


def test_a_seed_opens_its_commitment_at_one_table_shoe_and_number_only() -> None:
    places = [(TABLE, SHOE, 1), (SHOE, TABLE, 1), (TABLE, TABLE, 1), (TABLE, SHOE, 2)]

    assert len({Drawing(*place).commit(bytes(32)) for place in places}) == 4


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(MalformedSeed):
        SEVENTH.commit(bytes(length))


SEED, CUT = bytes(range(32)), b"\x07" * 32
ROOT = shoe_root(SEED, cut=CUT, decks=8)
OPENED = open_cards(SEED, cut=CUT, decks=8, positions=[0, 6, 7, 415])


def climb(opening: CardOpening, size: int) -> str:
    """Return the root that an opening leads to, by the recursion of RFC 9162, section 2.1.1."""
    data = b"casino.baccarat.card.v1\0" + opening.shoe_position.to_bytes(8, "big") + opening.card.encode()
    leaf = hashlib.sha256(b"\0" + data + bytes.fromhex(opening.salt)).digest()

    def node(start: int, count: int, path: list[bytes]) -> bytes:
        if count == 1:
            return leaf
        left = 1 << (count - 1).bit_length() - 1
        if opening.shoe_position < start + left:
            hashed = node(start, left, path[:-1]) + path[-1]
        else:
            hashed = path[-1] + node(start + left, count - left, path[:-1])
        return hashlib.sha256(b"\1" + hashed).digest()

    return node(0, size, [bytes.fromhex(sibling) for sibling in opening.path]).hex()


def test_every_opening_leads_an_independent_reader_to_the_root() -> None:
    assert [climb(opening, 416) for opening in OPENED] == [ROOT] * 4


def test_root_and_salt_are_the_golden_ones() -> None:
    assert ROOT == "f1525166325855b91015652347200822b8d0e4c19ffff45a72d419dddc505930"
    salted = hmac.new(SEED, b"casino.baccarat.salt.v1\0" + (6).to_bytes(8, "big"), hashlib.sha256).hexdigest()
    assert OPENED[1].salt == salted


def test_opened_cards_are_those_of_the_order() -> None:
    cards = shuffle(SEED, cut=CUT, decks=8)
    assert [opening.card for opening in OPENED] == [cards[0], cards[6], cards[7], cards[415]]


@pytest.mark.parametrize("field", ["card", "shoe_position", "salt", "path"])
def test_a_changed_opening_proves_nothing(field: str) -> None:
    honest = OPENED[1]
    other = Card("2c") if honest.card != "2c" else Card("3c")
    changed = {"card": other, "shoe_position": 8, "salt": "00" * 32, "path": (*honest.path[:-1], "00" * 32)}[field]

    assert climb(replace(honest, **{field: changed}), 416) != ROOT


def test_another_cut_is_another_root() -> None:
    assert len({shoe_root(SEED, cut=cut, decks=1) for cut in (b"", CUT, b"\x08" * 32)}) == 3


@pytest.mark.parametrize("position", [-1, 416])
def test_a_card_that_the_shoe_does_not_have_is_not_opened(position: int) -> None:
    with pytest.raises(NoSuchCard):
        open_cards(SEED, cut=CUT, decks=8, positions=[0, position])


def test_openings_reveal_no_other_card() -> None:
    """A path has its neighbours as hashes over salts: no card of the 52, tried without its salt, gives that hash."""
    neighbour = OPENED[1].path[0]
    data = [
        b"casino.baccarat.card.v1\0" + (7).to_bytes(8, "big") + card.encode()
        for card in shuffle(SEED, cut=CUT, decks=1)
    ]
    guesses = {hashlib.sha256(b"\0" + leaf).hexdigest() for leaf in data}

    assert climb(replace(OPENED[2], path=()), 1) == neighbour
    assert neighbour not in guesses
