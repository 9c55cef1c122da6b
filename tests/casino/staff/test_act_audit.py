"""Tests of the audit of acts: rows that no act changed, acts by too few persons, acts that are none."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from casino.events import store
from casino.events.sql import database_now, execute
from casino.events.store import Append, Metadata
from casino.operators import services
from casino.significant import act_log
from casino.significant.act_log import ACT_EVENTS, ActDone, Agreement, ChangedRow
from casino.significant.recorder import SignificantEventKind
from casino.staff import act_audit
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant

pytestmark = pytest.mark.django_db


def operator_of(house: Tenant) -> UUID:
    return UUID(house.id)


def findings() -> list[tuple[str, str]]:
    return [(each.kind, each.location) for each in act_audit.check()]


def act(name: str, operator: UUID | None, *persons: str) -> None:
    """Record an act without a change of any row, by these persons."""
    with act_log.by_agreement(Agreement(uuid4(), persons)):
        act_log.done(
            name, kind=SignificantEventKind.CONFIG_CHANGED, operator=operator, subject="test", actor=persons[0]
        )


def last() -> ActDone:
    return act_audit.read()[-1][1]


@pytest.fixture
def house() -> Tenant:
    return tenant("lucky")


def test_an_act_names_each_row_that_it_changed_with_what_was_before(house: Tenant) -> None:
    services.set_customer_care(slug=house.slug, contact="https://help.example", by="staff:7")
    done = last()
    assert (done.act, done.persons, done.change) == ("operators.change_operator", ("staff:7",), None)
    assert (done.before, done.after) == ({"customer_care": ""}, {"customer_care": "https://help.example"})
    assert [(row.table, row.key) for row in done.rows] == [("operators_operator", house.id)]
    assert findings() == []


def test_an_act_that_is_undone_leaves_no_row_to_the_next(house: Tenant) -> None:
    with transaction.atomic():
        with transaction.atomic():
            execute("UPDATE operators_operator SET name = 'Mine'")
            transaction.set_rollback(True)
        services.set_customer_care(slug=house.slug, contact="https://help.example", by="staff:7")
    assert len(last().rows) == 1
    assert findings() == []


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("operators_operator", "UPDATE operators_operator SET origins = '{https://mine.example}'"),
        ("operators_operator", "UPDATE operators_operator SET sandbox = NOT sandbox"),
        (
            "operators_staffmembership",
            "INSERT INTO operators_staffmembership (user_id, operator_id) VALUES (%(user)s, %(operator)s)",
        ),
        ("auth_user", "UPDATE auth_user SET is_superuser = true"),
        ("auth_user", "UPDATE auth_user SET email = 'mine@mine.example'"),
        (
            "auth_user_groups",
            "INSERT INTO auth_user_groups (user_id, group_id) SELECT %(user)s, id FROM auth_group LIMIT 1",
        ),
        (
            "auth_group_permissions",
            "INSERT INTO auth_group_permissions (group_id, permission_id) VALUES (%(group)s, %(permission)s)",
        ),
    ],
)
def test_what_sql_gives_is_found_though_its_digest_is_right(house: Tenant, table: str, change: str) -> None:
    user = User.objects.create_user("attacker")
    known = findings()
    execute(change, {"user": user.pk, "operator": house.id, "group": 1, "permission": 1} if "%(" in change else ())
    assert {kind for kind, _ in findings()[len(known) :]} == {act_audit.UNDONE}
    assert findings()[len(known)][1].startswith(f"{table} ")


def test_a_users_own_password_and_name_need_no_act() -> None:
    user = User.objects.create_user("anna", password="first of hers")
    known = findings()
    user.set_password("another of hers")
    user.first_name = "Anna"
    user.save()
    assert findings() == known


@pytest.mark.parametrize(
    "persons", [("staff:1",), ("staff:1", "staff:1"), ("staff:1", "key:op_1"), ("staff:1", "desk:a")]
)
def test_at_a_live_operator_an_act_for_two_by_one_is_found(house: Tenant, persons: tuple[str, ...]) -> None:
    act("staff.assign_role", operator_of(house), *persons)
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


@pytest.mark.parametrize(("tightens", "found"), [(True, []), (False, [act_audit.ALONE])])
def test_what_takes_one_more_to_loosen_is_found_if_one_loosened_it(
    house: Tenant, tightens: bool, found: list[str]
) -> None:
    by = {"kind": None, "operator": operator_of(house), "subject": "test", "actor": "staff:1"}
    act_log.done("significant.add_threshold", **by, tightens=tightens)
    assert [kind for kind, _ in findings()] == found


def test_two_persons_and_a_sandbox_operators_one_are_enough(house: Tenant) -> None:
    act("staff.assign_role", operator_of(house), "staff:1", "staff:2")
    act("staff.assign_role", operator_of(sandbox_tenant("beta")), "staff:1")
    assert findings() == []


def test_with_a_live_operator_acts_on_the_installation_need_two(house: Tenant) -> None:
    act("staff.assign_role", None, "staff:1")
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


def test_an_act_that_the_policy_does_not_have_is_found(house: Tenant) -> None:
    act("wallet.print_money", operator_of(house), "staff:1", "staff:2")
    assert [kind for kind, _ in findings()] == [act_audit.UNKNOWN]


def test_an_act_that_names_what_was_not_written_is_found(house: Tenant) -> None:
    rows: tuple[Any, ...] = (ChangedRow(10**9, "operators_operator", house.id, "00" * 32),)
    event = ActDone(
        act="operators.change_operator", subject="test", operator=operator_of(house), actor="staff:1",
        persons=("staff:1",), change=None, tightens=False, before=None, after=None, rows=rows, at=database_now(),
    )  # fmt: skip
    store.append([Append(f"act-{uuid4()}", 0, (ACT_EVENTS.encode(event),), Metadata("", "staff:1", ""))])
    assert findings() == [(act_audit.INVENTED, f"digest {10**9}")]
