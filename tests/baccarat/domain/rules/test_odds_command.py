"""`manage.py odds` prints the sheet without any database."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from baccarat.domain.rules.presets import PRESETS


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("odds", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_prints_as_tables(name: str) -> None:
    sheet = printed(name)
    for words in (name, "house edge", "variance", "return", "Exact fractions", "Commission:"):
        assert words in sheet


def test_classic_prints_its_counts_and_the_return_of_its_tie() -> None:
    sheet = printed("classic")
    for figure in ("403,095,751,234,560", "392,220,492,728,832", "83,552,962,932,288", "0.950687113"):
        assert figure in sheet


def test_each_pay_line_prints_with_its_chance() -> None:
    lines = " ".join(printed("classic").replace("│", " ").split())
    assert "Tie pays 9:1 if winner is tie 0.095068711" in lines
    assert "Player the stake is returned if winner is tie 0.095068711" in lines


def test_atlantic_city_prints_that_the_player_has_the_edge() -> None:
    assert "The player has the edge on Banker" in " ".join(printed("atlantic_city").split())


def test_json_carries_exact_fractions_as_text() -> None:
    sheet = json.loads(printed("mini", "--json", "--currency", "JPY"))
    assert (sheet["preset"], sheet["currency"], sheet["minimum"]) == ("mini", "JPY", "500")
    banker = sheet["spots"][1]
    assert banker["exact"]["edge"] == {"fraction": "114753351728/10847218479825", "decimal": "0.010579058"}


@pytest.mark.parametrize("name", ["punto", "Mini", ""])
def test_an_unknown_preset_is_an_error_that_lists_the_known_ones(name: str) -> None:
    with pytest.raises(CommandError, match="atlantic_city, overview, mini, classic, big_table") as refused:
        printed(name)
    assert refused.value.returncode == 1


def test_an_unknown_currency_is_an_error() -> None:
    with pytest.raises(CommandError, match="'EURO' is not a currency code"):
        printed("mini", "--currency", "EURO")


def test_rounds_can_be_simulated_beside_the_exact_figures() -> None:
    assert "Simulated: 1," in printed("mini", "--simulate", "1000")
    simulated = json.loads(printed("mini", "--json", "--simulate", "1000"))["simulated"]
    assert set(simulated) == {"player", "banker", "tie"}
    assert 1000 <= sum(simulated.values()) < 1200


@pytest.mark.parametrize("rounds", ["0", "-5"])
def test_a_simulation_of_no_rounds_is_refused(rounds: str) -> None:
    with pytest.raises(CommandError, match="1 or more"):
        printed("mini", "--simulate", rounds)
