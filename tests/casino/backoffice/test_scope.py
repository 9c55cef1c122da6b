"""Scoping: every list, page, search, filter and action covers only rows of one's own operators."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db.models.fields.json import KeyTextTransform
from django.test import Client
from django.urls import reverse

from baccarat.reports import days
from baccarat.risk import networks, players
from casino.backoffice import scope
from casino.events.models import Event, Subscription
from casino.events.sql import execute
from casino.operators.models import Change, Operator, Player, StaffMembership
from tests.casino.backoffice.test_pages import everything
from tests.support.office import Office, address, client_of, open_office, page_of, shown, superuser

pytestmark = pytest.mark.django_db

NOBODYS = {"checkpoints.checkpoint", "events.chainhead", "admin.logentry", "staff.rolegroup"}
"""Rows without an operator: digests, roles, and staff actions, of which everyone sees their own."""
PAGES_WITHOUT_ACTIONS = {"new", "changelist", "add", "history", "delete", "change", "autocomplete"}


@pytest.fixture
def lucky() -> Office:
    """Return the operator whose rows must stay hidden from another with rows of its own."""
    office = open_office("lucky-house")
    open_office("rival-house")
    Subscription.objects.create(name="reports", position=3)
    return office


def member(name: str, *houses: str) -> Client:
    """Log in a member of staff with every permission, for these operators."""
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    for operator in Operator.objects.filter(slug__in=houses):
        StaffMembership.objects.create(user=user, operator=operator)
    return client_of(user)


def rows_of(office: Office) -> Iterator[tuple[Any, Any]]:
    """Return the pages with a row of this operator."""
    theirs = {office.operator.id}
    for part in shown():
        row = (
            part.model._default_manager.annotate(**part.annotations)
            .filter(part.owned_by(theirs))
            .order_by("-pk")
            .first()
        )
        if row is not None and part.opts.label_lower not in NOBODYS:
            yield part, row


def actions(part: Any) -> list[str]:
    """Return the names of a page's row actions."""
    prefix = f"{part.opts.app_label}_{part.opts.model_name}_"
    found = [str(pattern.name or "") for pattern in part.get_urls()]
    names = [
        name for name in found if name.startswith(prefix) and name.removeprefix(prefix) not in PAGES_WITHOUT_ACTIONS
    ]
    return [f"admin:{name}" for name in names]


def listed(client: Client, part: Any, **query: str) -> list[Any]:
    answer = client.get(address(part, "changelist"), query, follow=True)
    assert answer.status_code == 200, part.opts.label
    assert "lucky-house" not in answer.content.decode(), part.opts.label
    return [row.pk for row in answer.context["cl"].result_list]


def test_lists_searches_and_filters_show_only_rows_of_ones_own_operators(lucky: Office) -> None:
    stranger, nobody = member("stranger", "rival-house"), member("nobody")
    seen = set()
    for part, row in rows_of(lucky):
        rows = part.model._default_manager.annotate(**part.annotations)
        own = set(rows.exclude(part.owned_by({lucky.operator.id})).values_list("pk", flat=True))
        ours = listed(stranger, part)
        assert set(ours) <= own, part.opts.label
        assert bool(ours) == bool(own), part.opts.label
        assert row.pk not in listed(stranger, part, q=str(row.pk)), part.opts.label
        assert row.pk not in listed(stranger, part, operator=str(lucky.operator.id)), part.opts.label
        assert listed(nobody, part) == [], part.opts.label
        seen.add(part.opts.label_lower)
    assert seen >= {
        "baccarat.table", "baccarat.round", "baccarat.wager", "wallet.account", "wallet.entry", "events.event",
        "operators.operator", "operators.player", "operators.apikey",
    }  # fmt: skip


def test_pages_and_actions_of_other_operators_rows_are_refused(lucky: Office) -> None:
    lucky.suspended()
    stranger = member("stranger", "rival-house")
    before = everything()
    tried = 0
    for part, row in rows_of(lucky):
        for page in ("change", "history"):
            answer = stranger.get(address(part, page, row))
            assert answer.status_code in {302, 403, 404}, (part.opts.label, page)
        for name in actions(part):
            for answer in (stranger.get(reverse(name, args=[row.pk])), stranger.post(reverse(name, args=[row.pk]))):
                assert answer.status_code in {302, 403, 404, 405}, name
            tried += 1
    assert tried >= 5
    assert everything() == before
    assert LogEntry.objects.count() == 0


def test_the_first_page_and_its_counts_cover_only_ones_own_operators(lucky: Office) -> None:
    aside = lucky.suspended()
    stranger, own = member("stranger", "rival-house"), member("own", "lucky-house")
    assert str(aside.pk) in own.get(reverse("admin:index")).content.decode()
    page = stranger.get(reverse("admin:index")).content.decode()
    assert str(aside.pk) not in page
    assert str(aside.table_id) not in page
    assert "lucky-house" not in page


def test_staff_of_two_operators_see_both_and_superusers_see_all(lucky: Office) -> None:
    table_page = reverse("admin:baccarat_table_changelist")
    both = member("both", "lucky-house", "rival-house").get(table_page)
    assert len(both.context["cl"].result_list) == len(superuser().get(table_page).context["cl"].result_list) == 4


def near(lucky: Office) -> Player:
    """Return a player of the rival house who used the network of a player of this one."""
    (other,) = Player.objects.filter(operator__slug="rival-house")
    for player in (lucky.player, other):
        execute(
            "INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", [player.pk, networks.digest("::1")]
        )
    return other


def test_a_case_shows_no_player_of_another_operator_who_used_the_same_network(lucky: Office) -> None:
    other = near(lucky)
    key = players.open_complaint(operator=lucky.operator.id, player=lucky.player.pk, text="Late.", by="staff:1")

    own = member("own", "lucky-house").get(page_of("compliance_case", key)).content.decode()
    both = member("both", "lucky-house", "rival-house").get(page_of("compliance_case", key)).content.decode()

    assert str(other.pk) not in own
    assert "Players who used the same network" not in own
    assert str(other.pk) in both
    assert re.search(r"Alice</a></td>\s*<td[^>]*><a[^>]*>rival-house", both)


def test_who_works_for_several_operators_reads_whose_each_choice_row_and_figure_is(lucky: Office) -> None:
    both, own = member("both", "lucky-house", "rival-house"), member("own", "lucky-house")
    throw = reverse("admin:baccarat_killswitch_throw")

    assert ">lucky-house: A table<" in both.get(throw).content.decode()
    assert ">rival-house: A table<" in both.get(throw).content.decode()
    assert ">A table<" in own.get(throw).content.decode()

    table = str(lucky.single.guest.table)
    (offered,) = both.get(reverse("admin:desk_pick"), {"kinds": "table", "term": table}).json()["results"]
    assert offered["text"] == "lucky-house: table A table"
    (offered,) = own.get(reverse("admin:desk_pick"), {"kinds": "table", "term": table}).json()["results"]
    assert offered["text"] == "table A table"

    wagers = reverse("admin:baccarat_wager_changelist")
    assert "whose" in both.get(wagers).context["cl"].list_display
    assert "whose" not in own.get(wagers).context["cl"].list_display


def test_the_first_page_names_operators_and_keeps_sandboxes_by_themselves(lucky: Office) -> None:
    Operator.objects.filter(slug="rival-house").update(sandbox=True)

    page = member("both", "lucky-house", "rival-house").get(reverse("admin:index"))
    titles = {section.title: section for section in page.context["sections"]}

    for title, slug in (("Latest rounds", "lucky-house"), ("Latest rounds, sandboxes", "rival-house")):
        rows = titles[title].rows
        assert rows
        assert all(slug in str(row[2]) for row in rows), title


def test_new_players_are_those_of_the_operators_that_deal_in_the_money(lucky: Office) -> None:
    Operator.objects.filter(slug="rival-house").update(sandbox=True)
    rival = Operator.objects.get(slug="rival-house")
    today = days.today(None)

    read = days.read_days(None, first=today, last=today)

    for money, operator in ((("real", "EUR"), lucky.operator), (("sandbox", "EUR"), rival)):
        count = Player.objects.filter(operator=operator).count()
        assert read.new_players(money, read.days()) == count > 0, money
    assert read.new_players(("real", "USD"), read.days()) == 0


def test_a_list_without_an_index_shows_the_latest_rows_and_a_search_reaches_further(
    lucky: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope, "MAX_ROWS_BACK", 1)
    own, events = member("own", "lucky-house"), reverse("admin:events_event_changelist")
    assert len(own.get(events).context["cl"].result_list) == 0
    operator = KeyTextTransform("operator", "metadata")
    first = Event.objects.annotate(operator=operator).filter(operator=str(lucky.operator.id)).order_by("pk")[0]
    assert [row.pk for row in own.get(events, {"q": first.pk}).context["cl"].result_list] == [first.pk]


def test_only_superusers_request_superusers(lucky: Office) -> None:
    user = User.objects.create_user("new", is_staff=True)
    root = User.objects.create_superuser("root")
    page = reverse("admin:auth_user_change", args=[user.pk])
    manager = member("manager", "lucky-house")
    assert 'name="is_superuser"' not in manager.get(page).content.decode()
    assert manager.get(reverse("admin:auth_user_change", args=[root.pk])).status_code == 302

    form = {
        "username": "new", "is_staff": "on", "is_active": "on", "date_joined_0": "2026-11-21", "date_joined_1": "09:00",
    }  # fmt: skip
    manager.post(page, {**form, "is_superuser": "on"})
    asked = Change.objects.filter(kind="staff_superuser")
    assert not asked.exists()
    assert client_of(root).post(page, {**form, "is_superuser": "on"}).status_code == 302
    assert asked.get().subject == f"staff:{user.pk}"
    assert not User.objects.get(pk=user.pk).is_superuser
