"""`manage.py checkpoint`: signs now what is sealed."""

from io import StringIO

import pytest
from django.core.management import call_command

from casino.checkpoints import signing
from tests.casino.checkpoints.signing_here import log_of

pytestmark = pytest.mark.django_db


def told() -> str:
    out = StringIO()
    call_command("checkpoint", stdout=out)
    return out.getvalue().strip()


def test_it_signs_what_is_sealed_once_and_copies_it_outside(place):
    assert told() == "Nothing is sealed yet."
    log_of(5)

    assert told() == "checkpoint 1: position 5, by development"
    assert told() == "checkpoint 1: position 5, by development"
    assert signing.latest().position == 5
    assert len(list(place.iterdir())) == 1
