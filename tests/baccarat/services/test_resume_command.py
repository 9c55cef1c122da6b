"""`manage.py resume`: the same as the admin's button, from a shell."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from baccarat.domain.rounds.events import RoundResumed
from baccarat.domain.tables.kill_switch import TableIsStopped
from tests.support.examples import P
from tests.support.house import House, deal_all


def resume(name: str, by: str = "root") -> str:
    said = StringIO()
    call_command("resume", name, by=by, stdout=said)
    return said.getvalue()


def test_a_round_set_aside_is_sent_back_in_the_name_of_a_member_of_staff(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, _ = User.objects.get_or_create(username="root", is_staff=True)
    User.objects.get_or_create(username="guest", is_staff=False)
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({P: 500})
    with monkeypatch.context() as broken:
        broken.setattr("baccarat.storage.shoe_seeds.decrypt", lambda _: {})
        deal_all()
    round_ = house.in_hand(table).require_opened()

    for wrong, by in ((f"{table}#9", "root"), ("nonsense", "root"), (str(table), "root"), (f"{table}#1", "guest")):
        with pytest.raises(CommandError):
            resume(wrong, by)
    said = resume(f"{table}#1")

    assert said == f"resume: ok round={round_.round} table={table} number=1\n"
    (event,) = [event for _, _, event in house.events(table) if isinstance(event, RoundResumed)]
    assert event.by == f"staff:{root.pk}"
    deal_all()
    assert house.last(table).require_opened().round == round_.round
    with pytest.raises(CommandError, match="not suspended"):
        resume(str(round_.round))
    house.agree(table)


def test_a_kill_switch_is_thrown_and_released_from_a_shell_with_a_name_and_a_reason(house: House) -> None:
    User.objects.get_or_create(username="root", is_staff=True)
    ann = house.seated(house.table("mini"))
    table, said = str(ann.guest.table), StringIO()

    with pytest.raises(CommandError, match="missing or too long"):
        call_command("stop", "table", table, by="root")
    call_command("stop", "table", table, by="root", reason="drill", player_message="Back soon.", stdout=said)
    with pytest.raises(TableIsStopped, match="Back soon"):
        ann.new_game()
    call_command("resume", "table", table, by="root", reason="over", stdout=said)
    ann.new_game()

    assert f"stop: ok switch=table:{table}" in said.getvalue()
    assert f"resume: ok switch=table:{table}" in said.getvalue()
    with pytest.raises(CommandError):
        call_command("resume", "operator", "nobody", by="root", reason="over")
