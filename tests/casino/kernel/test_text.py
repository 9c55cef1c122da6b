# ruff: noqa: RUF001 - it is about other scripts than the Latin one
"""What people write is stored normalised or refused; references stay as they were sent."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from casino.kernel.text import TextTooLong, UnfitText, clean, fold, is_reference, isolate, length, salvage
from tests.support.scripts import NAMES, SENTENCES

LIMIT = 40
CURIOUS = st.text(
    st.sampled_from("aé\u0301 \u00a0\u3000\u200b\u200c\u200d\u202e\u2068\u3164\u2800\n\r\tعیक\u094d🏳\ufe0f🌈👩👧\u1100")
)
TEXTS = st.text() | CURIOUS | st.text(st.characters(), max_size=60)


@given(TEXTS)
@example("a\u200d\u200b\u200d\u0301")
def test_any_text_is_stored_as_it_would_be_stored_again_or_refused(text: str) -> None:
    try:
        cleaned = clean(text, limit=LIMIT)
    except UnfitText:
        return
    assert clean(cleaned, limit=LIMIT) == cleaned == cleaned.strip()
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not set("\n\u00a0\u3000\u200b\u202e\u2068\u3164\u2800") & set(cleaned)
    assert length(cleaned) <= LIMIT
    assert len(cleaned.encode()) <= 12 * LIMIT
    assert fold(cleaned) == fold(text)


@given(TEXTS)
def test_lines_stay_where_they_are_allowed(text: str) -> None:
    try:
        cleaned = clean(text, limit=LIMIT, multiline=True)
    except UnfitText:
        return
    assert clean(cleaned, limit=LIMIT, multiline=True) == cleaned
    assert "\r" not in cleaned


@given(TEXTS)
def test_what_is_saved_of_any_text_is_a_clean_one(text: str) -> None:
    saved = salvage(text, limit=LIMIT)

    assert clean(saved, limit=LIMIT) == saved


@pytest.mark.parametrize("text", [*NAMES, *SENTENCES])
def test_names_and_sentences_in_every_script_stay_as_they_are(text: str) -> None:
    assert clean(text, limit=60) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("山田\u3000太郎", "山田 太郎"),
        ("Jean\u00a0Luc", "Jean Luc"),
        ("Bravo\u202f!", "Bravo !"),
        ("  a \u3000 b  ", "a b"),
        ("Zoe\u0308", "Zoë"),
        ("in\u200bvi\u00adsi\ufeffble", "invisible"),
        ("A\u200dce", "Ace"),
        ("می\u200c\u200cخواهم\u200c", "می\u200cخواهم"),
        ("\u2068יעל\u2069", "יעל"),
        ("\u200d\u200c\u200b", ""),
        (" \u3000", ""),
    ],
)
def test_spellings_are_made_one(text: str, cleaned: str) -> None:
    assert clean(text, limit=LIMIT) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "\u3164", "Ace\u3164", "\u2800", "\uffa0", "\u0301", "\u0301 \u0308", "a\u202eb", "a\u202ab", "bell\u0007",
        "two\nlines", "tab\there", "line\u2028", "\ue000", "\ud800", "\uffff", "\u0378",
        "\U000e0041", "\U0001f3f4\U000e0067",
    ],
)  # fmt: skip
def test_what_nobody_can_see_or_what_turns_a_line_round_is_refused(text: str) -> None:
    with pytest.raises(UnfitText):
        clean(text, limit=LIMIT)
    assert clean(salvage(text, limit=LIMIT), limit=LIMIT) == salvage(text, limit=LIMIT)


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("Ace", 3),
        ("👨\u200d👩\u200d👧", 1),
        ("🇲🇴🇩🇪", 2),
        ("👍🏽", 1),
        ("शर्मा", 3),
        ("ใจดี", 3),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", 1),
    ],
)
def test_a_character_is_what_people_see_as_one(text: str, characters: int) -> None:
    assert length(text) == characters


@pytest.mark.parametrize("text", ["x" * 41, "\u0e01\u0e47" * 41, "a" + "\u0301" * 300])
def test_a_text_of_too_many_characters_or_bytes_is_refused(text: str) -> None:
    with pytest.raises(TextTooLong):
        clean(text, limit=LIMIT)


def test_marks_do_not_count() -> None:
    assert clean("\u0e01\u0e47" * 40, limit=LIMIT) == "\u0e01\u0e47" * 40


def test_a_multiline_text_keeps_its_lines_and_their_order() -> None:
    assert clean("\r\n one \r\n\r\n two\rthree\n", limit=LIMIT, multiline=True) == "one\n\ntwo\nthree"


def test_a_text_is_found_in_any_spelling() -> None:
    assert fold("Ａｃｅ\u3000山田") == fold("ACE 山田")
    assert fold("علی\u200cرضا") == fold("علیرضا")
    assert fold("葛\U000e0100城") == fold("葛城")
    assert fold("Ace") != fold("Àce")


@pytest.mark.parametrize("text", ["残高\u3000不足", "علی\u200cرضا", "a\u202eb", " x ", "\u3164", "e\u0301"])
def test_a_reference_is_anything_without_controls(text: str) -> None:
    assert is_reference(text, limit=20)


@pytest.mark.parametrize("text", ["", "a\nb", "a\u0085", "\ud800", "x" * 21])
def test_controls_surrogates_and_long_texts_are_no_references(text: str) -> None:
    assert not is_reference(text, limit=20)


def test_only_names_from_right_to_left_are_isolated() -> None:
    assert isolate("יעל 7") == "\u2068יעל 7\u2069"
    assert isolate("علی") == "\u2068علی\u2069"
    assert isolate("Ace 陳偉") == "Ace 陳偉"
    assert clean(isolate("יעל"), limit=LIMIT) == "יעל"
