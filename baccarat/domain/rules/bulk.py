"""Bulk dealing: plays out whole shoes with one table look-up per round, for simulations and statistics.

Only points affect the result (rules, section 2), so the next six cards of a shoe are a number from 000000 to 999999.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.cards import POINTS, Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.tableau import BANKER_DRAWS, PLAYER_STOOD, player_draws

OUTCOMES: Final = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
MAX_CARDS_PER_ROUND: Final = 6
_DIGIT: Final = {card: str(points) for card, points in POINTS.items()}.__getitem__
_TAKES: Final = (4, 4, 4, 5, 5, 5, 6, 6, 6)
"""Number of cards in a round, by its result."""


def play_out(shoe: Sequence[Card], *, until: int | None = None) -> dict[Outcome, int]:
    """Deal rounds from the front of a shoe and count their outcomes.

    A round begins while fewer than `until` cards have been dealt (by default, while six remain, the most a round
    takes).
    """
    last = len(shoe) - MAX_CARDS_PER_ROUND if until is None else min(until - 1, len(shoe) - MAX_CARDS_PER_ROUND)
    digits, results, takes = "".join(map(_DIGIT, shoe)), _results(), _TAKES
    counts, position = [0] * 9, 0
    while position <= last:
        result = results[int(digits[position : position + 6])]
        counts[result] += 1
        position += takes[result]
    return {outcome: sum(counts[place::3]) for place, outcome in enumerate(OUTCOMES)}


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
