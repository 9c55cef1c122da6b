"""Opaque numbers are equal where the numbers are, and tell nothing else."""

import re

import pytest
from pytest_django import Settings

from casino.crypto import opaque_number


def test_a_number_has_one_text_and_comes_back_from_it() -> None:
    for number in (0, 1, 255, 2**63):
        text = opaque_number.encode(number, purpose="stream")
        assert re.fullmatch(opaque_number.PATTERN, text)
        assert text == opaque_number.encode(number, purpose="stream")
        assert opaque_number.decode(text, purpose="stream") == number


def test_texts_of_neighbours_have_nothing_in_common() -> None:
    texts = [opaque_number.encode(number, purpose="stream") for number in range(1000)]
    assert len({text[:6] for text in texts}) == len({text[-6:] for text in texts}) == 1000
    assert texts != sorted(texts)


@pytest.mark.parametrize("text", ["", "1", "48210", "A" * 32, "ü" * 32, "=" * 32, "A" * 31])
def test_what_was_never_encoded_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="opaque"):
        opaque_number.decode(text, purpose="stream")


def test_the_text_of_another_purpose_is_refused() -> None:
    with pytest.raises(ValueError, match="opaque"):
        opaque_number.decode(opaque_number.encode(7, purpose="entry"), purpose="stream")


def test_a_text_of_before_the_rotation_of_the_secret_is_still_read(settings: Settings) -> None:
    before = opaque_number.encode(123_456, purpose="rotation")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret"
    assert opaque_number.decode(before, purpose="rotation") == 123_456
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(ValueError, match="opaque"):
        opaque_number.decode(before, purpose="rotation")
