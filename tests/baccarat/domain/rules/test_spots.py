"""Spots as data: figures as published, payouts by a table written by hand, and what is refused."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from baccarat.domain.rules.coups import Coup, Pair, counts_of
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import format_decimal, odds_sheet
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.spots import line_in_words, read_spots, write_spots
from baccarat.domain.rules.table_rules import Ratio, TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from casino.kernel.conversion import Malformed
from tests.support.spots import SPOTS, spots_of

MINI = rules_for("mini", currency="EUR")
WRITTEN = tomllib.loads((Path(__file__).parent / "published_spots.toml").read_text(encoding="utf-8"))["spots"]
EDGES = {spot["name"]: spot.pop("edges") for spot in WRITTEN}
TRADE = replace(MINI, spots=read_spots(WRITTEN, int))
PLAYER, BANKER, TIE = Outcome
STAKE = 100_00

Pays = Callable[[Coup], int | Fraction]
"""What a stake of 1 gains by a coup before commission: 0 where it is returned, -1 where it is lost."""


def dragon_bonus(side: Outcome) -> Pays:
    by_margin = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}

    def pays(coup: Coup) -> int:
        own, other = coup.player_natural, coup.banker_natural
        if side is BANKER:
            own, other = other, own
        if coup.winner is TIE:
            return 0 if own and other else -1
        if coup.winner is not side:
            return -1
        return 1 if own else by_margin.get(coup.margin, -1)

    return pays


def commission_free(special: Fraction | int, cards: tuple[int, ...], points: int) -> Pays:
    def pays(coup: Coup) -> int | Fraction:
        if coup.winner is not BANKER:
            return 0 if coup.winner is TIE else -1
        return special if coup.banker_points == points and coup.banker_cards in cards else 1

    return pays


def won_by(winner: Outcome, points: int, odds: int, cards: tuple[int, ...] = (2, 3)) -> Pays:
    def pays(coup: Coup) -> int:
        own = (coup.player_points, coup.player_cards) if winner is PLAYER else (coup.banker_points, coup.banker_cards)
        return odds if coup.winner is winner and own[0] == points and own[1] in cards else -1

    return pays


def even(side: Outcome) -> Pays:
    return lambda coup: {side: 1, TIE: 0}.get(coup.winner, -1)


TABLE: dict[str, Pays] = {
    "player": even(PLAYER),
    "banker": even(BANKER),
    "tie": lambda coup: 8 if coup.winner is TIE else -1,
    "no_commission_banker": commission_free(Fraction(1, 2), (2, 3), 6),
    "super_6": won_by(BANKER, 6, 12),
    "ez_banker": commission_free(0, (3,), 7),
    "dragon_7": won_by(BANKER, 7, 40, (3,)),
    "panda_8": won_by(PLAYER, 8, 25, (3,)),
    "player_pair": lambda coup: 11 if coup.player_pair else -1,
    "banker_pair": lambda coup: 11 if coup.banker_pair else -1,
    "either_pair": lambda coup: 5 if coup.player_pair or coup.banker_pair else -1,
    "perfect_pair": lambda coup: (-1, 25, 200)[(coup.player_pair is Pair.PERFECT) + (coup.banker_pair is Pair.PERFECT)],
    "big": lambda coup: Fraction(54, 100) if coup.cards > 4 else -1,
    "small": lambda coup: Fraction(3, 2) if coup.cards == 4 else -1,
    "player_dragon_bonus": dragon_bonus(PLAYER),
    "banker_dragon_bonus": dragon_bonus(BANKER),
}
"""Each spot by hand."""


@pytest.mark.parametrize("spot", EDGES)
@pytest.mark.parametrize(("decks", "place"), [(8, 0), (6, 1)])
def test_the_house_edge_is_the_published_one(spot: str, decks: int, place: int) -> None:
    sheet = odds_sheet(replace(TRADE, decks=decks))
    assert format_decimal(100 * sheet.spot(spot).exact.edge, places=6) == EDGES[spot][place]


@pytest.mark.parametrize("spot", TABLE)
def test_every_coup_pays_what_the_table_by_hand_says(spot: str) -> None:
    for coup in counts_of(8):
        (result,) = settle(TRADE, {spot: STAKE}, coup).results
        assert result.returned + result.commission - STAKE == TABLE[spot](coup) * STAKE, coup
        assert result.commission == (5_00 if spot == "banker" and coup.winner is BANKER else 0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("spot", SPOTS)
def test_every_coup_pays_on_a_presets_spots_what_the_table_by_hand_says(preset: str, spot: str) -> None:
    rules = rules_for(preset, currency="EUR")
    owed = 0 if preset == "atlantic_city" else 5_00
    for coup in counts_of(rules.decks):
        (result,) = settle(rules, {spot: STAKE}, coup).results
        gain = 9 if preset == "classic" and spot == "tie" and coup.winner is TIE else TABLE[spot](coup)
        assert result.returned + result.commission - STAKE == gain * STAKE, coup
        assert result.commission == (owed if spot == "banker" and coup.winner is BANKER else 0)


@pytest.mark.parametrize("spots", [TRADE.spots, *(rules_for(name, currency="EUR").spots for name in PRESETS)])
def test_what_is_written_is_read_as_it_was(spots: Any) -> None:
    assert read_spots(write_spots(spots, str), int) == spots


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"when": {"winner": "tie"}, "push": True}, "the stake is returned if winner is tie"),
        ({"when": {"winner": "banker", "banker_points": 6}, "pays": "1:2"},
         "pays 1:2 if banker points are 6 and winner is banker"),
        ({"when": {"pairs": [1, 2]}, "pays": "5:1"}, "pays 5:1 if pairs are 1 or 2"),
        ({"when": {"player_pair": True}, "pays": "11:1"}, "pays 11:1 if player pair"),
        ({"when": {"natural": False}, "pays": "1:1"}, "pays 1:1 if no natural"),
    ],
)  # fmt: skip
def test_a_line_is_said_in_words(line: Mapping[str, Any], words: str) -> None:
    ((spot,)) = read_spots([{"name": "any", "lines": [line]}], int)
    assert line_in_words(spot.lines[0]) == words


def faults(*added: Mapping[str, Any], rules: TableRules = MINI) -> Mapping[str, str]:
    """Return the codes of what is wrong with the rules' spots and these."""
    with pytest.raises(InvalidRules) as refused:
        validate(replace(rules, spots=(*rules.spots, *read_spots(list(added), int))))
    return {fault.field: fault.code for fault in refused.value.faults}


def side(*lines: Mapping[str, Any], **terms: Any) -> dict[str, Any]:
    wins = {"when": {"player_pair": True}, "pays": "11:1"}
    return {"name": "side", "kind": "side", "lines": list(lines) or [wins], **terms}


@pytest.mark.parametrize(
    ("spot", "field", "code"),
    [
        (side({"when": {"winer": "tie"}, "pays": "8:1"}), "spots[3].lines[0].when.winer", "fact_unknown"),
        (side({"when": {"winner": "house"}, "pays": "8:1"}), "spots[3].lines[0].when.winner", "fact_value_unknown"),
        (side({"when": {"pairs": True}, "pays": "8:1"}), "spots[3].lines[0].when.pairs", "fact_value_unknown"),
        (side({"when": {"player_pair": 1}, "pays": "8:1"}), "spots[3].lines[0].when.player_pair", "fact_value_unknown"),
        (side({"when": {"pairs": []}, "pays": "8:1"}), "spots[3].lines[0].when.pairs", "fact_value_unknown"),
        (
            side({"when": {"pairs": {"from": 3, "to": 9}}, "pays": "8:1"}),
            "spots[3].lines[0].when.pairs",
            "fact_value_unknown",
        ),
        (side({"when": {"luck": {"from": 3, "to": 9}}, "pays": "8:1"}), "spots[3].lines[0].when.luck", "fact_unknown"),
        (side({"when": {"margin": 9, "winner": "tie"}, "pays": "8:1"}), "spots[3].lines[0]", "line_never_holds"),
        (side({"pays": "1:1"}, {"when": {"pairs": 1}, "pays": "8:1"}), "spots[3].lines[1]", "line_unreachable"),
        (side({"when": {"pairs": 1}, "pays": "0:1"}), "spots[3].lines[0].pays", "odds_out_of_range"),
        (side({"when": {"pairs": 1}, "pays": "10001:1"}), "spots[3].lines[0].pays", "odds_out_of_range"),
        (side(commission={"rate": "101/100"}), "spots[3].commission", "commission_out_of_range"),
        (side(needs=["dragon"]), "spots[3].needs", "needed_spot_unknown"),
        (side(needs=["side"]), "spots[3].needs", "needed_spot_unknown"),
        (side() | {"lines": []}, "spots[3].lines", "lines_out_of_range"),
        (side() | {"name": "tie"}, "spots[3].name", "spot_named_twice"),
        (side() | {"name": "Side bet"}, "spots[3].name", "spot_name_malformed"),
        (side() | {"name": "all"}, "spots[3].name", "spot_name_malformed"),
        (side(minimum="150"), "spots[3].minimum", "minimum_not_makeable"),
        (side(maximum="150"), "spots[3].maximum", "maximum_not_makeable"),
        (side(minimum="2000", maximum="1000"), "spots[3].maximum", "maximum_under_minimum"),
        (side(maximum="400"), "spots[3].maximum", "maximum_under_minimum"),
    ],
)
def test_a_faulty_spot_is_refused_with_its_field(spot: Mapping[str, Any], field: str, code: str) -> None:
    assert faults(spot)[field] == code


def test_all_commission_is_taken_at_one_time() -> None:
    shoes = rules_for("big_table", currency="EUR")
    assert faults(side(commission={"rate": "5/100"}), rules=shoes) == {"spots": "commission_timings_differ"}


def test_a_table_without_spots_is_refused() -> None:
    assert faults(rules=replace(MINI, spots=()))["spots"] == "spots_out_of_range"


def test_a_pair_of_equal_cards_cannot_come_from_one_deck() -> None:
    perfect = side({"when": {"player_perfect": True}, "pays": "25:1"})
    validate(replace(MINI, spots=(*MINI.spots, *read_spots([perfect], int))))
    assert faults(perfect, rules=replace(MINI, decks=1))["spots[3].lines[0]"] == "line_never_holds"


@pytest.mark.parametrize(
    ("spot", "path"),
    [
        (side({"when": {"pairs": 1}}), "spots[0].lines[0]"),
        (side({"when": {"pairs": 1}, "pays": "1:1", "push": True}), "spots[0].lines[0]"),
        (side({"when": {"pairs": 1}, "pays": "eight"}), "spots[0].lines[0].pays"),
        (side({"when": {"pairs": {"from": 3}}, "pays": "1:1"}), "spots[0].lines[0].when.pairs.to"),
        (side({"when": {"pairs": 1.0}, "pays": "1:1"}), "spots[0].lines[0].when.pairs"),
        (side({"when": {"pairs": 1}, "pays": "1:1", "if": True}), "spots[0].lines[0].if"),
        (side(colour="red"), "spots[0].colour"),
        (side(kind="middle"), "spots[0].kind"),
        ({"name": "side"}, "spots[0].lines"),
    ],
)
def test_what_is_no_spot_is_refused_with_its_place(spot: Mapping[str, Any], path: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_spots([spot], int)
    assert [fault.field for fault in refused.value.faults] == [path]


def test_other_odds_are_other_rules() -> None:
    assert spots_of("classic") == spots_of("mini", tie=Ratio(9, 1))
