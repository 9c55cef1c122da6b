"""Canonical JSON: one text for one value, and PostgreSQL's jsonb does not change the value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.canonical_json import MAX_INTEGER, NotCanonical, canonical, recanonical

ASCII = st.text(st.characters(min_codepoint=1, max_codepoint=126), max_size=8)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
LEAVES = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ASCII, inner, max_size=5))


@given(VALUES)
def test_canonical_text_equals_the_standard_librarys_with_sorted_names(value):
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonical(value) == expected


@given(VALUES)
def test_canonical_text_is_a_fixed_point(value):
    text = canonical(value)
    assert recanonical(text) == text
    assert json.loads(text) == value


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        {"a": 0.5},
        [float("nan")],
        MAX_INTEGER + 1,
        {"a": [-MAX_INTEGER - 1]},
        {"é": 1},
        {1: 1},
        "a\x00",
        {"\x00": 1},
        "\ud800",
        b"bytes",
        {1, 2},
        object(),
    ],
)
def test_a_value_without_a_canonical_form_is_refused(value):
    with pytest.raises(NotCanonical):
        canonical(value)
