"""What each role may do is one table; who asks and who decides are never the same person."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from casino.staff import roles
from casino.staff.roles import INCOMPATIBLE_PERMISSIONS, PERMISSIONS_BY_ROLE, TITLES, Role

CHANGES = ("DELETE FROM {table}", "UPDATE {table} SET user_id = 2", "TRUNCATE {table}")
OLD = "DELETE FROM {table} WHERE at < now() - interval '10 years 5 days'"


def member(*names: str) -> User:
    user = User.objects.create_user("member", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=names))
    return user


def test_no_role_has_both_of_two_functions_that_stand_apart() -> None:
    assert {
        role: roles.conflicts(functions)
        for role, functions in PERMISSIONS_BY_ROLE.items()
        if roles.conflicts(functions)
    } == {}
    assert set(PERMISSIONS_BY_ROLE) == set(TITLES) == set(Role)


def test_who_sees_all_changes_nothing() -> None:
    verbs = {name.split(".")[1].split("_")[0] for name in PERMISSIONS_BY_ROLE[Role.COMPLIANCE]}
    # Files and links are of what is seen.
    assert verbs <= {"view", "export", "generate", "acknowledge", "resolve", "share"}


def test_who_manages_users_sees_no_money_and_no_cards() -> None:
    assert not {
        name for name in PERMISSIONS_BY_ROLE[Role.ADMINISTRATOR] if name.split(".")[0] in {"wallet", "baccarat", "chat"}
    }


@given(st.sets(st.sampled_from(sorted([*Role, "operator:lucky", "nothing"]))))
def test_whatever_roles_come_together_nobody_has_both_of_two_that_stand_apart(names: set[str]) -> None:
    held = roles.permissions_of(names)
    assert roles.conflicts(held) == []
    assert {function for pair in roles.conflicting_role_permissions(names) for function in pair}.isdisjoint(held)
    assert held <= {function for name in names & set(Role) for function in PERMISSIONS_BY_ROLE[Role(name)]}


@pytest.mark.django_db
def test_a_migration_has_made_a_group_of_each_role() -> None:
    assert set(Group.objects.values_list("name", flat=True)) >= set(Role)


@pytest.mark.django_db
def test_every_function_is_one_that_django_knows() -> None:
    known = {f"{app}.{name}" for app, name in Permission.objects.values_list("content_type__app_label", "codename")}
    named = {function for functions in PERMISSIONS_BY_ROLE.values() for function in functions}
    assert (named | {function for pair in INCOMPATIBLE_PERMISSIONS for function in pair}) - known == set()


@pytest.mark.django_db
def test_a_member_may_do_what_the_roles_may_and_nothing_else() -> None:
    cashier = member(Role.CASHIER)
    assert cashier.get_all_permissions() == PERMISSIONS_BY_ROLE[Role.CASHIER]
    assert cashier.has_module_perms("wallet")
    assert not cashier.has_module_perms("chat")


@pytest.mark.django_db
def test_what_stands_in_the_database_of_a_group_gives_nothing() -> None:
    group = Group.objects.get(name=Role.SUPPORT)
    group.permissions.add(Permission.objects.get(codename="approve_adjustment"))
    assert not member(Role.SUPPORT).has_perm("wallet.approve_adjustment")


@pytest.mark.django_db
def test_who_asks_for_money_and_would_also_decide_may_do_neither() -> None:
    both = member(Role.CASHIER, Role.APPROVER)
    assert not both.has_perm("wallet.request_adjustment")
    assert not both.has_perm("wallet.approve_adjustment")
    assert both.has_perm("wallet.view_adjustment")


@pytest.mark.django_db
def test_who_is_disabled_may_do_nothing() -> None:
    user = member(Role.CASHIER)
    user.is_active = False
    assert user.get_all_permissions() == set()


@pytest.mark.django_db
def test_sign_ins_and_views_are_neither_changed_nor_removed_before_their_time() -> None:
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
def test_the_database_notes_when_a_password_was_changed_and_a_user_disabled() -> None:
    user = User.objects.create_user("new", password="a-long-password")
    made = user.account.password_changed_at
    assert (made is not None, user.account.disabled_at) == (True, None)
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.account.refresh_from_db()
    assert user.account.disabled_at is not None
    assert user.account.password_changed_at == made
    user.set_password("another-long-password")
    user.is_active = True
    user.save()
    user.account.refresh_from_db()
    assert user.account.password_changed_at > made
    assert user.account.disabled_at is None
