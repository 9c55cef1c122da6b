"""Groups of players: at a live operator one person moves a player to narrower limits, and two to wider ones."""

import pytest

from casino.events.sql import fetch
from casino.operators import bounds, changes, limits_groups, services
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Operator, Player
from casino.operators.refusals import ChangeNeedsSecondPerson
from tests.support.acts import agreed

pytestmark = pytest.mark.django_db
ANN, BEN = "staff:1", "staff:2"
LIMITS = {
    "standard": {"EUR": GroupLimits(maximum=50_00)},
    "careful": {"EUR": GroupLimits(maximum=5_00), "JPY": GroupLimits(maximum=500)},
    "vip": {"EUR": GroupLimits(maximum=900_00)},
    "poor": {"EUR": GroupLimits(minimum=1_00, maximum=50_00)},
}


def make(*, sandbox: bool) -> tuple[Operator, Player]:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR", "JPY"], sandbox=sandbox)
    with agreed():
        for name, by_currency in LIMITS.items():
            for currency, limits in by_currency.items():
                limits_groups.change(operator=operator.pk, name=name, currency=currency, limits=limits, by=ANN)
    return operator, services.register_player(operator=operator.pk, reference="a", nickname="Alice")


def group_of(player: Player) -> str:
    return Player.objects.get(pk=player.pk).limits_group


@pytest.mark.parametrize(
    ("before", "after", "wider"),
    [
        ("standard", "careful", False),
        ("vip", "standard", False),
        ("standard", "poor", False),
        ("standard", "standard", False),
        ("standard", "vip", True),
        ("poor", "standard", True),  # smaller stakes than the least
        ("careful", "standard", True),
    ],
)
def test_a_player_of_a_live_operator_is_moved_to_wider_limits_by_two_persons(
    before: str, after: str, wider: bool
) -> None:
    operator, player = make(sandbox=False)
    limits_groups.assign(operator=operator.pk, player=player.pk, name=before, by=ANN)
    change = bounds.move_player(Player.objects.get(pk=player.pk), name=after, by=ANN)
    assert (change is not None, group_of(player)) == (wider, before if wider else after)
    if change is not None:
        changes.confirm(change.pk, by=BEN)
    assert group_of(player) == after


def test_the_log_says_what_a_group_may_stake_in_which_currency() -> None:
    operator, _ = make(sandbox=True)
    limits_groups.change(operator=operator.pk, name="vip", currency="JPY", limits=GroupLimits(maximum=900), by=ANN)
    acts = "SELECT data FROM events_event WHERE type = 'ActDone' ORDER BY recorded_at DESC LIMIT 1"
    ((act,),) = fetch(acts)
    limits = {"minimum": None, "maximum": 900, "stake_day": None, "loss_day": None, "currency": "JPY"}
    assert (act["subject"], act["after"]) == ("limits_group:vip", limits)


def test_a_key_moves_nobody_to_wider_limits() -> None:
    _, player = make(sandbox=False)
    with pytest.raises(ChangeNeedsSecondPerson):
        bounds.move_player(player, name="vip", by="operator:op_1")
    assert group_of(player) == "standard"


def test_at_a_sandbox_operator_one_is_enough() -> None:
    _, player = make(sandbox=True)
    assert bounds.move_player(player, name="vip", by="operator:op_1") is None
    assert group_of(player) == "vip"
