"""Fields that pick a row by its name: what they offer, to whom, and that typed ids still work."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from baccarat.storage.models import Table
from casino.compliance.cases import open_case
from casino.compliance.models import Case, CaseEntry, CaseKind
from casino.staff.models import AccessLogEntry
from tests.support.office import Office, open_office, page_of, staff

pytestmark = pytest.mark.django_db
PLAYERS = ("operators.view_player", "baccarat.view_round", "baccarat.view_wager", "baccarat.view_table")
WORK = ("compliance.view_case", "compliance.resolve_case", *PLAYERS)


@pytest.fixture
def office() -> Office:
    return open_office()


def offered(client: Client, **query: Any) -> list[tuple[str, str]]:
    answer = client.get(reverse("admin:desk_pick"), query)
    assert answer.status_code == 200
    return [(each["id"], each["text"]) for each in answer.json()["results"]]


def test_a_player_is_found_by_reference_and_a_table_by_a_part_of_its_name(office: Office) -> None:
    client, player = staff(*PLAYERS), office.player
    assert offered(client, kinds="player", term="lucky-alice") == [(str(player.pk), "player Alice")]
    assert offered(client, kinds="player", term=str(player.pk)) == [(str(player.pk), "player Alice")]
    table = Table.objects.get(pk=office.single.guest.table)
    assert (str(table.pk), f"table {table.name}") in offered(client, kinds="table", term=table.name[:3].upper())
    assert (f"table:{table.pk}", f"table {table.name}") in offered(client, kinds="player,table", term=str(table.pk))
    assert offered(client, kinds="player", term="nobody") == []
    assert offered(client, kinds="player") == []
    assert AccessLogEntry.objects.filter(subject="search").exists()


def test_nothing_is_offered_or_named_that_the_user_may_not_see(office: Office) -> None:
    foreign = staff(*PLAYERS, name="foreign", works_for="none")
    limited = staff("baccarat.view_round", "baccarat.view_wager", name="limited")
    for client in (foreign, limited):
        assert offered(client, kinds="player", term="lucky-alice") == []
        assert offered(client, kinds="round,deposit", player=str(office.player.pk), term="nothing") == []
        page = client.get(reverse("admin:desk_search"), {"player": str(office.player.pk)}).content.decode()
        assert str(office.player.pk) in page
        assert "player Alice" not in page
    assert offered(foreign, kinds="round", player=str(office.player.pk)) == []
    assert offered(limited, kinds="session,user", term="a") == []
    assert Client().get(reverse("admin:desk_pick")).status_code == 302


def test_the_search_form_takes_a_typed_id_and_shows_its_name(office: Office) -> None:
    client, player = staff(*PLAYERS), str(office.player.pk)
    answer = client.get(reverse("admin:desk_search"), {"player": player, "table": str(office.single.guest.table)})
    assert f'<option value="{player}" selected>player Alice</option>' in answer.content.decode()
    assert next(section.title for section in answer.context["sections"]) == "Wagers"
    by_reference = client.get(reverse("admin:desk_search"), {"player": "lucky-alice"}).content.decode()
    assert '<option value="lucky-alice" selected>lucky-alice</option>' in by_reference


def test_evidence_of_a_case_is_picked_among_what_its_player_did_last(office: Office) -> None:
    client, round_ = staff(*WORK), office.settled(office.single)
    subject = f"player:{office.player.pk}"
    key = open_case(operator=office.operator.pk, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=subject, details={})
    case = Case.objects.get(pk=key)
    assert f"player={office.player.pk}" in client.get(page_of("compliance_case", case.pk)).content.decode()

    latest = offered(client, kinds="round,deposit", player=str(office.player.pk))
    assert (f"round:{round_.pk}", f"round {round_.number} at {Table.objects.get(pk=round_.table_id).name}") in latest

    form = {"step": "evidence", "text": "This round.", "evidence": f"round:{round_.pk}"}
    client.post(reverse("admin:compliance_case_entry", args=[case.pk]), form)
    assert CaseEntry.objects.get(kind="evidence").evidence == f"round:{round_.pk}"
    typed = {**form, "evidence": f"deposit:{uuid4()}"}
    client.post(reverse("admin:compliance_case_entry", args=[case.pk]), typed)
    assert CaseEntry.objects.filter(kind="evidence").count() == 2
