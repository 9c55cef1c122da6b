"""Every cell of the third-card rules, against lists typed from the sources' sentences."""

import pytest

from baccarat.domain.rules.tableau import banker_draws, player_draws

DRAWS_ON = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
    8: "",
    9: "",
}


@pytest.mark.parametrize("total", range(10))
def test_the_player_draws_on_0_to_5_and_stands_on_6_to_9(total: int) -> None:
    assert player_draws(total) is (total in {0, 1, 2, 3, 4, 5})


@pytest.mark.parametrize("third", range(10))
@pytest.mark.parametrize("total", range(10))
def test_the_banker_answers_the_players_third_card(total: int, third: int) -> None:
    assert banker_draws(total, third) is (str(third) in DRAWS_ON[total])


@pytest.mark.parametrize("total", range(10))
def test_the_banker_draws_on_0_to_5_when_the_player_stood(total: int) -> None:
    assert banker_draws(total, None) is (total in {0, 1, 2, 3, 4, 5})
