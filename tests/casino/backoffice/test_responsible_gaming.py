"""Limits and exclusions: staff see, set and end them."""

from datetime import timedelta
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators import changes, services
from casino.operators.models import Change, StaffMembership
from tests.support.house import House
from tests.support.office import client_of
from tests.support.protection import age_wishes, away, limited, on
from wallet import notices
from wallet.ledger import player_accounts as wallet
from wallet.ledger.accounts import player_account
from wallet.notices import NoticeKind
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.events import Initiator, LimitType
from wallet.responsible_gaming.projection import load_restrictions
from wallet.responsible_gaming.refusals import ExclusionPermanent, ExclusionStillRunning, LongerExclusionActive

pytestmark = pytest.mark.django_db
RIGHTS = ("view_account", "view_player", "view_playerrestrictions", "change_playerrestrictions", "exclude_player")
FORM = {"limit_type": "loss", "period": "week", "amount": "250.00"}


@pytest.fixture
def house() -> House:
    return House(operator=services.create_operator(slug="lucky", name="L", currencies=["EUR"], sandbox=True).id)


@pytest.fixture
def alice(house: House) -> UUID:
    return register(house, "alice")


def register(house: House, name: str) -> UUID:
    return wallet.register_player(
        operator=house.operator, reference=name, nickname=name.title(), currency="EUR", metadata=house.metadata
    ).id


def member(house: House, *rights: str) -> Client:
    user = User.objects.create_user(f"staff-{len(rights)}", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    StaffMembership.objects.create(user=user, operator_id=house.operator)
    return client_of(user)


def list_notices(house: House, player: UUID) -> list[NoticeKind]:
    listed = notices.list_notices(operator=house.operator, player=player, unread=False, before=None, limit=9)
    return [each.notice.kind for each in listed]


def real(house: House, player: UUID, money_type: MoneyType = MoneyType.REAL) -> UUID:
    return player_account(operator=house.operator, player=player, money_type=money_type, currency="EUR").id


def url(name: str, row: Any) -> str:
    return reverse(f"admin:{'operators' if name.startswith('player_') else 'wallet'}_{name}", args=[row])


def send(client: Client, name: str, row: Any, **fields: str) -> str:
    return unescape(client.post(url(name, row), fields, follow=True).content.decode())


def test_a_limit_is_set_on_the_players_account_and_shown_on_the_page(house: House, alice: UUID) -> None:
    staff, account = member(house, *RIGHTS), real(house, alice)
    assert url("account_limit", account) in staff.get(url("account_change", account)).content.decode()
    assert "limit per week is changed" in send(staff, "account_limit", account, **FORM)
    limited(house, alice, LimitType.TIME, 90)
    page = unescape(staff.get(url("playerrestrictions_change", alice)).content.decode())
    assert all(word in page for word in ("250.00", "Alice", "90"))
    ((by, actor),) = fetch(
        "SELECT data->>'by', metadata->>'actor' FROM events_event"
        " WHERE type = 'PlayLimitSet' AND data->>'limit' = '25000'"
    )
    assert (by, actor.split(":")[0]) == ("operator", "staff")
    assert "limit per week is changed" in send(staff, "account_limit", account, **{**FORM, "amount": ""})


@pytest.mark.parametrize(
    "form", [{}, {**FORM, "limit_type": "luck"}, {**FORM, "amount": "-1"}, {**FORM, "limit_type": "time"}]
)
def test_an_invalid_limit_form_changes_nothing(house: House, alice: UUID, form: dict[str, str]) -> None:
    send(member(house, *RIGHTS), "account_limit", real(house, alice), **form)
    assert fetch("SELECT FROM wallet_playerrestrictions") == []


def test_limits_need_the_permission_and_a_real_money_account(house: House, alice: UUID) -> None:
    looks = member(house, *RIGHTS[:3])
    assert (
        url("account_limit", real(house, alice))
        not in looks.get(url("account_change", real(house, alice))).content.decode()
    )
    assert looks.post(url("account_limit", real(house, alice)), FORM).status_code == 403
    play = real(house, alice, MoneyType.PLAY)
    assert member(house, *RIGHTS).post(url("account_limit", play), FORM).status_code == 403


def test_an_exclusion_is_listed_and_ended_only_after_its_term(house: House, alice: UUID) -> None:
    staff = member(house, *RIGHTS)
    protection.self_exclude(context=on(house, alice), by=Initiator.PLAYER, months=6)
    listed = staff.get(reverse("admin:wallet_playerrestrictions_changelist"), {"exclusion": "yes"})
    assert [row.pk for row in listed.context["cl"].result_list] == [alice]
    assert ExclusionStillRunning.title in send(staff, "playerrestrictions_end", alice)
    age_wishes(alice, timedelta(days=200))
    assert "another person has to confirm it" in send(staff, "playerrestrictions_end", alice)
    assert url("playerrestrictions_end", alice) in staff.get(url("playerrestrictions_change", alice)).content.decode()
    changes.confirm(Change.objects.get().pk, by="staff:0")
    assert (
        url("playerrestrictions_end", alice) not in staff.get(url("playerrestrictions_change", alice)).content.decode()
    )


AWAY = {"by": "player", "kind": "cooling_off", "length": "48", "note": "asked for by telephone"}
FOREVER = {"by": "player", "kind": "permanent", "length": "", "note": "asked for by letter"}


def test_staff_exclude_a_player_and_the_reason_stays_outside_the_events(house: House, alice: UUID) -> None:
    staff = member(house, *RIGHTS)
    assert url("player_exclude", alice) in staff.get(url("player_change", alice)).content.decode()
    assert "is excluded from deposits and play until" in send(staff, "player_exclude", alice, **AWAY)
    assert LongerExclusionActive.title in send(staff, "player_exclude", alice, **{**AWAY, "length": "24"})
    page = unescape(staff.get(url("playerrestrictions_change", alice)).content.decode())
    assert all(word in page for word in ("cooling off", "player", "asked for by telephone"))
    ((by, actor, told),) = fetch(
        "SELECT data->>'by', metadata->>'actor', data::text || metadata::text FROM events_event"
        " WHERE type = 'CoolingOffStarted'"
    )
    assert (by, actor.split(":")[0]) == ("player", "staff")
    assert "telephone" not in told


def test_staff_say_whether_the_house_excludes_or_record_the_players_wish(house: House, alice: UUID) -> None:
    staff = member(house, *RIGHTS)
    form = staff.get(url("player_change", alice)).content.decode().partition('name="by"')[2].partition("</select>")[0]
    assert "The house" in form
    assert "whose wish I record" in form
    assert "selected" not in form.replace('value="" selected', "")
    told = send(staff, "player_exclude", alice, **AWAY)
    assert "by the house" not in told.partition("is excluded from deposits and play")[2].partition("</")[0]
    assert not load_restrictions(operator=house.operator, player=alice)[0].house_exclusion
    assert list_notices(house, alice) == []

    told = send(staff, "player_exclude", alice, **{**AWAY, "by": "operator", "kind": "self_exclusion", "length": "6"})
    assert ", by the house" in told.partition("is excluded from deposits and play")[2].partition("</")[0]
    assert list_notices(house, alice) == [NoticeKind.EXCLUDED]
    for page in ("player_change", "playerrestrictions_change"):
        assert "exclusion by the house" in staff.get(url(page, alice)).content.decode()


def test_a_permanent_exclusion_is_shown_as_such_and_nobody_can_end_it(house: House, alice: UUID) -> None:
    staff = member(house, *RIGHTS)
    protection.self_exclude(context=on(house, alice), by=Initiator.PLAYER, months=120)
    assert "excluded from deposits and play permanently" in send(staff, "player_exclude", alice, **FOREVER)
    assert "permanent self exclusion" in staff.get(url("player_change", alice)).content.decode()
    assert LongerExclusionActive.title in send(staff, "player_exclude", alice, **FOREVER)
    listed = staff.get(reverse("admin:wallet_playerrestrictions_changelist"), {"exclusion": "yes"})
    assert [row.pk for row in listed.context["cl"].result_list] == [alice]
    details = staff.get(url("playerrestrictions_change", alice)).content.decode()
    assert "permanent" in details
    assert url("playerrestrictions_end", alice) not in details
    assert ExclusionPermanent.title in send(staff, "playerrestrictions_end", alice)
    assert not Change.objects.exists()


def test_the_house_excludes_who_is_self_excluded_for_ever_and_both_are_shown_whichever_came_first(
    house: House, alice: UUID
) -> None:
    staff, bob = member(house, *RIGHTS), register(house, "bob")
    by_house = {**FOREVER, "by": "operator"}
    for player, forms in ((alice, (FOREVER, by_house)), (bob, (by_house, FOREVER))):
        for form in forms:
            assert "excluded from deposits and play permanently" in send(staff, "player_exclude", player, **form)
        page = staff.get(url("player_change", player)).content.decode()
        for badge in ("permanent self exclusion", "permanent exclusion by the house"):
            assert f">{badge}</span>" in page
        assert url("player_exclude", player) not in page
        assert (
            url("playerrestrictions_end", player)
            not in staff.get(url("playerrestrictions_change", player)).content.decode()
        )
        assert load_restrictions(operator=house.operator, player=player)[0].is_excluded_by_house(timezone.now())


@pytest.mark.parametrize(
    "form",
    [
        {},
        {**AWAY, "by": ""},
        {**AWAY, "by": "staff"},
        {**AWAY, "kind": "luck"},
        {**AWAY, "length": "-1"},
        {**AWAY, "length": "5"},
        {**AWAY, "length": ""},
        {**AWAY, "note": " "},
        {**FOREVER, "length": "6"},
    ],
)
def test_an_invalid_exclusion_form_excludes_nobody(house: House, alice: UUID, form: dict[str, str]) -> None:
    send(member(house, *RIGHTS), "player_exclude", alice, **form)
    assert fetch("SELECT FROM wallet_playerrestrictions") == []
    assert fetch("SELECT FROM wallet_exclusion_note") == []


def test_excluding_needs_the_permission_and_the_own_operator(house: House, alice: UUID) -> None:
    looks = member(house, *RIGHTS[:3])
    assert url("player_exclude", alice) not in looks.get(url("player_change", alice)).content.decode()
    assert looks.post(url("player_exclude", alice), AWAY).status_code == 403
    other = House(operator=services.create_operator(slug="other", name="O", currencies=["EUR"], sandbox=True).id)
    assert member(other, *RIGHTS).post(url("player_exclude", alice), AWAY).status_code == 403


def test_staff_of_another_operator_see_no_limit(house: House, alice: UUID) -> None:
    away(house, alice)
    other = House(operator=services.create_operator(slug="other", name="O", currencies=["EUR"], sandbox=True).id)
    staff = member(other, *RIGHTS)
    assert not staff.get(reverse("admin:wallet_playerrestrictions_changelist")).context["cl"].result_list
    assert staff.get(url("playerrestrictions_change", alice)).status_code == 302
    assert staff.post(url("playerrestrictions_end", alice)).status_code == 403
