"""The odds come from first principles and meet the published figures."""

import json
from dataclasses import replace
from fractions import Fraction
from math import perm

import pytest

from baccarat.domain.rules.counting import OutcomeCounts, count_outcomes
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import (
    describe_commission,
    expected_return,
    format_decimal,
    format_fraction,
    hands_of_spots,
    largest_win,
    notes,
    odds_document,
    odds_sheet,
)
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, SpotsPerRound
from tests.support.spots import SPOTS, lucky_nine, spots_of

PLAYER, BANKER, TIE = SPOTS


@pytest.mark.parametrize(
    ("decks", "banker", "player", "tie", "all_draws"),
    [
        (1, 6_737_232_640, 6_548_674_432, 1_372_227_328, 14_658_134_400),
        (2, 501_543_728_128, 487_816_735_232, 103_154_274_240, 1_092_514_737_600),
        (4, 34_543_624_867_840, 33_608_344_225_792, 7_145_601_996_928, 75_297_571_090_560),
        (6, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288, 878_869_206_895_680),
        (8, 2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216, 4_998_398_275_503_360),
    ],
)
def test_counts_are_the_published_ones(decks: int, banker: int, player: int, tie: int, all_draws: int) -> None:
    assert count_outcomes(decks) == OutcomeCounts(banker=banker, player=player, tie=tie, total=all_draws)


@pytest.mark.parametrize("decks", range(1, 9))
def test_every_ordered_draw_is_counted_once(decks: int) -> None:
    assert count_outcomes(decks).total == perm(52 * decks, 6)


@pytest.mark.parametrize("decks", [0, 9])
def test_decks_that_are_not_played_with_have_no_counts(decks: int) -> None:
    with pytest.raises(ValueError, match="for 1 to 8 decks"):
        count_outcomes(decks)


@pytest.mark.parametrize(
    ("name", "spot", "edge"),
    [
        ("mini", BANKER, "0.01057906"),
        ("mini", PLAYER, "0.01235081"),
        ("mini", TIE, "0.14359629"),
        ("overview", BANKER, "0.01057906"),
        ("big_table", BANKER, "0.01057906"),
        ("classic", BANKER, "0.01055849"),
        ("classic", PLAYER, "0.01237415"),
        ("classic", TIE, "0.04931289"),
        ("atlantic_city", BANKER, "-0.01235081"),
        ("atlantic_city", PLAYER, "0.01235081"),
    ],
)
def test_house_edges_are_the_published_ones(name: str, spot: str, edge: str) -> None:
    assert format_decimal(odds_sheet(rules_for(name, currency="EUR")).spot(spot).exact.edge, places=8) == edge


def test_the_tie_of_classic_returns_the_minimum_that_its_source_states() -> None:
    assert format_decimal(odds_sheet(rules_for("classic", currency="EUR")).spot(TIE).exact.rtp) == "0.950687113"


@pytest.mark.parametrize(("rate", "edge"), [(Ratio(4, 100), "0.00599308"), (Ratio(5, 100), "0.01057906")])
def test_the_commission_rate_sets_the_edge(rate: Ratio, edge: str) -> None:
    commission = Commission(rate, None, CommissionTiming.SETTLEMENT)
    odds = odds_sheet(rules_for("mini", currency="EUR", spots=spots_of("mini", commission=commission))).spot(BANKER)
    assert format_decimal(odds.exact.edge, places=8) == edge


@pytest.mark.parametrize(
    ("name", "spot", "deviation"),
    [
        ("mini", BANKER, 0.92737),
        ("mini", PLAYER, 0.95115),
        ("mini", TIE, 2.64087),
        ("atlantic_city", BANKER, 0.95115),
    ],
)
def test_variances_are_the_published_ones(name: str, spot: str, deviation: float) -> None:
    variance = odds_sheet(rules_for(name, currency="EUR")).spot(spot).exact.variance
    assert float(variance) ** 0.5 == pytest.approx(deviation, abs=5e-6)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("spot", SPOTS)
def test_a_stake_wins_loses_or_pushes_and_returns_one_less_the_edge(name: str, spot: str) -> None:
    odds = odds_sheet(rules_for(name, currency="EUR")).spot(spot)
    assert odds.win + odds.lose + odds.push == 1
    assert odds.exact.rtp == 1 - odds.exact.edge
    assert (odds.push == 0) is (spot is TIE)


def test_the_minimum_stake_is_priced_as_the_table_rounds() -> None:
    plain = odds_sheet(rules_for("overview", currency="EUR")).spot(BANKER)
    assert plain.at_minimum == plain.exact
    rounded = odds_sheet(rules_for("overview", currency="EUR", minimum=6_00)).spot(BANKER)
    assert rounded.exact == plain.exact
    assert rounded.at_minimum.edge == plain.win * (1 - Fraction(11, 12)) + rounded.lose - rounded.win


def test_a_wager_is_worth_the_sum_of_its_spots_after_commission_deferred_or_not() -> None:
    for name in ("mini", "big_table"):
        rules = rules_for(name, currency="EUR")
        odds = odds_sheet(rules)
        wager = {PLAYER: 100_00, BANKER: 200_00, TIE: 25_00}
        worth = sum(stake * odds.spot(spot).exact.rtp for spot, stake in wager.items())
        assert expected_return(rules, wager) == worth


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(2, 3), 4, "0.6667"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(19999, 10000), 3, "2.000"),
        (Fraction(0), 3, "0.000"),
    ],
)
def test_decimals_are_rounded_half_up_in_size(value: Fraction, places: int, text: str) -> None:
    assert format_decimal(value, places=places) == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("atlantic_city", "No commission is charged."),
        ("overview", "5% of a Banker win, rounded up to 1/4 of the lowest chip (1.00 EUR), taken from the payout."),
        ("mini", "5% of a Banker win, exact, taken from the payout."),
        ("classic", "5% of a Banker win, exact, taken from the payout."),
        ("big_table", "5% of a Banker win, exact, set aside until the shoe ends or the player leaves."),
    ],
)
def test_the_commission_is_told_in_words(name: str, words: str) -> None:
    assert describe_commission(rules_for(name, currency="EUR")) == words


def test_rounding_to_the_whole_lowest_chip_is_told_in_words() -> None:
    whole = Commission(Ratio(5, 100), Ratio(1, 1), CommissionTiming.SETTLEMENT)
    words = describe_commission(rules_for("mini", currency="EUR", spots=spots_of("mini", commission=whole)))
    assert "rounded up to the lowest chip (1.00 EUR)" in words


def test_notes_say_where_the_player_has_the_edge_and_why_that_matters() -> None:
    told = " ".join(notes(odds_sheet(rules_for("atlantic_city", currency="EUR"))))
    assert "The player has the edge on Banker: the house edge is -1.235081%" in told
    assert "real money only when its operator accepts that expressly" in told
    assert "edge on" not in " ".join(notes(odds_sheet(rules_for("mini", currency="EUR"))))


def test_notes_say_when_commission_is_rounded_half_up() -> None:
    fine = rules_for("mini", currency="EUR", chips=(10, 100), minimum=10)
    assert "half up" in " ".join(notes(odds_sheet(fine)))
    assert "half up" not in " ".join(notes(odds_sheet(rules_for("mini", currency="EUR"))))


@pytest.mark.parametrize("name", PRESETS)
def test_the_document_is_json_with_fractions_beside_decimals(name: str) -> None:
    found = odds_sheet(rules_for(name, currency="EUR"))
    read = json.loads(json.dumps(odds_document(found)))
    for odds, told in zip(found.spots, read["spots"], strict=True):
        assert told["spot"] == odds.spot
        assert Fraction(told["exact"]["edge"]["fraction"]) == odds.exact.edge
        assert told["win"] == {"fraction": format_fraction(odds.win), "decimal": format_decimal(odds.win)}
    assert read["counts"]["all"] == found.counts.total
    assert read["player_edge"] == list(found.player_edge)


def test_outcomes_and_spots_share_their_names() -> None:
    assert [outcome.value for outcome in Outcome] == [*SPOTS]


def test_the_largest_win_is_that_of_the_spots_that_win_together() -> None:
    mini = rules_for("mini", currency="EUR")
    assert largest_win(mini) == 8 * 300_00
    assert largest_win(replace(mini, spots_per_round=SpotsPerRound.ONE)) == 8 * 300_00
    nine = rules_for("mini", currency="EUR", spots=lucky_nine(), maximum=60_00)
    assert largest_win(nine) == 60_00 + 20 * 25_00
    assert largest_win(replace(nine, spots_per_round=SpotsPerRound.ONE)) == 20 * 25_00


def test_spots_that_win_with_one_hand_alone_are_on_its_side() -> None:
    assert hands_of_spots(rules_for("mini", currency="EUR")) == {PLAYER: Outcome.PLAYER, BANKER: Outcome.BANKER}
    assert hands_of_spots(rules_for("mini", currency="EUR", spots=lucky_nine())).keys() == {PLAYER, BANKER}
