"""Single cards of a running shoe: proven against the root, by code that shares no line with ours, and nothing more."""

import hashlib
import hmac
from dataclasses import replace

import pytest

from baccarat.domain.fairness.openings import CardOpening, NoSuchCard, is_valid_opening, open_cards, shoe_root
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rules.cards import Card

SEED, CUT = bytes(range(32)), b"\x07" * 32
ROOT = shoe_root(SEED, cut=CUT, decks=8)
OPENED = open_cards(SEED, cut=CUT, decks=8, positions=[0, 6, 7, 415])


def climb(opening: CardOpening, size: int) -> str:
    """The root that an opening leads to, by the recursion of RFC 9162, section 2.1.1."""
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

    return node(0, size, [bytes.fromhex(each) for each in opening.path]).hex()


def test_every_opening_leads_an_independent_reader_to_the_root() -> None:
    assert [climb(each, 416) for each in OPENED] == [ROOT] * 4
    assert all(is_valid_opening(each, decks=8, root=ROOT) for each in OPENED)


def test_root_and_salt_are_the_golden_ones() -> None:
    assert ROOT == "5e12fa6c3419b7dc17e9de46e53d77fef4ad65623b904336705161b2eddb0f73"
    salted = hmac.new(SEED, b"casino.baccarat.salt.v1\0" + (6).to_bytes(8, "big"), hashlib.sha256).hexdigest()
    assert OPENED[1].salt == salted


def test_the_cards_that_are_opened_are_those_of_the_order() -> None:
    cards = shuffle(SEED, cut=CUT, decks=8)
    assert [each.card for each in OPENED] == [cards[0], cards[6], cards[7], cards[415]]


@pytest.mark.parametrize("field", ["card", "shoe_position", "salt", "path"])
def test_an_opening_that_is_changed_anywhere_proves_nothing(field: str) -> None:
    honest = OPENED[1]
    other = Card("2c") if honest.card != "2c" else Card("3c")
    changed = {"card": other, "shoe_position": 8, "salt": "00" * 32, "path": (*honest.path[:-1], "00" * 32)}[field]

    assert not is_valid_opening(replace(honest, **{field: changed}), decks=8, root=ROOT)


def test_another_cut_is_another_root() -> None:
    assert len({shoe_root(SEED, cut=cut, decks=1) for cut in (b"", CUT, b"\x08" * 32)}) == 3


@pytest.mark.parametrize("position", [-1, 416])
def test_no_card_is_opened_that_the_shoe_does_not_have(position: int) -> None:
    with pytest.raises(NoSuchCard):
        open_cards(SEED, cut=CUT, decks=8, positions=[0, position])


def test_no_opening_tells_of_another_card() -> None:
    """Neighbours stand in a path by hashes over salts: none of the 52 cards tried without its salt gives that hash."""
    beside = OPENED[1].path[0]
    data = [
        b"casino.baccarat.card.v1\0" + (7).to_bytes(8, "big") + card.encode()
        for card in shuffle(SEED, cut=CUT, decks=1)
    ]
    guesses = {hashlib.sha256(b"\0" + each).hexdigest() for each in data}

    assert climb(replace(OPENED[2], path=()), 1) == beside
    assert beside not in guesses
