"""Who may give access to whom; what of it is recorded and reviewed; who looked at what."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from casino.operators import services
from casino.operators.models import Operator, StaffMembership
from casino.significant.models import SignificantEvent
from casino.staff import access_changes, access_review, authenticators, lockout
from casino.staff.models import AccessLogEntry, SignIn
from casino.staff.refusals import OwnAccessChange, ReasonMissing
from casino.staff.roles import Role
from tests.support.office import client_of

pytestmark = pytest.mark.django_db


def operator(slug: str) -> Operator:
    return services.create_operator(slug=slug, name=slug, currency="EUR", sandbox=True)


def member(name: str, *roles: Role, house: Operator | None = None, **more: Any) -> User:
    user = User.objects.create_user(name, password="a-long-password", is_staff=True, **more)
    user.groups.set(Group.objects.filter(name__in=roles))
    if house is not None:
        StaffMembership.objects.create(user=user, operator=house)
    return user


def form(user: User, *roles: Role, **changes: str) -> dict[str, Any]:
    return {
        "username": user.username, "is_staff": "on", "is_active": "on",
        "groups": [str(pk) for pk in Group.objects.filter(name__in=roles).values_list("pk", flat=True)],
        "memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0", **changes,
    }  # fmt: skip


def page(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def roles_of(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


def events() -> list[SignificantEvent]:
    return list(SignificantEvent.objects.filter(kind="access_changed").order_by("number"))


def test_an_administrator_gives_roles_to_colleagues_and_it_is_recorded() -> None:
    lucky = operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, house=lucky), member("ann", house=lucky)
    assert client_of(admin).post(page(ann), form(ann, Role.CASHIER)).status_code == 302
    assert roles_of(ann) == {"cashier"}
    (event,) = events()
    assert (event.subject, event.actor, event.operator_id) == (f"staff:{ann.pk}", f"staff:{admin.pk}", lucky.id)
    assert (event.before["roles"], event.after["roles"]) == ([], ["cashier"])


def test_roles_that_ask_and_decide_are_not_given_together() -> None:
    lucky = operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, house=lucky), member("ann", house=lucky)
    answer = client_of(admin).post(page(ann), form(ann, Role.CASHIER, Role.APPROVER))
    assert "Nobody may have both: wallet.request_adjustment and wallet.approve_adjustment." in answer.content.decode()
    assert roles_of(ann) == set()
    assert events() == []


def test_nobody_gives_roles_to_themselves() -> None:
    admin = member("admin", Role.ADMINISTRATOR, house=operator("lucky"))
    client_of(admin).post(page(admin), form(admin, Role.ADMINISTRATOR, Role.COMPLIANCE))
    assert roles_of(admin) == {"administrator"}


def test_nobody_becomes_a_superuser_by_an_administrator() -> None:
    lucky = operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, house=lucky), member("ann", house=lucky)
    client_of(admin).post(page(ann), form(ann, is_superuser="on"))
    ann.refresh_from_db()
    assert not ann.is_superuser


def test_administrators_see_and_touch_those_of_their_operators_alone() -> None:
    lucky, rival = operator("lucky"), operator("rival")
    admin = client_of(member("admin", Role.ADMINISTRATOR, house=lucky))
    stranger, both = member("stranger", house=rival), member("both", house=rival)
    StaffMembership.objects.create(user=both, operator=lucky)
    root = User.objects.create_superuser("root")
    for other in (stranger, both, root):
        assert admin.post(page(other), form(other, Role.COMPLIANCE)).status_code == 302
        assert roles_of(other) == set()
        assert admin.get(reverse("admin:staff_member_change", args=[other.pk])).status_code == 302
    listed = admin.get(reverse("admin:staff_member_changelist")).context["cl"].result_list
    assert [row.username for row in listed] == ["admin"]


def test_a_new_user_works_for_the_operators_of_who_made_it() -> None:
    lucky = operator("lucky")
    admin = client_of(member("admin", Role.ADMINISTRATOR, house=lucky))
    words = {"username": "new", "password1": "a-long-new-password", "password2": "a-long-new-password"}
    answer = admin.post(reverse("admin:auth_user_add"), {**words, "usable_password": "true"})
    assert answer.status_code == 302
    assert list(StaffMembership.objects.filter(user__username="new").values_list("operator_id", flat=True)) == [
        lucky.id
    ]


def test_a_password_set_by_another_is_recorded() -> None:
    lucky = operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, house=lucky), member("ann", house=lucky)
    words = {"password1": "another-long-password", "password2": "another-long-password", "usable_password": "true"}
    client_of(admin).post(reverse("admin:auth_user_password_change", args=[ann.pk]), words)
    assert [event.after for event in events()] == [{"password": "new"}]


def test_who_is_locked_out_is_unlocked_by_another_with_a_reason() -> None:
    lucky = operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, house=lucky), member("ann", house=lucky)
    for _ in range(3):
        Client().post("/admin/login/", {"username": "ann", "password": "wrong"})
    assert lockout.is_locked("ann")
    here = reverse("admin:staff_member_change", args=[ann.pk])
    assert "locked" in client_of(admin).get(here).content.decode()
    client_of(admin).post(reverse("admin:staff_member_unlock", args=[ann.pk]), {"reason": "Seen at the desk."})
    assert not lockout.is_locked("ann")
    assert [(event.reason, event.before) for event in events()] == [("Seen at the desk.", {"locked": True})]
    assert Client().post("/admin/login/", {"username": "ann", "password": "a-long-password"}).status_code == 302


def test_a_lost_authenticator_is_taken_away_by_another_with_a_reason() -> None:
    admin, ann = member("admin", Role.ADMINISTRATOR), member("ann")
    with pytest.raises(ReasonMissing):
        access_changes.reset_authenticator(ann, by=admin, reason=" ")
    with pytest.raises(OwnAccessChange):
        access_changes.reset_authenticator(admin, by=admin, reason="Mine.")
    authenticators.begin(ann)
    access_changes.reset_authenticator(ann, by=admin, reason="Phone in the lake.")
    assert not authenticators.is_enrolled(ann)


def test_the_review_names_what_is_asked_of_every_user(tmp_path: Any) -> None:
    lucky = operator("lucky")
    ann = member("ann", Role.CASHIER, house=lucky, first_name="=cmd()", last_name="A")
    member("gone", is_active=False)
    client_of(ann)
    SignIn.objects.create(user_id=ann.pk, address="10.0.0.7", second_factor=True)
    file = tmp_path / "review.csv"
    call_command("access_review", "--csv", str(file))
    first, second = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))
    assert tuple(first) == access_review.COLUMNS
    assert first["name"] == "'=cmd() A"
    assert first["functions"].startswith("cashier: compliance.view_case operators.view_operator ")
    picked = ("login", "roles", "operators", "status", "second_factor", "last_address", "disabled")
    assert [first[name] for name in picked] == ["ann", "cashier", "lucky", "active", "no", "10.0.0.7", ""]
    assert first["password_changed"] != ""
    assert (second["status"], second["disabled"] != "") == ("disabled", True)


def test_the_review_is_downloaded_by_who_may(django_assert_max_num_queries: Any) -> None:
    lucky = operator("lucky")
    compliance, support = member("c", Role.COMPLIANCE, house=lucky), member("s", Role.SUPPORT, house=lucky)
    export = reverse("admin:staff_member_export")
    assert client_of(support).get(export).status_code == 403
    client = client_of(compliance)
    with django_assert_max_num_queries(16):
        body = b"".join(client.get(export).streaming_content).decode()
    assert [line.split(",")[2] for line in body.splitlines()] == ["login", "c", "s"]


def test_every_page_that_is_looked_at_is_kept_and_compliance_sees_it() -> None:
    lucky = operator("lucky")
    player = services.register_player(operator=lucky.id, reference="r1", nickname="Alice")
    support = member("s", Role.SUPPORT, house=lucky)
    client = client_of(support)
    client.get(reverse("admin:operators_player_change", args=[player.id]), REMOTE_ADDR="10.0.0.7")
    client.get(reverse("admin:operators_player_changelist"), {"q": "r1"})
    client.get(reverse("admin:operators_player_changelist"), {"q": str(player.id)})
    kept = [(one.user_id, one.subject, one.operator_id, one.address) for one in AccessLogEntry.objects.order_by("id")]
    assert kept == [
        (support.pk, f"player:{player.id}", lucky.id, "10.0.0.7"),
        (support.pk, "list:operators.player", None, "127.0.0.1"),
        (support.pk, f"list:operators.player {player.id}", None, "127.0.0.1"),
    ]
    assert not any("r1" in one.path for one in AccessLogEntry.objects.all())

    views = reverse("admin:staff_accesslogentry_changelist")
    own, stranger = member("c", Role.COMPLIANCE, house=lucky), member("x", Role.COMPLIANCE, house=operator("rival"))
    assert client_of(support).get(views).status_code == 403
    assert len(client_of(own).get(views, {"q": str(player.id)}).context["cl"].result_list) == 1
    assert len(client_of(stranger).get(views, {"q": str(player.id)}).context["cl"].result_list) == 0


def test_what_nobody_may_look_at_is_not_kept_as_seen() -> None:
    lucky, rival = operator("lucky"), operator("rival")
    player = services.register_player(operator=lucky.id, reference="r1", nickname="Alice")
    client_of(member("s", Role.SUPPORT, house=rival)).get(reverse("admin:operators_player_change", args=[player.id]))
    client_of(member("a", Role.ADMINISTRATOR, house=lucky)).get(reverse("admin:operators_player_changelist"))
    assert not AccessLogEntry.objects.exists()


def test_the_pages_of_roles_and_sign_ins_show_what_the_table_says() -> None:
    lucky = operator("lucky")
    compliance = member("c", Role.COMPLIANCE, house=lucky)
    client = client_of(compliance)
    cashier = Group.objects.get(name="cashier")
    assert (
        "wallet.request_adjustment"
        in client.get(reverse("admin:staff_rolegroup_change", args=[cashier.pk])).content.decode()
    )
    SignIn.objects.create(user_id=compliance.pk, address=None, second_factor=True)
    assert len(client.get(reverse("admin:staff_signin_changelist")).context["cl"].result_list) == 1
    own = client.get(reverse("admin:staff_member_change", args=[compliance.pk])).content.decode()
    assert "baccarat.view_round" in own
