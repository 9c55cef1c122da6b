"""Changes of access, the access review, and the access log."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from casino.operators import changes, services
from casino.operators.models import Change, Operator, StaffMembership, StaffSubject
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from casino.staff import access_changes, access_review, addresses, authenticators, lockout
from casino.staff.duties import Role
from casino.staff.models import AccessLogEntry, Authenticator, SignIn
from casino.staff.refusals import InvalidLink, OwnAccessChange, ReasonMissing, RolesApart
from tests.support.office import client_of

pytestmark = pytest.mark.django_db


def create_operator(slug: str) -> Operator:
    return services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=False)


def member(name: str, *roles: Role, operator: Operator | None = None, **more: Any) -> User:
    user = User.objects.create_user(name, password="a-long-password", is_staff=True, **more)
    user.groups.set(Group.objects.filter(name__in=roles))
    addresses.record_confirmed(user)
    if operator is not None:
        StaffMembership.objects.create(user=user, operator=operator)
    return user


def form(user: User, *roles: Role, **changes: str) -> dict[str, Any]:
    return {
        "username": user.username, "is_staff": "on", "is_active": "on",
        "groups": [str(pk) for pk in Group.objects.filter(name__in=roles).values_list("pk", flat=True)],
        **changes,
    }  # fmt: skip


def page(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def roles_of(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


def events() -> list[SignificantEvent]:
    return list(SignificantEvent.objects.filter(kind="access_changed").order_by("number"))


def waiting() -> Change:
    """Return the change that waits for a second person."""
    change: Change = Change.objects.get(status="requested")
    return change


def confirm(by: User) -> Any:
    """Confirm the change that waits, in the admin."""
    return client_of(by).post(reverse("admin:operators_change_confirm", args=[waiting().pk]), follow=True)


def test_roles_are_given_by_two_administrators_and_both_are_recorded() -> None:
    lucky = create_operator("lucky")
    admin, other = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "other"))
    ann = member("ann", operator=lucky)

    assert client_of(admin).post(page(ann), form(ann, Role.CASHIER)).status_code == 302
    assert roles_of(ann) == set()
    assert "Another person must confirm" in confirm(admin).content.decode()
    assert roles_of(ann) == set()
    confirm(other)

    assert roles_of(ann) == {"cashier"}
    event = events()[-1]
    assert (event.subject, event.actor, event.authorised_by, event.operator_id) == (
        f"staff:{ann.pk}",
        f"staff:{admin.pk}",
        f"staff:{other.pk}",
        lucky.id,
    )


def test_one_administrator_takes_roles_away() -> None:
    lucky = create_operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, operator=lucky), member("ann", Role.CASHIER, operator=lucky)
    client_of(admin).post(page(ann), form(ann))
    assert roles_of(ann) == set()
    assert [(event.before["roles"], event.after["roles"]) for event in events()] == [(["cashier"], [])]


def test_the_person_concerned_confirms_nothing() -> None:
    lucky = create_operator("lucky")
    admin, ann = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "ann"))
    client_of(admin).post(page(ann), form(ann, Role.ADMINISTRATOR, Role.DUTY_MANAGER))
    confirm(ann)
    assert roles_of(ann) == {"administrator"}


def test_roles_that_became_incompatible_meanwhile_are_refused() -> None:
    lucky = create_operator("lucky")
    admin, other = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "other"))
    ann = member("ann", operator=lucky)
    client_of(admin).post(page(ann), form(ann, Role.CASHIER))
    ann.groups.add(Group.objects.get(name=Role.APPROVER))
    confirm(other)
    assert waiting().status == "requested"
    assert roles_of(ann) == {"approver"}


def test_a_superuser_alone_makes_no_superuser() -> None:
    root, other = User.objects.create_superuser("root"), User.objects.create_superuser("other")
    ann = member("ann")
    client_of(root).post(page(ann), form(ann, is_superuser="on"))
    confirm(root)
    assert not User.objects.get(pk=ann.pk).is_superuser
    confirm(other)
    assert User.objects.get(pk=ann.pk).is_superuser


@pytest.mark.parametrize("role", list(Role))
def test_a_superuser_administers_and_holds_no_role_of_another_side(role: Role) -> None:
    root, other = User.objects.create_superuser("root"), User.objects.create_superuser("other")
    ann = member("ann", role)
    if role in {Role.ADMINISTRATOR, Role.DUTY_MANAGER}:
        assert access_changes.request_roles(other, names=[role], by=root).status == "requested"
        assert access_changes.request_superuser(ann, by=root).status == "requested"
    else:
        with pytest.raises(RolesApart):
            access_changes.request_roles(other, names=[role], by=root)
        with pytest.raises(RolesApart):
            access_changes.request_superuser(ann, by=root)


def test_roles_that_request_and_approve_cannot_be_assigned_together() -> None:
    lucky = create_operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, operator=lucky), member("ann", operator=lucky)
    response = client_of(admin).post(page(ann), form(ann, Role.CASHIER, Role.APPROVER))
    assert "Nobody may be on two sides. do: wallet.change_withdrawal" in response.content.decode()
    assert roles_of(ann) == set()
    assert events() == []


def test_nobody_can_change_their_own_roles() -> None:
    admin = member("admin", Role.ADMINISTRATOR, operator=create_operator("lucky"))
    client_of(admin).post(page(admin), form(admin, Role.ADMINISTRATOR, Role.DUTY_MANAGER))
    assert roles_of(admin) == {"administrator"}


def test_an_administrator_cannot_create_a_superuser() -> None:
    lucky = create_operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, operator=lucky), member("ann", operator=lucky)
    client_of(admin).post(page(ann), form(ann, is_superuser="on"))
    ann.refresh_from_db()
    assert not ann.is_superuser


def test_administrators_see_and_change_members_of_their_operators_only() -> None:
    lucky, rival = create_operator("lucky"), create_operator("rival")
    admin = client_of(member("admin", Role.ADMINISTRATOR, operator=lucky))
    stranger, both = member("stranger", operator=rival), member("both", operator=rival)
    StaffMembership.objects.create(user=both, operator=lucky)
    root = User.objects.create_superuser("root")
    for other in (stranger, both, root):
        assert admin.post(page(other), form(other, Role.COMPLIANCE)).status_code == 302
        assert roles_of(other) == set()
        assert admin.get(reverse("admin:staff_member_change", args=[other.pk])).status_code == 302
    listed = admin.get(reverse("admin:staff_member_changelist")).context["cl"].result_list
    assert [row.username for row in listed] == ["admin"]


def test_a_new_user_works_for_the_operators_of_its_creator() -> None:
    lucky = create_operator("lucky")
    admin = client_of(member("admin", Role.ADMINISTRATOR, operator=lucky))
    chosen = {"password": "a-long-new-password", "password1": "a-long-new-password", "usable_password": "true"}
    response = admin.post(reverse("admin:auth_user_add"), {"username": "new", "email": "new@example.com", **chosen})
    assert response.status_code == 302
    assert not User.objects.get(username="new").has_usable_password()
    assert list(StaffMembership.objects.filter(user__username="new").values_list("operator_id", flat=True)) == [
        lucky.id
    ]


def test_a_member_is_linked_to_a_person_of_assertions_once() -> None:
    lucky = create_operator("lucky")
    admin, other = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "other"))
    ann, bert = member("ann", operator=lucky), member("bert", operator=lucky)
    client_of(admin).post(
        reverse("admin:staff_member_link", args=[ann.pk]), {"operator": str(lucky.id), "subject": "Agent-17"}
    )
    confirm(other)
    link = StaffSubject.objects.get()
    assert (link.user_id, link.operator_id, link.subject) == (ann.pk, lucky.id, "agent-17")
    for user, subject in ((bert, "AGENT-17"), (ann, "agent-18"), (bert, "not an id")):
        with pytest.raises(InvalidLink):
            access_changes.request_link(user, operator=lucky.id, subject=subject, by=admin)


def test_another_user_unlocks_a_locked_out_user_with_a_reason() -> None:
    lucky = create_operator("lucky")
    admin, ann = member("admin", Role.ADMINISTRATOR, operator=lucky), member("ann", operator=lucky)
    for _ in range(3):
        Client().post("/admin/login/", {"username": "ann", "password": "wrong"})
    assert lockout.is_locked("ann")
    url = reverse("admin:staff_member_change", args=[ann.pk])
    assert "locked" in client_of(admin).get(url).content.decode()
    client_of(admin).post(reverse("admin:staff_member_unlock", args=[ann.pk]), {"reason": "Seen at the desk."})
    assert not lockout.is_locked("ann")
    assert [(event.reason, event.before) for event in events()] == [("Seen at the desk.", {"locked": True})]
    assert Client().post("/admin/login/", {"username": "ann", "password": "a-long-password"}).status_code == 302


def test_a_lost_authenticator_is_reset_by_two_administrators_with_a_reason() -> None:
    admin, other, ann = member("admin", Role.ADMINISTRATOR), member("other", Role.ADMINISTRATOR), member("ann")
    with pytest.raises(ReasonMissing):
        access_changes.request_reset(ann, by=admin, reason=" ")
    with pytest.raises(OwnAccessChange):
        access_changes.request_reset(admin, by=admin, reason="Mine.")
    authenticators.begin(ann)
    change = access_changes.request_reset(ann, by=admin, reason="Phone in the lake.")
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=f"staff:{admin.pk}")
    assert Authenticator.objects.filter(user=ann).exists()
    changes.confirm(change.pk, by=f"staff:{other.pk}")
    assert not Authenticator.objects.filter(user=ann).exists()


def test_the_access_review_has_every_column_for_every_user(tmp_path: Any) -> None:
    lucky = create_operator("lucky")
    ann = member("ann", Role.CASHIER, operator=lucky, first_name="=cmd()", last_name="A")
    member("gone", is_active=False)
    client_of(ann)
    SignIn.objects.create(user_id=ann.pk, address="10.0.0.7", second_factor=True)
    file = tmp_path / "review.csv"
    call_command("access_review", "--csv", str(file))
    first, second = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig")))
    assert tuple(first) == access_review.COLUMNS
    assert first["name"] == "'=cmd() A"
    assert first["functions"].startswith("cashier: compliance.view_case operators.change_change operators.view_brand ")
    columns = ("login", "roles", "operators", "status", "second_factor", "last_address", "disabled")
    assert [first[name] for name in columns] == ["ann", "cashier", "lucky", "active", "no", "10.0.0.7", ""]
    assert first["password_changed"] != ""
    assert (second["status"], second["disabled"] != "") == ("disabled", True)


def test_only_permitted_users_download_the_access_review(django_assert_max_num_queries: Any) -> None:
    lucky = create_operator("lucky")
    compliance, support = member("c", Role.COMPLIANCE, operator=lucky), member("s", Role.SUPPORT, operator=lucky)
    export = reverse("admin:staff_member_export")
    assert client_of(support).get(export).status_code == 403
    client = client_of(compliance)
    with django_assert_max_num_queries(16):
        body = b"".join(client.get(export).streaming_content).decode()
    assert [line.split(",")[2] for line in body.splitlines()] == ["login", "c", "s"]


def test_every_view_of_player_data_is_logged_and_visible_to_compliance() -> None:
    lucky = create_operator("lucky")
    player = services.register_player(operator=lucky.id, reference="r1", nickname="Alice")
    support = member("s", Role.SUPPORT, operator=lucky)
    client = client_of(support)
    client.get(reverse("admin:operators_player_change", args=[player.id]), REMOTE_ADDR="10.0.0.7")
    client.get(reverse("admin:operators_player_changelist"), {"q": "r1"})
    client.get(reverse("admin:operators_player_changelist"), {"q": str(player.id)})
    entries = AccessLogEntry.objects.order_by("id")
    assert list(entries.values_list("user_id", "subject", "operator_id", "address")) == [
        (support.pk, f"player:{player.id}", lucky.id, "10.0.0.7"),
        (support.pk, "list:operators.player", None, "127.0.0.1"),
        (support.pk, f"list:operators.player {player.id}", None, "127.0.0.1"),
    ]
    assert not any("r1" in entry.path for entry in entries)

    views = reverse("admin:staff_accesslogentry_changelist")
    own, stranger = (
        member("c", Role.COMPLIANCE, operator=lucky),
        member("x", Role.COMPLIANCE, operator=create_operator("rival")),
    )
    assert client_of(support).get(views).status_code == 403
    assert len(client_of(own).get(views, {"q": str(player.id)}).context["cl"].result_list) == 1
    assert len(client_of(stranger).get(views, {"q": str(player.id)}).context["cl"].result_list) == 0


def test_a_denied_view_is_not_logged() -> None:
    lucky, rival = create_operator("lucky"), create_operator("rival")
    player = services.register_player(operator=lucky.id, reference="r1", nickname="Alice")
    client_of(member("s", Role.SUPPORT, operator=rival)).get(reverse("admin:operators_player_change", args=[player.id]))
    client_of(member("a", Role.ADMINISTRATOR, operator=lucky)).get(reverse("admin:operators_player_changelist"))
    assert not AccessLogEntry.objects.exists()


def test_the_pages_of_roles_and_sign_ins_show_the_table_of_roles() -> None:
    lucky = create_operator("lucky")
    compliance = member("c", Role.COMPLIANCE, operator=lucky)
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
