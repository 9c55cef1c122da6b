"""Operators, their API keys and their tables are created in the admin."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from baccarat.storage.models import Table
from casino.operators import services
from casino.operators.models import ApiKey, Change, Operator, StaffMembership
from casino.significant.models import SignificantEvent
from casino.staff.duties import Role
from tests.support.office import client_of

pytestmark = pytest.mark.django_db
OPERATOR = {"slug": "bravo", "name": "Bravo", "currencies": "eur, JPY", "time_zone": "Europe/Malta", "sandbox": "on"}
KEY = {"label": "cashier system", "scopes": ["read", "money"], "networks": "203.0.113.0/24", "days": "30"}
TABLE = {"name": "Salon", "preset": "mini", "currency": "EUR", "money_types": ["play"], "listed": "on"}


def member(role: Role, operator: Operator) -> User:
    user = User.objects.create_user(role, is_staff=True)
    user.groups.set(Group.objects.filter(name=role))
    StaffMembership.objects.create(user=user, operator=operator)
    return user


def house() -> Operator:
    return services.create_operator(slug="bravo", name="Bravo", currencies=["EUR"], sandbox=True)


def send(client: Client, name: str, fields: dict[str, object], *args: object) -> str:
    answer = client.post(reverse(f"admin:operators_operator_{name}", args=args), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_a_superuser_creates_an_operator_and_the_second_of_that_name_is_refused() -> None:
    root = User.objects.create_superuser("root")
    assert "Europe/Malta" in client_of(root).get(reverse("admin:operators_operator_new")).content.decode()
    assert "Created." in send(client_of(root), "new", OPERATOR)
    bravo = Operator.objects.get()
    assert (bravo.currencies, bravo.time_zone, bravo.sandbox) == (["EUR", "JPY"], "Europe/Malta", True)
    assert SignificantEvent.objects.get(subject=f"operator:{bravo.pk}").actor == f"staff:{root.pk}"
    assert "exists already" in send(client_of(root), "new", OPERATOR)
    assert Operator.objects.count() == 1


def test_an_administrator_issues_a_key_whose_secret_is_shown_once_and_works() -> None:
    bravo = house()
    administrator = member(Role.ADMINISTRATOR, bravo)
    page = send(client_of(administrator), "issue_key", KEY, bravo.pk)
    match = re.search(r"Bearer (\S+\.[^\s<]+)", page)
    assert match is not None
    key = ApiKey.objects.get(label="cashier system")
    assert (key.scopes, key.networks, key.expires_at is None) == (["money", "read"], ["203.0.113.0/24"], False)
    assert SignificantEvent.objects.get(subject=f"key:{key.pk}").actor == f"staff:{administrator.pk}"
    headers = {"Authorization": f"Bearer {match[1]}"}
    assert Client(REMOTE_ADDR="203.0.113.7").get("/api/v1/tables", headers=headers).status_code == 200
    assert Client(REMOTE_ADDR="198.51.100.1").get("/api/v1/tables", headers=headers).status_code in {401, 403}
    again = client_of(administrator).get(reverse("admin:operators_apikey_change", args=[key.pk])).content.decode()
    assert match[1].partition(".")[2] not in again


def test_at_a_live_operator_one_administrator_alone_issues_no_key() -> None:
    lucky = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    one, two = member(Role.ADMINISTRATOR, lucky), User.objects.create_user("second", is_staff=True)
    two.groups.set(one.groups.all())
    StaffMembership.objects.create(user=two, operator=lucky)
    unlimited = send(client_of(one), "issue_key", KEY, lucky.pk)
    assert "needs limits by day" in unlimited
    page = send(client_of(one), "issue_key", {**KEY, "per_day_EUR": "50.00"}, lucky.pk)
    match = re.search(r"Bearer (\S+\.[^\s<]+)", page)
    assert match is not None
    assert not ApiKey.objects.exists()

    confirm = reverse("admin:operators_change_confirm", args=[Change.objects.get().pk])
    client_of(one).post(confirm)
    assert not ApiKey.objects.exists()
    answer = client_of(two).post(confirm, follow=True)

    assert match[1].partition(".")[2] not in answer.content.decode()
    headers = {"Authorization": f"Bearer {match[1]}"}
    assert Client(REMOTE_ADDR="203.0.113.7").get("/api/v1/tables", headers=headers).status_code == 200


def test_at_a_live_operator_a_floor_manager_only_requests_a_table_on_which_players_have_the_edge() -> None:
    lucky = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    manager, approver = member(Role.FLOOR_MANAGER, lucky), member(Role.APPROVER, lucky)
    edge = TABLE | {"preset": "atlantic_city", "money_types": ["real"], "accept_player_edge": "on"}
    assert "another person has to confirm" in send(client_of(manager), "open_table", edge, lucky.pk)
    confirm = reverse("admin:operators_change_confirm", args=[Change.objects.get().pk])
    client_of(manager).post(confirm)
    assert not Table.objects.exists()
    client_of(approver).post(confirm)
    assert Table.objects.get().preset == "atlantic_city"


def test_a_floor_manager_opens_a_table_with_the_rules_of_a_preset() -> None:
    bravo = house()
    manager = member(Role.FLOOR_MANAGER, bravo)
    tables = Table.objects.filter(operator_id=bravo.pk)
    assert "Opened the table Salon" in send(client_of(manager), "open_table", TABLE, bravo.pk)
    assert tables.get().preset == "mini"
    assert (
        "select a valid choice" in send(client_of(manager), "open_table", TABLE | {"currency": "USD"}, bravo.pk).lower()
    )
    assert tables.count() == 1
