"""Roles that end, and roles that the house makes of functions."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse
from django.utils import timezone

from casino.operators import changes
from casino.operators.models import Change
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from casino.staff import access_changes, access_review, assignments, tasks
from casino.staff.duties import Role
from casino.staff.models import RoleEnd
from casino.staff.refusals import InvalidRole, RolesApart
from casino.staff.roles import grantable
from tests.support.office import client_of

pytestmark = pytest.mark.django_db
NIGHT = ("wallet.view_withdrawal", "wallet.change_withdrawal")


def member(name: str, *roles: str, **more: bool) -> User:
    user = User.objects.create_user(name, is_staff=True, **more)
    user.groups.set(Group.objects.filter(name__in=roles))
    return user


def root(name: str = "root") -> User:
    return User.objects.create_superuser(name)


def fresh(user: User) -> User:
    """Return the user as the next request reads it."""
    return User.objects.get(pk=user.pk)


def define(name: str, *functions: str) -> None:
    change = access_changes.request_role(name, functions=functions, by=root("first"))
    changes.confirm(change.pk, by=f"staff:{root('second').pk}")


def test_a_role_grants_nothing_from_its_end_on_and_is_then_taken_away_once_on_record() -> None:
    ann, now = member("ann"), timezone.now()
    assignments.assign(ann, names=[Role.CASHIER, Role.SUPPORT], until=now + timedelta(hours=1))
    assert fresh(ann).has_perm("wallet.change_withdrawal")
    assert access_review.review(access_review.members(None).get(pk=ann.pk)).roles == ["cashier", "support"]

    RoleEnd.objects.filter(role__name=Role.CASHIER).update(ends_at=now - timedelta(seconds=1))
    assert not fresh(ann).has_perm("wallet.change_withdrawal")
    assert fresh(ann).has_perm("chat.moderate")
    review = access_review.review(access_review.members(None).get(pk=ann.pk))
    assert (review.roles, list(review.role_ends), list(review.functions)) == (["support"], ["support"], ["support"])

    tasks.end_roles()
    tasks.end_roles()
    assert list(ann.groups.values_list("name", flat=True)) == ["support"]
    (event,) = SignificantEvent.objects.filter(kind="access_changed", subject=f"staff:{ann.pk}")
    assert (event.actor, event.before, event.after) == ("system", {"roles": ["cashier"]}, {"roles": []})


def test_a_role_given_again_has_the_end_that_it_is_given_with() -> None:
    ann, soon = member("ann"), timezone.now() + timedelta(hours=1)
    assignments.assign(ann, names=[Role.CASHIER], until=soon)
    assignments.assign(ann, names=[Role.CASHIER], until=soon + timedelta(hours=1))
    assert assignments.ends_of(ann) == {"cashier": soon + timedelta(hours=1)}
    assignments.assign(ann, names=[Role.CASHIER], until=None)
    assert assignments.ends_of(ann) == {}


def test_an_administrator_requests_a_role_until_a_time_to_come_and_another_confirms() -> None:
    ann, first, second = member("ann"), root("first"), root("second")
    page = reverse("admin:auth_user_change", args=[ann.pk])
    until = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    form = {
        "username": "ann", "is_staff": "on", "is_active": "on",
        "groups": [str(Group.objects.get(name=Role.CASHIER).pk)],
    }  # fmt: skip

    def post(day: str, time: str) -> str:
        answer = client_of(first).post(page, {**form, "roles_until_0": day, "roles_until_1": time})
        return answer.content.decode()

    assert "Enter a time to come." in post("2020-01-01", "08:00:00")
    assert not Change.objects.exists()
    post(*until.strftime("%Y-%m-%d %H:%M:%S").split())
    change = Change.objects.get()
    assert f"until {until:%Y-%m-%d %H:%M} UTC" in change.summary
    changes.confirm(change.pk, by=f"staff:{second.pk}")
    assert assignments.ends_of(ann) == {"cashier": until}
    assert f"cashier until {until:%Y-%m-%d %H:%M:%S}" in client_of(first).get(
        reverse("admin:staff_member_change", args=[ann.pk])
    ).content.decode()  # fmt: skip


def test_a_role_of_the_houses_own_is_confirmed_by_another_superuser_and_grants_its_functions() -> None:
    first, second = root("first"), root("second")
    new = reverse("admin:staff_rolegroup_new")
    assert "Can view withdrawal" in client_of(first).get(new).content.decode()
    client_of(first).post(new, {"name": "night_cashier", "functions": list(NIGHT)})
    change = Change.objects.get()
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=f"staff:{first.pk}")
    changes.confirm(change.pk, by=f"staff:{second.pk}")

    ann = member("ann", "night_cashier")
    assert fresh(ann).get_all_permissions() == set(NIGHT)
    page = reverse("admin:staff_rolegroup_change", args=[Group.objects.get(name="night_cashier").pk])
    assert "wallet.change_withdrawal" in client_of(first).get(page).content.decode()
    client_of(first).post(f"{page.removesuffix('change/')}functions/", {"functions": NIGHT[:1]})
    changes.confirm(Change.objects.get(status="requested").pk, by=f"staff:{second.pk}")
    assert fresh(ann).get_all_permissions() == {NIGHT[0]}


def test_administrators_make_no_roles() -> None:
    admin = member("admin", Role.ADMINISTRATOR)
    new = reverse("admin:staff_rolegroup_new")
    assert client_of(admin).get(new).status_code == 403
    assert client_of(admin).post(new, {"name": "mine", "functions": list(NIGHT)}).status_code == 403


@pytest.mark.parametrize(
    ("name", "functions", "refusal"),
    [
        ("cashier", NIGHT, InvalidRole),
        ("Night cashier", NIGHT, InvalidRole),
        ("night", (), InvalidRole),
        ("night", ("staff.make_superuser",), InvalidRole),
        ("night", ("baccarat.request_void", "baccarat.approve_void"), RolesApart),
    ],
)
def test_no_built_in_role_is_changed_and_none_is_made_of_what_none_may_do(
    name: str, functions: tuple[str, ...], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        access_changes.request_role(name, functions=functions, by=root())


def test_roles_that_are_incompatible_together_cannot_be_given_and_grant_neither_function() -> None:
    define("night", "wallet.approve_adjustment", "wallet.view_adjustment")
    ann = member("ann", Role.CASHIER)
    with pytest.raises(RolesApart):
        access_changes.request_roles(ann, names=["night"], by=root())
    ann.groups.add(Group.objects.get(name="night"))
    held = fresh(ann).get_all_permissions()
    assert held.isdisjoint({"wallet.approve_adjustment", "wallet.request_adjustment"})
    assert "wallet.view_adjustment" in held


def test_what_is_stored_for_a_built_in_role_or_is_not_grantable_counts_for_nothing() -> None:
    define("night", *NIGHT)
    superuser = Permission.objects.exclude(codename__in=[name.split(".")[1] for name in grantable()]).first()
    assert superuser is not None
    for name in ("night", Role.SUPPORT):
        Group.objects.get(name=name).permissions.add(superuser)
    ann, bob = member("ann", "night"), member("bob", Role.SUPPORT)
    assert fresh(ann).get_all_permissions() == set(NIGHT)
    assert f"{superuser.content_type.app_label}.{superuser.codename}" not in fresh(bob).get_all_permissions()
