"""Forced cards: a sandbox operator chooses what a round is dealt, to try what its own software does then. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from baccarat.domain.rounds.refusals import CardsNotDealable
from baccarat.domain.rules.cards import Card, parse
from baccarat.domain.rules.deal import replay


@dataclass(frozen=True, slots=True)
class CardsForced:
    """A sandbox operator chose the cards, in deal order, before any seat acted; they come instead of the shoe's.

    The shoe's own cards at their places are dealt to nobody.
    """

    cards: tuple[Card, ...]
    forced_at: datetime


class Scenario(StrEnum):
    """A named round, so that nobody has to look the third-card table up."""

    PLAYER_NATURAL = "player_natural"
    BANKER_NATURAL = "banker_natural"
    TIE = "tie"
    PLAYER_WINS_BY_THIRD_CARD = "player_wins_by_third_card"
    BANKER_WINS_BY_THIRD_CARD = "banker_wins_by_third_card"
    BANKER_DRAWS_ON_SIX = "banker_draws_on_six"
    SIX_CARD_TIE = "six_card_tie"
    PAIRS = "pairs"


SCENARIOS: Final[Mapping[Scenario, tuple[str, ...]]] = {
    Scenario.PLAYER_NATURAL: ("9s", "2d", "Kh", "5c"),
    Scenario.BANKER_NATURAL: ("2d", "8s", "5c", "Kh"),
    Scenario.TIE: ("7s", "7d", "Kh", "Kc"),
    Scenario.PLAYER_WINS_BY_THIRD_CARD: ("2s", "3d", "3h", "4c", "4d"),
    Scenario.BANKER_WINS_BY_THIRD_CARD: ("6s", "2d", "Kh", "3c", "4d"),
    Scenario.BANKER_DRAWS_ON_SIX: ("2s", "2d", "3h", "4c", "6h", "2c"),
    Scenario.SIX_CARD_TIE: ("2s", "Ad", "3h", "2c", "Kd", "2h"),
    Scenario.PAIRS: ("4s", "Kd", "4h", "Kc"),
}


def require_dealable(cards: Sequence[str], *, decks: int) -> tuple[Card, ...]:
    """Return the cards if a round takes exactly these from so many decks. Raises CardsNotDealable."""
    try:
        dealt = replay([parse(card) for card in cards]).cards
    except ValueError as error:
        raise CardsNotDealable(reason=str(error)) from error
    card, count = Counter(dealt).most_common(1)[0]
    if count > decks:
        raise CardsNotDealable(reason=f"{decks} decks have {card} {decks} times, not {count}.")
    return dealt
