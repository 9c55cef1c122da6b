"""A measurement: our rates and a peer's, taken in turns in one run, and the ratio of each pair. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from statistics import median

Turn = Callable[[], float]
"""One repetition of one side: returns its rate, per second."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Rates per second of `unit`, one for each repetition. The target is for the ratio, or for our rate.

    With `target_is_most` they are no rates but figures that should be small, such as milliseconds. A `table`
    begins with its headings.
    """

    name: str
    unit: str
    ours: tuple[float, ...]
    peer: tuple[float, ...] = ()
    peer_name: str = "no peer"
    target: float | None = None
    target_is_rate: bool = False
    target_is_most: bool = False
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()

    @property
    def our_rate(self) -> float:
        """Return the median of our rates; held against a rate, the best of them.

        Other work on the machine slows a peer down as much as us, and cancels out in the ratios. It can only make a
        rate without a peer lower, so the best rate is the closest.
        """
        return max(self.ours) if self.target_is_rate else median(self.ours)

    @property
    def peer_rate(self) -> float | None:
        """Return the median of the peer's rates, None without a peer."""
        return median(self.peer) if self.peer else None

    @property
    def ratio(self) -> float | None:
        """Return the median of ours over the peer's, repetition by repetition; None without a peer."""
        return median(one / other for one, other in zip(self.ours, self.peer, strict=True)) if self.peer else None

    @property
    def reached(self) -> bool | None:
        """Return whether the target is reached; None without a target, or without the peer that it refers to."""
        if self.target_is_most and self.target is not None:
            return self.our_rate <= self.target
        reached = self.our_rate if self.target_is_rate else self.ratio
        return None if self.target is None or reached is None else reached >= self.target


def in_turns(ours: Turn, peer: Turn | None, *, repeats: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Run ours, the peer, ours, the peer ... and return the rates of both; the peer's are empty without one.

    In turns, because a machine that others use too is not the same machine a minute later.
    """
    own: list[float] = []
    others: list[float] = []
    for _ in range(repeats):
        own.append(ours())
        if peer is not None:
            others.append(peer())
    return tuple(own), tuple(others)


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` (0 to 1) of the values do not exceed, by nearest rank."""
    ranked = sorted(values)
    return ranked[max(0, ceil(share * len(ranked)) - 1)]
