"""A thousand rounds of given cards: outcomes, payouts, commissions and postings are what they always were.

200 rounds of each preset, in two currencies and both kinds of money. Whoever means to change the rules of the game
writes the results anew (tests/support/make_frozen_rounds.py) and says why; nothing else may change them.
"""

from collections import Counter

import pytest

from tests.support.frozen_rounds import play
from tests.support.make_frozen_rounds import evenings

EVENINGS = {f"{lines[0]['evening']['preset']} {lines[0]['evening']['currency']}": lines for lines in evenings()}


@pytest.mark.parametrize("name", EVENINGS)
def test_every_round_comes_to_what_it_came_to(name: str) -> None:
    table, *frozen, last = EVENINGS[name]
    *results, end = play(table["evening"], frozen)
    for number, (result, line) in enumerate(zip(results, frozen, strict=True), 1):
        assert result == line["result"], f"round {number}"
    assert end == last["end"]


def test_the_rounds_are_as_many_and_as_varied_as_they_should_be() -> None:
    presets = Counter(name.split()[0] for name, lines in EVENINGS.items() for _ in lines[1:-1])
    rounds = [line for lines in EVENINGS.values() for line in lines[1:-1]]
    assert presets == dict.fromkeys(("overview", "atlantic_city", "mini", "classic", "big_table"), 200)
    assert {line["result"]["outcome"][0] for line in rounds} == {"P", "B", "T"}
    assert {len(line["cards"].split()) for line in rounds} == {4, 5, 6}
    assert {len(wager) for line in rounds for wager in line["wagers"].values()} == {1, 2, 3}
    assert {money for lines in EVENINGS.values() for money in lines[0]["evening"]["seats"].values()} == {"real", "play"}
    assert any(
        sum(line["wagers"][seat].values()) < paid[0]
        for line in rounds
        for seat, paid in line["result"]["seats"].items()
    )
    assert sum("first_card" in line for line in EVENINGS["big_table EUR"][1:-1]) == 2
