"""Tampering by the owner of the tables, with triggers disabled: each kind is reported."""

# ruff: noqa: S608  (SQL made of constants)

from operator import attrgetter

import pytest

from casino.events import sealer, store, subscriptions
from casino.events.hash_chain import GENESIS, digest
from casino.events.verification import Head, current_head, inspect, verify, walk
from casino.kernel.canonical_json import recanonical
from tests.casino.events.writing import write


@pytest.fixture
def log(database):
    """Nine events sealed in three passes: a (1 2 3), b (4 5 6), a again (7), c (8 9)."""
    write("a", count=3)
    sealer.seal_all()
    write("b", count=3)
    write("a", expected=3)
    sealer.seal_all()
    write("c", count=2)
    sealer.seal_all()
    return database


def tamper(database, *statements):
    with database.owner() as owner:
        for table in ("events_event", "events_seal", "events_chainhead"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement in statements:
            owner.execute(statement)


def rechain(database):
    """Recompute every digest, as an attacker who knows the layout would."""
    previous, statements = GENESIS, []
    for event in subscriptions.read_sealed(0, 100):
        previous = digest(
            position=event.position,
            event=event.id,
            transaction=event.transaction,
            stream=event.stream,
            version=event.version,
            type=event.type,
            schema=event.schema,
            data=recanonical(event.data),
            metadata=recanonical(event.metadata),
            recorded_at=event.recorded_at,
            previous=previous,
        )
        statements.append(f"UPDATE events_seal SET digest = '\\x{previous.hex()}' WHERE position = {event.position}")
    tamper(database, *statements)


def findings_of(**options):
    return [(finding.kind, finding.location) for finding in verify(**options)]


def swap(one, other):
    """Return the statements that swap the events at two positions."""
    move = "UPDATE events_seal AS seal SET event_id = kept.event_id FROM kept"
    return [
        "CREATE TEMP TABLE kept AS SELECT position, event_id FROM events_seal",
        f"UPDATE events_seal SET event_id = -event_id WHERE position IN ({one}, {other})",
        f"{move} WHERE kept.position = {one} AND seal.position = {other}",
        f"{move} WHERE kept.position = {other} AND seal.position = {one}",
    ]


def test_an_unchanged_log_has_no_findings(log):
    assert findings_of(expected=current_head(), chunk=2) == []
    assert findings_of(from_position=5) == []


def test_an_empty_log_has_no_findings(database):
    assert findings_of(expected=Head(0, GENESIS)) == []


@pytest.mark.parametrize(
    "change",
    [
        """data = jsonb_set(data::jsonb, '{number}', '3')""",
        """data = jsonb_set(data::jsonb, '{number}', '2.0')""",
        """data = data::jsonb || '{"more": null}'""",
        "type = 'ChipRemoved'",
        "schema = 2",
        "recorded_at = recorded_at + interval '1 microsecond'",
    ],
)
def test_a_changed_byte_is_reported_by_position_stream_and_version(log, change):
    tamper(log, f"UPDATE events_event SET {change} WHERE stream = 'b' AND version = 2")
    (finding,) = verify()
    assert finding.kind == "digest differs"
    assert finding.location.startswith("position 5, b version 2, Chip")
    assert finding.expected != finding.actual


def test_an_event_moved_to_another_transaction_is_reported_with_what_it_leaves_incomplete(log):
    tamper(log, "UPDATE events_event SET transaction = 1000 WHERE stream = 'b' AND version = 2")
    assert [kind for kind, _ in findings_of()] == ["digest differs", "transaction torn"]


def test_changed_metadata_is_reported_for_each_event_of_its_append(log):
    tamper(log, """UPDATE events_event SET metadata = '{"actor": "player:8"}' WHERE stream = 'b' AND version = 1""")
    found = [(kind, where.split(", ")[1]) for kind, where in findings_of()]
    assert found == [("digest differs", f"b version {version}") for version in (1, 2, 3)]


@pytest.mark.parametrize("change", ["version = 9", "stream = 'd'"])
def test_an_event_moved_within_or_between_streams_is_reported_twice(log, change):
    tamper(log, f"UPDATE events_event SET {change} WHERE stream = 'b' AND version = 3")
    kinds = [kind for kind, _ in findings_of()]
    assert kinds == ["digest differs", "version missing"]


def test_a_changed_digest_is_reported_at_its_position_and_at_the_next(log):
    tamper(log, "UPDATE events_seal SET digest = sha256('x') WHERE position = 5")
    assert [where.split(",")[0] for _, where in findings_of()] == ["position 5", "position 6"]


def test_a_removed_event_is_reported(log):
    tamper(log, "DELETE FROM events_event WHERE stream = 'b' AND version = 2")
    assert [kind for kind, _ in findings_of()] == ["event missing", "version missing", "transaction torn"]


def test_a_removed_seal_is_reported_with_the_event_that_it_left_behind(log):
    tamper(log, "DELETE FROM events_seal WHERE position = 5")
    kinds = findings_of()
    assert kinds[0] == ("position missing", "position 5")
    assert kinds[1][0] == "never sealed"
    assert kinds[1][1].endswith("b version 2")


def test_rows_removed_from_both_tables_are_reported(log):
    tamper(
        log,
        "DELETE FROM events_event WHERE id IN (SELECT event_id FROM events_seal WHERE position IN (4, 5, 6))",
        "DELETE FROM events_seal WHERE position IN (4, 5, 6)",
    )
    assert findings_of() == [("position missing", "positions 4 to 6")]


def test_the_first_rows_removed_are_reported(log):
    tamper(
        log,
        "DELETE FROM events_event WHERE id IN (SELECT event_id FROM events_seal WHERE position <= 2)",
        "DELETE FROM events_seal WHERE position <= 2",
    )
    assert findings_of() == [("position missing", "positions 1 to 2"), ("version missing", "a")]


INSERTED = """
INSERT INTO events_event (stream, version, type, schema, data, metadata)
VALUES ('{0}', {1}, 'ChipPlaced', 1, '{{}}', '{{}}')
"""


def test_an_inserted_event_is_reported(log):
    tamper(log, INSERTED.format("z", 1))
    (finding,) = findings_of()
    assert finding[0] == "never sealed"
    assert finding[1].endswith("z version 1")


def test_an_inserted_event_with_a_seal_pushed_into_the_chain_is_reported(log):
    tamper(
        log,
        INSERTED.format("z", 1),
        "UPDATE events_seal SET position = position + 100 WHERE position >= 5",
        "UPDATE events_seal SET position = position - 99 WHERE position > 100",
        "INSERT INTO events_seal SELECT 5, max(id), sha256('forged') FROM events_event",
    )
    findings = findings_of()
    assert findings[0] == ("digest differs", "position 5, z version 1, ChipPlaced")
    assert ("chain rewritten", "position 7") in findings


def test_an_event_inserted_past_the_end_of_a_stream_is_reported(log):
    tamper(log, INSERTED.format("a", 6))
    assert [kind for kind, _ in findings_of()] == ["never sealed", "version missing"]


def test_events_of_a_transaction_torn_apart_are_reported_even_with_the_chain_recomputed(log):
    tamper(log, *swap(6, 7))
    rechain(log)
    torn = [where for kind, where in findings_of() if kind == "transaction torn"]
    (number,) = {event.transaction for event in store.read("b")}
    assert torn == [f"transaction {number}, positions 4 to 7"]


CUT = [
    "DELETE FROM events_event WHERE id IN (SELECT event_id FROM events_seal WHERE position > 7)",
    "DELETE FROM events_seal WHERE position > 7",
]


def test_a_cut_tail_contradicts_the_heads_that_the_sealer_recorded(log):
    tamper(log, *CUT)
    assert findings_of() == [("tail cut", "recorded head")]


def test_a_cut_tail_contradicts_a_subscriber_that_has_read_further(log):
    subscriptions.run_once("feed", list)
    tamper(log, *CUT, "DELETE FROM events_chainhead WHERE position > 7")
    assert findings_of() == [("tail cut", "subscription feed")]


def test_a_tail_cut_from_every_table_contradicts_a_head_kept_outside(log):
    kept = current_head()
    tamper(log, *CUT, "DELETE FROM events_chainhead WHERE position > 7")
    assert findings_of() == []
    assert findings_of(expected=kept) == [("tail cut", "position 9")]


def test_swapped_positions_are_reported(log):
    tamper(log, *swap(2, 5))
    assert [(what, where.split(", ")[:2]) for what, where in findings_of() if what == "digest differs"] == [
        ("digest differs", ["position 2", "b version 2"]),
        ("digest differs", ["position 5", "a version 2"]),
    ]


def test_an_order_swapped_within_a_stream_is_reported_even_with_the_chain_recomputed(log):
    kept = current_head()
    tamper(log, *swap(4, 5))
    assert ("order differs", "position 4, b version 2") in findings_of()
    rechain(log)
    findings = findings_of(expected=kept)
    assert ("order differs", "position 4, b version 2") in findings
    assert ("chain rewritten", "position 9") in findings
    assert ("chain rewritten", "position 7") in findings
    assert "digest differs" not in [kind for kind, _ in findings]


def test_a_chain_recomputed_over_a_changed_event_contradicts_recorded_heads_and_one_kept_outside(log):
    kept = current_head()
    tamper(log, "UPDATE events_event SET data = '{}' WHERE stream = 'a' AND version = 4")
    rechain(log)
    assert findings_of() == [("chain rewritten", "position 7"), ("chain rewritten", "position 9")]
    tamper(
        log,
        "UPDATE events_chainhead AS mark SET digest = seal.digest FROM events_seal AS seal "
        "WHERE seal.position = mark.position",
    )
    assert findings_of() == []
    assert findings_of(expected=kept) == [("chain rewritten", "position 9")]


def test_an_event_taken_out_of_the_queue_is_reported(log):
    (event,) = write("d")
    tamper(log, f"DELETE FROM events_unsealed WHERE event_id = {event}")
    assert findings_of() == [("never sealed", f"event {event}, d version 1")]


def test_an_event_removed_before_it_was_sealed_is_reported(log):
    (event,) = write("d")
    tamper(log, f"DELETE FROM events_event WHERE id = {event}")
    assert findings_of() == [("event missing", f"queue, event {event}")]


def test_an_event_queued_again_is_reported(log):
    tamper(log, "INSERT INTO events_unsealed SELECT event_id, 0 FROM events_seal WHERE position = 2")
    assert [kind for kind, _ in findings_of()] == ["sealed and queued"]


def test_an_event_that_waits_too_long_is_reported(log):
    (event,) = write("d")
    assert findings_of() == []
    assert findings_of(max_wait_seconds=0) == [("unsealed too long", f"event {event}")]


def test_a_walk_from_a_missing_position_is_reported(log):
    assert findings_of(from_position=77) == [("position missing", "position 77")]


def test_a_walk_yields_every_event(log):
    findings = []
    batches = list(walk(findings=findings, chunk=4))
    assert [len(batch) for batch in batches] == [4, 4, 1]
    read = subscriptions.read_sealed(0, 100)
    walked = [event for batch in batches for event in batch]
    names = attrgetter("position", "id", "stream", "version", "type", "schema")
    assert list(map(names, walked)) == list(map(names, read))
    assert [event.data for event in walked] == [recanonical(event.data) for event in read]
    assert findings == []


def test_a_walk_ends_at_the_head_of_the_log_when_it_began(log):
    findings, seen = [], 0
    for batch in walk(findings=findings, chunk=4):
        seen += len(batch)
        write(f"late-{seen}")
        sealer.seal_all()
    assert seen == 9
    assert findings == []
    assert list(inspect()) == []
