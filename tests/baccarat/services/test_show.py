"""The show of a deal: money is paid at once, the next turn waits, and players may skip the rest."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain import dealer
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.table_rules import ShowMilliseconds
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.domain.tables.refusals import BettingNotOpen, HurryNotAllowed, NoShow
from baccarat.services import dealing, kill_switch, table_lifecycle
from baccarat.storage import repository, shoe_seeds
from tests.support.examples import B
from tests.support.house import BUY_IN, At, House, deal_all, until

LONG = ShowMilliseconds(60_000, 60_000, 60_000, 60_000, 0)
SHORT = ShowMilliseconds(1, 1, 1, 1, 0)
STAKE = 2500


def played(house: House, count: int = 2, show: ShowMilliseconds = LONG, **rules: Any) -> tuple[UUID, list[At]]:
    """Play a round of so many players on the Banker; its deal is shown afterwards, in which no round is open."""
    table = house.table("atlantic_city", show_milliseconds=show, **rules)
    company = house.company(table, count)
    for at in company:
        at.deal({B: STAKE})
    assert dealing.deal_due() == 1
    assert house.state(table).round is None
    return table, company


def ways_to_act(at: At) -> dict[str, Callable[[], object]]:
    return {
        "place": lambda: at.place(B, STAKE),
        "deal": lambda: at.deal({B: STAKE}),
        "rebet": at.rebet,
        "rebet and deal": at.rebet_and_deal,
        "new game": at.new_game,
        "deal the chips": at.deal,
        "undo": at.undo,
        "clear": at.clear,
        "pass": at.pass_turn,
    }


def test_money_is_paid_at_the_deal_and_nothing_acts_on_the_next_round_before_its_time(house: House) -> None:
    table, (ann, ben) = played(house)
    opens = house.state(table).betting_opens_at
    settled = house.last(table)
    assert opens is not None
    assert settled.ended_at is not None
    assert (opens - settled.ended_at).total_seconds() == 60
    wager = settled.seats[0].settlement
    assert wager is not None
    assert house.game(ann) == BUY_IN - STAKE + wager.returned

    for way, act in ways_to_act(ann).items():
        with pytest.raises(BettingNotOpen) as refused:
            act()
        assert refused.value.facts == {"betting_opens_at": opens}, way
    assert deal_all() == 0
    assert house.state(table).round is None
    ben.rebuy(500)
    ben.move(5)
    house.agree(table)


def test_a_dealer_opens_the_next_round_when_the_show_is_over_and_its_turn_is_whole(house: House) -> None:
    table, (ann, _) = played(house, show=SHORT, turn_seconds=600)
    opens = house.state(table).betting_opens_at

    until(lambda: house.state(table).round is not None)

    opened = house.in_hand(table).require_opened()
    assert opens is not None
    assert opened.deadline_at is not None
    assert opened.opened_at >= opens
    assert (opened.deadline_at - opened.opened_at).total_seconds() == 600
    assert (opened.number, house.in_hand(table).phase) == (3, Phase.BETTING)
    assert ann.rebet()["round"]["number"] == 3
    house.agree(table)


@pytest.mark.parametrize("way", ["place", "deal", "rebet", "rebet and deal", "new game"])
def test_a_player_alone_skips_the_show_by_acting(house: House, way: str) -> None:
    table, (ann,) = played(house, 1)
    number = house.state(table).rounds

    ways_to_act(ann)[way]()

    assert house.in_hand(table).require_opened().number == number + 1
    assert [type(event).__name__ for _, _, event in house.events(table)].count("ShowSkipRequested") == 1
    house.agree(table)


@pytest.mark.parametrize("way", ["deal the chips", "undo", "clear", "pass"])
def test_what_would_open_no_round_skips_no_show(house: House, way: str) -> None:
    table, (ann,) = played(house, 1)
    with pytest.raises(BettingNotOpen):
        ways_to_act(ann)[way]()
    assert house.state(table).round is None


def test_a_refused_wager_of_a_player_alone_skips_nothing(house: House) -> None:
    table, (ann,) = played(house, 1)
    with pytest.raises(Exception, match="maximum"):
        ann.deal({B: 1_000_000})
    assert house.state(table).show_skips == ()
    house.agree(table)


def test_company_skips_the_show_together(house: House) -> None:
    table, (ann, ben) = played(house)
    state = ann.skip_show()
    assert (state["round"], [seat["skips_show"] for seat in state["seats"]]) == (None, [True, False])
    assert ann.skip_show()["betting_opens_at"] == state["betting_opens_at"]

    state = ben.skip_show()

    assert state["round"]["phase"] == "betting"
    assert [seat["skips_show"] for seat in state["seats"]] == [False, False]
    with pytest.raises(NoShow):
        ann.skip_show()
    house.agree(table)


def test_who_watches_and_leaves_holds_nobody_up(house: House) -> None:
    table, (ann, ben) = played(house)
    ann.skip_show()
    ben.leave()
    assert [seat.player for seat in house.in_hand(table).seats] == [ann.player]
    house.agree(table)


def test_who_sits_down_during_the_show_plays_the_next_round(house: House) -> None:
    table, (ann, ben) = played(house)
    cat = house.guest(table)
    assert cat.sit(4)["round"] is None
    for at in (ann, ben, cat):
        at.skip_show()
    assert [seat.player for seat in house.in_hand(table).seats] == [ann.player, ben.player, cat.player]
    house.agree(table)


def test_a_stop_during_the_show_lets_no_round_open_until_it_is_lifted(house: House) -> None:
    table, (ann, _) = played(house, show=SHORT)
    named = {"scope": StopScope.TABLE, "subject": str(table), "reason": "A test", "metadata": house.metadata}
    kill_switch.stop(**named)

    until(lambda: house.state(table).betting_opens_at is None)

    assert house.state(table).round is None
    assert type(house.events(table)[-1][2]).__name__ == "ShowEnded"
    kill_switch.resume(**named)
    assert ann.place(B, STAKE)["round"]["phase"] == "betting"
    house.agree(table)


def test_a_table_closes_for_good_during_the_show(house: House) -> None:
    table, _ = played(house)
    closing = {"table": table, "operator": house.operator, "reason": "Closing", "metadata": house.metadata}
    assert table_lifecycle.close_table(**closing)
    assert deal_all() == 0
    house.agree(table)


def test_a_table_whose_next_seed_is_lost_becomes_idle(house: House) -> None:
    table, _ = played(house, show=SHORT)
    coming = house.state(table).coming_shoe
    assert coming is not None
    shoe_seeds.delete([coming.shoe])

    until(lambda: house.state(table).betting_opens_at is None)

    assert house.state(table).round is None
    assert repository.next_due()[0] is False
    house.agree(table)


def test_a_table_that_fails_to_open_its_next_round_blocks_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    def fail(*_: object, **__: object) -> None:
        raise ValueError

    monkeypatch.setattr(dealer, "end_show", fail)
    broken, _ = played(house, show=SHORT)
    sound = house.table("mini")
    house.seated(sound).deal({B: STAKE})

    until(lambda: house.last(sound).phase is Phase.SETTLED and house.state(broken).betting_opens_at is None)

    assert house.state(broken).round is None
    assert f"ALERT the next round of table {broken} was suspended: ValueError" in caplog.text
    house.agree(broken, sound)


def test_a_dealer_that_comes_too_late_ends_no_other_show(house: House) -> None:
    table, company = played(house)
    failed = house.state(table)
    for at in company:
        at.skip_show()
    assert dealing._set_aside_after(ValueError("too late"), failed) == 0
    assert house.in_hand(table).phase is Phase.BETTING


def test_at_a_table_without_turns_the_player_goes_on_at_once(house: House) -> None:
    table = house.table("mini", show_milliseconds=LONG)
    ann = house.seated(table)
    ann.deal({B: STAKE})
    deal_all()
    assert house.state(table).betting_opens_at is not None
    assert ann.deal({B: STAKE})["round"]["number"] == 2
    assert "ShowSkipRequested" not in [type(event).__name__ for _, _, event in house.events(table)]
    house.agree(table)


def test_where_nobody_may_hurry_the_show_is_neither_skipped_nor_left_out(house: House) -> None:
    table, (ann,) = played(house, 1, may_hurry=False)
    opens = house.state(table).betting_opens_at
    with pytest.raises(HurryNotAllowed) as refused:
        ann.skip_show()
    assert refused.value.facts == {"betting_opens_at": opens}
    for act in ways_to_act(ann).values():
        with pytest.raises(BettingNotOpen):
            act()
    assert house.state(table).show_skips == ()
    house.agree(table)


def test_where_nobody_may_hurry_a_table_without_turns_waits_too(house: House) -> None:
    table = house.table("mini", show_milliseconds=LONG, may_hurry=False)
    ann = house.seated(table)
    ann.deal({B: STAKE})
    deal_all()
    for way in ("place", "deal", "rebet", "rebet and deal", "new game"):
        with pytest.raises(BettingNotOpen) as refused:
            ways_to_act(ann)[way]()
        assert refused.value.facts == {"betting_opens_at": house.state(table).betting_opens_at}
    house.agree(table)


def test_no_round_opens_before_the_least_cycle_of_the_one_before(house: House) -> None:
    table = house.table("mini", minimum_cycle_seconds=2)
    ann = house.seated(table)
    ann.deal({B: STAKE})
    deal_all()
    first = house.last(table).require_opened()
    with pytest.raises(BettingNotOpen) as refused:
        ann.deal({B: STAKE})
    assert refused.value.facts == {"betting_opens_at": first.opened_at + timedelta(seconds=2)}

    until(lambda: not house.state(table).show_runs(datetime.now(UTC)))

    ann.deal({B: STAKE})
    assert house.in_hand(table).require_opened().opened_at - first.opened_at >= timedelta(seconds=2)
    house.agree(table)


def test_company_that_skips_the_show_still_waits_for_the_least_cycle(house: House) -> None:
    table = house.table("atlantic_city", show_milliseconds=LONG, turn_seconds=600, minimum_cycle_seconds=3)
    ann, ben = house.company(table, 2)
    until(lambda: house.state(table).round is not None and len(house.in_hand(table).seats) == 2)
    for at in (ann, ben):
        at.deal({B: STAKE})
    assert dealing.deal_due() == 1
    ann.skip_show()
    assert ben.skip_show()["round"] is None

    until(lambda: house.state(table).round is not None)

    rounds = [event for _, _, event in house.events(table) if type(event).__name__ == "RoundOpened"]
    assert rounds[-1].opened_at - rounds[-2].opened_at >= timedelta(seconds=3)
    house.agree(table)


def test_a_round_in_which_nobody_bet_has_its_least_cycle_too(house: House) -> None:
    table = house.table("atlantic_city", minimum_cycle_seconds=2, turn_seconds=600)
    ann = house.seated(table)
    first = house.in_hand(table).require_opened()
    ann.pass_turn()
    deal_all()
    assert house.state(table).betting_opens_at == first.opened_at + timedelta(seconds=2)

    until(lambda: house.state(table).round is not None)

    assert house.in_hand(table).require_opened().opened_at - first.opened_at >= timedelta(seconds=2)
    house.agree(table)


def test_the_service_confirms_nothing_by_itself_at_a_table_whose_page_confirms(house: House) -> None:
    table = house.table("atlantic_city", auto_confirm=True, turn_seconds=3)
    ann = house.seated(table)
    ann.place(B, STAKE)

    until(lambda: house.state(table).rounds > 1 or house.state(table).round is None)

    assert "WagerConfirmed" not in [type(event).__name__ for _, _, event in house.events(table)]
    assert house.game(ann) == BUY_IN
    house.agree(table)
