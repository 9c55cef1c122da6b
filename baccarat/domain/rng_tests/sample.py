"""Data for the statistical tests: whole shoes and outcomes, in the order dealt."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome


@dataclass(frozen=True, slots=True)
class Sample:
    """Complete shoes in card order, and outcomes with the number of decks of their shoes."""

    shoes: Sequence[Sequence[Card]]
    outcomes: Sequence[tuple[int, Outcome]]


@dataclass(frozen=True, slots=True)
class RngTestResult:
    """The statistic of one test and its p-value.

    `p_value` is None if the sample is too small: each cell of the test needs an expected count of 5.
    """

    name: str
    statistic: str
    p_value: float | None


MIN_EXPECTED_COUNT = 5


def decks_of(shoe: Sequence[Card]) -> int:
    return len(shoe) // 52


def by_decks(shoes: Sequence[Sequence[Card]]) -> Counter[int]:
    return Counter(decks_of(shoe) for shoe in shoes)
