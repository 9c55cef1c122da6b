"""Tests of the audit of acts: rows that no act changed, acts by too few persons, acts that are none."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from casino.events import store
from casino.events.codec import EventRegistry
from casino.events.sql import database_now, execute
from casino.events.store import Append, Metadata
from casino.operators import change as lifecycle
from casino.operators import changes, services
from casino.operators.change import ChangeConfirmed
from casino.operators.changes import CHANGE_EVENTS
from casino.operators.models import ChangeName
from casino.significant import act_log
from casino.significant.act_log import ACT_EVENTS, ActDone, Agreement, ChangedRow
from casino.staff import act_audit
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant
from tests.support.acts import ONE, OTHER, agreed

pytestmark = pytest.mark.django_db


def operator_of(house: Tenant) -> UUID:
    return UUID(house.id)


def findings() -> list[tuple[str, str]]:
    return [(each.kind, each.location) for each in act_audit.check()]


def act(by: Agreement, **differing: Any) -> None:
    """Record an act without a change of any row, by these persons."""
    terms = {"act": "staff.assign_role", "operator": None, "subject": "test", "actor": ONE} | differing
    with transaction.atomic(), act_log.as_one(**terms, agreement=by):
        pass


def alone(operator: UUID | None, *persons: str) -> None:
    act(Agreement(None, persons), operator=operator)


def append(stream: str, registry: EventRegistry, *events: Any) -> None:
    store.append([Append(stream, 0, tuple(map(registry.encode, events)), Metadata("", ONE, ""))])


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


@pytest.mark.parametrize("persons", [(ONE,), (ONE, ONE), (ONE, OTHER)])
def test_at_a_live_operator_an_act_for_two_without_a_change_is_found(house: Tenant, persons: tuple[str, ...]) -> None:
    alone(operator_of(house), *persons)
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_change_that_nobody_confirmed_or_that_took_effect_before_is_found(confirmed: bool) -> None:
    if confirmed:
        with agreed() as by:
            pass
    else:
        summary = "Let tables use another witness"
        kind = ChangeName.REPLACE_WITNESS
        asked = changes.request(operator=None, kind=kind, subject="test", summary=summary, details={}, by=ONE)
        by = Agreement(asked.pk, (ONE, OTHER))
    act(by)
    assert [kind for kind, _ in findings()][:1] == [act_audit.ALONE]


def test_a_change_that_was_none_is_found() -> None:
    act(Agreement(uuid4(), (ONE, OTHER)))
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


@pytest.mark.parametrize(
    "differing",
    [
        {"act": "staff.assign_operator"},
        {"subject": "staff:9"},
        {"operator": UUID(int=1)},
        {"persons": (ONE, "staff:3")},
    ],
)
def test_an_act_that_differs_from_its_change_is_found(differing: dict[str, Any]) -> None:
    with agreed() as by:
        act(replace(by, persons=differing.pop("persons", by.persons)), **differing)
    assert [kind for kind, _ in findings()] == [act_audit.OTHERWISE, act_audit.TWICE]


def test_a_change_that_two_acts_used_is_found() -> None:
    with agreed() as by:
        act(by)
    assert [kind for kind, _ in findings()] == [act_audit.TWICE]


@pytest.mark.parametrize("second", [ONE, "desk:a", "key:op_1"])
def test_a_change_that_no_other_person_confirmed_is_found(second: str) -> None:
    now, change = database_now(), uuid4()
    asked = lifecycle.request(
        change, operator=None, kind=ChangeName.STAFF_ROLES, subject="test", summary="", details={}, persons=2, by=ONE,
        at=now,
    )  # fmt: skip
    confirmed = ChangeConfirmed(change, second, now, now)
    with transaction.atomic():
        append(lifecycle.change_stream(change), CHANGE_EVENTS, asked, confirmed)
        act(Agreement(change, (ONE, second)))
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


@pytest.mark.parametrize(("tightens", "found"), [(True, []), (False, [act_audit.ALONE])])
def test_what_takes_one_more_to_loosen_is_found_if_one_loosened_it(
    house: Tenant, tightens: bool, found: list[str]
) -> None:
    by = {"kind": None, "operator": operator_of(house), "subject": "test", "actor": ONE}
    act_log.done("significant.add_threshold", **by, tightens=tightens)
    assert [kind for kind, _ in findings()] == found


def test_two_persons_and_a_sandbox_operators_one_are_enough(house: Tenant) -> None:
    with agreed():
        pass
    alone(operator_of(sandbox_tenant("beta")), ONE)
    assert findings() == []


def test_with_a_live_operator_acts_on_the_installation_need_two(house: Tenant) -> None:
    alone(None, ONE)
    assert [kind for kind, _ in findings()] == [act_audit.ALONE]


def test_an_act_that_the_policy_does_not_have_is_found(house: Tenant) -> None:
    act(Agreement(None, (ONE, OTHER)), act="wallet.print_money", operator=operator_of(house))
    assert [kind for kind, _ in findings()] == [act_audit.UNKNOWN]


def test_an_act_that_names_what_was_not_written_is_found(house: Tenant) -> None:
    rows: tuple[Any, ...] = (ChangedRow(10**9, "operators_operator", house.id, "00" * 32),)
    event = ActDone(
        act="operators.change_operator", subject="test", operator=operator_of(house), actor=ONE,
        persons=(ONE,), change=None, tightens=False, before=None, after=None, rows=rows, at=database_now(),
    )  # fmt: skip
    append(f"act-{uuid4()}", ACT_EVENTS, event)
    assert findings() == [(act_audit.INVENTED, f"digest {10**9}")]
