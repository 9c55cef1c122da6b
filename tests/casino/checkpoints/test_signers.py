"""Signers on committed data: many at once, and one on top of a history that somebody wrote anew."""

import pytest

from casino.checkpoints import signing
from casino.checkpoints.exceptions import HistoryDiffers
from tests.casino.checkpoints.signing_here import log_of


def rewrite_seal(database, position):
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_seal DISABLE TRIGGER USER")
        owner.execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = %s", [position])


def test_nothing_is_signed_on_top_of_a_rewritten_tail(database, place):
    log_of(300)
    signing.sign_now()
    rewrite_seal(database, 299)
    log_of(5, stream="round-2")
    with pytest.raises(HistoryDiffers):
        signing.sign_now()


def test_a_dozen_at_once_make_one_checkpoint(database, place, in_threads):
    log_of(20)
    made = in_threads(12, lambda _: signing.sign_now())
    assert {each.number for each in made} == {1}
    assert len(list(place.glob("*.json"))) == 1
