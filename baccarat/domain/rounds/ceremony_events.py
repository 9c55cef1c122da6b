"""Events of the Caller's ceremony, between the close of betting and the deal (rules, section 3).

The Player's two cards lie face down in front of one seat, which may look at them and hands them back. No event before
`HandTurned` names a card.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baccarat.domain.rules.cards import Card


class HandedBackBy(StrEnum):
    """How the seat's time with the cards ended."""

    PLAYER = "player"
    TIME = "time"


class Side(StrEnum):
    """The Player's or the Banker's hand."""

    PLAYER = "player"
    BANKER = "banker"


@dataclass(frozen=True, slots=True)
class CardsHandedOut:
    """The Player's two cards went face down to the seat with the highest Player wager, which has them until `until`."""

    seat: int
    handed_out_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CardsLookedAt:
    """The seat looked at its cards; it has until `until` to hand them back."""

    seat: int
    looked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CardsHandedBack:
    """The cards are with the Caller again."""

    seat: int
    by: HandedBackBy
    handed_back_at: datetime


@dataclass(frozen=True, slots=True)
class HandTurned:
    """The Caller turned a hand's first two cards over; the Player's hand comes first."""

    side: Side
    cards: tuple[Card, ...]


CeremonyEvent = CardsHandedOut | CardsLookedAt | CardsHandedBack | HandTurned
