"""Appends: all or none, at exactly the expected version, with any number of writers."""

from dataclasses import replace

import msgspec
import pytest
from django.db import DataError, transaction

from casino.events import sealer, store
from casino.events.records import Append, Metadata, NewEvent, VersionConflict
from casino.events.sql import fetch
from casino.events.subscriptions import read_sealed
from casino.events.verification import verify
from casino.kernel.errors import RefusalKind
from tests.casino.events.writing import METADATA, new_event, write


def test_events_are_read_back_in_order_as_written(database):
    ids = write("round-1", count=3)
    events = store.read("round-1")
    assert [event.id for event in events] == list(ids) == sorted(ids)
    assert [event.version for event in events] == [1, 2, 3]
    assert events[0].type == "ChipPlaced"
    assert events[0].schema == 1
    assert events[2].data == b'{"number":3,"spot":"banker"}'
    assert b'"actor":"player:7"' in events[0].metadata
    assert events[0].recorded_at.utcoffset().total_seconds() == 0
    assert store.read("round-1", after=2) == events[2:]
    assert store.read("nowhere") == []


def test_several_streams_are_appended_together_and_ids_are_returned_by_append(database):
    write("table-1", count=2)
    appends = [
        Append("round-2", 0, (new_event(1), new_event(2)), METADATA),
        Append("table-1", 2, (new_event(3),), METADATA),
        Append("a-stream-that-sorts-first", 0, (new_event(1),), METADATA),
    ]
    first, second, third = store.append(appends)
    histories = store.read_many(["round-2", "table-1", "a-stream-that-sorts-first", "nowhere"])
    assert tuple(event.id for event in histories["round-2"]) == first
    assert histories["table-1"][-1].id == second[0]
    assert histories["a-stream-that-sorts-first"][0].id == third[0]
    assert histories["nowhere"] == []
    assert [*first, *second, *third] == sorted([*first, *second, *third])


def test_all_events_of_an_append_have_its_transaction_and_no_others(database):
    appends = [Append(stream, 0, (new_event(1), new_event(2)), METADATA) for stream in ("round-1", "table-1")]
    with transaction.atomic():
        store.append(appends)
        write("round-2", count=2)
        write("round-3")
    together, *others = [
        {event.transaction for event in histories}
        for histories in (store.read("round-1") + store.read("table-1"), store.read("round-2"), store.read("round-3"))
    ]
    assert [len(each) for each in (together, *others)] == [1, 1, 1]
    assert len(together.union(*others)) == 3
    with pytest.raises(VersionConflict):
        store.append(appends)
    assert fetch("SELECT count(*) FROM events_event") == [(7,)]


def test_empty_metadata_is_not_stored(database):
    said = Metadata(operator="", actor="dealer", causation="due")
    store.append([Append("a", 0, (new_event(1),), said), Append("b", 0, (new_event(1),), said)])
    store.append([Append("c", 0, (new_event(1),), said)])
    events = [event for name in "abc" for event in store.read(name)]
    assert {event.metadata for event in events} == {b'{"actor":"dealer","causation":"due"}'}


def test_metadata_is_stored_with_the_first_event_of_an_append_and_read_with_each(database):
    write("round-1", count=2)
    other = replace(METADATA, actor="dealer")
    store.append(
        [
            Append("round-1", 2, (new_event(3), new_event(4)), other),
            Append("table-1", 0, (new_event(1), new_event(2)), METADATA),
        ]
    )
    stored = fetch("SELECT stream, version FROM events_event WHERE metadata IS NOT NULL ORDER BY id")
    assert stored == [("round-1", 1), ("round-1", 3), ("table-1", 1)]
    histories = store.read_many(["round-1", "table-1"])
    metadata = [
        [msgspec.json.decode(event.metadata, type=Metadata) for event in history] for history in histories.values()
    ]
    assert metadata == [[METADATA, METADATA, other, other], [METADATA, METADATA]]
    assert store.read("round-1", after=3) == histories["round-1"][3:]
    assert sealer.seal_all() == 6
    assert [event.metadata for event in read_sealed(0, 10)][2] == histories["round-1"][2].metadata
    assert list(verify()) == []


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
def test_a_version_conflict_on_one_stream_appends_nothing_to_any(database, expected):
    write("round-1", count=2)
    appends = [Append("round-9", 0, (new_event(),), METADATA), Append("round-1", expected, (new_event(),), METADATA)]
    with pytest.raises(VersionConflict) as caught:
        store.append(appends)
    assert (caught.value.stream, caught.value.expected, caught.value.actual) == ("round-1", expected, 2)
    assert caught.value.kind is RefusalKind.CONFLICT
    assert store.read("round-9") == []
    assert len(store.read("round-1")) == 2


def test_a_refused_append_leaves_the_transaction_usable_and_uses_no_id(database):
    with transaction.atomic():
        (before,) = write("round-1")
        with pytest.raises(VersionConflict):
            write("round-1")
        (after,) = write("round-1", expected=1)
    assert after == before + 1


def test_a_rolled_back_append_leaves_nothing(database):
    def fail():
        with transaction.atomic():
            write("round-1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.read("round-1") == []


def test_an_append_without_events_or_two_appends_to_one_stream_raise_value_error(database):
    with pytest.raises(ValueError, match="must have events"):
        store.append([Append("round-1", 0, (), METADATA)])
    with pytest.raises(ValueError, match="one Append"):
        store.append([Append("round-1", 0, (new_event(),), METADATA), Append("round-1", 1, (new_event(),), METADATA)])
    assert store.append([]) == []


def test_eight_writers_on_one_stream_win_each_version_once_without_a_gap(database, in_threads):
    rounds = 12

    def compete(_number):
        won, version = [], 0
        while version < rounds:
            try:
                write("round-1", expected=version)
            except VersionConflict as conflict:
                lost.append((version, conflict.actual))
            else:
                won.append(version + 1)
            version += 1
        return won

    lost = []
    results = in_threads(8, compete)
    assert len(lost) == 7 * rounds
    assert all(actual > version for version, actual in lost)
    assert not [result for result in results if isinstance(result, Exception)]
    assert sorted(version for won in results for version in won) == list(range(1, rounds + 1))
    events = store.read("round-1")
    assert [event.version for event in events] == list(range(1, rounds + 1))
    assert [event.id for event in events] == sorted(event.id for event in events)


def test_the_loser_of_a_race_inside_a_transaction_gets_the_same_refusal(database, in_threads):
    def compete(number):
        with transaction.atomic():
            write(f"own-{number}")
            write("shared")

    results = in_threads(4, compete)
    conflicts = [result for result in results if isinstance(result, VersionConflict)]
    assert results.count(None) == 1
    assert len(conflicts) == 3
    assert {(conflict.stream, conflict.actual) for conflict in conflicts} == {("shared", 1)}
    assert sum(len(events) for events in store.read_many([f"own-{number}" for number in range(4)]).values()) == 1


def test_any_text_is_read_back_unchanged(database):
    text = '{"text":"Zażółć 😀 \\" \\\\ {1,2} \\n %s NULL"}'
    store.append([Append("chat-1 ä", 0, (NewEvent("Said", 1, text.encode()),), METADATA)])
    assert store.read("chat-1 ä")[0].data.decode() == text


@pytest.mark.parametrize("text", [r'{"text":"\u0000"}', r'{"text":"\ud800"}'], ids=["NUL", "half a surrogate"])
@pytest.mark.parametrize("count", [1, 2])
def test_what_a_query_could_not_read_is_refused(text: str, count: int, database):
    events = (NewEvent("Noted", 1, text.encode()),) * count
    with pytest.raises(DataError), transaction.atomic():
        store.append([Append("a", 0, events, METADATA)])
    assert fetch("SELECT FROM events_event") == []
