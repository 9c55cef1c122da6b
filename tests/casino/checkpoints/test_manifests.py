"""Manifests: each change of an append-only table by its owner is reported."""

import shutil
from datetime import timedelta
from pathlib import Path

import msgspec
import psycopg
import pytest
from django.conf import settings as configured
from django.db import transaction
from django.utils import timezone

from casino.checkpoints import audit, manifests, replicas, table_digests
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.manifests import parse
from casino.checkpoints.signing import CannotSign, NumberTaken
from casino.events.sql import execute, fetch
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from tests.conftest import pointed_at
from tests.support.house import fresh_database

TABLES = ("significant_significantevent", "significant_note", "checkpoints_manifest")
DIFFER = "rows differ from their manifest"


def record_event(subject):
    recorder.record(
        kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject=subject, actor="staff:1", reason="Why"
    )
    event = SignificantEvent.objects.latest("number").id
    notes.acknowledge(event, by="staff:2", note="Seen")


@pytest.fixture(scope="module")
def signed(services, django_db_blocker, tmp_path_factory):
    """Sign two manifests of three events with a note each; yield the owner's URL and the storage folder."""
    folder = tmp_path_factory.mktemp("outside") / "kept"
    with fresh_database(services, django_db_blocker) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(configured, "CHECKPOINT_STORAGE", folder.as_uri())
        record_event("table:1")
        record_event("table:2")
        assert manifests.create_manifests() == 1
        record_event("table:3")
        assert (manifests.create_manifests(), manifests.create_manifests()) == (1, 0)
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


def findings(later=timedelta(0)):
    result = audit.check(replicas.read_unknown_copies(), now=timezone.now() + later)
    return [(finding.kind, finding.location) for finding in result if finding.kind != notes.QUEUE_DIFFERS]


def test_unchanged_tables_match_and_each_row_is_in_one_range(kept):
    assert findings() == []
    ranges = [each for _, text in manifests.list_after(0) for each in parse(text).ranges]
    ranges = [each for each in ranges if each.table != "events_rowdigest"]
    assert [(each.table, each.rows) for each in ranges] == [
        ("significant_note", 2), ("significant_significantevent", 2),
        ("significant_note", 1), ("significant_significantevent", 1),
    ]  # fmt: skip
    assert sorted(each.name for each in kept.iterdir()) == [manifests.object_name(1), manifests.object_name(2)]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE significant_significantevent SET reason = 'Because' WHERE subject = 'table:2'", "event 1 to 2"),
        ("UPDATE significant_significantevent SET at = at + interval '1 us' WHERE subject = 'table:3'", "event 3 to 3"),
        ("DELETE FROM significant_note WHERE id = 3", "note 3 to 3"),
        ("UPDATE significant_note SET text = 'Never seen' WHERE id = 1", "note 1 to 2"),
        ("UPDATE significant_note SET id = 4 WHERE id = 2", "note 1 to 2"),
    ],
)
def test_a_changed_or_removed_row_is_reported(kept, change, where):
    execute(change)
    assert [(kind, where_found.endswith(where)) for kind, where_found in findings()] == [(DIFFER, True)]


def test_new_rows_and_new_columns_are_not_reported(kept):
    execute("ALTER TABLE significant_note ADD COLUMN later integer DEFAULT 7")
    record_event("table:4")
    assert findings() == []
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute("ALTER TABLE significant_note DROP COLUMN text CASCADE")
    assert (DIFFER, "significant_note") in findings()


def test_rows_that_may_be_purged_are_not_reported(kept):
    execute("DELETE FROM significant_note")
    assert findings(timedelta(days=3651)) == []


def test_a_changed_removed_or_replaced_manifest_is_reported(kept):
    text = manifests.list_after(0)[1][1]
    forged = text.replace(b'"rows":1', b'"rows":0')
    execute("UPDATE checkpoints_manifest SET text = %s WHERE number = 2", [forged.decode()])
    assert set(findings()) == {
        ("manifest signature is wrong", "manifest 2"),
        ("manifest differs from its event", "manifest 2"),
        ("replica differs", "manifest 2"),
    }
    execute("UPDATE checkpoints_manifest SET text = 'nothing' WHERE number = 2")
    with pytest.raises(CannotSign):
        manifests.latest()
    execute("DELETE FROM checkpoints_manifest WHERE number = 2")
    assert findings() == [
        ("manifest differs from its event", "manifest 2"),
        ("manifest is not in the database", "manifest 2"),
    ]
    execute("DELETE FROM checkpoints_manifest")
    execute("INSERT INTO checkpoints_manifest VALUES (2, %s)", [text.decode()])
    assert ("manifest chain broken", "manifest 2") in findings()


def test_a_manifest_written_and_signed_again_with_its_copy_differs_from_its_event(kept):
    """As somebody who holds database, storage and signing key would."""
    execute("UPDATE significant_significantevent SET actor = 'nobody' WHERE number > 2")
    old = parse(manifests.list_after(0)[1][1])
    types = table_digests.column_types()
    ranges = tuple(
        table_digests.digest_range(each.table, types[each.table], after=each.after, upto=each.upto)
        for each in old.ranges
    )
    unsigned = msgspec.structs.replace(old, ranges=ranges, signature="")
    signature = checkpoint_keyring().sign(manifests.signed_bytes(unsigned)).hex()
    text = manifests.serialize(msgspec.structs.replace(unsigned, signature=signature))
    execute("UPDATE checkpoints_manifest SET text = %s WHERE number = 2", [text.decode()])
    copy = kept / manifests.object_name(2)
    copy.unlink()  # nobody may write into it
    copy.write_bytes(text)
    assert findings() == [("manifest differs from its event", "manifest 2")]


def test_a_missing_copy_is_reported(kept):
    (kept / manifests.object_name(1)).unlink()
    assert findings() == [("replica missing", "manifest 1")]
    (kept / manifests.object_name(2)).unlink()
    assert findings() == []  # the next run copies them
    assert findings(timedelta(hours=2)) == [("replica missing", f"manifest {number}") for number in (1, 2)]
    manifests.copy_to_storage()
    assert sorted(each.name for each in kept.iterdir()) == [manifests.object_name(1), manifests.object_name(2)]


def test_no_table_is_signed_while_it_has_a_writer_and_no_number_twice(database, place):
    record_event("table:1")
    with psycopg.connect(database.owner_url) as other:
        other.execute("INSERT INTO significant_note (event_id, acknowledges, text, by, at) "
                      "SELECT id, false, 'A note', 'staff:3', now() FROM significant_significantevent")  # fmt: skip
        assert manifests.create_manifests() == 1
        tables = [each.table for each in manifests.latest().ranges]
        assert tables == ["events_rowdigest", "significant_significantevent"]
    assert manifests.create_manifests() == 1
    assert [(each.table, each.after, each.rows) for each in manifests.latest().ranges] == [("significant_note", 0, 2)]

    with database.owner() as owner:  # as restoring a backup would
        owner.execute("ALTER TABLE checkpoints_manifest DISABLE TRIGGER USER")
        owner.execute("DELETE FROM checkpoints_manifest WHERE number = 2")
    with pytest.raises(NumberTaken):
        manifests.create_manifests()


def test_a_table_that_always_has_a_writer_is_signed_up_to_where_nobody_writes(database, place, monkeypatch):
    record_event("table:1")
    rounds = iter([{("significant_note", "3/1")}, {("significant_note", "3/1"), ("significant_note", "4/7")},
                   {("significant_note", "4/7")}])  # fmt: skip
    monkeypatch.setattr(table_digests, "_writers", lambda: next(rounds))
    assert table_digests.settled_numbers()["significant_note"] == 1


def test_each_covered_table_exists_and_numbers_its_rows(db):
    types = table_digests.column_types()
    assert types.keys() == table_digests.COVERED_TABLES.keys()
    assert all(key in types[table] for table, key in table_digests.COVERED_TABLES.items())
    protected = fetch("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE %s", ["%_keeps_rows"])
    for table in table_digests.COVERED_TABLES:
        assert (table,) in protected or table.startswith("staff_"), table
