"""Events of a table's witnesses: their chains, what follows on these, and the links of long shoes. A stored contract.

The links of rounds are events of the rounds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.fairness.links import SignedRelease, links_of
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import WitnessIndex


@dataclass(frozen=True, slots=True)
class ShoeCutClosed:
    """The cut of the committed long shoe is closed with the table's witnesses, whose links its order follows from."""

    shoe: UUID
    closed_at: datetime
    witnesses: tuple[WitnessIndex, ...]
    closing: Closing


@dataclass(frozen=True, slots=True)
class ShoeLinksReleased:
    """The witnesses gave out their links for a long shoe against the closing of its cut."""

    shoe: UUID
    releases: tuple[SignedRelease, ...]


@dataclass(frozen=True, slots=True)
class WitnessChainOpened:
    """A witness made a chain of links for the table: the header of the chain with both signatures, in hex.

    Shoes committed to from now on use its links, one each, in order. A chain of a witness that has one at this table
    already follows on it.
    """

    header: str
    signature: str
    house_signature: str
    opened_at: datetime


class ReplacementReason(StrEnum):
    """Why a witness's chains are not used any more, as everybody may know."""

    AWAY = "away"
    RETIRED = "retired"
    WRONG_ANSWERS = "wrong_answers"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True)
class DiscardedShoe:
    """A long shoe that never started because its links were not given out; `seed` in hex, None if it is unreadable."""

    shoe: UUID
    seed: str | None


@dataclass(frozen=True, slots=True)
class WitnessChainsReplaced:
    """The table uses no more links of a witness: of each of its chains none from `index` on.

    The chain `successor`, of this or another witness, is opened by the next event, and the next commitment uses its
    first link. The rounds that are committed to with links of the ended chains are void.
    """

    ended: tuple[WitnessIndex, ...]
    successor: str
    reason: ReplacementReason
    discarded: DiscardedShoe | None
    replaced_at: datetime


def links_of_shoe(shoe: UUID, events: Iterable[object]) -> tuple[Link, ...]:
    """Return the links that a started long shoe's order follows from, none at a table without witnesses."""
    closed: ShoeCutClosed | None = None
    for event in events:
        match event:
            case ShoeCutClosed() if event.shoe == shoe:
                closed = event
            case ShoeLinksReleased() if event.shoe == shoe and closed is not None:
                return links_of(closed.witnesses, event.releases)
    return ()
