"""Significant events: search, page, acknowledgement and notes."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.urls import reverse

from casino.backoffice import badges
from casino.compliance import threshold_changes
from casino.operators import changes
from casino.operators.models import Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant import notes, recorder, thresholds
from casino.significant.models import Note, SignificantEvent, Threshold, Unacknowledged
from casino.significant.refusals import AlreadyAcknowledged, OwnSignificantEvent
from casino.significant.thresholds import Thresholds
from tests.support.office import page_of, staff

pytestmark = pytest.mark.django_db

LIST = "admin:significant_significantevent_changelist"
VIEW, ACKNOWLEDGE = "significant.view_significantevent", "significant.acknowledge_significantevent"
TABLE = UUID("0190a000-0000-7000-8000-00000000000a")


@pytest.fixture
def house() -> UUID:
    """Create an operator with a stopped table, a large win and a failed access; another with a stopped table."""
    lucky, rival = (
        Operator.objects.create(id=uuid4(), slug=slug, name=slug, currencies=["EUR"]).id for slug in ("lucky", "rival")
    )
    about: dict[str, Any] = {"actor": "staff:900001", "reason": "Sticky shoe"}
    event, kinds = recorder.NewSignificantEvent, recorder.SignificantEventKind
    recorder.record_many(
        [
            event(kind=kinds.TABLE_STOPPED, operator=lucky, subject=f"table:{TABLE}", **about,
                            before={"phase": "open", "name": "A"}, after={"phase": "stopped", "name": "A"}),
            event(kind=kinds.LARGE_WIN, operator=lucky, subject="round:1", amount=990_000,
                            currency="EUR", **about),
            event(kind=kinds.TABLE_STOPPED, operator=lucky, subject="table:2", **about),
            event(kind=kinds.TABLE_STOPPED, operator=rival, subject="table:3", **about),
            event(kind=kinds.LOGIN_FAILED, operator=None, subject="staff", actor="staff:9",
                            address="192.0.2.7"),
        ]
    )  # fmt: skip
    return lucky


def numbers(answer: Any) -> list[str]:
    """Return the subjects of the listed events."""
    return [row.subject for row in answer.context["cl"].result_list]


def waiting_of(client: Any) -> int:
    """Return the sidebar's count of waiting significant events."""
    request = client.get(reverse(LIST)).wsgi_request
    return badges.counts(request)["desk_inbox"]


def test_the_list_shows_only_ones_own_operators_and_can_be_filtered(house: UUID) -> None:
    client = staff(VIEW, works_for="lucky")
    assert numbers(client.get(reverse(LIST))) == ["table:2", "round:1", f"table:{TABLE}"]
    assert numbers(client.get(reverse(LIST), {"kind": "large_win"})) == ["round:1"]
    assert numbers(client.get(reverse(LIST), {"severity": "notice"})) == ["round:1"]
    assert numbers(client.get(reverse(LIST), {"q": str(TABLE)}, follow=True)) == [f"table:{TABLE}"]
    assert len(numbers(client.get(reverse(LIST), {"status": "waiting"}))) == 3
    assert numbers(client.get(reverse(LIST), {"status": "done"})) == []


def test_the_page_shows_values_before_and_after_and_notes(house: UUID) -> None:
    client = staff(VIEW, ACKNOWLEDGE, works_for="lucky")
    event = SignificantEvent.objects.get(subject=f"table:{TABLE}")
    page = client.get(page_of("significant_significantevent", event.pk)).content.decode()
    for words in (
        "Sticky shoe",
        "stopped",
        "changed",
        "Table stopped",
        "No notes yet.",
        "do not name a player",
    ):
        assert words in page

    client.post(reverse("admin:significant_significantevent_acknowledge", args=[event.pk]), {"note": "Looked."})
    client.post(reverse("admin:significant_significantevent_note", args=[event.pk]), {"note": "Replaced."})
    page = client.get(page_of("significant_significantevent", event.pk)).content.decode()
    assert "Looked." in page
    assert "Replaced." in page
    assert list(Note.objects.order_by("pk").values_list("acknowledges", flat=True)) == [True, False]
    assert LogEntry.objects.count() == 2


def test_similar_events_of_the_same_operator_are_acknowledged_at_once(house: UUID) -> None:
    client = staff(VIEW, ACKNOWLEDGE, works_for="lucky")
    event = SignificantEvent.objects.get(subject=f"table:{TABLE}")
    client.post(reverse("admin:significant_significantevent_acknowledge", args=[event.pk]), {"alike": "on"})
    left = Unacknowledged.objects.values_list("event__subject", flat=True)
    assert sorted(left) == ["round:1", "table:3"]


def test_viewers_can_neither_acknowledge_nor_add_notes(house: UUID) -> None:
    client = staff(VIEW, works_for="lucky")
    event = SignificantEvent.objects.get(subject=f"table:{TABLE}")
    answer = client.post(reverse("admin:significant_significantevent_acknowledge", args=[event.pk]))
    assert answer.status_code == 403
    assert "Acknowledge</button>" not in client.get(page_of("significant_significantevent", event.pk)).content.decode()
    assert Unacknowledged.objects.filter(event=event).exists()


def test_installation_wide_events_are_seen_by_all_staff_and_acknowledged_by_staff_of_all_operators(
    house: UUID,
) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject="integrity",
        actor="system",
        reason="A file",
    )
    recorder.record(
        kind=recorder.SignificantEventKind.AUDIT_FINDING,
        operator=None,
        subject="round-9",
        actor="system",
        reason="Of somebody",
    )
    event = SignificantEvent.objects.get(kind="integrity_failed")
    url, page = reverse("admin:significant_significantevent_acknowledge", args=[event.pk]), page_of(
        "significant_significantevent", event.pk
    )  # fmt: skip
    one = staff(VIEW, ACKNOWLEDGE, name="one", works_for="lucky")
    every = staff(VIEW, ACKNOWLEDGE, name="every")
    assert {"integrity", "round-9", "staff"} & set(numbers(one.get(reverse(LIST)))) == {"integrity"}
    assert {"integrity", "round-9", "staff"} < set(numbers(every.get(reverse(LIST))))
    assert (waiting_of(one), waiting_of(every)) == (3, 6)
    shown = one.get(page).content.decode()
    assert "A file" in shown
    assert "<h2>Notes" not in shown
    assert one.post(url).status_code == 403
    assert Unacknowledged.objects.filter(event=event).exists()
    every.post(url, {"note": "Mended."})
    assert not Unacknowledged.objects.filter(event=event).exists()
    assert "Mended." in every.get(page).content.decode()


def test_the_sidebar_counts_waiting_events(house: UUID) -> None:
    page = staff(VIEW, works_for="rival").get(reverse("admin:index")).content.decode()
    assert "Significant events" in page
    assert Unacknowledged.objects.filter(operator_id=house).count() == 3


def test_an_operators_page_shows_and_sets_the_thresholds(house: UUID) -> None:
    see = ("operators.view_operator", "significant.view_threshold")
    client = staff(*see, "significant.add_threshold", works_for="lucky")
    page = page_of("operators_operator", house)
    assert "10000.00 <small>EUR" in client.get(page).content.decode()
    amounts = {"wager": "500.00", "wager_day": "900", "win": "500", "win_day": "900", "payment": "700.50"}
    url = reverse("admin:operators_operator_thresholds", args=[house])
    client.post(url, amounts)
    client.post(url, {**amounts, "win": "0"})
    assert "700.50 <small>EUR" in client.get(page).content.decode()
    assert Threshold.objects.count() == 1
    assert staff(*see, name="looker", works_for="lucky").post(url, amounts).status_code == 403


def test_one_person_lowers_a_live_operators_thresholds_and_another_confirms_higher_ones(house: UUID) -> None:
    low, high = (Thresholds(wager=n, wager_day=n, win=n, win_day=n, payment=n) for n in (1_000, 90_000_000))
    live, sandbox = Operator.objects.get(pk=house), Operator.objects.get(slug="rival")
    Operator.objects.filter(pk=sandbox.pk).update(sandbox=True)
    sandbox.refresh_from_db()
    set_: dict[str, Any] = {"currency": "EUR", "by": "staff:1"}

    def in_force(operator: Operator) -> Thresholds:
        return thresholds.thresholds_for([(operator.pk, "EUR")])[operator.pk, "EUR"]

    assert threshold_changes.change(operator=live, thresholds=low, **set_) is None
    assert threshold_changes.change(operator=sandbox, thresholds=high, **set_) is None
    change = threshold_changes.change(operator=live, thresholds=high, **set_)
    assert (in_force(live), in_force(sandbox)) == (low, high)
    assert change is not None
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by="staff:1")
    changes.confirm(change.pk, by="staff:2")
    assert in_force(live) == high


def test_nobody_acknowledges_what_they_did_or_authorised(house: UUID) -> None:
    told = {"operator": house, "subject": "table:4", "kind": recorder.SignificantEventKind.CONFIG_CHANGED}
    recorder.record(**told, actor="staff:900001", authorised_by="staff:900002")
    event = SignificantEvent.objects.get(subject="table:4")
    for person in ("staff:900001", "staff:900002"):
        with pytest.raises(OwnSignificantEvent):
            notes.acknowledge(event.pk, by=person)
        assert notes.acknowledge_many([event.pk], by=person) == 0
    assert Unacknowledged.objects.filter(event=event).exists()
    notes.acknowledge(event.pk, by="staff:900003")
    with pytest.raises(AlreadyAcknowledged):
        notes.acknowledge(event.pk, by="staff:900003")


def test_ones_own_events_are_left_when_several_are_acknowledged(house: UUID) -> None:
    client = staff(VIEW, ACKNOWLEDGE, works_for="lucky")
    user = User.objects.get(username="staff")
    recorder.record(
        kind=recorder.SignificantEventKind.CONFIG_CHANGED, operator=house, subject="mine", actor=f"staff:{user.pk}"
    )
    mine, other = SignificantEvent.objects.get(subject="mine"), SignificantEvent.objects.get(subject="table:2")
    page = select(client, mine, other).content.decode()
    assert "Acknowledged 1 significant events." in page
    assert "1 of them you did or authorised yourself" in page
    assert Unacknowledged.objects.filter(event=mine).exists()
    shown = client.get(page_of("significant_significantevent", mine.pk)).content.decode()
    assert "Acknowledge</button>" not in shown


def test_an_operators_page_sets_the_contact_of_customer_care_and_records_who_did(house: UUID) -> None:
    client = staff("operators.view_operator", "operators.change_operator", works_for="lucky")
    page, url = page_of("operators_operator", house), reverse("admin:operators_operator_customer_care", args=[house])

    client.post(url, {"contact": "care@lucky.example"})
    refused = client.post(url, {"contact": "javascript:alert(1)"}, follow=True)

    assert "care@lucky.example" in client.get(page).content.decode()
    assert "Players could not use this contact" in refused.content.decode()
    told = SignificantEvent.objects.filter(reason="The contact of customer care was changed").values_list("after")
    assert list(told) == [({"customer_care": "care@lucky.example"},)]
    looker = staff("operators.view_operator", name="looker", works_for="lucky")
    assert looker.post(url, {"contact": ""}).status_code == 403


def select(client: Any, *events: SignificantEvent, note: str = "") -> Any:
    fields = {"action": "acknowledge_selected", "index": "0", "note": note, "_selected_action": [e.pk for e in events]}
    return client.post(reverse(LIST), fields, follow=True)


def test_selected_events_are_acknowledged_at_once_with_one_note(house: UUID) -> None:
    client = staff(VIEW, ACKNOWLEDGE, works_for="lucky")
    chosen = list(SignificantEvent.objects.filter(subject__in=[f"table:{TABLE}", "table:2"]))
    assert "Acknowledged 2 significant events." in select(client, *chosen, note="The shoes are new.").content.decode()
    assert numbers(client.get(reverse(LIST), {"status": "waiting"})) == ["round:1"]
    assert [note.text for note in Note.objects.filter(acknowledges=True)] == ["The shoes are new."] * 2
    assert LogEntry.objects.count() == 2
    assert "Acknowledged 0 significant events." in select(client, *chosen).content.decode()
    assert Note.objects.count() == 2


def test_selecting_needs_the_permission_and_reaches_only_the_own_operators_events(house: UUID) -> None:
    del house
    mine, theirs = SignificantEvent.objects.get(subject="table:2"), SignificantEvent.objects.get(subject="table:3")
    reader = staff(VIEW, name="reader", works_for="lucky")
    assert "_selected_action" not in reader.get(reverse(LIST)).content.decode()
    assert select(reader, mine).status_code == 403
    assert "Acknowledged 0" in select(staff(VIEW, ACKNOWLEDGE, works_for="lucky"), theirs).content.decode()
    assert Unacknowledged.objects.filter(event_id__in=[mine.pk, theirs.pk]).count() == 2
