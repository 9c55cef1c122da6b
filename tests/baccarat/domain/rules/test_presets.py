"""The five presets, cell by cell as their sources print them, and an operator's own values."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import msgspec
import pytest

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import PRESETS, SCALES, UnknownPreset, rules_for
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
from casino.kernel import money
from casino.kernel.money import UnknownCurrency
from tests.support.spots import COUPS, spots_of

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
    "hands_after_cut": (1, 1, 1, 1, 1),
}
CELLS = [(name, field, row[place]) for field, row in COLUMNS.items() for place, name in enumerate(NAMES)]
AMOUNTS = {"minimum", "maximum", "chips"}


COMMISSIONS = (
    None,
    Commission(FIVE, QUARTER, NOW),
    Commission(FIVE, None, NOW),
    Commission(FIVE, None, NOW),
    Commission(FIVE, None, LATER),
)


@pytest.mark.parametrize(("name", "field", "value"), CELLS)
def test_a_preset_holds_what_its_source_says(name: str, field: str, value: Any) -> None:
    preset, rules = PRESETS[name], rules_for(name, currency="EUR")
    if field in AMOUNTS:
        value = tuple(chip * 100 for chip in value) if field == "chips" else value * 100
    assert getattr(preset if field in {"source", "version"} else rules, field) == value


@pytest.mark.parametrize(("name", "commission"), list(zip(NAMES, COMMISSIONS, strict=True)))
def test_banker_alone_is_charged_the_commission_of_its_source(name: str, commission: Commission | None) -> None:
    charged = {spot.name: spot.commission for spot in rules_for(name, currency="EUR").spots}
    assert charged == {"player": None, "banker": commission, "tie": None}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("currency", "unit"), [("EUR", 100), ("JPY", 100), ("KWD", 1000), ("KRW", 1000), ("HUF", 100 * 100)]
)
def test_amounts_are_units_of_the_currency_times_its_scale(name: str, currency: str, unit: int) -> None:
    rules, euros = rules_for(name, currency=currency), rules_for(name, currency="EUR")
    assert (rules.preset, rules.version, rules.currency) == (name, PRESETS[name].version, currency)
    assert rules.chips == tuple(chip * unit // 100 for chip in euros.chips)
    assert (rules.minimum, rules.maximum) == (euros.minimum * unit // 100, euros.maximum * unit // 100)


def test_scales_are_of_known_currencies() -> None:
    assert all(money.is_known(currency) and scale in {100, 1000, 10_000} for currency, scale in SCALES.items())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spot", ["player", "banker"])
def test_a_tie_pushes_player_and_banker(name: str, spot: str) -> None:
    settled = settle(rules_for(name, currency="EUR"), {spot: 2500}, COUPS[Outcome.TIE])
    assert (settled.returned, settled.won, settled.commission) == (2500, 0, 0)


def test_there_are_five_presets_and_no_way_to_change_one() -> None:
    assert tuple(PRESETS) == NAMES
    with pytest.raises(FrozenInstanceError):
        PRESETS["mini"].version = 7  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["mini"] = PRESETS["classic"]  # type: ignore[index]


@pytest.mark.parametrize("name", NAMES)
def test_rules_survive_json_unchanged(name: str) -> None:
    rules = rules_for(name, currency="EUR")
    assert msgspec.json.decode(msgspec.json.encode(rules), type=TableRules) == rules


@pytest.mark.parametrize(
    ("name", "spots"), [("atlantic_city", ("banker",)), *[(name, ()) for name in NAMES if name != "atlantic_city"]]
)
def test_only_banker_without_commission_gives_the_player_an_edge(name: str, spots: tuple[str, ...]) -> None:
    assert player_edge_spots(rules_for(name, currency="EUR")) == spots


def test_rounding_down_small_commissions_gives_the_player_an_edge_that_is_noticed() -> None:
    yen = {"currency": "JPY", "chips": (1, 5, 25), "maximum": 300}
    assert player_edge_spots(rules_for("classic", **yen, minimum=5)) == ("banker",)
    assert player_edge_spots(rules_for("classic", **yen, minimum=10)) == ()
    assert player_edge_spots(rules_for("overview", **yen, minimum=5)) == ()


def test_an_edge_too_thin_to_settle_every_stake_counts_as_the_players() -> None:
    thin = Commission(Ratio(270, 10_000), None, NOW)
    wide = rules_for(
        "mini", currency="EUR", spots=spots_of("mini", commission=thin), chips=(1, 5), minimum=1, maximum=10_000_000
    )
    assert player_edge_spots(wide) == ("banker",)


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
    ("mini", {"chips": (100, 500.0)}, {"chips[1]"}),
    ("mini", {"chips": (10_007, 10_009), "minimum": 10_007, "maximum": 20_016}, {"chips"}),
    ("mini", {"minimum": 550}, {"minimum"}),
    ("mini", {"minimum": 0}, {"minimum"}),
    ("mini", {"minimum": -500}, {"minimum"}),
    ("mini", {"maximum": 30_050}, {"maximum"}),
    ("mini", {"maximum": 400}, {"maximum"}),
    ("mini", {"maximum": 10**15}, {"maximum"}),
    ("mini", {"spots": spots_of("mini", player=Ratio(0, 1))}, {"spots[0].lines[1].pays"}),
    ("mini", {"spots": spots_of("mini", banker=Ratio(1, 0))}, {"spots[1].lines[1].pays"}),
    ("mini", {"spots": spots_of("mini", tie=Ratio(8, -1))}, {"spots[2].lines[0].pays"}),
    ("mini", {"spots": list(spots_of("mini"))}, {"spots"}),
    ("mini", {"spots": spots_of("mini", tie=Ratio(8.0, 1))}, {"spots[2].lines[0].pays.numerator"}),  # type: ignore[arg-type]
    ("mini", {"spots": spots_of("mini", commission=Commission(Ratio(101, 100), None, NOW))}, {"spots[1].commission"}),
    ("mini", {"spots": spots_of("mini", commission=Commission(Ratio(0, 100), None, NOW))}, {"spots[1].commission"}),
    ("mini", {"spots": spots_of("mini", commission=Commission(FIVE, Ratio(5, 4), NOW))}, {"spots[1].commission"}),
    ("mini", {"spots": spots_of("mini", commission=Commission(FIVE, None, LATER))}, {"spots"}),
    ("big_table", SHOELESS, {"spots"}),
    ("big_table", {"hands_after_cut": 2}, {"hands_after_cut"}),
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
    assert {fault.field for fault in refused.value.faults} == fields
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
