"""A commitment opens with its own seed and with no other."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.fairness.commitment import commit, opens
from baccarat.domain.fairness.stream import MalformedSeed

SEEDS = st.binary(min_size=32, max_size=32)


def test_the_published_commitment_never_changes() -> None:
    assert commit(bytes(range(32))) == "56baa0e1c44cd90052a16bfd9e073e33174a9d79f0e443a380de21ad7a6a6074"


@given(SEEDS)
def test_it_is_sha_256_behind_a_tag_and_opens_with_its_seed(seed: bytes) -> None:
    assert commit(seed) == hashlib.sha256(b"casino.baccarat.commitment.v1\x00" + seed).hexdigest()
    assert opens(commit(seed), seed)


@given(SEEDS, SEEDS)
def test_it_opens_with_no_other_seed(seed: bytes, other: bytes) -> None:
    assert opens(commit(seed), other) is (seed == other)


@given(SEEDS, st.text(max_size=70))
def test_a_text_that_is_no_commitment_opens_nothing(seed: bytes, text: str) -> None:
    assert opens(text, seed) is (text == commit(seed))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(MalformedSeed):
        commit(bytes(length))
