"""Contributions of seats to a shoe's cut, for rounds and long shoes alike. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import close_cut
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.refusals import CutChangedTooOften

MAX_CUT_CHANGES: Final = 8
"""Maximum contributions of one player to one shoe from one seat: each is an event that is kept for ten years."""


@dataclass(frozen=True, slots=True)
class SeatContribution:
    """A seat's latest contribution in hex, its player and time, and how many that player has made from this seat.

    `public_key` is that of its signature, "" if it is not signed.
    """

    seat: int
    player: UUID
    contribution: str
    change_count: int
    contributed_at: datetime
    public_key: str = ""


SeatContributions = tuple[SeatContribution, ...]


def find_contribution(contributions: SeatContributions, seat: int) -> SeatContribution | None:
    """Return a seat's contribution, None if it has made none."""
    return next((contribution for contribution in contributions if contribution.seat == seat), None)


def is_new_contribution(
    contributions: SeatContributions, *, seat: int, player: UUID, contribution: str, public_key: str
) -> bool:
    """Return whether a contribution differs from the seat's current one. Raises CutChangedTooOften."""
    last = find_contribution(contributions, seat)
    if last is None or last.player != player:
        return True
    if (last.contribution, last.public_key) == (contribution, public_key):
        return False
    if last.change_count >= MAX_CUT_CHANGES:
        raise CutChangedTooOften(max_changes=MAX_CUT_CHANGES)
    return True


def replace_contribution(
    contributions: SeatContributions,
    *,
    seat: int,
    player: UUID,
    contribution: str,
    contributed_at: datetime,
    public_key: str = "",
) -> SeatContributions:
    """Replace a seat's contribution, keeping seats in ascending order."""
    last = find_contribution(contributions, seat)
    change_count = last.change_count + 1 if last is not None and last.player == player else 1
    others = [each for each in contributions if each.seat != seat]
    newest = SeatContribution(seat, player, contribution, change_count, contributed_at, public_key)
    return tuple(sorted((*others, newest), key=lambda each: each.seat))


def as_contributions(contributions: SeatContributions) -> tuple[Contribution, ...]:
    """Return the contributions by seat, ascending, in the form the cut is computed from."""
    return tuple(Contribution(each.seat, each.contribution, each.public_key) for each in contributions)


def own_cut_in_hex(opened: RoundOpened) -> str:
    """Return the cut of a round's own shoe in hex; "" for a round of a long shoe."""
    if opened.commitment is None:
        return ""
    return close_cut(commitment=opened.commitment, witnesses=opened.witnesses, contributions=opened.contributions).hex()
