"""Permissions of roles: one table, in which nobody joins two sides."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from casino.staff import duties, roles
from casino.staff.duties import DutySide, Role
from casino.staff.roles import TITLES, VIEWS_BY_ROLE
from tests.support import frozen

CHANGES = ("DELETE FROM {table}", "UPDATE {table} SET user_id = 2", "TRUNCATE {table}")
OLD = "DELETE FROM {table} WHERE at < now() - interval '10 years 5 days'"


def member(*names: str) -> User:
    user = User.objects.create_user("member", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=names))
    return user


def test_no_built_in_role_is_on_two_sides() -> None:
    assert [role for role in Role if duties.apart(roles.functions_of(role))] == []
    assert set(VIEWS_BY_ROLE) == set(TITLES) == set(Role)


def test_who_may_do_what_is_as_it_was() -> None:
    functions = sorted(frozenset[str]().union(*map(roles.functions_of, Role)))
    for name in functions:
        frozen.require("roles.txt", name, " ".join(sorted(role for role in Role if name in roles.functions_of(role))))
    frozen.require_no_others("roles.txt", functions)


def test_tables_of_views_hold_views_alone() -> None:
    seen = {name for functions in VIEWS_BY_ROLE.values() for name in functions}
    assert {name for name in seen if not name.split(".")[1].startswith("view_")} == set()


def test_the_role_that_views_everything_moves_nothing() -> None:
    sides = {act.side for act in duties.acts() if Role.COMPLIANCE in act.roles}
    assert sides == {DutySide.OVERSEE, DutySide.ANY}


def test_the_role_that_manages_users_sees_neither_money_nor_cards() -> None:
    of_the_game = {
        name for name in roles.functions_of(Role.ADMINISTRATOR) if name.split(".")[0] in {"wallet", "baccarat", "chat"}
    }
    assert all(name.endswith("_skin") for name in of_the_game)  # how the page looks


@given(st.sets(st.sampled_from(sorted([*Role, "operator:lucky", "nothing"]))))
def test_no_combination_of_roles_joins_two_sides(names: set[str]) -> None:
    held = roles.permissions_of(names)
    assert duties.apart(held) == {}
    apart = roles.conflicting_role_permissions(names)
    assert held.isdisjoint({function for functions in apart.values() for function in functions})
    assert held <= {function for name in names & set(Role) for function in roles.functions_of(Role(name))}


@pytest.mark.django_db
def test_a_migration_creates_a_group_for_each_role() -> None:
    assert set(Group.objects.values_list("name", flat=True)) >= set(Role)


@pytest.mark.django_db
def test_every_function_is_a_django_permission() -> None:
    known = {f"{app}.{name}" for app, name in Permission.objects.values_list("content_type__app_label", "codename")}
    assert (roles.grantable() | {act.name for act in duties.acts() if act.roles}) - known == set()


@pytest.mark.django_db
def test_a_member_has_the_permissions_of_the_roles_only() -> None:
    cashier = member(Role.CASHIER)
    assert cashier.get_all_permissions() == roles.functions_of(Role.CASHIER)
    assert cashier.has_module_perms("wallet")
    assert not cashier.has_module_perms("chat")


@pytest.mark.django_db
def test_permissions_of_groups_in_the_database_grant_nothing() -> None:
    group = Group.objects.get(name=Role.SUPPORT)
    group.permissions.add(Permission.objects.get(codename="approve_adjustment"))
    assert not member(Role.SUPPORT).has_perm("wallet.approve_adjustment")


@pytest.mark.django_db
def test_a_member_with_requesting_and_approving_roles_can_do_neither() -> None:
    both = member(Role.CASHIER, Role.APPROVER)
    assert not both.has_perm("wallet.request_adjustment")
    assert not both.has_perm("wallet.approve_adjustment")
    assert both.has_perm("wallet.view_adjustment")


@pytest.mark.django_db
def test_a_disabled_user_has_no_permissions() -> None:
    user = member(Role.CASHIER)
    user.is_active = False
    assert user.get_all_permissions() == set()


@pytest.mark.django_db
def test_sign_ins_and_access_log_entries_are_kept_for_their_retention_period() -> None:
    insert = {
        "staff_signin": "INSERT INTO staff_signin (user_id, second_factor, at) VALUES (1, true, now() - interval '{}')",
        "staff_accesslogentry": "INSERT INTO staff_accesslogentry (user_id, subject, path, at) "
        "VALUES (1, 's', '/', now() - interval '{}')",
    }
    with connection.cursor() as cursor:
        for table, statement in insert.items():
            cursor.execute(statement.format("9 years"))
            for change in CHANGES:
                with pytest.raises(DatabaseError, match=r"keeps its rows|never changed|denied"), transaction.atomic():
                    cursor.execute(change.format(table=table))
            cursor.execute(statement.format("11 years"))
            cursor.execute(OLD.format(table=table))
            assert cursor.rowcount == 1


@pytest.mark.django_db
def test_the_database_records_password_changes_and_disabled_users() -> None:
    user = User.objects.create_user("new", password="a-long-password")
    changed_at = user.account.password_changed_at
    assert (changed_at is not None, user.account.disabled_at) == (True, None)
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.account.refresh_from_db()
    assert user.account.disabled_at is not None
    assert user.account.password_changed_at == changed_at
    user.set_password("another-long-password")
    user.is_active = True
    user.save()
    user.account.refresh_from_db()
    assert user.account.password_changed_at > changed_at
    assert user.account.disabled_at is None
