"""Every bound of a table's rules: its last value plays, the next one is refused with the code of its field."""

from dataclasses import replace
from typing import Any

import pytest

from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from casino.kernel.money import MAX_AMOUNT

ROUNDS = replace(rules_for("mini", currency="EUR"), seats=5, turn_seconds=15)
SHOES = rules_for("big_table", currency="EUR")
BEYOND = MAX_AMOUNT // 10_000


def takes(rate: Ratio, rounding: Ratio | None = None) -> dict[str, Commission]:
    return {"commission": Commission(rate=rate, rounding=rounding, timing=CommissionTiming.SETTLEMENT)}


def shows(**milliseconds: int) -> dict[str, Any]:
    return {"show_milliseconds": replace(ROUNDS.show_milliseconds, **milliseconds)}


@pytest.mark.parametrize(
    ("rules", "code", "last", "beyond"),
    [
        (ROUNDS, "decks_out_of_range", {"decks": 1}, {"decks": 0}),
        (ROUNDS, "decks_out_of_range", {"decks": 8}, {"decks": 9}),
        (ROUNDS, "seats_out_of_range", {"seats": 1}, {"seats": 0}),
        (ROUNDS, "seats_out_of_range", {"seats": 14}, {"seats": 15}),
        (ROUNDS, "chips_not_ascending", {"chips": (1,)}, {"chips": (0,)}),
        (ROUNDS, "chips_not_ascending", {"chips": (100,)}, {"chips": ()}),
        (ROUNDS, "chips_not_ascending", {"chips": (100, 101)}, {"chips": (100, 100)}),
        (
            ROUNDS,
            "chips_too_many_remainders",
            {"chips": (10_000, 10_001), "minimum": 10_000},
            {"chips": (10_001, 10_002), "minimum": 10_001, "maximum": 10_002},
        ),
        (ROUNDS, "minimum_not_makeable", {"minimum": 100}, {"minimum": 101}),
        (ROUNDS, "minimum_not_makeable", {"minimum": 100}, {"minimum": 0}),
        (ROUNDS, "maximum_not_makeable", {"maximum": 600}, {"maximum": 599}),
        (ROUNDS, "maximum_under_minimum", {"maximum": 500}, {"maximum": 400}),
        (ROUNDS, "maximum_too_large", {"maximum": BEYOND - 100}, {"maximum": BEYOND}),
        *(
            (ROUNDS, f"{spot}_odds_out_of_range", {f"{spot}_pays": last}, {f"{spot}_pays": beyond})
            for spot in ("player", "banker", "tie")
            for last, beyond in (
                (Ratio(1, 10_000), Ratio(0, 10_000)),
                (Ratio(10_000, 1), Ratio(10_001, 1)),
                (Ratio(10_000, 1), Ratio(10_000, 0)),
                (Ratio(1, 10_000), Ratio(1, 10_001)),
            )
        ),
        (ROUNDS, "commission_out_of_range", takes(Ratio(1, 1)), takes(Ratio(2, 1))),
        (ROUNDS, "commission_out_of_range", takes(Ratio(1, 20), Ratio(1, 1)), takes(Ratio(1, 20), Ratio(5, 4))),
        (SHOES, "commission_can_not_wait", {}, {"shuffle": ROUNDS.shuffle, "cut_cards_from_end": None, "burn": False}),
        (ROUNDS, "turn_needs_a_limit", {"turn_seconds": None, "seats": 1}, {"turn_seconds": None, "seats": 2}),
        (ROUNDS, "turn_out_of_range", {"turn_seconds": 1}, {"turn_seconds": 0}),
        (ROUNDS, "turn_out_of_range", {"turn_seconds": 3600}, {"turn_seconds": 3601}),
        (SHOES, "cut_card_out_of_place", {"cut_cards_from_end": 12}, {"cut_cards_from_end": 11}),
        (SHOES, "cut_card_out_of_place", {"cut_cards_from_end": 399}, {"cut_cards_from_end": 400}),
        (SHOES, "cut_card_out_of_place", {}, {"cut_cards_from_end": None}),
        (ROUNDS, "cut_card_out_of_place", {}, {"cut_cards_from_end": 14}),
        (ROUNDS, "seat_kept_out_of_range", {"seat_kept_rounds": 1}, {"seat_kept_rounds": 0}),
        (ROUNDS, "seat_kept_out_of_range", {"seat_kept_rounds": 100}, {"seat_kept_rounds": 101}),
        (ROUNDS, "burn_needs_a_shoe", {"burn": False}, {"burn": True}),
        (ROUNDS, "fixed_order_needs_a_shoe", {"fixed_order": False}, {"fixed_order": True}),
        (SHOES, "look_without_hand_back", {}, {"look_seconds": None}),
        (SHOES, "look_out_of_range", {"look_seconds": 1}, {"look_seconds": 0}),
        (SHOES, "look_out_of_range", {"look_seconds": 60}, {"look_seconds": 61}),
        (SHOES, "hand_back_out_of_range", {"hand_back_seconds": 1}, {"hand_back_seconds": 0}),
        (SHOES, "hand_back_out_of_range", {"hand_back_seconds": 60}, {"hand_back_seconds": 61}),
        (ROUNDS, "show_out_of_range", shows(natural=0), shows(natural=-1)),
        (ROUNDS, "show_out_of_range", shows(ceremony=60_000), shows(ceremony=60_001)),
        (ROUNDS, "cycle_out_of_range", {"minimum_cycle_seconds": 0}, {"minimum_cycle_seconds": -1}),
        (ROUNDS, "cycle_out_of_range", {"minimum_cycle_seconds": 3600}, {"minimum_cycle_seconds": 3601}),
        (
            SHOES,
            "auto_confirm_needs_a_turn",
            {"auto_confirm": True, "turn_seconds": 3},
            {"auto_confirm": True, "turn_seconds": 2},
        ),
        (
            replace(ROUNDS, seats=1, turn_seconds=None),
            "auto_confirm_needs_a_turn",
            {"auto_confirm": False},
            {"auto_confirm": True},
        ),
    ],
)
def test_the_last_value_of_a_bound_plays_and_the_next_is_refused(
    rules: TableRules, code: str, last: dict[str, Any], beyond: dict[str, Any]
) -> None:
    validate(replace(rules, **last))
    with pytest.raises(InvalidRules) as refused:
        validate(replace(rules, **beyond))
    assert list(refused.value.facts["codes"].values()) == [code]


@pytest.mark.parametrize("wrong", [{"decks": 8.0}, {"seats": True}, {"chips": (1.5,)}, {"tie_pays": "8:1"}])
def test_a_value_of_another_type_is_refused_even_if_it_is_equal(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidRules) as refused:
        validate(replace(ROUNDS, **wrong))
    assert refused.value.facts["codes"] == dict.fromkeys(wrong, "wrong_type")
