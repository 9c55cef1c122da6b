"""What seats have contributed to a shoe so far, for rounds and long shoes alike. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution, compute_cut
from baccarat.domain.rounds.refusals import CutChangedTooOften

MAX_CUT_CHANGES: Final = 8
"""How often one player may speak to one shoe from one seat: each word is an event that is kept for ten years."""


@dataclass(frozen=True, slots=True)
class SeatContribution:
    """A seat's last contribution, in hex, by whom, and how many that player gave from there."""

    seat: int
    player: UUID
    contribution: str
    change_count: int


SeatContributions = tuple[SeatContribution, ...]


def find_contribution(contributions: SeatContributions, seat: int) -> SeatContribution | None:
    """Find a seat's contribution, None where it has given none."""
    return next((each for each in contributions if each.seat == seat), None)


def is_new_contribution(contributions: SeatContributions, *, seat: int, player: UUID, contribution: str) -> bool:
    """Tell whether a contribution differs from what the seat has given. Raises CutGivenTooOften."""
    last = find_contribution(contributions, seat)
    if last is None or last.player != player:
        return True
    if last.contribution == contribution:
        return False
    if last.change_count >= MAX_CUT_CHANGES:
        raise CutChangedTooOften(most=MAX_CUT_CHANGES)
    return True


def replace_contribution(
    contributions: SeatContributions, *, seat: int, player: UUID, contribution: str
) -> SeatContributions:
    """Put a seat's contribution in place of its last one; seats ascend."""
    last = find_contribution(contributions, seat)
    times = last.change_count + 1 if last is not None and last.player == player else 1
    others = [each for each in contributions if each.seat != seat]
    return tuple(sorted((*others, SeatContribution(seat, player, contribution, times)), key=lambda each: each.seat))


def as_contributions(contributions: SeatContributions) -> tuple[Contribution, ...]:
    """List the contributions by seat, ascending, as they are fixed."""
    return tuple(Contribution(each.seat, each.contribution) for each in contributions)


def cut_in_hex(shoe: UUID, contributions: Sequence[Contribution]) -> str:
    """Fix the cut of a shoe, in hex; "" where nobody contributed."""
    return compute_cut(shoe, contributions).hex()
