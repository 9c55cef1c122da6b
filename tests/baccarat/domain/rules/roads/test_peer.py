"""The roads of thousands of random shoes, played to the cut card, against pybaccarat's scoreboards."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from baccarat.domain.rules.cards import unshuffled_shoe
from baccarat.domain.rules.deal import Outcome, deal
from baccarat.domain.rules.roads.board import Board
from baccarat.domain.rules.roads.marks import RoundMark
from tests.bench import peers

SHOES = 2000
CUT = 14
OUTCOMES = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "T"}
COLOURS = {"red": "s", "blue": "C", None: " "}


def played_out(chance: random.Random) -> list[Outcome]:
    """The outcomes of a shuffled shoe of eight decks."""
    shoe, outcomes, out = list(unshuffled_shoe(8)), [], 0
    chance.shuffle(shoe)
    while out < len(shoe) - CUT:
        dealt = deal(shoe[out : out + 6])
        out += len(dealt.cards)
        outcomes.append(dealt.outcome)
    return outcomes


def test_thousands_of_random_shoes_are_drawn_as_another_package_draws_them() -> None:
    missing = peers.have(peers.PYBACCARAT)
    if missing:
        pytest.skip(f"THE ROADS WERE NOT COMPARED WITH ANOTHER PACKAGE: {missing}")
    chance = random.Random(5)
    shoes = [played_out(chance) for _ in range(SHOES)]
    answer = subprocess.run(  # noqa: S603  (our own interpreter and page)
        [sys.executable, str(Path(__file__).with_name("peer.py"))],
        input=json.dumps(["".join(OUTCOMES[outcome] for outcome in shoe) for shoe in shoes]),
        env=peers.environment(os.environ),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = json.loads(answer.stdout)
    assert len(theirs) == SHOES
    for shoe, expected in zip(shoes, theirs, strict=True):
        board = Board(RoundMark(number, outcome) for number, outcome in enumerate(shoe, 1))
        assert expected == {
            "lengths": lengths(board),
            "marks": ["".join(COLOURS[entry.colour] for entry in road.entries) for road in board.derived.values()],
            "peek": [COLOURS[colour] for colour in board.ask(Outcome.BANKER).values()],
        }


def lengths(board: Board) -> list[int]:
    """How long each streak of the big road is."""
    streaks = [entry.cell.streak for entry in board.big_road]
    return [streaks.count(streak) for streak in range(1, max(streaks, default=0) + 1)]
