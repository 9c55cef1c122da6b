"""The policy of duties: every act has one, nobody joins two sides, and what may be granted holds no forbidden pair."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User

from casino.backoffice.actions import RowAction, row_actions
from casino.operators import changes
from casino.significant.recorder import SignificantEventKind
from casino.staff import access_changes, duties, roles
from casino.staff.duties import Act, DutySide, Role
from casino.staff.refusals import RolesApart
from tests.casino.backoffice.admin_urls import ACTIONS, LETTERS

admin.autodiscover()  # as casino.urls does, which only web loads
SIDES = tuple(side for side in DutySide if side is not DutySide.ANY)
PAIRS = [
    (one.name, other.name)
    for one, other in combinations(duties.acts(), 2)
    if one.side is not other.side and DutySide.ANY not in {one.side, other.side} and one.roles and other.roles
]


def row_action_permissions() -> Iterator[str]:
    for page in admin.site._registry.values():
        for action in row_actions(type(page)):
            yield action.permission


def test_what_every_action_of_the_admin_needs_is_an_act() -> None:
    needed = {*row_action_permissions(), *(changes.act_of(kind).name for kind in changes.kinds())}
    assert needed <= {act.name for act in duties.acts()}
    assert {name for name in roles.grantable() if ".view_" not in name} <= {act.name for act in duties.acts()}


def test_an_action_without_a_duty_is_no_action() -> None:
    with pytest.raises(LookupError, match="no act"):
        RowAction("Mint", permission="wallet.mint_money")


def test_one_name_is_one_act() -> None:
    known = duties.acts()[0]
    duties.register(known)
    with pytest.raises(AssertionError, match="another act"):
        duties.register(Act(known.name, "something else", DutySide.ANY))
    assert duties.find(known.name) == known


@pytest.mark.parametrize("act", duties.acts(), ids=lambda act: act.name)
def test_an_act_says_who_does_it_and_what_is_recorded(act: Act) -> None:
    assert act.what == act.what.strip()
    assert act.event in {"", *SignificantEventKind}
    assert not (act.assertion and act.scope is None)


@pytest.mark.parametrize("side", SIDES)
def test_the_greatest_set_of_roles_that_one_person_may_hold_is_all_roles_of_one_side(side: DutySide) -> None:
    held = [role for role in Role if not duties.apart(roles.functions_of(role)) and _side(role) in {side, None}]
    functions = frozenset[str]().union(*map(roles.functions_of, held))
    assert duties.apart(functions) == {}
    assert roles.permissions_of(held) == functions
    assert not [pair for pair in PAIRS if functions.issuperset(pair)]
    for role in set(Role) - set(held):
        assert duties.apart(functions | roles.functions_of(role))


def _side(role: Role) -> DutySide | None:
    sides = {duties.find(name).side for name in roles.functions_of(role) if ".view_" not in name} - {DutySide.ANY}
    return sides.pop() if sides else None


@pytest.mark.django_db
@pytest.mark.parametrize("sides", list(combinations(SIDES, 2)), ids="-".join)
def test_no_role_of_the_houses_own_joins_two_sides_and_one_in_the_database_grants_neither(
    sides: tuple[DutySide, DutySide],
) -> None:
    names = [next(act.name for act in duties.acts() if act.side is side and act.roles) for side in sides]
    root = User.objects.create_superuser("root")
    with pytest.raises(RolesApart, match=names[0]):
        access_changes.request_role("mixed", functions=names, by=root)
    mixed, ann = Group.objects.create(name="mixed"), User.objects.create_user("ann", is_staff=True)
    codes = [name.split(".")[1] for name in (*names, "wallet.view_entry")]
    mixed.permissions.set(Permission.objects.filter(codename__in=codes))
    ann.groups.add(mixed)
    assert ann.get_all_permissions() == {"wallet.view_entry"}


@pytest.mark.django_db
@pytest.mark.parametrize(("one", "other"), list(combinations(Role, 2)))
def test_two_roles_are_given_to_one_person_only_if_they_are_on_one_side(one: Role, other: Role) -> None:
    ann, root = User.objects.create_user("ann", is_staff=True), User.objects.create_superuser("root")
    ann.groups.add(Group.objects.get(name=one))
    apart: Any = {_side(one), _side(other)} - {None}
    if len(apart) > 1:
        with pytest.raises(RolesApart):
            access_changes.request_roles(ann, names=[other], by=root)
    else:
        assert access_changes.request_roles(ann, names=[other], by=root).status == "requested"


def test_oversight_is_held_by_compliance_alone() -> None:
    assert {
        act.name: act.roles for act in duties.acts() if act.side is DutySide.OVERSEE and act.roles != (Role.COMPLIANCE,)
    } == {}
    loosening = (
        "operators_operator_thresholds",
        "risk_riskrule_set",
        "wallet_discrepancy_resolve",
    )
    assert {LETTERS[letter] for name in loosening for letter in ACTIONS[name]} == {Role.COMPLIANCE}
