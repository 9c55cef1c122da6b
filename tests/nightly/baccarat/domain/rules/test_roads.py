"""Roads of thousands of shoes are drawn as another package draws them."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads import (
    Board,
    RoundMark,
)
from tests.baccarat.domain.rules.test_roads import COLOURS, LETTERS, SHOES, lengths, play_out
from tests.nightly.bench import peers


def test_thousands_of_random_shoes_are_drawn_as_another_package_draws_them() -> None:
    missing = peers.have(peers.PYBACCARAT)
    if missing:
        pytest.skip(f"THE ROADS WERE NOT COMPARED WITH ANOTHER PACKAGE: {missing}")
    generator = random.Random(5)
    shoes = [play_out(generator) for _ in range(SHOES)]
    process = subprocess.run(  # noqa: S603  (our own interpreter and script)
        [sys.executable, str(Path(__file__).with_name("roads_peer.py"))],
        input=json.dumps(["".join(LETTERS[outcome] for outcome in shoe) for shoe in shoes]),
        env=peers.environment(os.environ),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = json.loads(process.stdout)
    assert len(theirs) == SHOES
    for shoe, expected in zip(shoes, theirs, strict=True):
        board = Board(RoundMark(number, outcome) for number, outcome in enumerate(shoe, 1))
        assert expected == {
            "lengths": lengths(board),
            "marks": ["".join(COLOURS[entry.colour] for entry in road.entries) for road in board.derived.values()],
            "peek": [COLOURS[entry and entry.colour] for entry in board.predict(Outcome.BANKER).derived.values()],
        }
