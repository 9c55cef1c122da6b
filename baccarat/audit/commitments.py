"""When the shoe of one round was named: by the opening before its own, so that anybody could see its commitment."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from baccarat.audit.findings import FindingCollector
from baccarat.audit.shoe_commitments import OTHER_SHOE
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.events import RoundOpened, WagerConfirmed
from baccarat.domain.tables.events import TableOpened
from baccarat.queries.narrative import NarrativeLine
from baccarat.storage.event_registry import CATALOGUE
from casino.events.sql import fetch

_BEFORE: Final = """
SELECT type, schema, data::text FROM events_event WHERE version = 1
   AND stream = (SELECT 'round-' || id FROM baccarat_round WHERE table_id = %s AND number = %s)
"""


@dataclass(frozen=True, slots=True)
class ShoeAnnouncement:
    """A shoe as the opening before its round named it, and when that was."""

    shoe: ShoeCommitment
    at: datetime


def find_announcement(round_: RoundOpened, table: TableOpened) -> ShoeAnnouncement | None:
    """Find what was named for a round with a shoe of its own; None where nothing was, or it has none."""
    if round_.commitment is None:
        return None
    opening: RoundOpened | TableOpened | None = table
    if round_.number > 1:
        rows = fetch(_BEFORE, [round_.table, round_.number - 1])
        opening = CATALOGUE.decode(*rows[0]) if rows else None
    if opening is None or opening.next_shoe is None:
        return None
    return ShoeAnnouncement(opening.next_shoe, opening.opened_at)


def check_announcement(round_: RoundOpened, named: ShoeAnnouncement | None, notes: FindingCollector) -> None:
    """Note a round whose shoe is not the one that was named."""
    found = f"{round_.shoe} {round_.commitment}"
    if named is None:
        if round_.commitment is not None:
            notes.add(OTHER_SHOE, f"round {round_.round}", "a shoe named before", found)
    elif (named.shoe.shoe, named.shoe.commitment) != (round_.shoe, round_.commitment):
        notes.add(OTHER_SHOE, f"round {round_.round}", f"{named.shoe.shoe} {named.shoe.commitment}", found)


def narrate_announcement(named: ShoeAnnouncement, events: Iterable[object]) -> NarrativeLine:
    """Tell when a round's shoe was named, and how long that was before the first of its wagers."""
    at = f"{named.at:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"
    wagers = [event.confirmed_at for event in events if isinstance(event, WagerConfirmed)]
    ahead = f", {(min(wagers) - named.at) / timedelta(seconds=1):.3f} seconds before the first wager" if wagers else ""
    return NarrativeLine(1, RoundOpened.__name__, f"That commitment was named with the opening before, at {at}{ahead}.")
