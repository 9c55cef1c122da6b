"""A shoe's order follows from seed and cut alone and favours no card; its first cards can be computed alone.

The words behind it are HMAC-SHA-256 in counter mode, under a key of the drawing's own.
"""

import hashlib
import hmac
import itertools
import struct
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.shuffle import (
    InvalidCardCount,
    Link,
    MalformedSeed,
    cards_left,
    draw_key,
    round_seed,
    shuffle,
    uniform_below,
    words_of_drawing,
)
from baccarat.domain.rules.cards import unshuffled_shoe

SEEDS = st.binary(min_size=32, max_size=32)
CUTS = st.binary(max_size=60)


def recompute(seed: bytes, cut: bytes, decks: int) -> list[str]:
    """Compute the order as an outsider does: a whole list, swapped in place, words cut from blocks by hand."""
    shoe = [rank + suit for _ in range(decks) for suit in "cdhs" for rank in "A23456789TJQK"]
    key = hmac.new(seed, b"casino.baccarat.draw.v2\x00" + cut + b"\x00", hashlib.sha256).digest()
    words: list[int] = []
    counter = 0
    for place in range(len(shoe)):
        left = len(shoe) - place
        while True:
            if not words:
                block = hmac.new(key, counter.to_bytes(8, "big"), hashlib.sha256).digest()
                words = [int.from_bytes(block[start : start + 4], "big") for start in range(0, 32, 4)]
                counter += 1
            word = words.pop(0)
            if word < 2**32 // left * left:
                break
        other = place + word % left
        shoe[place], shoe[other] = shoe[other], shoe[place]
    return shoe


@pytest.mark.parametrize(
    ("seed", "cut", "decks", "starts", "digest"),
    [
        (
            bytes(range(32)),
            b"",
            8,
            "7d 3c 4d 3h 2s Qc 4d 2d 6d As",
            "ddcc5a4b4dac24a82a6dba2b17f6e3f7e15714c3ce847b2201ac7180ef9db944",
        ),
        (
            bytes(32),
            b"seat 3 cuts at 117",
            6,
            "9h 6s 3c Ah 5c Kh Qh 6s 5s Kd",
            "4bbb595500622d58b39a0bd30a5e0fd308590c7ada164ed50da4d18560f7e425",
        ),
        (
            b"\xff" * 32,
            "Österreich".encode(),
            1,
            "Qc Qh 2s Jd 5s 6h 8s Ad 4c Ks",
            "9b9a00139a53cd1938e228eecdec29820d24cf940dcf91500d8e0db83ac9f54b",
        ),
    ],
)
def test_the_published_orders_never_change(seed: bytes, cut: bytes, decks: int, starts: str, digest: str) -> None:
    shoe = shuffle(seed, cut=cut, decks=decks)
    assert " ".join(shoe[:10]) == starts
    assert hashlib.sha256(" ".join(shoe).encode()).hexdigest() == digest


@given(seed=SEEDS, cut=CUTS, decks=st.integers(1, 8))
def test_an_outsider_recomputes_the_same_order(seed: bytes, cut: bytes, decks: int) -> None:
    assert list(shuffle(seed, cut=cut, decks=decks)) == recompute(seed, cut, decks)


@given(seed=SEEDS, cut=CUTS, decks=st.integers(1, 16))
def test_the_order_has_every_card_of_the_shoe_once(seed: bytes, cut: bytes, decks: int) -> None:
    assert Counter(shuffle(seed, cut=cut, decks=decks)) == Counter(unshuffled_shoe(decks))


@given(seed=SEEDS, cut=CUTS, decks=st.integers(1, 8), data=st.data())
def test_the_first_cards_are_the_start_of_the_full_order(
    seed: bytes, cut: bytes, decks: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, 52 * decks))
    assert shuffle(seed, cut=cut, decks=decks, first=first) == shuffle(seed, cut=cut, decks=decks)[:first]


def test_another_seed_or_another_cut_is_another_order() -> None:
    base = shuffle(bytes(32), cut=b"", decks=8)
    assert shuffle(bytes(31) + b"\x01", cut=b"", decks=8) != base
    assert shuffle(bytes(32), cut=b"\x00", decks=8) != base


def test_a_word_of_the_incomplete_last_run_is_skipped() -> None:
    assert uniform_below(iter([2**32 - 1, 2**32 - 2, 7]), below=3) == 2
    assert uniform_below(iter([2**32 - 1, 9]), below=416) == 9
    assert uniform_below(iter([2**32 - 1]), below=2) == 1


@given(below=st.integers(1, 832))
def test_the_last_word_of_the_last_whole_run_is_used(below: int) -> None:
    last = 2**32 // below * below - 1
    assert uniform_below(iter([last]), below=below) == below - 1


@given(below=st.integers(1, 832).filter(lambda below: 2**32 % below), extra=st.integers(0, 831))
def test_the_words_after_the_last_whole_run_are_skipped(below: int, extra: int) -> None:
    beyond = 2**32 // below * below + extra % (2**32 % below)
    assert uniform_below(iter([beyond, 2 * below + 1]), below=below) == 1 % below


@pytest.mark.parametrize("place", [0, 1, 25, 51])
def test_every_card_is_about_as_frequent_at_any_position(place: int) -> None:
    # Fixed seeds, so this always gives the same number: chi-square with 51 degrees of freedom is below 92 in all
    # but 4 of 10,000 fair shuffles.
    rounds = 5200
    seen = Counter(
        shuffle(index.to_bytes(32, "big"), cut=b"chi-square", decks=1, first=place + 1)[place]
        for index in range(rounds)
    )
    assert sum((seen[card] - rounds / 52) ** 2 / (rounds / 52) for card in unshuffled_shoe(1)) < 92


@given(decks=st.integers(1, 3), places=st.lists(st.integers(0, 51), max_size=60))
def test_what_is_out_is_taken_from_the_front_and_the_rest_keeps_its_order(decks: int, places: list[int]) -> None:
    out, left = [unshuffled_shoe(1)[place] for place in places], list(unshuffled_shoe(decks))
    if max(Counter(out).values(), default=0) > decks:
        with pytest.raises(InvalidCardCount):
            cards_left(decks, out)
        return
    for card in out:
        left.remove(card)
    assert cards_left(decks, out) == left
    assert Counter(shuffle(bytes(32), cut=b"", decks=decks, out=out)) == Counter(left)


def test_a_draw_from_what_is_left_is_a_shuffle_of_the_unshuffled_rest() -> None:
    out = [card for card in unshuffled_shoe(1) if card[1] != "s"]

    drawn = shuffle(bytes(32), cut=b"", decks=1, out=out)

    key = draw_key(bytes(32), cut=b"")
    left, words = list(unshuffled_shoe(1)[39:]), words_of_drawing(key)
    for place in range(13):
        other = place + uniform_below(words, 13 - place)
        left[place], left[other] = left[other], left[place]
    assert drawn == tuple(left)
    with pytest.raises(InvalidCardCount):
        shuffle(bytes(32), cut=b"", decks=1, first=14, out=out)


def test_the_seed_of_a_round_is_its_shoes_alone_and_its_numbers_alone() -> None:
    own = hmac.new(SEED, b"casino.baccarat.round-seed.v1\x00" + (7).to_bytes(8, "big"), hashlib.sha256).digest()
    assert round_seed(SEED, 7) == own
    assert len({round_seed(seed, number) for seed in (SEED, bytes(32)) for number in range(50)}) == 100
    with pytest.raises(MalformedSeed):
        round_seed(b"", 7)


@pytest.mark.parametrize("place", [0, 3, 5])
def test_every_card_left_is_about_as_frequent_in_the_rounds_of_one_seed(place: int) -> None:
    # One seed and fixed links, so this always gives the same number: chi-square with 29 degrees of freedom is below 62
    # in all but 4 of 10,000 fair draws.
    out, rounds = [*unshuffled_shoe(1)[3:24], "Kd"], 6000
    left = cards_left(1, out)
    seen: Counter[str] = Counter()
    for number in range(rounds):
        links = [Link("cc" * 32, number, hashlib.sha256(number.to_bytes(8, "big")).hexdigest())]
        own = round_seed(SEED, number)
        seen[shuffle(own, cut=b"\x02" * 32, decks=1, first=place + 1, links=links, out=out)[place]] += 1
    assert len(left) == 30
    assert sum((seen[card] - rounds / 30) ** 2 / (rounds / 30) for card in left) < 62
    assert sum(seen[card] for card in left) == rounds


@pytest.mark.parametrize(("decks", "first"), [(0, None), (-1, None), (8, 417), (8, -1)])
def test_cards_that_the_shoe_does_not_have_cannot_be_requested(decks: int, first: int | None) -> None:
    with pytest.raises(InvalidCardCount):
        shuffle(bytes(32), cut=b"", decks=decks, first=first)


def test_no_shoe_is_shuffled_from_a_seed_of_another_length() -> None:
    with pytest.raises(MalformedSeed):
        shuffle(bytes(16), cut=b"", decks=8)


@pytest.mark.parametrize(
    ("decks", "starts", "digest"),
    [
        (
            8,
            "2s 8d 9c 4d Ah 6s 4s 4c 5s Ks 4c Ac Ad 4h Ad 5h 3c Jh Td 3c",
            "8be15b513cbbc95b244bf480d35819250a52fc69e9e364d891abca96bc778fe0",
        ),
        (6, "2h 5h 4c 7d Qh Td 5s 9h Td 6h", "49686432c1d856c292b6f1318ca387f340cbef8e5c97a980814bbdda5379adbc"),
    ],
)
def test_unbiased_draws_give_the_orders_that_others_publish_for_their_stream(
    decks: int, starts: str, digest: str
) -> None:
    """Another construction, of blocks `client:nonce:counter` and a shuffle from the back: its numbers by our `uniform`.

    The seed is the bytes 0 to 31, the client's `client-seed-demo`, the nonce 1; digests are over the cards' numbers.
    """

    def stream() -> Iterator[int]:
        for counter in itertools.count():
            block = hmac.new(bytes(range(32)), f"client-seed-demo:1:{counter}".encode(), hashlib.sha256).digest()
            yield from struct.unpack(">8I", block)

    words, shoe = stream(), [number % 52 for number in range(52 * decks)]
    for place in range(len(shoe) - 1, 0, -1):
        other = uniform_below(words, place + 1)
        shoe[place], shoe[other] = shoe[other], shoe[place]

    cards = unshuffled_shoe(1)
    assert " ".join(cards[number] for number in shoe[: len(starts.split())]) == starts
    assert hashlib.sha256(bytes(shoe)).hexdigest() == digest


SEED = bytes(range(32))


LINK = Link("03" * 32, 1, "b423c0d807b56c53066d648ff24ae32ef2c83a257ddf03b532a0182257544054")


def drawn_block(key: bytes, counter: int) -> bytes:
    return b"".join(word.to_bytes(4, "big") for word in islice(words_of_drawing(key), 8 * counter, 8 * counter + 8))


def test_the_key_and_a_block_of_a_drawing_with_a_witness_are_the_published_vectors() -> None:
    key = draw_key(b"\x01" * 32, cut=b"\x02" * 32, links=[LINK])

    assert key.hex() == "081e9079d0594b0f6b90b4bc9d8a6459e3f1b6301952c625d6d070d91cb3b666"
    assert drawn_block(key, 0).hex() == "61cfdb03d87b2760648609c5704fa49eccba6110818f2e0dcc4b2b69edccba20"


def test_the_key_of_a_drawing_without_a_witness_counts_none() -> None:
    message = b"casino.baccarat.draw.v2\0" + b"\x02" * 32 + b"\0"

    key = draw_key(SEED, cut=b"\x02" * 32)

    assert key == hmac.new(SEED, message, hashlib.sha256).digest()
    assert drawn_block(key, 258) == hmac.new(key, (258).to_bytes(8, "big"), hashlib.sha256).digest()


def test_links_count_in_the_order_of_their_chains_whoever_lists_them() -> None:
    other = Link("02" * 32, 9, "aa" * 32)
    message = b"casino.baccarat.draw.v2\0" + b"\x05" * 32 + b"\x02"
    for link in (other, LINK):
        message += bytes.fromhex(link.chain) + link.index.to_bytes(8, "big") + bytes.fromhex(link.link)

    keys = {draw_key(SEED, cut=b"\x05" * 32, links=links) for links in ([LINK, other], [other, LINK])}

    assert keys == {hmac.new(SEED, message, hashlib.sha256).digest()}


def test_a_drawing_has_at_most_four_witnesses_each_with_a_chain_of_its_own() -> None:
    for links in ([LINK, LINK], [Link(f"{number:064x}", 1, LINK.link) for number in range(5)]):
        with pytest.raises(ValueError, match="at most 4 witnesses"):
            draw_key(SEED, cut=b"", links=links)
