"""What only grows beside the log is held by signed inventories: each change behind their back is named."""

import shutil
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as configured
from django.db import transaction
from django.utils import timezone

from casino.checkpoints import audit, manifests, replicas, table_digests
from casino.checkpoints.exceptions import CannotSign, NumberTaken
from casino.checkpoints.manifest import parse
from casino.events.sql import execute, fetch
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from tests.conftest import pointed_at
from tests.support.house import fresh_database

TABLES = ("significant_significantevent", "significant_note", "checkpoints_inventory")
DIFFER = "rows differ from their manifest"


def tell(subject):
    recorder.record(
        kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject=subject, actor="staff:1", reason="Why"
    )
    event = SignificantEvent.objects.latest("number").id
    notes.acknowledge(event, by="staff:2", note="Seen")


@pytest.fixture(scope="module")
def taken(services, django_db_blocker, tmp_path_factory):
    """The owner's address of a database with two inventories of three events and a remark on each, and the place."""
    folder = tmp_path_factory.mktemp("outside") / "kept"
    with fresh_database(services, django_db_blocker) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(configured, "CHECKPOINT_STORAGE", folder.as_uri())
        tell("table:1")
        tell("table:2")
        assert manifests.create_manifests() == 1
        tell("table:3")
        assert (manifests.create_manifests(), manifests.create_manifests()) == (1, 0)
        yield database.owner_url, folder


@pytest.fixture
def kept(taken, settings, tmp_path):
    """The place outside, as a copy for this test; the database is the owner's to change until the test ends."""
    url, folder = taken
    own = Path(shutil.copytree(folder, tmp_path / "kept"))
    settings.CHECKPOINT_STORAGE = own.as_uri()
    with pointed_at(url), transaction.atomic():
        execute("SET ROLE NONE")
        for table in TABLES:
            execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield own
        transaction.set_rollback(True)


def found(later=timedelta(0)):
    findings = audit.check(replicas.read_unknown_copies(), now=timezone.now() + later)
    return [(finding.kind, finding.location) for finding in findings]


def test_what_nobody_touched_agrees_and_each_row_is_in_one_lot(kept):
    assert found() == []
    lots = [lot for _, text in manifests.list_since(0) for lot in parse(text).lots]
    assert [(lot.table, lot.rows) for lot in lots] == [
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
def test_a_changed_or_removed_row_is_named(kept, change, where):
    execute(change)
    assert [(what, at.endswith(where)) for what, at in found()] == [(DIFFER, True)]


def test_rows_to_come_and_columns_to_come_change_nothing(kept):
    execute("ALTER TABLE significant_note ADD COLUMN later integer DEFAULT 7")
    tell("table:4")
    assert found() == []
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute("ALTER TABLE significant_note DROP COLUMN text CASCADE")
    assert (DIFFER, "significant_note") in found()


def test_rows_that_may_be_purged_by_now_are_not_missed(kept):
    execute("DELETE FROM significant_note")
    assert found(timedelta(days=3651)) == []


def test_an_inventory_rewritten_removed_or_exchanged_is_named(kept):
    text = manifests.list_since(0)[1][1]
    forged = text.replace(b'"rows":1', b'"rows":0')
    execute("UPDATE checkpoints_inventory SET text = %s WHERE number = 2", [forged.decode()])
    assert set(found()) == {("manifest signature is wrong", "inventory 2"), ("replica differs", "inventory 2")}
    execute("UPDATE checkpoints_inventory SET text = 'nothing' WHERE number = 2")
    with pytest.raises(CannotSign):
        manifests.latest()
    execute("DELETE FROM checkpoints_inventory WHERE number = 2")
    assert found() == [("manifest is not in the database", "inventory 2")]
    execute("DELETE FROM checkpoints_inventory")
    execute("INSERT INTO checkpoints_inventory VALUES (2, %s)", [text.decode()])
    assert ("manifest chain broken", "inventory 2") in found()


def test_a_copy_outside_that_is_gone_or_another_is_named(kept):
    (kept / manifests.object_name(1)).unlink()
    assert found() == [("replica missing", "inventory 1")]
    (kept / manifests.object_name(2)).unlink()
    assert found() == []  # the next look copies them
    assert found(timedelta(hours=2)) == [("replica missing", f"inventory {number}") for number in (1, 2)]
    manifests.copy_to_storage()
    assert sorted(each.name for each in kept.iterdir()) == [manifests.object_name(1), manifests.object_name(2)]


def test_nothing_is_signed_of_a_table_that_somebody_writes_to_nor_twice_under_a_number(database, place):
    tell("table:1")
    with psycopg.connect(database.owner_url) as other:
        other.execute("INSERT INTO significant_note (event_id, acknowledges, text, by, at) "
                      "SELECT id, false, 'A note', 'staff:3', now() FROM significant_significantevent")  # fmt: skip
        assert manifests.create_manifests() == 1
        assert [lot.table for lot in manifests.latest().lots] == ["significant_significantevent"]
    assert manifests.create_manifests() == 1
    assert [(lot.table, lot.after, lot.rows) for lot in manifests.latest().lots] == [("significant_note", 0, 2)]

    with database.owner() as owner:  # as a backup would that is restored
        owner.execute("ALTER TABLE checkpoints_inventory DISABLE TRIGGER USER")
        owner.execute("DELETE FROM checkpoints_inventory WHERE number = 2")
    with pytest.raises(NumberTaken):
        manifests.create_manifests()


def test_each_table_is_there_and_numbers_its_rows(db):
    known = table_digests.columns()
    assert known.keys() == table_digests.COVERED_TABLES.keys()
    assert all(key in known[table] for table, key in table_digests.COVERED_TABLES.items())
    protected = fetch("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE %s", ["%_keeps_rows"])
    for table in table_digests.COVERED_TABLES:
        assert (table,) in protected or table.startswith("staff_"), table
