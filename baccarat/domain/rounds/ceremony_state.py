"""The Caller's ceremony as it stands, and how each of its events moves it."""

from dataclasses import dataclass, replace
from datetime import datetime

from baccarat.domain.rounds import ceremony_events as ce


@dataclass(frozen=True, slots=True)
class Ceremony:
    """The Player's cards with a seat: until when, whether it has looked, and who ended it (None: it has them)."""

    seat: int
    until: datetime
    looked_at: datetime | None = None
    handed_back: ce.HandedBackBy | None = None


def evolve(ceremony: Ceremony | None, event: ce.CeremonyEvent) -> Ceremony | None:
    """Apply one event. A hand turned over changes nothing: the cards dealt follow at once."""
    match event:
        case ce.CardsHandedOut():
            return Ceremony(seat=event.seat, until=event.until)
        case ce.CardsLookedAt():
            return Ceremony(seat=event.seat, until=event.until, looked_at=event.looked_at)
        case ce.CardsHandedBack():
            return None if ceremony is None else replace(ceremony, handed_back=event.by)
        case ce.HandTurned():
            return ceremony
