"""The show of a deal: how long the next turn waits for it, and how players skip it."""

from datetime import timedelta
from typing import Any

import pytest

from baccarat.domain import dealer
from baccarat.domain.rounds.betting import pass_turn
from baccarat.domain.rounds.events import RoundSettled
from baccarat.domain.rounds.refusals import RoundIsNotDue
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import ShowMilliseconds
from baccarat.domain.rules.validation import InvalidRules
from baccarat.domain.tables import decisions
from baccarat.domain.tables import events as te
from baccarat.domain.tables.decisions import require_show_over
from baccarat.domain.tables.kill_switch import PlayStopped, StopScope
from baccarat.domain.tables.refusals import BettingNotOpen, NoShow, NotSeated
from baccarat.domain.unit_of_work import UnitOfWork
from tests.baccarat.domain.test_dealer import bet, finish, fresh, in_round
from tests.support.examples import ANN, BEN, CAT, OPENED, sit
from tests.support.instant import NO_SHOW

SHOW = ShowMilliseconds(two_cards=1_000, natural=2_000, one_third_card=3_000, two_third_cards=4_000, ceremony=500)
SHOWN = rules_for("atlantic_city", currency="EUR", show_milliseconds=SHOW)
MOMENT = timedelta(microseconds=1)


def shown(*players: Any) -> UnitOfWork:
    """Play one round of these players, whose deal is shown now."""
    work = in_round(*players, rules=SHOWN)
    for player in players:
        bet(work, player)
    finish(work)
    assert work.table.round is None
    return work


def end_of(work: UnitOfWork) -> Any:
    assert work.table.betting_opens_at is not None
    return work.table.betting_opens_at


@pytest.mark.parametrize(
    ("cards", "ceremony", "milliseconds"),
    [
        ("4c 2d 2h 4s", False, 1_000),
        ("4c 2d 5h 5s", False, 2_000),
        ("2c 4d 2h 3s 9c", False, 3_000),
        ("Kc 4d 5h Ks Kd", False, 3_000),
        ("2c 2d 2h 2s 5c 9d", False, 4_000),
        ("2c 2d 2h 2s 5c 9d", True, 4_500),
    ],
)
def test_the_show_is_as_long_as_the_rules_say_for_what_was_dealt(cards: str, ceremony: bool, milliseconds: int) -> None:
    dealt = tuple(map(Card, cards.split()))
    length = SHOW.length(cards=len(dealt), natural=cards == "4c 2d 5h 5s", ceremony=ceremony)
    assert length == timedelta(milliseconds=milliseconds)


def test_betting_opens_after_the_show_of_the_cards_that_were_dealt() -> None:
    work = shown(ANN, BEN)
    settled = next(event for event in work.new_events() if isinstance(event, RoundSettled))
    length = SHOW.length(cards=len(work.round.cards), natural=settled.natural, ceremony=False)
    assert settled.betting_opens_at - settled.settled_at == length > timedelta(0)
    assert end_of(work) == settled.betting_opens_at


def test_the_turn_begins_when_the_show_is_over_and_lasts_as_long_as_ever() -> None:
    work = shown(ANN, BEN)
    until = end_of(work)

    with pytest.raises(RoundIsNotDue):
        dealer.end_show(work, entropy=fresh(2), now=until - MOMENT)
    dealer.end_show(work, entropy=fresh(2), now=until)

    opened = work.round.require_opened()
    assert (opened.opened_at, opened.deadline_at) == (until, until + timedelta(seconds=15))
    assert (work.table.betting_opens_at, work.table.show_skips) == (None, ())


def test_a_show_that_passed_while_nobody_dealt_costs_no_time_of_the_turn() -> None:
    work = shown(ANN, BEN)
    late = end_of(work) + timedelta(minutes=5)
    dealer.end_show(work, entropy=fresh(2), now=late)
    assert work.round.require_opened().deadline_at == late + timedelta(seconds=15)


def test_what_acts_on_the_next_round_is_refused_with_the_time() -> None:
    work = shown(ANN, BEN)
    with pytest.raises(BettingNotOpen) as refused:
        require_show_over(work.table, end_of(work) - MOMENT)
    assert refused.value.facts == {"betting_opens_at": end_of(work)}
    require_show_over(work.table, end_of(work))


def test_who_sits_down_during_the_show_is_in_the_next_round() -> None:
    work = shown(ANN, BEN)
    until = end_of(work)
    work.on_table(sit(4, CAT))
    dealer.open_round(work, entropy=fresh(2), now=until - MOMENT)
    assert work.table.round is None

    dealer.end_show(work, entropy=fresh(2), now=until)

    assert [seat.player for seat in work.round.seats] == [ANN, BEN, CAT]


def test_the_show_is_skipped_once_every_seated_player_asked() -> None:
    work = shown(ANN, BEN)
    for player, number in ((ANN, 1), (ANN, 1), (BEN, 2)):
        assert work.table.round is None
        work.on_table(decisions.request_show_skip, player=player, at=OPENED)
        assert len(work.table.show_skips) == number
        dealer.open_next_round(work, entropy=fresh(2), now=OPENED)
    assert (work.round.phase, work.round.require_opened().opened_at) == (Phase.BETTING, OPENED)


def test_the_show_is_skipped_when_the_last_who_watches_leaves() -> None:
    work = shown(ANN, BEN)
    work.on_table(decisions.request_show_skip, player=ANN, at=OPENED)
    work.on_table(decisions.leave_seat, player=BEN, game_balance=0, at=OPENED)
    dealer.open_next_round(work, entropy=fresh(2), now=OPENED)
    assert [seat.player for seat in work.round.seats] == [ANN]


def test_a_skipped_show_is_over_for_who_sits_down_in_the_round_after_it() -> None:
    work = shown(ANN)
    work.on_table(decisions.request_show_skip, player=ANN, at=OPENED)
    dealer.open_round(work, entropy=fresh(2), now=OPENED)
    work.on_table(sit(2, BEN))

    dealer.leave_round(work, player=ANN)
    dealer.lapse_if_empty(work, seed=fresh(2).seed, entropy=fresh(3), now=OPENED)
    work.on_table(decisions.leave_seat, player=ANN, game_balance=0, at=OPENED)
    dealer.open_next_round(work, entropy=fresh(3), now=OPENED)

    opened = work.round.require_opened()
    assert (opened.number, opened.opened_at, [seat.player for seat in work.round.seats]) == (3, OPENED, [BEN])


def test_nobody_skips_what_is_not_shown_or_without_a_seat() -> None:
    work = shown(ANN, BEN)
    with pytest.raises(NotSeated):
        work.on_table(decisions.request_show_skip, player=CAT, at=OPENED)
    with pytest.raises(NoShow):
        work.on_table(decisions.request_show_skip, player=ANN, at=end_of(work))
    dealer.end_show(work, entropy=fresh(2), now=end_of(work))
    with pytest.raises(NoShow):
        work.on_table(decisions.request_show_skip, player=ANN, at=OPENED)


def test_a_table_that_is_stopped_during_the_show_becomes_idle() -> None:
    work = shown(ANN, BEN)
    work.on_table(decisions.switch_play, PlayStopped(StopScope.TABLE, "", "Stopped", "reason", "staff:1", OPENED))
    dealer.end_show(work, entropy=fresh(2), now=end_of(work))
    assert isinstance(work.new_events()[-1], te.ShowEnded)
    assert (work.table.round, work.table.betting_opens_at) == (None, None)


def test_the_announcement_of_a_closure_ends_the_show() -> None:
    work = shown(ANN, BEN)
    work.on_table(decisions.announce_closure, by="staff:1", reason="Closing", at=OPENED)
    assert work.table.betting_opens_at is None


def test_a_round_in_which_nobody_bet_is_not_shown() -> None:
    work = in_round(ANN, BEN, rules=SHOWN)
    work.on_round(pass_turn, player=ANN, at=OPENED)
    work.on_round(pass_turn, player=BEN, at=OPENED)
    finish(work)
    assert (work.round.require_opened().number, work.round.phase) == (2, Phase.BETTING)


def test_at_a_table_without_turns_the_show_delays_nothing() -> None:
    work = in_round(ANN, rules=rules_for("mini", currency="EUR", show_milliseconds=SHOW))
    bet(work, ANN)
    finish(work)
    assert end_of(work) > OPENED
    dealer.open_round(work, entropy=fresh(2), now=OPENED)
    assert work.round.require_opened().number == 2


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_shows_its_deals_for_the_times_of_their_parts(preset: str) -> None:
    lengths = rules_for(preset, currency="EUR").show_milliseconds
    assert lengths == ShowMilliseconds(6_590, 7_290, 7_350, 8_110, 700)


@pytest.mark.parametrize(
    ("length", "code"),
    [
        (-1, "number_too_small"),
        (60_001, "number_too_large"),
        (1.5, "not_an_integer"),
        (True, "not_an_integer"),
        (None, "field_null"),
    ],
)
def test_a_show_of_another_length_is_no_rule(length: Any, code: str) -> None:
    with pytest.raises(InvalidRules) as refused:
        rules_for("mini", currency="EUR", show_milliseconds=ShowMilliseconds(1, 1, 1, length, 1))
    faults = [(fault.field, fault.code) for fault in refused.value.faults]
    assert faults == [("show_milliseconds.two_third_cards", code)]


@pytest.mark.parametrize(
    ("show", "field", "code"),
    [
        (None, "", "field_null"),
        (5_000, "", "not_an_object"),
        ({"two_cards": 0}, ".natural", "field_required"),
        (dict.fromkeys(ShowMilliseconds.__struct_fields__, 0), "", "wrong_type"),
    ],
)
def test_the_show_is_given_for_every_deal(show: Any, field: str, code: str) -> None:
    with pytest.raises(InvalidRules) as refused:
        rules_for("mini", currency="EUR", show_milliseconds=show)
    assert (refused.value.faults[0].field, refused.value.faults[0].code) == (f"show_milliseconds{field}", code)


def test_play_is_instant_without_a_show() -> None:
    work = in_round(ANN, BEN, rules=rules_for("atlantic_city", currency="EUR", show_milliseconds=NO_SHOW))
    for player in (ANN, BEN):
        bet(work, player)
    finish(work)
    assert (work.round.require_opened().number, work.round.require_opened().opened_at) == (2, OPENED)
