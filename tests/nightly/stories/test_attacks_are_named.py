"""Four hundred rounds of each attempt of a dishonest house, which fail or are named by every verifier."""

import pytest

from tests.stories.test_attacks_are_named import ATTACKS, named

ROUNDS = 400


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_round_of_an_attack_fails_or_is_named_by_every_verifier(attack: str) -> None:
    *_, verdict, chooser = ATTACKS[attack]
    assert named(attack, rounds=ROUNDS) == {(verdict, chooser)}
