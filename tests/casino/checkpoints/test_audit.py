"""Audit against checkpoints: each way in which an owner can change the database is reported.

One log is written, signed and copied; each test changes it as the owner of the tables, and rolls back.
"""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.db import transaction
from django.utils import timezone

from casino.checkpoints import audit, keyring, notes, records, replicas, signing, storage
from casino.crypto import signed_note
from casino.crypto.signed_note import SignedNote, TreeHead
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
    "checkpoints_retirement",
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


def note_by(ring, head):
    """Sign a note by the active key of a keyring."""
    signature = signed_note.sign(str(head), name=head.origin, private=ring.private[ring.active].private_bytes_raw())
    return str(SignedNote(str(head), (signature,)))


def replace_note(size, note, *, root=None):
    execute("UPDATE checkpoints_checkpoint SET note = %s WHERE size = %s", [note, size])
    if root is not None:
        execute("UPDATE checkpoints_checkpoint SET root = %s WHERE size = %s", [root, size])


def cut_checkpoints(upto):
    """Remove the checkpoints above a size, as a backup from then has none of them."""
    execute("DELETE FROM checkpoints_copy WHERE size > %s", [upto])
    execute("DELETE FROM checkpoints_checkpoint WHERE size > %s", [upto])
    execute("DELETE FROM checkpoints_node WHERE (place + 1) << level::integer > %s", [upto])


def test_an_unchanged_log_matches_its_checkpoints(kept):
    assert findings() == []
    for size in (300, 600, 900):
        assert findings(since=records.find(size)) == []
        assert audit.is_trusted(records.find(size))


def test_a_log_without_storage_is_compared_with_its_own_checkpoints(kept, settings):
    settings.CHECKPOINT_STORAGE = ""
    assert findings() == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert ("log differs from its checkpoint", "checkpoint 300") in findings()


@pytest.mark.parametrize(("position", "first"), [(1, 300), (300, 300), (301, 600), (900, 900)])
def test_a_rewritten_digest_is_reported_by_the_first_checkpoint_over_it(kept, position, first):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = %s", [position])
    wrong = [where for kind, where in findings() if kind == "log differs from its checkpoint"]
    assert wrong == [f"checkpoint {size}" for size in range(first, 901, 300)]


def test_an_incremental_audit_does_not_read_digests_before_its_checkpoint(kept):
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 5")
    assert findings(since=records.find(600)) == []
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = 601")
    assert findings(since=records.find(600)) == [
        ("tree node differs", "level 8 place 2"),
        ("log differs from its checkpoint", "checkpoint 900"),
    ]


def test_an_audit_since_a_checkpoint_reads_none_before_and_finds_what_is_wrong_after(kept):
    replace_note(300, "nothing")
    copy_of(kept, 1).unlink()
    second = records.find(600)
    assert findings(since=second) == []
    copy_of(kept, 3).unlink()
    execute("UPDATE checkpoints_checkpoint SET root = sha256(root) WHERE size = 900")
    assert findings(since=second) == [("checkpoint is forged", "checkpoint 900"), ("replica missing", "copy 3")]


def test_a_cut_tail_is_reported(kept):
    execute("DELETE FROM events_seal WHERE position > 880")
    assert ("tail cut", "checkpoint 900") in findings()


def test_a_cut_tail_with_its_checkpoints_is_reported_by_the_copies(kept):
    cut_checkpoints(300)
    execute("DELETE FROM events_seal WHERE position > 300")
    assert findings() == [
        ("checkpoint is not in the database", "copy 2"),
        ("checkpoint is not in the database", "copy 3"),
        ("tail cut", "copy 2"),
    ]


def test_a_restored_backup_with_another_history_is_reported(kept):
    """Restore a backup from after the second checkpoint and seal other events since."""
    cut_checkpoints(600)
    execute("UPDATE events_seal SET digest = sha256(digest) WHERE position > 600")
    assert findings() == [
        ("checkpoint is not in the database", "copy 3"),
        ("log differs from its checkpoint", "copy 3"),
    ]


def test_a_checkpoint_by_an_untrusted_key_is_reported(kept):
    thief = keyring.parse("thief:" + "99" * 32, "")
    replace_note(900, note_by(thief, notes.read(records.latest().note)[0]))
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', %s)", [thief.public["thief"]])
    assert findings() == [
        ("checkpoint key is not trusted", "key thief"),
        ("checkpoint is forged", "checkpoint 900"),
        ("replica differs", "copy 3"),
    ]


def test_a_checkpoint_with_another_signature_under_a_trusted_key_is_reported(kept):
    text, _, signature = records.find(600).note.rpartition(" ")
    replace_note(600, f"{text} {signature[:8]}{'A' * (len(signature) - 9)}\n")
    assert {("replica differs", "copy 2"), ("checkpoint is forged", "checkpoint 600")} <= set(findings())


def test_a_copy_of_a_checkpoint_of_another_log_is_reported(kept):
    other = TreeHead("other.example/log", 900, records.latest().root)
    copy_of(kept, 4).write_text(note_by(keyring.checkpoint_keyring(), other))
    assert findings() == [("replica differs", "copy 4")]


def test_another_log_under_the_same_checkpoints_is_reported(kept, settings):
    settings.LOG_ORIGIN = "other.example/log"
    assert [kind for kind, _ in findings()].count("checkpoint is forged") == 3


def test_a_second_history_by_the_own_key_is_reported(kept):
    copy_of(kept, 4).write_text(note_by(keyring.checkpoint_keyring(), TreeHead(configured.LOG_ORIGIN, 900, bytes(32))))
    assert findings() == [("replica differs", "copy 4"), ("log differs from its checkpoint", "copy 4")]


def test_a_copy_that_is_not_recorded_yet_is_in_order(kept):
    execute("DELETE FROM checkpoints_copy WHERE number = 3")
    assert findings() == []


def test_a_missing_checkpoint_is_reported_by_its_copy(kept):
    execute("DELETE FROM checkpoints_copy WHERE number = 2")
    execute("DELETE FROM checkpoints_checkpoint WHERE size = 600")
    assert findings() == [("copies of checkpoints not in order", "copy 3")]
    execute("ALTER TABLE checkpoints_copy DROP CONSTRAINT checkpoints_copy_size_fkey")
    execute("INSERT INTO checkpoints_copy (number, size) VALUES (2, 600)")
    assert findings() == [("checkpoint is not in the database", "copy 2")]


def test_a_key_that_signed_after_its_time_or_was_never_in_use_is_reported(kept):
    execute("INSERT INTO checkpoints_retirement SELECT id, since FROM checkpoints_key")
    assert findings() == [("checkpoint key was not in use", "checkpoint 900")]
    execute("DELETE FROM checkpoints_retirement")
    execute("DELETE FROM checkpoints_key")
    assert findings() == [("checkpoint key was not in use", "checkpoint 900")]


def test_a_copy_that_was_removed_is_reported(kept):
    copy_of(kept, 2).unlink()
    assert findings() == [("replica missing", "copy 2")]


def test_a_copy_that_is_no_checkpoint_is_reported(kept):
    copy_of(kept, 4).write_bytes(b"{}")
    assert findings() == [("replica differs", "copy 4")]


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
    assert findings(since=records.find(900)) == [
        ("tree node differs", "checkpoint 900"),
        ("tree node differs", "level 9 place 0"),
    ]


def test_a_log_that_is_not_signed_for_more_than_a_day_is_reported(kept):
    cut_checkpoints(600)
    copy_of(kept, 3).unlink()
    assert findings() == []
    assert findings(later=timedelta(hours=26)) == [("checkpoint overdue", "the log")]


def test_the_latest_trusted_checkpoint_is_valid_and_within_the_audited_positions(kept):
    assert audit.latest_trusted(upto=299) is None
    assert audit.latest_trusted(upto=899).size == 600
    assert audit.latest_trusted(upto=900).size == 900
    copy_of(kept, 3).unlink()
    execute("UPDATE checkpoints_checkpoint SET root = sha256(root) WHERE size = 600")
    assert audit.latest_trusted(upto=900).size == 300


def test_a_copy_removed_with_its_record_is_reported_because_of_later_ones(kept):
    copy_of(kept, 2).unlink()
    execute("DELETE FROM checkpoints_copy WHERE number = 2")
    assert findings() == [("copies of checkpoints not in order", "copy 3")]


def test_a_removed_copy_does_not_hide_those_after_it(kept):
    cut_checkpoints(300)
    copy_of(kept, 2).unlink()
    assert ("checkpoint is not in the database", "copy 3") in findings()


def test_a_published_key_that_is_not_trusted_is_reported(kept):
    execute("UPDATE checkpoints_key SET public = sha256(public)")
    assert [kind for kind, _ in findings()] == ["checkpoint key is not trusted"]
    execute("INSERT INTO checkpoints_key (id, public) VALUES ('thief', sha256('thief'))")
    assert ("checkpoint key is not trusted", "key thief") in findings()
