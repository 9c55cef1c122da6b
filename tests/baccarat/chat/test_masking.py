"""Covering bad language: nothing listed shows, nothing innocent changes, and a text keeps its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.chat.masking import candidates, is_listable_word, mask, normalize_word

BAD = frozenset(map(normalize_word, ("darn", "heck", "Schei\u00dfe")))
WORDS = st.sampled_from(
    ("darn", "d@rn", "D4RN", "d\u00e4rn", "heck", "h3ck", "\u0435\u0441k", "lucky", "banker", "\u00e9t\u00e9")
)
GAPS = st.sampled_from((" ", ", ", "! ", " - ", "...", " \N{PILE OF POO} ", "$"))
CHARACTERS = "abcdehknrst DHN04135@$!|+*.,-'"
STRANGE = "\u00df\u00e4\u00e9\u0301\u0308\u0430\u0435\u0441\u043a\u03b1\u03bd\uff44\u0130\u4e2d\u0661\ufb00"
CLEAN = st.text(alphabet=CHARACTERS + STRANGE, max_size=30)
MIXED = st.lists(st.tuples(WORDS | CLEAN, GAPS), max_size=8).map(lambda parts: "".join(a + b for a, b in parts))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("darn", "****"),
        ("DARN it", "**** it"),
        ("d@rn d4rn d\u00e1rn \u0501arn", "**** **** **** \u0501arn"),
        ("d\u0430rn", "****"),
        ("\uff44\uff41\uff52\uff4e", "****"),
        ("(darn!!)", "(****!!)"),
        ("$darn$", "$****$"),
        ("scheisse SCHEISSE schei\u00dfe", "******** ******** *******"),
        ("darning a sock in Darnley", "darning a sock in Darnley"),
        ("4 x 1234", "4 x 1234"),
        ("", ""),
    ],
)
def test_whole_words_are_covered_whatever_they_are_dressed_as(text: str, shown: str) -> None:
    assert mask(text, listed=BAD) == shown


@given(MIXED)
def test_nothing_listed_can_be_read_after_it(text: str) -> None:
    assert candidates(mask(text, listed=BAD)).isdisjoint(BAD)


@given(MIXED)
def test_the_length_is_kept_and_only_asterisks_are_new(text: str) -> None:
    shown = mask(text, listed=BAD)
    assert len(shown) == len(text)
    assert all(after in (before, "*") for before, after in zip(text, shown, strict=True))


@given(MIXED)
def test_a_text_without_listed_words_is_left_as_it_is(text: str) -> None:
    assert mask(text, listed=BAD - candidates(text)) == text


@given(MIXED)
def test_covering_twice_covers_no_more(text: str) -> None:
    once = mask(text, listed=BAD)
    assert mask(once, listed=BAD) == once


@given(st.text(alphabet=CHARACTERS + STRANGE, max_size=12))
def test_a_word_that_can_be_listed_is_found_by_itself(word: str) -> None:
    if is_listable_word(word):
        assert mask(word, listed={normalize_word(word)}) == "*" * len(word)
        assert normalize_word(word) in candidates(f"so {word}, they say")
