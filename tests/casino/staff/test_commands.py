"""Administrators by command: the first two, and at a live operator no more; what the superuser flag is good for."""

from typing import Any

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

from casino.operators.services import create_operator
from casino.significant.models import SignificantEvent
from tests.support.office import client_of

pytestmark = pytest.mark.django_db
DOING = (
    "baccarat.stop_play", "baccarat.stop_gaming", "baccarat.approve_void", "baccarat.publish_rules",
    "operators.change_apikey", "significant.acknowledge_significantevent", "significant.add_threshold",
    "wallet.approve_adjustment", "wallet.change_depositmethod", "wallet.change_withdrawal",
)  # fmt: skip


def create(name: str) -> None:
    call_command("createsuperuser", interactive=False, username=name, email=f"{name}@example.com", verbosity=0)


def may(client: Client, *permissions: str) -> set[str]:
    """Return which of these the user of a session has."""
    request = HttpRequest()
    request.session = client.session
    user: Any = get_user(request)
    return {permission for permission in permissions if user.has_perm(permission)}


def test_the_first_two_administrators_are_made_by_command_as_critical_events_and_no_third() -> None:
    create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)
    create("one")
    create("two")
    written = SignificantEvent.objects.filter(kind="access_by_command").order_by("number")
    assert [(each.subject, each.severity) for each in written] == [
        (f"staff:{user.pk}", "critical") for user in User.objects.order_by("pk")
    ]
    assert {each.actor.partition(":")[0] for each in written} == {"shell"}

    with pytest.raises(CommandError, match="two administrators"):
        create("three")
    with pytest.raises(CommandError, match="two administrators"):
        call_command("changepassword", "one")
    assert User.objects.count() == 2
    User.objects.filter(username="two").update(is_active=False)
    create("three")


def test_without_live_operators_a_command_makes_as_many_administrators_as_it_likes() -> None:
    create_operator(slug="trial", name="Trial", currencies=["EUR"], sandbox=True)
    for name in ("one", "two", "three"):
        create(name)
    assert User.objects.filter(is_superuser=True).count() == 3


def test_a_superuser_does_nothing_at_a_live_operator_but_look_after_users() -> None:
    client = client_of(User.objects.create_superuser("root"))
    create_operator(slug="trial", name="Trial", currencies=["EUR"], sandbox=True)
    assert may(client, *DOING) == {*DOING}
    create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)

    assert may(client, *DOING) == set()
    administration = ("auth.change_user", "staff.assign_role", "staff.define_role", "wallet.view_account")
    assert may(client, *administration) == {*administration}
    assert client.get(reverse("admin:baccarat_killswitch_throw")).status_code == 403
    assert client.get(reverse("admin:auth_user_changelist")).status_code == 200


def test_a_superuser_with_a_role_has_what_the_role_permits() -> None:
    create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)
    root = User.objects.create_superuser("root")
    root.groups.set([Group.objects.get(name="duty_manager")])
    assert may(client_of(root), *DOING) == {"baccarat.stop_play", "baccarat.stop_gaming"}
