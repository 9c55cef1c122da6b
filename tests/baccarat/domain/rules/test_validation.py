"""Every bound of a table's rules: its last value plays, the next one is refused with the code of its field."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from casino.kernel.money import MAX_AMOUNT
from tests.support.spots import SPOTS, changed

ROUNDS = replace(rules_for("mini", currency="EUR"), seats=5, turn_seconds=15)
SHOES = rules_for("big_table", currency="EUR")
BEYOND = MAX_AMOUNT // 10_000


def takes(rate: Ratio, rounding: Ratio | None = None) -> dict[str, Commission]:
    commission = Commission(rate=rate, rounding=rounding, timing=CommissionTiming.SETTLEMENT)
    return {"spots": changed(ROUNDS.spots, commission=commission)}


def pays(spot: str, odds: Ratio) -> dict[str, Any]:
    return {"spots": changed(ROUNDS.spots, **{spot: odds})}


def shows(**milliseconds: int) -> dict[str, Any]:
    return {"show_milliseconds": structs.replace(ROUNDS.show_milliseconds, **milliseconds)}


@pytest.mark.parametrize(
    ("rules", "code", "last", "beyond"),
    [
        (ROUNDS, "number_too_small", {"decks": 1}, {"decks": 0}),
        (ROUNDS, "number_too_large", {"decks": 8}, {"decks": 9}),
        (ROUNDS, "number_too_small", {"seats": 1}, {"seats": 0}),
        (ROUNDS, "number_too_large", {"seats": 14}, {"seats": 15}),
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
            (ROUNDS, "odds_out_of_range", pays(spot, last), pays(spot, beyond))
            for spot in SPOTS
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
        (ROUNDS, "number_too_small", {"turn_seconds": 1}, {"turn_seconds": 0}),
        (ROUNDS, "number_too_large", {"turn_seconds": 3600}, {"turn_seconds": 3601}),
        (SHOES, "cut_card_out_of_place", {"cut_cards_from_end": 12}, {"cut_cards_from_end": 11}),
        (SHOES, "cut_card_out_of_place", {"cut_cards_from_end": 399}, {"cut_cards_from_end": 400}),
        (SHOES, "number_too_small", {"hands_after_cut": 0}, {"hands_after_cut": -1}),
        (SHOES, "number_too_large", {"hands_after_cut": 1}, {"hands_after_cut": 2}),
        (SHOES, "cut_card_out_of_place", {}, {"cut_cards_from_end": None}),
        (ROUNDS, "cut_card_out_of_place", {}, {"cut_cards_from_end": 14}),
        (ROUNDS, "number_too_small", {"seat_kept_rounds": 1}, {"seat_kept_rounds": 0}),
        (ROUNDS, "number_too_large", {"seat_kept_rounds": 100}, {"seat_kept_rounds": 101}),
        (ROUNDS, "burn_needs_a_shoe", {"burn": False}, {"burn": True}),
        (ROUNDS, "fixed_order_needs_a_shoe", {"fixed_order": False}, {"fixed_order": True}),
        (SHOES, "look_without_hand_back", {}, {"look_seconds": None}),
        (SHOES, "number_too_small", {"look_seconds": 1}, {"look_seconds": 0}),
        (SHOES, "number_too_large", {"look_seconds": 60}, {"look_seconds": 61}),
        (SHOES, "number_too_small", {"hand_back_seconds": 1}, {"hand_back_seconds": 0}),
        (SHOES, "number_too_large", {"hand_back_seconds": 60}, {"hand_back_seconds": 61}),
        (ROUNDS, "number_too_small", shows(natural=0), shows(natural=-1)),
        (ROUNDS, "number_too_large", shows(ceremony=60_000), shows(ceremony=60_001)),
        (ROUNDS, "number_too_small", {"minimum_cycle_seconds": 0}, {"minimum_cycle_seconds": -1}),
        (ROUNDS, "number_too_large", {"minimum_cycle_seconds": 3600}, {"minimum_cycle_seconds": 3601}),
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
    assert [fault.code for fault in refused.value.faults] == [code]


@pytest.mark.parametrize(
    ("wrong", "field", "code"),
    [
        ({"decks": 8.0}, "decks", "not_an_integer"),
        ({"seats": True}, "seats", "not_an_integer"),
        ({"chips": (1.5,)}, "chips[0]", "not_an_integer"),
        ({"chips": [100]}, "chips", "wrong_type"),
        ({"shuffle": "shoe"}, "shuffle", "wrong_type"),
        ({"spots": "8:1"}, "spots", "not_an_array"),
        ({"maximum": 1j}, "maximum", "wrong_type"),
    ],
)
def test_a_value_of_another_type_is_refused_even_if_it_is_equal(wrong: dict[str, Any], field: str, code: str) -> None:
    with pytest.raises(InvalidRules) as refused:
        validate(replace(ROUNDS, **wrong))
    assert [(fault.field, fault.code) for fault in refused.value.faults] == [(field, code)]
