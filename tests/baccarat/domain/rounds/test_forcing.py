"""Forced cards: they are chosen once, before any seat has acted, and are what a round takes."""

from collections.abc import Sequence
from functools import partial

import pytest

from baccarat.domain.rounds import betting
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.forcing import SCENARIOS, CardsForced, Scenario, require_dealable
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.rules.deal import Deal, Outcome, deal
from tests.support.examples import (
    ANN,
    BEN,
    CAT,
    DEADLINE,
    JUST_BEFORE,
    OPENED,
    P,
    RoundDecision,
    confirmed,
    opened,
    placed,
)
from tests.support.spec import Spec

TIE = SCENARIOS[Scenario.TIE]
CHOSEN = CardsForced(cards=require_dealable(TIE, decks=1), forced_at=OPENED)


def force(cards: Sequence[str] = TIE, *, at: object = OPENED) -> RoundDecision:
    return partial(betting.force_cards, cards=tuple(cards), decks=8, at=at)  # type: ignore[arg-type]


def test_cards_are_chosen_while_seats_have_chips_but_none_has_acted() -> None:
    before = Spec(fold_round).given(opened(ANN, BEN, CAT), placed(P, 500), e.SeatLeftRound(seat=3))
    assert before.when(force()).then(CHOSEN).state().forced == CHOSEN.cards


@pytest.mark.parametrize("acted", [confirmed(1, ANN, {P: 1000}), e.SeatPassed(seat=1), CHOSEN])
def test_cards_are_not_chosen_once_a_seat_has_acted_nor_twice(acted: e.RoundEvent) -> None:
    Spec(fold_round).given(opened(ANN, BEN), acted).when(force()).refused(r.TooLateToForce)


def test_cards_are_chosen_while_betting_is_open_only() -> None:
    Spec(fold_round).when(force()).refused(r.NoOpenRound)
    betting = Spec(fold_round).given(opened(ANN, BEN))
    assert betting.when(force(at=JUST_BEFORE)).events()
    betting.when(force(at=DEADLINE)).refused(r.BettingIsClosed)


@pytest.mark.parametrize(
    "cards",
    [
        (),
        ("9s", "2d", "Kh"),
        (*SCENARIOS[Scenario.PLAYER_NATURAL], "5c"),
        ("9s", "2d", "Kh", "1c"),
        ("2s", "3d", "3h", "4c"),
    ],
)
def test_a_round_takes_exactly_the_chosen_cards_or_none_are(cards: tuple[str, ...]) -> None:
    Spec(fold_round).given(opened(ANN)).when(force(cards)).refused(r.CardsNotDealable)


def test_no_card_is_chosen_more_often_than_the_decks_have_it() -> None:
    pair = ("4s", "Kd", "4s", "Kc")
    assert require_dealable(pair, decks=2) == pair
    with pytest.raises(r.CardsNotDealable) as caught:
        require_dealable(pair, decks=1)
    assert caught.value.facts["reason"] == "1 decks have 4s 1 times, not 2."


def test_each_scenario_is_what_its_name_says() -> None:
    dealt: dict[Scenario, Deal] = {each: deal(require_dealable(SCENARIOS[each], decks=1)) for each in Scenario}
    assert {each: (deal.outcome, deal.natural, len(deal.cards)) for each, deal in dealt.items()} == {
        Scenario.PLAYER_NATURAL: (Outcome.PLAYER, True, 4),
        Scenario.BANKER_NATURAL: (Outcome.BANKER, True, 4),
        Scenario.TIE: (Outcome.TIE, False, 4),
        Scenario.PLAYER_WINS_BY_THIRD_CARD: (Outcome.PLAYER, False, 5),
        Scenario.BANKER_WINS_BY_THIRD_CARD: (Outcome.BANKER, False, 5),
        Scenario.BANKER_DRAWS_ON_SIX: (Outcome.BANKER, False, 6),
        Scenario.SIX_CARD_TIE: (Outcome.TIE, False, 6),
        Scenario.PAIRS: (Outcome.PLAYER, True, 4),
    }
