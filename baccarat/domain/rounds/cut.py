"""What seats have contributed to a shoe so far, for rounds and long shoes alike. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution, cut
from baccarat.domain.rounds.refusals import CutGivenTooOften

MOST_CHANGES: Final = 8
"""How often one player may speak to one shoe from one seat: each word is an event that is kept for ten years."""


@dataclass(frozen=True, slots=True)
class Given:
    """A seat's last contribution, in hex, by whom, and how many that player gave from there."""

    seat: int
    player: UUID
    contribution: str
    times: int


GivenCuts = tuple[Given, ...]


def of_seat(given: GivenCuts, seat: int) -> Given | None:
    """Find a seat's contribution, None where it has given none."""
    return next((each for each in given if each.seat == seat), None)


def changes(given: GivenCuts, *, seat: int, player: UUID, contribution: str) -> bool:
    """Tell whether a contribution differs from what the seat has given. Raises CutGivenTooOften."""
    last = of_seat(given, seat)
    if last is None or last.player != player:
        return True
    if last.contribution == contribution:
        return False
    if last.times >= MOST_CHANGES:
        raise CutGivenTooOften(most=MOST_CHANGES)
    return True


def after(given: GivenCuts, *, seat: int, player: UUID, contribution: str) -> GivenCuts:
    """Put a seat's contribution in place of its last one; seats ascend."""
    last = of_seat(given, seat)
    times = last.times + 1 if last is not None and last.player == player else 1
    others = [each for each in given if each.seat != seat]
    return tuple(sorted((*others, Given(seat, player, contribution, times)), key=lambda each: each.seat))


def listed(given: GivenCuts) -> tuple[Contribution, ...]:
    """List the contributions by seat, ascending, as they are fixed."""
    return tuple(Contribution(each.seat, each.contribution) for each in given)


def cut_of(shoe: UUID, contributions: Sequence[Contribution]) -> str:
    """Fix the cut of a shoe, in hex; "" where nobody contributed."""
    return cut(shoe, contributions).hex()
