"""Our payments of a day beside a provider's records of it. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from wallet.payments.provider_reports import Kind, Said
from wallet.reconciliation.events import DifferenceKind

Key = tuple[Kind, str]

AGREES: Final[Mapping[str, frozenset[Said]]] = {
    "pending": frozenset({Said.PENDING}),
    "completed": frozenset({Said.COMPLETED}),
    "failed": frozenset({Said.FAILED}),
    "reversed": frozenset({Said.REVERSED}),
    "sent": frozenset({Said.PENDING}),
    "paid": frozenset({Said.COMPLETED}),
    "returned": frozenset({Said.FAILED, Said.REVERSED}),
}
"""Which of a provider's states each of ours goes with; any other of ours goes with none."""


@dataclass(frozen=True, slots=True)
class Ours:
    """A payment as we have it; `expected` says that the provider must have it too."""

    kind: Kind
    payment: str
    reference: str
    state: str
    amount: int
    currency: str
    expected: bool


@dataclass(frozen=True, slots=True)
class Theirs:
    """A payment as the provider has it."""

    kind: Kind
    payment: str
    reference: str
    said: Said
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One payment about which the sides differ in one way; what a side does not have is None."""

    what: DifferenceKind
    ours: Ours | None
    theirs: Theirs | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole day: how many payments each side has, how many agree, what these add up to, and what differs."""

    ours: int
    theirs: int
    matched: int
    amount: int
    differences: tuple[Difference, ...]


def compare(ours: Iterable[Ours], theirs: Iterable[Theirs]) -> Outcome:
    """Compare both sides by kind and our id; a payment that differs in two ways is two differences."""
    here = {(each.kind, each.payment): each for each in ours}
    there = {(each.kind, each.payment): each for each in theirs}
    differences: list[Difference] = []
    agreed: list[Ours] = []
    for key in sorted(here.keys() | there.keys()):
        mine, other = here.get(key), there.get(key)
        found = _between(mine, other)
        differences.extend(Difference(what, mine, other) for what in found)
        if mine is not None and other is not None and not found:
            agreed.append(mine)
    amount = sum(each.amount if each.kind is Kind.DEPOSIT else -each.amount for each in agreed)
    expected = sum(each.expected for each in here.values())
    return Outcome(expected, len(there), len(agreed), amount, tuple(differences))


def _between(mine: Ours | None, other: Theirs | None) -> list[DifferenceKind]:
    if mine is None:
        return [DifferenceKind.MISSING_HERE]
    if other is None:
        return [DifferenceKind.MISSING_THERE] if mine.expected else []
    found = []
    if (mine.amount, mine.currency) != (other.amount, other.currency):
        found.append(DifferenceKind.AMOUNT_DIFFERS)
    if other.said not in AGREES.get(mine.state, ()):
        found.append(DifferenceKind.STATE_DIFFERS)
    return found
