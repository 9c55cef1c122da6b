"""How the sandbox provider behaves, chosen by the last two digits of an amount's minor units: 50.13 EUR never reports.

A plan says how starting the payment is answered, which statuses follow one another, and how each is reported. Pure.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Start(StrEnum):
    """How the request that starts a payment is answered."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    """422: this payment will never be taken on."""
    FAIL_ONCE = "fail once"
    """503 to the first request, which is forgotten."""
    HANG_ONCE = "hang once"
    """The first request is taken on, but its answer comes too late."""


class Signed(StrEnum):
    """How a report is signed."""

    WELL = "well"
    WRONGLY = "wrongly"
    NOT_AT_ALL = "not at all"


@dataclass(frozen=True, slots=True)
class Step:
    """A status, reached `after` seconds since the step before, and reported to us `times`."""

    status: str
    after: float = 0.05
    times: int = 1
    signed: Signed = Signed.WELL
    kept: bool = True
    """Whether asking answers this status from now on: a late report of an earlier status changes nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to one payment."""

    steps: tuple[Step, ...] = field(default=(Step("completed"),))
    start: Start = Start.ACCEPT


PLANS: Final = {
    11: Plan((Step("failed"),)),
    12: Plan((Step("completed", after=3.0),)),
    13: Plan((Step("completed", times=0),)),
    14: Plan((Step("completed", times=5),)),
    15: Plan((Step("completed"), Step("pending", kept=False), Step("failed", kept=False))),
    16: Plan((Step("completed", signed=Signed.NOT_AT_ALL),)),
    17: Plan((Step("completed", signed=Signed.WRONGLY),)),
    18: Plan(start=Start.FAIL_ONCE),
    19: Plan(start=Start.HANG_ONCE),
    21: Plan((Step("completed"), Step("reversed", after=1.0))),
    22: Plan(start=Start.REFUSE),
}
"""11 fails, 12 delayed, 13 never reported, 14 five times, 15 out of order, 16 unsigned, 17 wrongly signed, 18 answered
503 at first, 19 answered too late at first, 21 reversed after a second, 22 refused. Any other amount completes."""


def plan_for(amount: str) -> Plan:
    """Choose the plan for an amount, a decimal string."""
    digits = amount.replace(".", "")
    return PLANS.get(int(digits[-2:]), Plan())
