"""On-call lists: at a live operator one person has more people told, and two persons have fewer told, or others."""

import pytest

from casino.alerts import list_changes
from casino.alerts.models import Channel, OnCallList, OnCallTarget
from casino.alerts.on_call import ListTerms, TargetAddress
from casino.operators import changes
from casino.operators.models import Change
from casino.operators.services import create_operator
from casino.staff import act_audit
from tests.casino.alerts.on_call_service import on_call_list, target

pytestmark = pytest.mark.django_db
ANN, BEN = "staff:1", "staff:2"


@pytest.fixture
def duty() -> OnCallList:
    """Return a list that is told of rounds from warnings on, after a minute, at an installation for real money."""
    create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)
    return on_call_list(kinds=("rounds",), after_seconds=60)


def terms(**other: object) -> ListTerms:
    given = {"name": "Duty", "kinds": ("rounds",), "severity": "warning", "after_seconds": 60, **other}
    return ListTerms(**given)  # type: ignore[arg-type]


def confirm(change: Change | None) -> None:
    assert change is not None
    changes.confirm(change.pk, by=BEN)


@pytest.mark.parametrize(
    "more", [{"kinds": ("rounds", "feed")}, {"kinds": ()}, {"severity": "notice"}, {"after_seconds": 0}]
)
def test_one_person_has_a_list_told_of_more(duty: OnCallList, more: dict[str, object]) -> None:
    assert list_changes.change_list(duty, terms(**more), by=ANN) is None
    assert act_audit.check() == []


@pytest.mark.parametrize("less", [{"kinds": ("feed",)}, {"severity": "critical"}, {"after_seconds": 61}])
def test_two_persons_have_a_list_told_of_less(duty: OnCallList, less: dict[str, object]) -> None:
    before = OnCallList.objects.values().get()
    change = list_changes.change_list(duty, terms(**less), by=ANN)
    assert OnCallList.objects.values().get() == before
    confirm(change)
    assert OnCallList.objects.values().get() != before
    assert act_audit.check() == []


def test_two_persons_add_and_remove_targets_and_lists(duty: OnCallList) -> None:
    where = TargetAddress("ann@lucky.example")
    change = list_changes.add_target(duty, channel=Channel.EMAIL, where=where, by=ANN)
    assert not OnCallTarget.objects.exists()
    assert change is not None
    assert "ann@lucky.example" in change.summary
    confirm(change)
    added = OnCallTarget.objects.get()
    assert str(added) == str(target(duty, Channel.EMAIL, "ann@lucky.example"))

    change = list_changes.remove_target(added, by=ANN)
    assert OnCallTarget.objects.filter(pk=added.pk).exists()
    confirm(change)
    assert not OnCallTarget.objects.filter(pk=added.pk).exists()

    change = list_changes.remove_list(duty, by=ANN)
    assert OnCallList.objects.exists()
    confirm(change)
    assert not OnCallList.objects.exists()


def test_where_nobody_plays_for_real_money_one_person_is_enough() -> None:
    row = on_call_list()
    assert list_changes.change_list(row, terms(severity="critical"), by=ANN) is None
    assert list_changes.remove_list(row, by=ANN) is None
    assert not OnCallList.objects.exists()
