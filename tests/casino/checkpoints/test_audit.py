"""Audit against checkpoints: each way in which an owner can change the database is reported.

One log is written, signed and copied; each test changes it as the owner of the tables, and rolls back.
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
    """Sign a log of 900 events at 300, 600 and 900; yield the owner's URL and the storage folder."""
    folder = tmp_path_factory.mktemp("outside") / "kept"
    with fresh_database(services, django_db_blocker) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(configured, "CHECKPOINT_STORAGE", folder.as_uri())
        for number in range(3):
            log_of(300, stream=f"round-{number}")
            signing.sign_now()
        yield database.owner_url, folder


@pytest.fixture
def kept(signed, settings, tmp_path):
    """Copy the storage folder for this test, and let it change the database as the owner until it ends."""
    url, folder = signed
    own = Path(shutil.copytree(folder, tmp_path / "kept"))
    settings.CHECKPOINT_STORAGE = own.as_uri()
    with pointed_at(url), transaction.atomic():
        execute("SET ROLE NONE")
        for table in TABLES:
            execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield own
        transaction.set_rollback(True)


def findings(*, later=timedelta(0), since=None):
    """Return kind and location of every finding."""
    result = audit.check(replicas.read_unknown_copies(), now=timezone.now() + later, since=since)
    return [(finding.kind, finding.location) for finding in result]


def copy_of(folder, number):
    return folder / storage.object_name(number)


def test_an_unchanged_log_matches_its_checkpoints(kept):
    assert findings() == []
    for number in (1, 2, 3):
        assert findings(since=records.find_by_number(number)) == []
        assert audit.is_trusted(records.find_by_number(number))


def test_a_log_without_storage_is_compared_with_its_own_checkpoints(kept, settings):
    settings.CHECKPOINT_STORAGE = ""
    assert findings() == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert ("log differs from its checkpoint", "checkpoint 1") in findings()


@pytest.mark.parametrize(("position", "first"), [(1, 1), (300, 1), (301, 2), (900, 3)])
def test_a_rewritten_digest_is_reported_by_the_first_checkpoint_over_it(kept, position, first):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = %s", [position])
    wrong = [where for kind, where in findings() if kind == "log differs from its checkpoint"]
    assert wrong == [f"checkpoint {number}" for number in range(first, 4)]


def test_an_incremental_audit_does_not_read_digests_before_its_checkpoint(kept):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert findings(since=records.find_by_number(2)) == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 601")
    assert findings(since=records.find_by_number(2)) == [
        ("tree node differs", "level 8 place 2"),
        ("log differs from its checkpoint", "checkpoint 3"),
    ]


def test_an_audit_of_newer_checkpoints_reads_none_before_and_finds_what_is_wrong_after(kept):
    execute("UPDATE checkpoints_checkpoint SET made_at = made_at + interval '1 second' WHERE number = 1")
    copy_of(kept, 1).unlink()
    second = records.find_by_number(2)
    check = {"now": timezone.now(), "since": second, "newer_only": True}
    broken = [(each.kind, each.location) for each in audit.check(replicas.read_unknown_copies(), **check)]
    assert broken == [("checkpoint chain broken", "checkpoint 2")]
    execute("UPDATE checkpoints_checkpoint SET made_at = made_at - interval '1 second' WHERE number = 1")
    assert audit.check(replicas.read_unknown_copies(), **check) == []
    copy_of(kept, 3).unlink()
    execute("UPDATE checkpoints_checkpoint SET root = sha256(root) WHERE number = 3")
    kinds = {each.kind for each in audit.check(replicas.read_unknown_copies(), **check)}
    assert kinds == {"replica missing", "checkpoint signature is wrong"}


def test_a_cut_tail_is_reported(kept):
    execute("DELETE FROM events_seal WHERE position > 880")
    assert ("tail cut", "checkpoint 3") in findings()


def test_a_cut_tail_with_its_checkpoints_is_reported_by_the_copies(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number > 1")
    execute("DELETE FROM events_seal WHERE position > 300")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 300")
    assert findings() == [
        ("checkpoint is not in the database", "checkpoint 2"),
        ("checkpoint is not in the database", "checkpoint 3"),
        ("tail cut", "checkpoint 2"),
    ]


def test_a_restored_backup_with_another_history_is_reported(kept):
    """Restore a backup from after the second checkpoint and seal other events since."""
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 3")
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position > 600")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 600")
    kinds = findings()
    assert ("checkpoint is not in the database", "checkpoint 3") in kinds
    assert ("log differs from its checkpoint", "checkpoint 3") in kinds


def test_a_checkpoint_by_an_untrusted_key_is_reported(kept):
    thief = keyring.parse("thief:" + "99" * 32, "")
    signature = thief.sign(signed_bytes(replace(records.latest(), key="thief")))
    execute("UPDATE checkpoints_checkpoint SET key = 'thief', signature = %s WHERE number = 3", [signature])
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', %s)", [thief.public["thief"]])
    assert {("replica differs", "checkpoint 3"), ("checkpoint key is not trusted", "checkpoint 3")} <= set(findings())


def test_a_checkpoint_with_a_trusted_name_and_another_signature_is_reported(kept):
    execute("UPDATE checkpoints_checkpoint SET signature = decode(repeat('ab', 64), 'hex') WHERE number = 2")
    assert {("replica differs", "checkpoint 2"), ("checkpoint signature is wrong", "checkpoint 2")} <= set(findings())


def test_a_copy_of_a_checkpoint_of_another_log_is_reported(kept):
    other = parse(copy_of(kept, 3).read_bytes())
    copy_of(kept, 4).write_bytes(serialize(replace(other, number=4, log=UUID(int=7))))
    assert findings()[:2] == [
        ("checkpoint of another log", "checkpoint 4"),
        ("checkpoint is not in the database", "checkpoint 4"),
    ]


def test_another_log_under_the_same_checkpoints_is_reported(kept):
    execute("UPDATE checkpoints_log SET id = gen_random_uuid()")
    kinds = [kind for kind, _ in findings()]
    assert kinds.count("replica differs") == 3
    assert kinds.count("checkpoint signature is wrong") == 3


def test_a_missing_checkpoint_breaks_the_chain(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 2")
    assert ("checkpoint chain broken", "checkpoint 3") in findings()


def test_checkpoints_out_of_order_break_the_chain(kept):
    execute("UPDATE checkpoints_checkpoint SET made_at = made_at - interval '1 hour' WHERE number = 2")
    assert {("checkpoint chain broken", "checkpoint 2"), ("checkpoint key was not in use", "checkpoint 2")} <= set(
        findings()
    )


def test_a_copy_that_was_removed_is_reported(kept):
    copy_of(kept, 2).unlink()
    assert findings() == [("replica missing", "checkpoint 2")]


def test_a_copy_that_is_no_checkpoint_is_reported(kept):
    copy_of(kept, 4).write_bytes(b"{}")
    assert findings() == [("replica differs", "checkpoint 4")]


def test_an_unavailable_storage_is_reported(kept):
    shutil.rmtree(kept)
    kept.write_bytes(b"no folder")
    assert findings() == [("copies can't be read", "storage of checkpoints")] * 2


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE checkpoints_node SET hash = sha256(hash) WHERE level = 9", "level 9 place 0"),
        ("DELETE FROM checkpoints_node WHERE level = 8 AND place = 1", "level 8 place 1"),
        ("INSERT INTO checkpoints_node VALUES (12, 3, sha256('x'))", "level 12 place 3"),
    ],
)
def test_a_changed_tree_is_reported(kept, change, where):
    execute(change)
    assert findings() == [("tree node differs", where)]


def test_an_incremental_audit_computes_a_changed_tree_again(kept):
    execute("UPDATE checkpoints_node SET hash = sha256(hash) WHERE level = 9")
    assert findings(since=records.find_by_number(3)) == [
        ("tree node differs", "checkpoint 3"),
        ("tree node differs", "level 9 place 0"),
    ]


def test_a_log_that_is_not_signed_for_more_than_a_day_is_reported(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number = 3")
    copy_of(kept, 3).unlink()
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 600")
    assert findings() == []
    assert findings(later=timedelta(hours=26)) == [("checkpoint overdue", "the log")]


def test_the_latest_trusted_checkpoint_is_valid_and_within_the_audited_positions(kept):
    assert audit.latest_trusted(upto=299) is None
    assert audit.latest_trusted(upto=899).number == 2
    assert audit.latest_trusted(upto=900).number == 3
    copy_of(kept, 3).unlink()
    execute("UPDATE checkpoints_checkpoint SET signature = decode(repeat('ab', 64), 'hex') WHERE number = 2")
    assert audit.latest_trusted(upto=900).number == 1


def test_a_copy_removed_with_its_record_is_reported_because_of_later_ones(kept):
    copy_of(kept, 2).unlink()
    execute("DELETE FROM checkpoints_copy WHERE number = 2")
    assert findings() == [("replica missing", "checkpoint 2")]


def test_a_removed_copy_does_not_hide_those_after_it(kept):
    execute("DELETE FROM checkpoints_checkpoint WHERE number > 1")
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > 300")
    copy_of(kept, 2).unlink()
    assert ("checkpoint is not in the database", "checkpoint 3") in findings()


def test_a_published_key_that_is_not_trusted_is_reported(kept):
    execute("UPDATE checkpoints_key SET public = sha256(public)")
    assert [kind for kind, _ in findings()] == ["checkpoint key is not trusted"]
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', sha256('thief'))")
    assert ("checkpoint key is not trusted", "key thief") in findings()


def test_a_log_without_its_id_is_reported(kept):
    execute("DELETE FROM checkpoints_log")
    assert ("checkpoint of another log", "the log") in findings()
