"""What the statistics are made of: whole shoes in their order, and outcomes in the order they were dealt."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome


@dataclass(frozen=True, slots=True)
class Sample:
    """Shoes, each all of its cards in order; and outcomes, each with the decks of its shoe."""

    shoes: Sequence[Sequence[Card]]
    outcomes: Sequence[tuple[int, Outcome]]


@dataclass(frozen=True, slots=True)
class RngTestResult:
    """One test: what it measured, and how probable a value as far out is by fair chance.

    `p` is None where the sample is too small for the test: 5 are expected in each of its cells.
    """

    name: str
    statistic: str
    p_value: float | None


MIN_EXPECTED_COUNT = 5


def decks_of(shoe: Sequence[Card]) -> int:
    """Tell how many decks a shoe holds."""
    return len(shoe) // 52


def by_decks(shoes: Sequence[Sequence[Card]]) -> Counter[int]:
    return Counter(decks_of(shoe) for shoe in shoes)
