"""Counts of outcomes: exact ones over all draws for odds, and fast ones over whole shoes for simulations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.cards import POINTS, Card
from baccarat.domain.rules.coups import DECKS, counts_of
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.tableau import BANKER_DRAWS, PLAYER_STOOD, player_draws


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Number of ordered six-card draws per outcome, and in total: n(n-1)...(n-5) for n cards."""

    banker: int
    player: int
    tie: int
    total: int


@lru_cache(maxsize=DECKS[1])
def count_outcomes(decks: int) -> OutcomeCounts:
    """Return the counts of the outcomes of all ordered six-card draws from `decks` full decks.

    Raises ValueError for decks that are not played with.
    """
    ways = dict.fromkeys(Outcome, 0)
    for coup, count in counts_of(decks).items():
        ways[coup.winner] += count
    return OutcomeCounts(ways[Outcome.BANKER], ways[Outcome.PLAYER], ways[Outcome.TIE], sum(ways.values()))


OUTCOMES: Final = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
MAX_CARDS_PER_ROUND: Final = 6
_DIGIT: Final = {card: str(points) for card, points in POINTS.items()}.__getitem__
_CARDS_USED: Final = (4, 4, 4, 5, 5, 5, 6, 6, 6)
"""Number of cards in a round, by its result."""


def play_out(shoe: Sequence[Card], *, until: int | None = None) -> dict[Outcome, int]:
    """Deal rounds from the front of a shoe and count their outcomes.

    A round begins while fewer than `until` cards have been dealt (by default, while six remain, the most a round
    takes). Only points affect the result (rules, section 2), so the next six cards are a number from 000000 to 999999,
    and one table look-up plays a round.
    """
    last = len(shoe) - MAX_CARDS_PER_ROUND if until is None else min(until - 1, len(shoe) - MAX_CARDS_PER_ROUND)
    digits, results, cards_used = "".join(map(_DIGIT, shoe)), _results(), _CARDS_USED
    counts, position = [0] * 9, 0
    while position <= last:
        result = results[int(digits[position : position + 6])]
        counts[result] += 1
        position += cards_used[result]
    return {outcome: sum(counts[index::3]) for index, outcome in enumerate(OUTCOMES)}


@lru_cache(maxsize=1)
def _results() -> bytes:
    """Return for each six points in deal order: three times the cards beyond four, plus the outcome's index."""
    blocks = [[_block(player, banker) for banker in range(10)] for player in range(10)]
    return b"".join(
        blocks[(first + third) % 10][(second + fourth) % 10]
        for first in range(10)
        for second in range(10)
        for third in range(10)
        for fourth in range(10)
    )


def _block(player: int, banker: int) -> bytes:
    """Return the hundred results for two-card totals, by the next two cards' points."""
    return bytes(_result(player, banker, fifth, sixth) for fifth in range(10) for sixth in range(10))


def _result(player: int, banker: int, fifth: int, sixth: int) -> int:
    if player >= 8 or banker >= 8:
        return _outcome(player, banker)
    third, extra, following = PLAYER_STOOD, 0, fifth
    if player_draws(player):
        third, extra, following = fifth, 1, sixth
        player = (player + fifth) % 10
    if BANKER_DRAWS[banker][third]:
        extra += 1
        banker = (banker + following) % 10
    return 3 * extra + _outcome(player, banker)


def _outcome(player: int, banker: int) -> int:
    if player == banker:
        return 2
    return 0 if player > banker else 1
