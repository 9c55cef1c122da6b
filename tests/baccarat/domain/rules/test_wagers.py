"""A stake is any amount that the table's chips can make up."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.wagers import is_makeable

CHIPS = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(lambda chips: tuple(sorted(chips)))


def sums(chips: tuple[int, ...], most: int) -> set[int]:
    """Return every amount up to `most` that chips add up to, adding one chip at a time."""
    makeable = {0}
    for amount in range(1, most + 1):
        if any(amount - chip in makeable for chip in chips):
            makeable.add(amount)
    return makeable


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("over", "makeable"), [(0, True), (1, False), (50, False), (-1, False)])
def test_presets_take_multiples_of_the_lowest_chip(name: str, over: int, makeable: bool) -> None:
    rules = rules_for(name, currency="EUR")
    assert is_makeable(rules.chips[0] * 7 + over, rules) is makeable


@pytest.mark.parametrize("amount", [0, -100])
def test_nothing_and_less_is_not_makeable(amount: int) -> None:
    assert not is_makeable(amount, rules_for("mini", currency="EUR"))


def test_chips_that_the_lowest_does_not_divide_still_add_up() -> None:
    rules = rules_for("mini", currency="EUR", chips=(200, 500), minimum=500, maximum=30_000)
    assert [amount for amount in range(100, 1000, 100) if is_makeable(amount, rules)] == [
        200, 400, 500, 600, 700, 800, 900,
    ]  # fmt: skip


@given(CHIPS, st.integers(1, 400))
def test_an_amount_is_makeable_exactly_when_some_chips_add_up_to_it(chips: tuple[int, ...], amount: int) -> None:
    rules = replace(rules_for("mini", currency="EUR"), chips=chips)
    assert is_makeable(amount, rules) is (amount in sums(chips, amount))
