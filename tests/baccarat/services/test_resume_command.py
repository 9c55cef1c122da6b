"""`manage.py resume`: lifts at a sandbox operator, and requests at a live one."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from baccarat.domain.rounds.events import RoundResumed
from baccarat.domain.tables.kill_switch import TableIsStopped
from baccarat.storage.models import KillSwitch
from casino.operators.memberships import shell_actor
from casino.operators.models import Change
from casino.operators.services import create_operator
from tests.support.examples import P
from tests.support.house import House, deal_all


def resume(name: str) -> str:
    said = StringIO()
    call_command("resume", name, stdout=said)
    return said.getvalue()


def test_a_sandboxs_suspended_round_is_sent_back_in_the_name_of_the_shell(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({P: 500})
    with monkeypatch.context() as broken:
        broken.setattr("baccarat.storage.shoe_seeds.decrypt", lambda _: {})
        deal_all()
    round_ = house.in_hand(table).require_opened()

    for wrong in (f"{table}#9", "nonsense", str(table)):
        with pytest.raises(CommandError):
            resume(wrong)
    said = resume(f"{table}#1")

    assert said == f"resume: ok round={round_.round} table={table} number=1\n"
    (event,) = [event for _, _, event in house.events(table) if isinstance(event, RoundResumed)]
    assert event.by == shell_actor()
    deal_all()
    assert house.last(table).require_opened().round == round_.round
    with pytest.raises(CommandError, match="not suspended"):
        resume(str(round_.round))
    house.agree(table)


def test_a_kill_switch_is_thrown_and_released_from_a_shell_with_a_reason(house: House) -> None:
    ann = house.seated(house.table("mini"))
    table, said = str(ann.guest.table), StringIO()

    with pytest.raises(CommandError, match="missing or too long"):
        call_command("stop", "table", table)
    call_command("stop", "table", table, reason="drill", player_message="Back soon.", stdout=said)
    with pytest.raises(TableIsStopped, match="Back soon"):
        ann.new_game()
    call_command("resume", "table", table, reason="over", stdout=said)
    ann.new_game()

    assert f"stop: ok switch=table:{table}" in said.getvalue()
    assert f"resume: ok switch=table:{table}" in said.getvalue()
    with pytest.raises(CommandError):
        call_command("resume", "operator", "nobody", reason="over")


@pytest.mark.django_db
def test_at_a_live_operator_a_command_says_which_change_persons_have_to_confirm() -> None:
    operator, said = create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False), StringIO()
    call_command("stop", "operator", "live", reason="drill", order="MGA/2031/7", stdout=said)
    call_command("resume", "operator", "live", reason="over", order="MGA/2031/8", stdout=said)

    change = Change.objects.get(subject=f"stop:operator:{operator.id}")
    assert KillSwitch.objects.get().active
    assert (change.requested_by, change.persons, change.status) == (shell_actor(), 2, "requested")
    assert f"nothing has changed. Change {change.pk}" in said.getvalue()
    assert "2 persons confirm it" in said.getvalue()
