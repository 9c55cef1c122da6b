# ruff: noqa: RUF001 - it is about letters that look like others
"""Texts look alike when people could take one for the other, and not when they have no more than letters in common."""

from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.lookalikes import looks, prototypes
from tests.support.scripts import NAMES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ace", "Асе"),  # Cyrillic
        ("Ace", "ACE"),
        ("Iris", "lris"),
        ("Lucky 10", "Lucky lO"),
        ("Romeo", "Rorneo"),
        ("Ολα", "OΛA"),
        ("𝐀𝐜𝐞", "Ace"),
        ("Ａｃｅ", "Ace"),
        ("アキラ", "ｱｷﾗ"),
        ("ロード", "口一ド"),
        ("כהן", "כהו"),
        ("Œdipe", "OEdipe"),
        ("Zoe\u0308", "Zoë"),
    ],
)
def test_texts_that_could_be_taken_for_each_other_look_alike(one: str, other: str) -> None:
    assert looks(one) & looks(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Ace", "Ase"), ("Ace", "Àce"), ("陳偉", "陈伟"), ("Ann", "Anna"), ("สมชาย", "สมหมาย")]
)
def test_other_texts_do_not(one: str, other: str) -> None:
    assert looks(one).isdisjoint(looks(other))


def test_no_two_names_of_many_scripts_look_alike() -> None:
    seen: set[str] = set()
    for name in NAMES:
        assert seen.isdisjoint(looks(name)), name
        seen |= looks(name)


@given(st.sampled_from(("Lucky Romeo", *NAMES)), st.data())
def test_a_text_looks_the_same_with_any_character_replaced_by_one_of_its_kind(text: str, data: st.DataObject) -> None:
    replaced = data.draw(st.sampled_from(text))
    kind = prototypes().get(ord(replaced), replaced)
    alike = [chr(key) for key, value in prototypes().items() if value == kind and is_normalized("NFD", chr(key))]
    assert looks(text) & looks(text.replace(replaced, data.draw(st.sampled_from([replaced, *alike]))))
