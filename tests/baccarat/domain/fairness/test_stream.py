"""The stream is HMAC-SHA-256 in counter mode, separated by a tag and the length of the cut."""

import hashlib
import hmac
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.stream import MalformedSeed, block, uint32_stream

SEED = bytes(range(32))


def test_a_block_is_the_published_vector() -> None:
    assert block(SEED, cut=b"", counter=1).hex() == "ef570d62516fbe9fb37e78cb3c5350c623e54ac90d3c535c5a4a87b079e88e48"


def test_a_block_is_hmac_over_tag_length_cut_and_counter() -> None:
    message = b"casino.baccarat.shuffle.v1\x00" + b"\x00" * 7 + b"\x03cut" + b"\x00" * 6 + b"\x01\x02"
    assert block(SEED, cut=b"cut", counter=258) == hmac.new(SEED, message, hashlib.sha256).digest()


@given(seed=st.binary(min_size=32, max_size=32), cut=st.binary(max_size=80))
def test_words_are_the_blocks_in_order_as_big_endian_numbers(seed: bytes, cut: bytes) -> None:
    drawn = b"".join(word.to_bytes(4, "big") for word in islice(uint32_stream(seed, cut=cut), 20))
    blocks = b"".join(block(seed, cut=cut, counter=counter) for counter in range(3))
    assert drawn == blocks[:80]


def test_a_cut_that_ends_like_a_counter_is_another_stream() -> None:
    assert block(SEED, cut=b"", counter=0) != block(SEED, cut=b"\x00" * 8, counter=0)
    assert block(SEED, cut=b"a", counter=0) != block(SEED, cut=b"b", counter=0)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(MalformedSeed, match=f"32 bytes, not {length}"):
        block(bytes(length), cut=b"", counter=0)
    with pytest.raises(MalformedSeed):
        next(uint32_stream(bytes(length), cut=b""))
