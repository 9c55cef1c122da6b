"""State of the Caller's ceremony, and how each event changes it."""

from dataclasses import dataclass, replace
from datetime import datetime

from baccarat.domain.rounds import ceremony_events as ce


@dataclass(frozen=True, slots=True)
class Ceremony:
    """A seat's turn with the Player's cards: its deadline, whether it has looked, and how it ended (None: still
    running).
    """

    seat: int
    until: datetime
    looked_at: datetime | None = None
    handed_back: ce.HandedBackBy | None = None


def evolve(ceremony: Ceremony | None, event: ce.CeremonyEvent) -> Ceremony | None:
    """Apply one event. Turning over a hand changes nothing, because the deal follows at once."""
    match event:
        case ce.CardsHandedOut():
            return Ceremony(seat=event.seat, until=event.until)
        case ce.CardsLookedAt():
            return Ceremony(seat=event.seat, until=event.until, looked_at=event.looked_at)
        case ce.CardsHandedBack():
            return None if ceremony is None else replace(ceremony, handed_back=event.by)
        case ce.HandTurned():
            return ceremony
