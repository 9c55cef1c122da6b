"""The gate before every payout: which causes keep money from leaving. Pure.

It is asked when a withdrawal is requested, approved and sent, each time under the lock of the player's account. A
self-exclusion is no cause: it never holds money.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MILLION: Final = 10**6
FAILED: Final = "failed"
VERIFIED: Final = "verified"


class CauseKind(StrEnum):
    """Why a payment is held. Values may be added."""

    OPEN_CASE = "open_case"
    KYC_FAILED = "kyc_failed"
    KYC_MISSING = "kyc_missing"
    SANCTIONS = "sanctions"
    PEP = "pep"
    TAG = "tag"
    EXCLUDED_BY_HOUSE = "excluded_by_house"
    FROZEN = "frozen"
    UNPLAYED = "unplayed"
    DAILY_CAP = "daily_cap"
    DAILY_WINS = "daily_wins"


CAUSE_LABELS: Final = {
    CauseKind.OPEN_CASE: "open case",
    CauseKind.KYC_FAILED: "KYC failed",
    CauseKind.KYC_MISSING: "KYC missing",
    CauseKind.SANCTIONS: "sanctions list",
    CauseKind.PEP: "politically exposed",
    CauseKind.TAG: "tag",
    CauseKind.EXCLUDED_BY_HOUSE: "excluded by the house",
    CauseKind.FROZEN: "frozen",
    CauseKind.UNPLAYED: "too little staked",
    CauseKind.DAILY_CAP: "beyond the day's cap",
    CauseKind.DAILY_WINS: "wins beyond the day's cap",
}
"""What staff read of a cause."""

_KEEPING: Final = frozenset({CauseKind.OPEN_CASE, CauseKind.FROZEN})


@dataclass(frozen=True, slots=True)
class HoldTerms:
    """When an operator holds payments, and for how long compliance has time.

    As a share of each deposit, `played_ppm` parts per million have to be staked before money leaves. The identity has
    to be verified for payments above `kyc_above`, None for any. A player with one of `tags` is held.
    """

    played_ppm: int = MILLION
    kyc_above: int | None = None
    hours: int = 72
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MoneyFlow:
    """What came in at once, less than zero for what was paid out, and what was staked from then until the next one."""

    credited: int
    staked: int


@dataclass(frozen=True, slots=True)
class PayoutFacts:
    """What the gate judges by. `statuses` are those of a screening, `released` the causes that compliance accepted.

    `over_cap` says that it is about to leave and exceeds the operator's cap of the day; `wins_over_cap`, that what all
    players won today does.
    """

    amount: int
    terms: HoldTerms
    cases: Collection[str] = ()
    kyc: str = "unknown"
    statuses: Collection[str] = ()
    tags: Collection[str] = ()
    excluded_by_house: bool = False
    frozen: bool = False
    moved: Collection[MoneyFlow] = ()
    released: Collection[str] = field(default=())
    over_cap: bool = False
    wins_over_cap: bool = False


def causes(facts: PayoutFacts) -> tuple[str, ...]:
    """Return the causes that hold a payment, in a fixed order; none where it is allowed.

    What was released holds it no more, except for a freeze: it ends by being lifted.
    """
    return tuple(each for each in _all_causes(facts) if each == CauseKind.FROZEN or each not in facts.released)


def keeps_from_cancelling(held: Iterable[str]) -> bool:
    """Return whether the player may not cancel a payment with these causes, by which the money could be played."""
    return any(kind_of(each) in _KEEPING for each in held)


def kind_of(cause: str) -> CauseKind:
    """Return the kind of a cause: its first word."""
    return CauseKind(cause.partition(":")[0])


def unplayed(moved: Iterable[MoneyFlow], played_ppm: int) -> int:
    """Return how much more has to be staked, in minor units.

    Each deposit adds its share and each stake takes from what is still to be staked, so play before a deposit never
    counts for it. What was paid out needs no play any more.
    """
    owed = 0
    for each in moved:
        owed = max(0, owed + each.credited * played_ppm)
        owed = max(0, owed - each.staked * MILLION)
    return -(-owed // MILLION)


def _all_causes(facts: PayoutFacts) -> Iterator[str]:
    yield from (f"{CauseKind.OPEN_CASE}:{case}" for case in sorted(set(facts.cases)))
    above = facts.terms.kyc_above
    if facts.kyc == FAILED:
        yield CauseKind.KYC_FAILED.value
    elif facts.kyc != VERIFIED and above is not None and facts.amount > above:
        yield CauseKind.KYC_MISSING.value
    yield from (status.value for status in (CauseKind.SANCTIONS, CauseKind.PEP) if status in facts.statuses)
    yield from (f"{CauseKind.TAG}:{tag}" for tag in sorted(set(facts.terms.tags) & set(facts.tags)))
    if facts.excluded_by_house:
        yield CauseKind.EXCLUDED_BY_HOUSE.value
    if facts.frozen:
        yield CauseKind.FROZEN.value
    if unplayed(facts.moved, facts.terms.played_ppm):
        yield CauseKind.UNPLAYED.value
    if facts.over_cap:
        yield CauseKind.DAILY_CAP.value
    if facts.wins_over_cap:
        yield CauseKind.DAILY_WINS.value
