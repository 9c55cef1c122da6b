"""A stake is any amount that the table's chips can make up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.chips import AmountNotInChips, breakdown, is_makeable
from baccarat.domain.rules.presets import PRESETS, rules_for

CHIPS = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(lambda chips: tuple(sorted(chips)))


def sums(chips: tuple[int, ...], most: int) -> set[int]:
    """Every amount up to `most` that chips add up to, found by adding one chip at a time."""
    found = {0}
    for amount in range(1, most + 1):
        if any(amount - chip in found for chip in chips):
            found.add(amount)
    return found


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


@given(CHIPS, st.integers(0, 400))
def test_a_breakdown_exists_exactly_when_chips_add_up(chips: tuple[int, ...], amount: int) -> None:
    if amount not in sums(chips, 400):
        with pytest.raises(AmountNotInChips):
            breakdown(amount, chips)
        return
    stacks = breakdown(amount, chips)
    assert sum(chip * count for chip, count in stacks) == amount
    assert [chip for chip, _ in stacks] == sorted({chip for chip, _ in stacks}, reverse=True)
    assert all(chip in chips and count > 0 for chip, count in stacks)


def test_a_breakdown_uses_the_largest_chips() -> None:
    assert breakdown(63_100, (100, 500, 2500, 10_000, 50_000)) == (
        (50_000, 1),
        (10_000, 1),
        (2500, 1),
        (500, 1),
        (100, 1),
    )
    assert breakdown(600, (200, 500)) == ((200, 3),)


def test_less_than_nothing_has_no_breakdown() -> None:
    with pytest.raises(AmountNotInChips):
        breakdown(-100, (100,))
