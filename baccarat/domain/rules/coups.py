"""What a coup is to the rules, and how often each kind comes: exact counts of all ordered draws of six cards.

`coups.csv` has the counts for 1 to 8 decks. `python -m baccarat.domain.rules.coups` counts again and writes it.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import OUTCOME_BY_MARGIN, Deal, Outcome
from baccarat.domain.rules.tableau import banker_draws, player_draws

DECKS: Final = 1, 8
"""The fewest and the most decks that are played with."""
COUNTS: Final = Path(__file__).parent / "coups.csv"


class Pair(IntEnum):
    """What the first two cards of a hand are to each other: nothing, of equal rank, or of equal rank and suit."""

    NONE = 0
    RANK = 1
    PERFECT = 2


class Coup(NamedTuple):
    """The facts that decide what spots pay. All others follow from them."""

    player_points: int
    banker_points: int
    player_cards: int
    banker_cards: int
    player_pair: Pair
    banker_pair: Pair

    @classmethod
    def of(cls, dealt: Deal) -> "Coup":
        """Return the facts of a deal."""
        player, banker = dealt.player, dealt.banker
        return cls(
            dealt.player_total, dealt.banker_total, len(player), len(banker),
            _pair_of(player[0], player[1]), _pair_of(banker[0], banker[1]),
        )  # fmt: skip

    @property
    def winner(self) -> Outcome:
        """Who wins."""
        return OUTCOME_BY_MARGIN[self.player_points - self.banker_points]

    @property
    def margin(self) -> int:
        """By how many points."""
        return abs(self.player_points - self.banker_points)

    @property
    def cards(self) -> int:
        """How many cards were dealt, 4 to 6."""
        return self.player_cards + self.banker_cards

    @property
    def player_natural(self) -> bool:
        """Whether the Player has 8 or 9 in two cards."""
        return self.player_cards == 2 and self.player_points >= 8

    @property
    def banker_natural(self) -> bool:
        """Whether the Banker has."""
        return self.banker_cards == 2 and self.banker_points >= 8

    @property
    def natural(self) -> bool:
        """Whether the winning hand is a natural; of a tie, whether both are."""
        winner = self.winner
        return (winner is Outcome.BANKER or self.player_natural) and (winner is Outcome.PLAYER or self.banker_natural)


Value = str | int | bool
"""Of a fact."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that pay lines can ask for, and the values that it may have."""

    values: tuple[Value, ...]
    of: Callable[[Coup], Value]


_FLAG: Final = False, True
FACTS: Final[Mapping[str, Fact]] = MappingProxyType(
    {
        "winner": Fact(tuple(map(str, Outcome)), lambda coup: coup.winner.value),
        "player_points": Fact(tuple(range(10)), lambda coup: coup.player_points),
        "banker_points": Fact(tuple(range(10)), lambda coup: coup.banker_points),
        "margin": Fact(tuple(range(10)), lambda coup: coup.margin),
        "player_cards": Fact((2, 3), lambda coup: coup.player_cards),
        "banker_cards": Fact((2, 3), lambda coup: coup.banker_cards),
        "cards": Fact((4, 5, 6), lambda coup: coup.cards),
        "natural": Fact(_FLAG, lambda coup: coup.natural),
        "player_natural": Fact(_FLAG, lambda coup: coup.player_natural),
        "banker_natural": Fact(_FLAG, lambda coup: coup.banker_natural),
        "player_pair": Fact(_FLAG, lambda coup: coup.player_pair is not Pair.NONE),
        "banker_pair": Fact(_FLAG, lambda coup: coup.banker_pair is not Pair.NONE),
        "player_perfect": Fact(_FLAG, lambda coup: coup.player_pair is Pair.PERFECT),
        "banker_perfect": Fact(_FLAG, lambda coup: coup.banker_pair is Pair.PERFECT),
        "pairs": Fact((0, 1, 2), lambda coup: sum(pair is not Pair.NONE for pair in coup[4:])),
        "perfect_pairs": Fact((0, 1, 2), lambda coup: sum(pair is Pair.PERFECT for pair in coup[4:])),
    }
)


# Bound once: member look-up on an enum class is slow.
_NONE, _RANK, _PERFECT = Pair


def _pair_of(first: Card, second: Card) -> Pair:
    if first[0] != second[0]:
        return _NONE
    return _PERFECT if first == second else _RANK


@lru_cache(maxsize=1)
def _read() -> tuple[Mapping[Coup, int], ...]:
    """Return the counts of 1 deck, of 2 decks, and so on."""
    with COUNTS.open(encoding="ascii", newline="") as file:
        rows = [[int(number) for number in row] for row in list(csv.reader(file))[1:]]
    coups = [Coup(a, b, c, d, Pair(e), Pair(f)) for a, b, c, d, e, f, *_ in rows]
    columns = list(zip(*rows, strict=True))[len(Coup._fields) :]
    return tuple(
        MappingProxyType({coup: ways for coup, ways in zip(coups, column, strict=True) if ways}) for column in columns
    )


def counts_of(decks: int) -> Mapping[Coup, int]:
    """Return how many of all ordered draws of six cards from full decks make each coup.

    The sum is n(n-1)...(n-5) for n cards. Raises ValueError for decks that are not played with.
    """
    if not DECKS[0] <= decks <= DECKS[1]:
        raise ValueError(f"Coups are counted for {DECKS[0]} to {DECKS[1]} decks, not for {decks}.")
    return _read()[decks - 1]


_SUITS: Final = 4
_RANKS: Final = (4, *[1] * 9)
"""Ranks of each value, of 0 points to 9."""
_Deck = list[list[list[int]]]
"""Cards left by value, rank and suit."""


def count_coups(decks: int) -> Counter[Coup]:
    """Count all ordered draws of six cards from full decks, exactly.

    The first four cards are taken as two unordered hands, by value and pair; the thirds matter by value only.
    """
    found: Counter[Coup] = Counter()
    deck: _Deck = [[[decks] * _SUITS for _ in range(ranks)] for ranks in _RANKS]
    for player, player_pair, player_ways in _hands(deck):
        for taken in _taken(player, player_pair):
            deck[taken[0]][taken[1]][taken[2]] -= 1
        thirds: dict[tuple[int, int], Counter[tuple[int, int, int, int]]] = {}
        for banker, banker_pair, banker_ways in _hands(deck):
            if banker not in thirds:
                left = [sum(map(sum, ranks)) for ranks in deck]
                left[banker[0]] -= 1
                left[banker[1]] -= 1
                thirds[banker] = _finish(left, sum(player) % 10, sum(banker) % 10)
            for ended, ways in thirds[banker].items():
                found[Coup(*ended, player_pair, banker_pair)] += player_ways * banker_ways * ways
        for taken in _taken(player, player_pair):
            deck[taken[0]][taken[1]][taken[2]] += 1
    return found


def _hands(deck: _Deck) -> Iterator[tuple[tuple[int, int], Pair, int]]:
    """Yield the values of two cards, what they are to each other, and in how many orders of draws they come."""
    left = [sum(map(sum, ranks)) for ranks in deck]
    for first in range(10):
        perfect = sum(count * (count - 1) for suits in deck[first] for count in suits)
        equal = sum(sum(suits) * (sum(suits) - 1) for suits in deck[first])
        pairs = left[first] * (left[first] - 1) - equal, equal - perfect, perfect
        hands = [((first, first), pair, ways) for pair, ways in zip(Pair, pairs, strict=True)]
        hands += [((first, second), Pair.NONE, 2 * left[first] * left[second]) for second in range(first + 1, 10)]
        yield from (hand for hand in hands if hand[2])


def _taken(hand: tuple[int, int], pair: Pair) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return two cards of such a hand, each as value, rank and suit. All hands of one kind leave alike decks."""
    first, second = hand
    if first != second or pair is Pair.PERFECT:
        return (first, 0, 0), (second, 0, 0)
    return (first, 0, 0), ((second, 0, 1) if pair is Pair.RANK else (second, 1, 0))


def _finish(left: list[int], player: int, banker: int) -> Counter[tuple[int, int, int, int]]:
    """Count the draws of two more cards by points and cards of both hands. Takes the two-card totals."""
    cards = sum(left)
    found: Counter[tuple[int, int, int, int]] = Counter()
    if max(player, banker) >= 8:
        found[player, banker, 2, 2] = cards * (cards - 1)
        return found
    draws = player_draws(player)
    for third, ways in enumerate(left) if draws else [(0, cards)]:
        ended = (player + third) % 10 if draws else player
        dealt = 3 if draws else 2
        rest = cards - 1
        if not banker_draws(banker, third if draws else None):
            found[ended, banker, dealt, 2] += ways * rest
            continue
        for last, more in enumerate(left):
            if draws:
                found[ended, (banker + last) % 10, 3, 3] += ways * (more - (last == third))
            else:
                found[ended, (banker + last) % 10, 2, 3] += more * rest
    return found


def write_counts(path: Path) -> None:
    """Count the coups of all numbers of decks, and write the file."""
    columns = [count_coups(decks) for decks in range(DECKS[0], DECKS[1] + 1)]
    with path.open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*Coup._fields, *(f"decks_{decks}" for decks in range(DECKS[0], DECKS[1] + 1))])
        writer.writerows([*map(int, coup), *(column[coup] for column in columns)] for coup in sorted(columns[-1]))


if __name__ == "__main__":
    write_counts(COUNTS)
