"""The log held against its checkpoints: each way in which a database can be changed behind their back is named.

One log is written, signed and kept outside; each test changes it as the owner of the tables, and rolls back.
"""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.db import transaction
from django.utils import timezone

from casino.checkpoints import audit, keyring, records, replicas, signing, storage
from casino.checkpoints.document import parse, serialize, signed_bytes
from casino.events.sql import execute
from tests.casino.checkpoints.signing_here import log_of
from tests.conftest import pointed_at
from tests.support.house import fresh_database

TABLES = (
    "events_seal",
    "checkpoints_checkpoint",
    "checkpoints_copy",
    "checkpoints_node",
    "checkpoints_key",
    "checkpoints_log",
)


@pytest.fixture(scope="module")
def signed(services, django_db_blocker, tmp_path_factory):
    """The owner's address of a log of 900 events with checkpoints at 300, 600 and 900, and the place outside."""
    folder = tmp_path_factory.mktemp("outside") / "kept"
    with fresh_database(services, django_db_blocker) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(configured, "CHECKPOINT_STORAGE", folder.as_uri())
        for number in range(3):
            log_of(300, stream=f"round-{number}")
            signing.sign_now()
        yield database.owner_url, folder


@pytest.fixture
def kept(signed, settings, tmp_path):
    """The place outside, as a copy for this test; the database is the owner's to change until the test ends."""
    url, folder = signed
    own = Path(shutil.copytree(folder, tmp_path / "kept"))
    settings.CHECKPOINT_STORAGE = own.as_uri()
    with pointed_at(url), transaction.atomic():
        execute("SET ROLE NONE")
        for table in TABLES:
            execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield own
        transaction.set_rollback(True)


def found(*, later=timedelta(0), since=None):
    """(what, where) of every finding."""
    findings = audit.check(replicas.read_unknown_copies(), now=timezone.now() + later, since=since)
    return [(finding.kind, finding.location) for finding in findings]


def number_of(place, number):
    return place / storage.object_name(number)


def test_a_log_that_nobody_touched_agrees_with_its_checkpoints(kept):
    assert found() == []
    for number in (1, 2, 3):
        assert found(since=records.find_by_number(number)) == []
        assert audit.is_trusted(records.find_by_number(number))


def test_a_log_without_a_place_outside_is_held_against_its_own_checkpoints(kept, settings):
    settings.CHECKPOINT_STORAGE = ""
    assert found() == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert ("log differs from its checkpoint", "checkpoint 1") in found()


@pytest.mark.parametrize(("position", "first"), [(1, 1), (300, 1), (301, 2), (900, 3)])
def test_a_digest_that_was_written_anew_is_named_by_the_first_checkpoint_over_it(kept, position, first):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = %s", [position])
    wrong = [where for what, where in found() if what == "log differs from its checkpoint"]
    assert wrong == [f"checkpoint {number}" for number in range(first, 4)]


def test_an_incremental_look_does_not_read_digests_before_its_checkpoint_again(kept):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert found(since=records.find_by_number(2)) == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 601")
    assert found(since=records.find_by_number(2)) == [
        ("tree node differs", "level 8 place 2"),
        ("log differs from its checkpoint", "checkpoint 3"),
    ]


def test_a_cut_tail_is_named(kept):
    execute("DELETE FROM events_seal WHERE position > 880")
    assert ("tail cut", "checkpoint 3") in found()


def test_a_cut_tail_with_its_checkpoints_is_named_by_the_copies_outside(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number > 1")
    execute("DELETE FROM events_seal WHERE position > 300")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 300")
    assert found() == [
        ("checkpoint is not in the database", "checkpoint 2"),
        ("checkpoint is not in the database", "checkpoint 3"),
        ("tail cut", "checkpoint 2"),
    ]


def test_a_restored_backup_that_went_on_otherwise_is_named(kept):
    """The backup was taken after the second checkpoint; since then other events were sealed."""
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 3")
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position > 600")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 600")
    whats = found()
    assert ("checkpoint is not in the database", "checkpoint 3") in whats
    assert ("log differs from its checkpoint", "checkpoint 3") in whats


def test_a_checkpoint_by_a_key_that_nobody_trusts_is_named(kept):
    thief = keyring.parse("thief:" + "99" * 32, "")
    signature = thief.sign(signed_bytes(replace(records.latest(), key="thief")))
    execute("UPDATE checkpoints_checkpoint SET key = 'thief', signature = %s WHERE number = 3", [signature])
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', %s)", [thief.public["thief"]])
    assert {("replica differs", "checkpoint 3"), ("checkpoint key is not trusted", "checkpoint 3")} <= set(found())


def test_a_checkpoint_with_a_trusted_name_and_another_signature_is_named(kept):
    execute("UPDATE checkpoints_checkpoint SET signature = decode(repeat('ab', 64), 'hex') WHERE number = 2")
    assert {("replica differs", "checkpoint 2"), ("checkpoint signature is wrong", "checkpoint 2")} <= set(found())


def test_a_checkpoint_of_another_log_outside_is_named(kept):
    other = parse(number_of(kept, 3).read_bytes())
    number_of(kept, 4).write_bytes(serialize(replace(other, number=4, log=UUID(int=7))))
    assert found()[:2] == [
        ("checkpoint of another log", "checkpoint 4"),
        ("checkpoint is not in the database", "checkpoint 4"),
    ]


def test_another_log_under_the_same_checkpoints_is_named(kept):
    execute("UPDATE checkpoints_log SET id = gen_random_uuid()")
    whats = [what for what, _ in found()]
    assert whats.count("replica differs") == 3
    assert whats.count("checkpoint signature is wrong") == 3


def test_a_checkpoint_left_out_breaks_the_chain(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 2")
    assert ("checkpoint chain broken", "checkpoint 3") in found()


def test_checkpoints_out_of_order_break_the_chain(kept):
    execute("UPDATE checkpoints_checkpoint SET made_at = made_at - interval '1 hour' WHERE number = 2")
    assert {("checkpoint chain broken", "checkpoint 2"), ("checkpoint key was not in use", "checkpoint 2")} <= set(
        found()
    )


def test_a_copy_that_was_removed_is_named(kept):
    number_of(kept, 2).unlink()
    assert found() == [("replica missing", "checkpoint 2")]


def test_a_copy_that_is_no_checkpoint_is_named(kept):
    number_of(kept, 4).write_bytes(b"{}")
    assert found() == [("replica differs", "checkpoint 4")]


def test_a_place_that_does_not_answer_is_named(kept):
    shutil.rmtree(kept)
    kept.write_bytes(b"no folder")
    assert found() == [("outside copies can't be read", "the place of checkpoints")] * 2


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE checkpoints_node SET hash = sha256(hash) WHERE level = 9", "level 9 place 0"),
        ("DELETE FROM checkpoints_node WHERE level = 8 AND place = 1", "level 8 place 1"),
        ("INSERT INTO checkpoints_node VALUES (12, 3, sha256('x'))", "level 12 place 3"),
    ],
)
def test_a_changed_tree_is_named(kept, change, where):
    execute(change)
    assert found() == [("tree node differs", where)]


def test_an_incremental_look_on_a_changed_tree_computes_all_of_it(kept):
    execute("UPDATE checkpoints_node SET hash = sha256(hash) WHERE level = 9")
    assert found(since=records.find_by_number(3)) == [
        ("tree node differs", "checkpoint 3"),
        ("tree node differs", "level 9 place 0"),
    ]


def test_a_log_that_is_not_signed_for_more_than_a_day_is_named(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 3")
    number_of(kept, 3).unlink()
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 600")
    assert found() == []
    assert found(later=timedelta(hours=26)) == [("checkpoint overdue", "the log")]


def test_the_last_good_checkpoint_is_trusted_and_within_what_was_audited(kept):
    assert audit.latest_trusted(upto=299) is None
    assert audit.latest_trusted(upto=899).number == 2
    assert audit.latest_trusted(upto=900).number == 3
    number_of(kept, 3).unlink()
    execute("UPDATE checkpoints_checkpoint SET signature = decode(repeat('ab', 64), 'hex') WHERE number = 2")
    assert audit.latest_trusted(upto=900).number == 1


def test_a_copy_removed_inside_and_outside_is_named_as_later_ones_are_there(kept):
    number_of(kept, 2).unlink()
    execute("DELETE FROM checkpoints_copy WHERE number = 2")
    assert found() == [("replica missing", "checkpoint 2")]


def test_a_copy_removed_outside_does_not_hide_those_after_it(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number > 1")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 300")
    number_of(kept, 2).unlink()
    assert ("checkpoint is not in the database", "checkpoint 3") in found()


def test_a_key_that_is_published_and_is_not_ours_is_named(kept):
    execute("UPDATE checkpoints_key SET public = sha256(public)")
    assert [what for what, _ in found()] == ["checkpoint key is not trusted"]
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', sha256('thief'))")
    assert ("checkpoint key is not trusted", "key thief") in found()


def test_a_log_without_its_name_is_named(kept):
    execute("DELETE FROM checkpoints_log")
    assert ("checkpoint of another log", "the log") in found()
