"""What a viewer is shown, and what not."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.evolve import fold_table
from baccarat.queries import round_view, rules_view, table_view
from baccarat.queries.round_view import split_hands
from tests.support.examples import (
    AC,
    ANN,
    BANKER_WINS,
    BEN,
    BIG,
    CAT,
    CLASSIC,
    OPENED,
    OVERVIEW,
    B,
    P,
    confirmed,
    deal,
    opened,
    placed,
    seat_taken,
    table_opened,
)
from tests.support.shapes import as_json
from wallet.payments.funding_options import DisplayedBalance


def present_table(*args: Any, **options: Any) -> Any:
    return as_json(table_view.present_table_state(*args, **options))


def present_round(*args: Any, **options: Any) -> Any:
    return as_json(round_view.present_round(*args, **options))


TABLE_STATE = fold_table((table_opened(), seat_taken(1, ANN), seat_taken(2, BEN), opened(ANN, BEN)))


def test_the_viewer_finds_their_own_seat_and_nobody_elses_name() -> None:
    round_ = fold_round((opened(ANN, BEN), placed(P, 500)))

    picture = present_table(TABLE_STATE, round_, viewer=ANN, now=OPENED, game_balance=DisplayedBalance(499))

    assert [(seat["seat"], seat["you"]) for seat in picture["seats"]] == [(1, True), (2, False)]
    assert picture["you"]["game_balance"] == {"amount": "4.99", "currency": "EUR"}
    assert picture["you"]["under_minimum"] is True
    assert picture["you"]["status"] == "deciding"
    assert picture["round"]["seats"][0]["placed"] == [{"spot": "player", "amount": "5.00"}]
    assert picture["you"].pop("player") == str(ANN)
    shown = json.dumps(picture, default=str)
    assert str(ANN) not in shown
    assert str(BEN) not in shown


def test_one_who_waits_or_only_watches_is_not_in_the_round() -> None:
    round_ = fold_round((opened(ANN, BEN),))
    waiting = evolve_table(TABLE_STATE, seat_taken(4, CAT))

    assert present_table(TABLE_STATE, round_, viewer=None, now=OPENED)["you"] is None
    you = present_table(waiting, round_, viewer=CAT, now=OPENED, game_balance=0)["you"]
    assert (you["seat"], you["in_round"], you["status"]) == (4, False, None)


def test_a_table_at_rest_has_no_round() -> None:
    assert present_table(TABLE_STATE, NO_ROUND, viewer=None, now=OPENED)["round"] is None


def test_a_settled_round_shows_cards_hands_and_every_result() -> None:
    state = fold_round((opened(ANN, rules=BIG), confirmed(1, ANN, {B: 10_000, P: 2500})))
    for event in deal(BANKER_WINS, rules=BIG, seed=None)(state):
        state = evolve_round(state, event)

    picture = present_round(state, viewer=ANN, rules=AC)

    assert (picture["phase"], picture["outcome"], picture["natural"]) == ("settled", "banker", True)
    assert picture["cards"] == ["2c", "4d", "5h", "5s"]
    assert picture["player_hand"] == {"cards": ["2c", "5h"], "total": 7}
    assert picture["banker_hand"] == {"cards": ["4d", "5s"], "total": 9}
    result = picture["seats"][0]["result"]
    assert (result["staked"], result["won"], result["commission"]) == ("125.00", "100.00", "5.00")
    assert (result["commission_deferred"], result["returned"]) == (True, "195.00")
    assert [spot["result"] for spot in result["spots"]] == ["lose", "win"]


def test_the_closing_is_shown_once_cards_are_dealt() -> None:
    state = fold_round((opened(ANN, rules=BIG), confirmed(1, ANN, {B: 10_000})))
    closed, *dealt = deal(BANKER_WINS, rules=BIG, seed=None)(state)
    assert isinstance(closed, re.BettingClosed)
    assert closed.closing is not None

    state = evolve_round(state, closed)
    assert present_round(state, viewer=ANN, rules=AC)["closing"] is None
    for event in dealt:
        state = evolve_round(state, event)
    assert present_round(state, viewer=ANN, rules=AC)["closing"] == asdict(closed.closing)


def test_a_round_that_is_open_shows_no_card_and_no_seed() -> None:
    picture = present_round(fold_round((opened(ANN), confirmed(1, ANN, {P: 500}))), viewer=None, rules=AC)

    assert (picture["cards"], picture["seed"], picture["outcome"]) == ([], None, None)
    assert picture["commitment"] == "c0" * 32


def test_why_a_round_was_set_aside_is_the_houses_business() -> None:
    state = fold_round((opened(ANN), re.RoundSuspended(reason="SeedUnavailable: shoe 1", suspended_at=OPENED)))

    picture = present_round(state, viewer=ANN, rules=AC)

    assert picture["suspended"] is True
    assert "SeedUnavailable" not in json.dumps(picture, default=str)


@pytest.mark.parametrize(
    ("cards", "player", "banker"),
    [
        ("", [], []),
        ("2c 4d 5h 5s", ["2c", "5h"], ["4d", "5s"]),
        ("2c 4d 3h 2s 9c", ["2c", "3h", "9c"], ["4d", "2s"]),
        ("2c 4d 5h Ks 9c", ["2c", "5h"], ["4d", "Ks", "9c"]),
        ("2c 4d 3h Ks 9c 8d", ["2c", "3h", "9c"], ["4d", "Ks", "8d"]),
    ],
    ids=["none", "both stand", "the Player draws", "the Banker draws", "both draw"],
)
def test_cards_in_deal_order_are_two_hands(cards: str, player: list[str], banker: list[str]) -> None:
    assert split_hands(tuple(cards.split())) == (tuple(player), tuple(banker))


def test_rules_are_shown_in_the_tables_words() -> None:
    overview, classic = as_json(rules_view.present_rules(OVERVIEW)), as_json(rules_view.present_rules(CLASSIC))

    assert (overview["minimum"], overview["maximum"]) == ("5.00", "300.00")
    assert [spot["commission"] for spot in overview["spots"]] == [
        None, {"rate": "5/100", "rounding": "1/4", "timing": "settlement"}, None,
    ]  # fmt: skip
    assert (classic["spots"][2]["lines"], classic["spots_per_round"]) == (
        [{"when": {"winner": "tie"}, "pays": "9:1"}],
        "one",
    )
    assert not any(spot["commission"] for spot in as_json(rules_view.present_rules(AC))["spots"])
    assert as_json(rules_view.present_rules(BIG))["spots"][1]["commission"]["timing"] == "deferred"
