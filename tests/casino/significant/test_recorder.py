"""Significant events: recorded in one statement, kept permanently, acknowledged once."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.db.utils import Error
from django.test.utils import CaptureQueriesContext

from casino.significant import notes, recorder
from casino.significant.models import Note, SignificantEvent, Unacknowledged
from casino.significant.recorder import DESCRIPTIONS
from casino.significant.refusals import AlreadyAcknowledged, NoteIsEmpty

BACKDATED = """
    INSERT INTO significant_significantevent (
        id, kind, severity, subject, actor, authorised_by, reason, currency, address, dedup_key, at
    ) VALUES (gen_random_uuid(), 'large_win', 'info', '', '', '', '', '', '', '', '2001-01-01')
"""
HOUSE = UUID("0190a000-0000-7000-8000-000000000001")


def record(**fields: Any) -> SignificantEvent:
    """Record one event and read it back."""
    defaults: dict[str, Any] = {
        "kind": recorder.SignificantEventKind.TABLE_STOPPED, "operator": HOUSE, "subject": f"table:{uuid4()}",
        "actor": "staff:7",
    }  # fmt: skip
    recorder.record(**{**defaults, **fields})
    return SignificantEvent.objects.latest("number")


@pytest.mark.django_db
def test_an_event_has_time_actor_reason_and_change() -> None:
    event = record(
        authorised_by="staff:8", reason="Sticky shoe", before={"phase": "open"}, after={"phase": "stopped"},
        amount=12_345, currency="EUR", address="192.0.2.7",
    )  # fmt: skip
    assert (event.kind, event.severity, event.operator_id) == ("table_stopped", "warning", HOUSE)
    assert (event.actor, event.authorised_by, event.reason) == ("staff:7", "staff:8", "Sticky shoe")
    assert (event.before, event.after) == ({"phase": "open"}, {"phase": "stopped"})
    assert (event.amount, event.currency, event.address) == (12_345, "EUR", "192.0.2.7")
    assert event.at is not None


@pytest.mark.django_db
def test_many_events_are_one_statement_and_numbers_ascend_in_their_order() -> None:
    many = [
        recorder.NewSignificantEvent(
            kind=recorder.SignificantEventKind.LARGE_WIN, operator=None, subject=f"player:{n}", actor="system"
        )
        for n in range(20)
    ]
    with CaptureQueriesContext(connection) as statements:
        assert recorder.record_many(many) == 20
    assert len(statements) == 1
    subjects = SignificantEvent.objects.order_by("number").values_list("subject", flat=True)
    assert list(subjects) == [f"player:{n}" for n in range(20)]
    assert recorder.record_many([]) == 0


@pytest.mark.django_db
def test_events_with_the_same_dedup_key_are_recorded_once() -> None:
    event = recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.LARGE_WIN,
        operator=None,
        subject="round:1",
        actor="system",
        dedup_key="large_win:round:1",
    )
    assert recorder.record_many([event]) == 1
    assert recorder.record_many([event]) == 0
    assert SignificantEvent.objects.count() == Unacknowledged.objects.count() == 1


@pytest.mark.django_db
def test_an_event_is_rolled_back_with_its_transaction() -> None:
    with transaction.atomic():
        record()
        transaction.set_rollback(True)
    assert not SignificantEvent.objects.exists()
    assert not Unacknowledged.objects.exists()


@pytest.mark.django_db
def test_an_event_of_severity_info_needs_no_acknowledgement() -> None:
    event = record(kind=recorder.SignificantEventKind.LOGIN_FAILED)
    assert event.severity == "info"
    with pytest.raises(AlreadyAcknowledged):
        notes.acknowledge(event.pk, by="staff:9")
    assert not Note.objects.exists()


@pytest.mark.django_db
def test_an_event_is_acknowledged_once_and_may_have_any_number_of_notes() -> None:
    event = record()
    notes.acknowledge(event.pk, by="staff:9", note=" Looked at the shoe. ")
    with pytest.raises(AlreadyAcknowledged):
        notes.acknowledge(event.pk, by="staff:8")
    notes.add_note(event.pk, by="staff:8", note="Shoe replaced.")
    with pytest.raises(NoteIsEmpty):
        notes.add_note(event.pk, by="staff:8", note="  ")
    stored = list(Note.objects.order_by("pk").values_list("acknowledges", "by", "text"))
    assert stored == [(True, "staff:9", "Looked at the shoe."), (False, "staff:8", "Shoe replaced.")]
    assert not Unacknowledged.objects.exists()


def test_of_several_people_at_once_one_acknowledges(database: Any, in_threads: Callable[..., list[Any]]) -> None:
    event = record()
    results = in_threads(4, lambda i: notes.acknowledge(event.pk, by=f"staff:{i}"))
    assert results.count(None) == 1
    assert sum(isinstance(each, AlreadyAcknowledged) for each in results) == 3
    assert Note.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE significant_significantevent SET reason = 'nothing'",
        "DELETE FROM significant_significantevent",
        "TRUNCATE significant_significantevent CASCADE",
        "UPDATE significant_note SET text = 'nothing'",
        "DELETE FROM significant_note",
        BACKDATED,
    ],
)
def test_neither_events_nor_notes_can_be_changed_removed_or_backdated(statement: str) -> None:
    event = record()
    notes.add_note(event.pk, by="staff:7", note="A note.")
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert SignificantEvent.objects.get().reason == ""


def test_every_kind_has_a_description() -> None:
    assert set(DESCRIPTIONS) == set(recorder.SignificantEventKind)
