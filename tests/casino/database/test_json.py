"""Canonical JSON is the same after PostgreSQL has stored it."""

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.kernel.canonical_json import canonical, recanonical
from tests.casino.kernel.test_canonical_json import VALUES
from tests.support.depth import examples


@pytest.mark.django_db
@settings(max_examples=examples(10))
@given(st.lists(VALUES, min_size=1, max_size=50))
def test_canonical_text_survives_jsonb(values):
    texts = [canonical(value) for value in values]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT given::jsonb::text FROM unnest(%s::text[]) WITH ORDINALITY AS t (given, place) ORDER BY place",
            [[text.decode() for text in texts]],
        )
        printed = [row[0] for row in cursor.fetchall()]
    assert [recanonical(text) for text in printed] == texts
