"""The five presets, cell by cell as their sources print them, and an operator's own values."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import msgspec
import pytest

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import PRESETS, UnknownPreset, rules_for
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    Shuffle,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.validation import InvalidRules
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import UnknownCurrency

NAMES = ("atlantic_city", "overview", "mini", "classic", "big_table")
ROUND, SHOE = Shuffle.EACH_ROUND, Shuffle.SHOE
ANY, ONE = SpotsPerRound.ANY, SpotsPerRound.ONE
RAISE, REJECT = UnderMinimumPolicy.RAISE, UnderMinimumPolicy.REJECT
NOW, LATER = CommissionTiming.SETTLEMENT, CommissionTiming.DEFERRED
EVEN, FIVE, QUARTER = Ratio(1, 1), Ratio(5, 100), Ratio(1, 4)
SMALL, BIG = (1, 5, 25, 100, 500), (25, 100, 500, 1000)

COLUMNS: dict[str, tuple[Any, ...]] = {
    "source": ("000", "001", "002", "003", "004"),
    "version": (1, 1, 1, 1, 2),
    "decks": (8, 8, 8, 6, 8),
    "shuffle": (ROUND, ROUND, ROUND, ROUND, SHOE),
    "seats": (5, 1, 1, 1, 14),
    "chips": (SMALL, SMALL, SMALL, SMALL, BIG),
    "minimum": (5, 5, 5, 5, 25),
    "maximum": (300, 300, 300, 300, 5000),
    "spots_per_round": (ANY, ANY, ANY, ONE, ANY),
    "player_pays": (EVEN, EVEN, EVEN, EVEN, EVEN),
    "banker_pays": (EVEN, EVEN, EVEN, EVEN, EVEN),
    "tie_pays": (Ratio(8, 1), Ratio(8, 1), Ratio(8, 1), Ratio(9, 1), Ratio(8, 1)),
    "commission": (
        None,
        Commission(FIVE, QUARTER, NOW),
        Commission(FIVE, None, NOW),
        Commission(FIVE, None, NOW),
        Commission(FIVE, None, LATER),
    ),
    "under_minimum": (RAISE, REJECT, REJECT, REJECT, REJECT),
    "turn_seconds": (15, None, None, None, 15),
    "caller": (False, False, False, False, True),
    "play_money": (True, True, True, True, True),
    "cut_cards_from_end": (None, None, None, None, 14),
    "burn": (False, False, False, False, True),
    "seat_kept_rounds": (3, None, None, None, 3),
    "look_seconds": (None, None, None, None, 10),
    "hand_back_seconds": (None, None, None, None, 10),
    "auto_confirm": (False, False, False, False, False),
    "minimum_cycle_seconds": (0, 0, 0, 0, 0),
    "may_hurry": (True, True, True, True, True),
}
CELLS = [(name, field, row[place]) for field, row in COLUMNS.items() for place, name in enumerate(NAMES)]
AMOUNTS = {"minimum", "maximum", "chips"}


@pytest.mark.parametrize(("name", "field", "value"), CELLS)
def test_a_preset_holds_what_its_source_says(name: str, field: str, value: object) -> None:
    assert getattr(PRESETS[name], field) == value


@pytest.mark.parametrize(("name", "field", "value"), [cell for cell in CELLS if cell[1] not in AMOUNTS | {"source"}])
def test_a_table_plays_by_its_presets_value(name: str, field: str, value: object) -> None:
    assert getattr(rules_for(name, currency="EUR"), field) == value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("currency", "unit"), [("EUR", 100), ("JPY", 1), ("KWD", 1000)])
def test_chips_and_limits_scale_to_the_currencys_minor_units(name: str, currency: str, unit: int) -> None:
    rules, preset = rules_for(name, currency=currency), PRESETS[name]
    assert (rules.preset, rules.version, rules.currency) == (name, preset.version, currency)
    assert rules.chips == tuple(chip * unit for chip in preset.chips)
    assert (rules.minimum, rules.maximum) == (preset.minimum * unit, preset.maximum * unit)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spot", [Spot.PLAYER, Spot.BANKER])
def test_a_tie_pushes_player_and_banker(name: str, spot: Spot) -> None:
    settled = settle(rules_for(name, currency="EUR"), {spot: 2500}, Outcome.TIE)
    assert (settled.returned, settled.won, settled.commission) == (2500, 0, 0)


def test_there_are_five_presets_and_no_way_to_change_one() -> None:
    assert tuple(PRESETS) == NAMES
    with pytest.raises(FrozenInstanceError):
        PRESETS["mini"].decks = 7  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["mini"] = PRESETS["classic"]  # type: ignore[index]


@pytest.mark.parametrize("name", NAMES)
def test_rules_survive_json_unchanged(name: str) -> None:
    rules = rules_for(name, currency="EUR")
    assert msgspec.json.decode(msgspec.json.encode(rules), type=TableRules) == rules


@pytest.mark.parametrize(
    ("name", "spots"), [("atlantic_city", (Spot.BANKER,)), *[(name, ()) for name in NAMES if name != "atlantic_city"]]
)
def test_only_banker_without_commission_gives_the_player_an_edge(name: str, spots: tuple[Spot, ...]) -> None:
    assert player_edge_spots(rules_for(name, currency="EUR")) == spots


def test_rounding_down_small_commissions_gives_the_player_an_edge_that_is_noticed() -> None:
    assert player_edge_spots(rules_for("classic", currency="JPY")) == (Spot.BANKER,)
    assert player_edge_spots(rules_for("classic", currency="JPY", minimum=10)) == ()
    assert player_edge_spots(rules_for("overview", currency="JPY")) == ()


def test_an_edge_too_thin_to_settle_every_stake_counts_as_the_players() -> None:
    thin = Commission(Ratio(270, 10_000), None, NOW)
    wide = rules_for("mini", currency="EUR", commission=thin, chips=(1, 5), minimum=1, maximum=10_000_000)
    assert player_edge_spots(wide) == (Spot.BANKER,)


def test_an_operator_sets_its_own_values_in_minor_units() -> None:
    rules = rules_for("classic", currency="EUR", chips=(50, 100), minimum=150, maximum=1000, decks=4)
    assert rules == replace(rules_for("classic", currency="EUR"), chips=(50, 100), minimum=150, maximum=1000, decks=4)


SHOELESS = {"shuffle": ROUND, "cut_cards_from_end": None, "burn": False}
WRONG: list[tuple[str, dict[str, Any], set[str]]] = [
    ("mini", {"decks": 0}, {"decks"}),
    ("mini", {"decks": 9}, {"decks"}),
    ("mini", {"decks": 6.0}, {"decks"}),
    ("mini", {"decks": True}, {"decks"}),
    ("atlantic_city", {"seats": 0}, {"seats"}),
    ("big_table", {"seats": 15}, {"seats"}),
    ("mini", {"chips": ()}, {"chips"}),
    ("mini", {"chips": (0, 100)}, {"chips"}),
    ("mini", {"chips": (-100, 100)}, {"chips"}),
    ("mini", {"chips": (100, 100, 500)}, {"chips"}),
    ("mini", {"chips": (500, 100)}, {"chips"}),
    ("mini", {"chips": [100, 500]}, {"chips"}),
    ("mini", {"chips": (100, 500.0)}, {"chips"}),
    ("mini", {"chips": (10_007, 10_009), "minimum": 10_007, "maximum": 20_016}, {"chips"}),
    ("mini", {"minimum": 550}, {"minimum"}),
    ("mini", {"minimum": 0}, {"minimum"}),
    ("mini", {"minimum": -500}, {"minimum"}),
    ("mini", {"maximum": 30_050}, {"maximum"}),
    ("mini", {"maximum": 400}, {"maximum"}),
    ("mini", {"maximum": 10**15}, {"maximum"}),
    ("mini", {"player_pays": Ratio(0, 1)}, {"player_pays"}),
    ("mini", {"banker_pays": Ratio(1, 0)}, {"banker_pays"}),
    ("mini", {"tie_pays": Ratio(8, -1)}, {"tie_pays"}),
    ("mini", {"tie_pays": 8}, {"tie_pays"}),
    ("mini", {"tie_pays": Ratio(8.0, 1)}, {"tie_pays"}),  # type: ignore[arg-type]
    ("mini", {"commission": Commission(Ratio(101, 100), None, NOW)}, {"commission"}),
    ("mini", {"commission": Commission(Ratio(0, 100), None, NOW)}, {"commission"}),
    ("mini", {"commission": Commission(FIVE, Ratio(5, 4), NOW)}, {"commission"}),
    ("mini", {"commission": Commission(FIVE, None, LATER)}, {"commission"}),
    ("big_table", SHOELESS, {"commission"}),
    ("atlantic_city", {"turn_seconds": None}, {"turn_seconds"}),
    ("atlantic_city", {"turn_seconds": 0}, {"turn_seconds"}),
    ("atlantic_city", {"turn_seconds": 3601}, {"turn_seconds"}),
    ("big_table", {"cut_cards_from_end": None}, {"cut_cards_from_end"}),
    ("big_table", {"cut_cards_from_end": 11}, {"cut_cards_from_end"}),
    ("big_table", {"cut_cards_from_end": 400}, {"cut_cards_from_end"}),
    ("mini", {"cut_cards_from_end": 14}, {"cut_cards_from_end"}),
    ("mini", {"burn": True}, {"burn"}),
    ("mini", {"seat_kept_rounds": 0}, {"seat_kept_rounds"}),
    ("mini", {"seat_kept_rounds": 101}, {"seat_kept_rounds"}),
    ("mini", {"seat_kept_rounds": True}, {"seat_kept_rounds"}),
    ("big_table", {"look_seconds": None}, {"look_seconds"}),
    ("big_table", {"hand_back_seconds": None}, {"look_seconds"}),
    ("big_table", {"look_seconds": 0}, {"look_seconds"}),
    ("big_table", {"hand_back_seconds": 61}, {"hand_back_seconds"}),
    ("big_table", {"look_seconds": "10"}, {"look_seconds"}),
    ("mini", {"shuffle": "sometimes"}, {"shuffle"}),
    ("mini", {"caller": 1}, {"caller"}),
    ("mini", {"price": 1}, {"price"}),
    ("mini", {"version": 2}, {"version"}),
    ("atlantic_city", {"decks": 0, "seats": 20, "minimum": 1}, {"decks", "seats", "minimum"}),
]


@pytest.mark.parametrize(("name", "overrides", "fields"), WRONG)
def test_rules_that_no_table_can_play_by_are_refused_by_field(
    name: str, overrides: dict[str, Any], fields: set[str]
) -> None:
    with pytest.raises(InvalidRules) as refused:
        rules_for(name, currency="EUR", **overrides)
    named = refused.value.facts["fields"]
    assert isinstance(named, dict)
    assert set(named) == fields
    assert all(field in refused.value.detail for field in fields)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("mini", {"decks": 1}),
        ("mini", {"decks": 8}),
        ("atlantic_city", {"turn_seconds": 1}),
        ("atlantic_city", {"turn_seconds": 3600}),
        ("mini", {"seat_kept_rounds": 1}),
        ("mini", {"seat_kept_rounds": 100}),
    ],
)
def test_a_bound_itself_is_within_bounds(name: str, overrides: dict[str, Any]) -> None:
    rules = rules_for(name, currency="EUR", **overrides)

    assert {field: getattr(rules, field) for field in overrides} == overrides


def test_of_several_faults_of_a_field_the_first_is_told() -> None:
    with pytest.raises(InvalidRules, match="maximum must be an amount that the chips can make up"):
        rules_for("mini", currency="EUR", maximum=450)


def test_unknown_presets_and_currencies_are_refused() -> None:
    with pytest.raises(UnknownPreset, match="atlantic_city, overview, mini, classic, big_table"):
        rules_for("punto", currency="EUR")
    with pytest.raises(UnknownCurrency):
        rules_for("mini", currency="eur")
