# ruff: noqa: RUF001 - these are letters that look like others
"""Masking: listed words are hidden, nothing else changes, and a text keeps its length."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.chat.masking import candidates, is_listable_word, mask, normalize_word
from baccarat.chat.moderation import STARTER_WORDS
from casino.kernel.text import clean

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
    ("text", "masked"),
    [
        ("darn", "****"),
        ("DARN it", "**** it"),
        ("d@rn d4rn d\u00e1rn \u0501arn", "**** **** **** ****"),
        ("d\u0430rn", "****"),
        ("\uff44\uff41\uff52\uff4e", "****"),
        ("(darn!!)", "(****!!)"),
        ("$darn$", "$****$"),
        ("scheisse SCHEISSE schei\u00dfe", "******** ******** *******"),
        ("darning a sock in Darnley", "darning a sock in Darnley"),
        ("4 x 1234", "4 x 1234"),
        ("d a r n, d.a.r.n, D-A-R-N! d*4*r*n", "*******, *******, *******! *******"),
        ("oh d a r n it", "oh ******* it"),
        ("da rn, dar n", "da rn, dar n"),
        ("d\u0336a\u0336r\u0336n\u0336", "********"),
        ("\U0001d41d\U0001d41a\U0001d42b\U0001d427 \ua4d3\ua4ee\ua4e3\ua4e0", "**** ****"),
        ("", ""),
    ],
)
def test_listed_words_are_masked_despite_case_accents_and_look_alikes(text: str, masked: str) -> None:
    assert mask(text, listed=BAD) == masked


@pytest.mark.parametrize(
    ("word", "text", "masked"),
    [
        ("bum", "burn a bum", "burn a ***"),
        ("bot", "Вот бот", "Вот бот"),
        ("cop", "a сор, ԁarling", "a ***, ԁarling"),
        ("sex", "ѕех", "***"),
        ("ano", "año ano", "año ***"),
        ("coño", "cono coño", "cono ****"),
        ("gay", "gà gáy, gay", "gà gáy, ***"),
        ("dung", "Dũng", "Dũng"),
        ("cặc", "các cặc", "các ***"),
        ("कुत्ता", "कुत्ते कुत्ता", "कुत्ते ******"),
        ("หมา", "มา หมา หมี", "มา *** หมี"),
        ("がき", "かき がき", "かき **"),
        ("كلب", "كَلْب كـلـب كلبي", "***** ***** كلبي"),
        ("傻逼", "你这个傻逼!", "你这个**!"),
        ("傻B", "是傻b吗", "是**吗"),
        ("ass", "你这个ass class", "你这个*** class"),
    ],
)
def test_scripts_and_languages_keep_what_makes_their_words(word: str, text: str, masked: str) -> None:
    assert mask(text, listed={normalize_word(word)}) == masked


INNOCENT = (Path(__file__).parent / "innocent.txt").read_text(encoding="utf-8").splitlines()
LISTED = """
ass arse tit tits cum cock dick penis anal hell damn sex bot kak ano culo pedo cul pute merde salope fan coño puta
gay dung bich dang hoe bum darn heck cặc lồn địt хуй сука бля μαλάκα 傻逼 傻B 婊子 鸡巴 操你 くそ がき 死ね 시발
개새끼 หมา เหี้ย หี
ควย कुत्ता कमीना चूत كلب ابن كس קוס כלב زنا
"""


def test_two_hundred_innocent_names_and_sentences_are_not_touched() -> None:
    listed = frozenset(map(normalize_word, (*STARTER_WORDS, *LISTED.split())))
    assert len(INNOCENT) > 200
    assert [text for text in INNOCENT if clean(text, limit=60) != text or mask(text, listed=listed) != text] == []


@given(MIXED)
def test_a_masked_text_contains_no_listed_word(text: str) -> None:
    assert candidates(mask(text, listed=BAD)).isdisjoint(BAD)


@given(MIXED)
def test_masking_keeps_the_length_and_adds_only_asterisks(text: str) -> None:
    masked = mask(text, listed=BAD)
    assert len(masked) == len(text)
    assert all(after in (before, "*") for before, after in zip(text, masked, strict=True))


@given(MIXED)
def test_a_text_without_listed_words_does_not_change(text: str) -> None:
    assert mask(text, listed=BAD - candidates(text)) == text


@given(MIXED)
def test_masking_twice_masks_no_more(text: str) -> None:
    once = mask(text, listed=BAD)
    assert mask(once, listed=BAD) == once


@given(st.text(alphabet=CHARACTERS + STRANGE, max_size=12))
def test_every_listable_word_is_masked(word: str) -> None:
    if is_listable_word(word):
        assert mask(word, listed={normalize_word(word)}) == "*" * len(word)
        assert normalize_word(word) in candidates(f"so {word}, they say")
