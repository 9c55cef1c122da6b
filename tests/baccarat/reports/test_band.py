"""The band that honest games stay in: exact variances, and what they come to."""

import random
from fractions import Fraction
from typing import Any

import pytest

from baccarat.domain.rules.counting import count_outcomes
from baccarat.domain.rules.coups import counts_of
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import odds_sheet
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import FactCondition, PayLine, Ratio, SpotKind, SpotRules
from baccarat.reports.band import (
    MIN_EXPECTED_RESULTS,
    Z_99_PERCENT,
    ReturnTotals,
    ReturnVerdict,
    covariances,
    expected_rarest_results,
    expected_return_of_stake,
    return_band,
    root,
    theoretical_return,
    variance,
)
from tests.support.spots import COUPS, SPOTS, lucky_nine


@pytest.mark.parametrize("preset", PRESETS)
def test_one_spots_variance_is_that_of_the_odds_page(preset: str) -> None:
    rules = rules_for(preset, currency="EUR")
    for spot in SPOTS:
        assert covariances(rules)[spot, spot] == odds_sheet(rules).spot(spot).exact.variance
        assert theoretical_return(rules, spot) == odds_sheet(rules).spot(spot).exact.rtp


def test_several_spots_and_seats_of_one_round_vary_as_the_three_outcomes_say() -> None:
    rules = rules_for("mini", currency="EUR")
    staked = {"player": 1000, "banker": 500 + 1500, "tie": 300}
    found = count_outcomes(rules.decks)
    ways = {Outcome.PLAYER: found.player, Outcome.BANKER: found.banker, Outcome.TIE: found.tie}
    back = {outcome: settle(rules, staked, COUPS[outcome]).returned for outcome in ways}
    mean = sum(Fraction(ways[outcome], found.total) * back[outcome] for outcome in ways)
    exact = sum(Fraction(ways[outcome], found.total) * (back[outcome] - mean) ** 2 for outcome in ways)
    squares = {(one, other): staked[one] * staked[other] for one in SPOTS for other in SPOTS}
    assert variance(rules, squares) == exact
    assert sum(expected_return_of_stake(rules, spot, stake) for spot, stake in staked.items()) == mean


def test_a_side_bet_varies_with_the_spot_that_it_wins_beside() -> None:
    rules = rules_for("mini", currency="EUR", spots=lucky_nine())
    staked, total = {"player": 1000, "banker": 500, "lucky_nine": 300}, sum(counts_of(rules.decks).values())
    back = [(Fraction(ways, total), settle(rules, staked, coup).returned) for coup, ways in counts_of(8).items()]
    mean = sum(chance * returned for chance, returned in back)
    squares = {(one, other): staked[one] * staked[other] for one in staked for other in staked}
    assert variance(rules, squares) == sum(chance * (returned - mean) ** 2 for chance, returned in back)
    assert covariances(rules)["player", "lucky_nine"] > 0 > covariances(rules)["banker", "lucky_nine"]
    assert sum(expected_return_of_stake(rules, spot, stake) for spot, stake in staked.items()) == mean


def test_the_rarest_line_says_how_many_rounds_are_needed() -> None:
    rare = SpotRules(
        "pairs",
        SpotKind.SIDE,
        (
            PayLine((FactCondition("perfect_pairs", (2,)),), Ratio(200, 1)),
            PayLine((FactCondition("perfect_pairs", (1,)),), Ratio(25, 1)),
        ),
    )
    rules = rules_for("mini", currency="EUR", spots=(rare,))
    odds = odds_sheet(rules).spot("pairs")
    expected = expected_rarest_results(rules, {"pairs": 100 * 500}, {("pairs", "pairs"): 100 * 500**2})
    assert expected == 100 * odds.lines[0].chance < 100 * odds.win / 100


def test_a_tables_rounding_is_in_what_is_expected() -> None:
    rules = rules_for("overview", currency="EUR")
    assert expected_return_of_stake(rules, "banker", 100) / 100 < theoretical_return(rules, "banker")
    assert expected_return_of_stake(rules, "banker", 2000) / 2000 == theoretical_return(rules, "banker")


def test_the_root_is_exact_to_many_digits() -> None:
    assert abs(root(Fraction(2)) ** 2 - 2) < Fraction(1, 10**35)


def judged(returned: int, *, spread: int = 10**8, rarest: int = MIN_EXPECTED_RESULTS) -> Any:
    played = ReturnTotals(handle=100_000, returned=returned, expected=Fraction(98_000), squares={})
    return return_band(played, Fraction(spread), rarest_results=Fraction(rarest))


def test_a_return_is_judged_by_its_band() -> None:
    reach = Z_99_PERCENT * 10_000
    assert judged(98_000).verdict is ReturnVerdict.INSIDE
    assert judged(98_000 + int(reach)).verdict is ReturnVerdict.INSIDE
    assert judged(98_000 + int(reach) + 1).verdict is ReturnVerdict.ABOVE
    assert judged(98_000 - int(reach) - 1).verdict is ReturnVerdict.BELOW
    assert judged(0, rarest=MIN_EXPECTED_RESULTS - 1).verdict is ReturnVerdict.TOO_FEW
    assert judged(98_000).high - judged(98_000).low == 2 * reach / 100_000
    assert return_band(ReturnTotals(0, 0, Fraction(0), {}), Fraction(0), rarest_results=Fraction(0)) is None


def test_stakes_that_differ_count_for_fewer_rounds() -> None:
    rules = rules_for("mini", currency="EUR")
    even = expected_rarest_results(rules, {"tie": 100 * 500}, {("tie", "tie"): 100 * 500**2})
    assert even == 100 * odds_sheet(rules).spot("tie").win
    one_large = expected_rarest_results(rules, {"tie": 99 * 500 + 500_000}, {("tie", "tie"): 99 * 500**2 + 500_000**2})
    assert one_large < 1


def test_of_a_thousand_honest_evenings_about_ten_are_outside() -> None:
    rules = rules_for("mini", currency="EUR")
    chance, found = random.Random(20261121), count_outcomes(rules.decks)
    weights = [found.player, found.banker, found.tie]
    nets = {
        outcome: sum(settle(rules, {spot: 1000}, COUPS[outcome]).returned for spot in ("banker", "tie"))
        for outcome in Outcome
    }
    squares = {(one, other): 300 * 10**6 for one in ("banker", "tie") for other in ("banker", "tie")}
    spread, expected = (
        variance(rules, squares),
        300 * sum(expected_return_of_stake(rules, spot, 1000) for spot in ("banker", "tie")),
    )
    order = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
    outside = 0
    for _ in range(1000):
        returned = sum(nets[outcome] for outcome in chance.choices(order, weights, k=300))
        verdict = return_band(
            ReturnTotals(600_000, returned, Fraction(expected), squares), spread, rarest_results=Fraction(28)
        )
        outside += verdict is not None and verdict.verdict is not ReturnVerdict.INSIDE
    assert 2 <= outside <= 22
