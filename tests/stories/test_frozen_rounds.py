"""A thousand rounds from fixed seeds: cards, payouts, commissions, postings and commitments are what they always were.

200 rounds of each preset, in two currencies and both kinds of money. Whoever means to change the rules of the game
writes the file anew (tests/support/make_frozen_rounds.py); nothing else may change it.
"""

import json
from collections import Counter
from itertools import pairwise

import pytest

from tests.support.frozen_rounds import Document, play
from tests.support.make_frozen_rounds import FILE

LINES: list[Document] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
BEGINS = [number for number, line in enumerate(LINES) if "evening" in line]
EVENINGS = {
    f"{LINES[begin]['evening']['preset']} {LINES[begin]['evening']['currency']}": LINES[begin:end]
    for begin, end in pairwise([*BEGINS, len(LINES)])
}


@pytest.mark.parametrize("name", EVENINGS)
def test_every_round_comes_to_what_it_came_to(name: str) -> None:
    first, *frozen, last = EVENINGS[name]
    *results, end = play(first["evening"], [{"cut": line["cut"], "wagers": line["wagers"]} for line in frozen])
    for number, (result, line) in enumerate(zip(results, frozen, strict=True), 1):
        assert result == line["result"], f"round {number}"
    assert end == last["end"]


def test_the_rounds_are_as_many_and_as_varied_as_they_should_be() -> None:
    presets = Counter(name.split()[0] for name, lines in EVENINGS.items() for _ in lines[1:-1])
    rounds = [line for line in LINES if "result" in line]
    assert presets == dict.fromkeys(("overview", "atlantic_city", "mini", "classic", "big_table"), 200)
    assert {line["result"]["outcome"][0] for line in rounds} == {"P", "B", "T"}
    assert {len(line["result"]["cards"].split()) for line in rounds} == {4, 5, 6}
    assert {len(wager) for line in rounds for wager in line["wagers"].values()} == {1, 2, 3}
    assert {money for line in LINES if "evening" in line for money in line["evening"]["seats"].values()} == {
        "real",
        "play",
    }
    assert any(
        sum(line["wagers"][seat].values()) < paid[0]
        for line in rounds
        for seat, paid in line["result"]["seats"].items()
    )
    shoes = {line["result"]["root"] for line in EVENINGS["big_table EUR"][1:-1]}
    assert len(shoes) == 2
