"""How the sandbox provider behaves, chosen by the last two digits of an amount's minor units: 50.13 EUR never reports.

A plan says how starting the payment is answered, which statuses follow one another, and how each is reported. Pure.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class StartBehaviour(StrEnum):
    """How the request that starts a payment is answered."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    """422: this payment will never be taken on."""
    FAIL_ONCE = "fail once"
    """503 to the first request, which is forgotten."""
    HANG_ONCE = "hang once"
    """The first request is taken on, but its answer comes too late."""


class SignatureBehaviour(StrEnum):
    """How a report is signed."""

    VALID = "well"
    WRONG = "wrongly"
    MISSING = "not at all"


@dataclass(frozen=True, slots=True)
class StatusStep:
    """A status, reached `after` seconds since the step before, and reported to us `times`."""

    status: str
    after: float = 0.05
    times: int = 1
    signature: SignatureBehaviour = SignatureBehaviour.VALID
    is_stored: bool = True
    """Whether asking answers this status from now on: a late report of an earlier status changes nothing."""


@dataclass(frozen=True, slots=True)
class PaymentPlan:
    """What happens to one payment."""

    steps: tuple[StatusStep, ...] = field(default=(StatusStep("completed"),))
    start: StartBehaviour = StartBehaviour.ACCEPT


PLANS: Final = {
    11: PaymentPlan((StatusStep("failed"),)),
    12: PaymentPlan((StatusStep("completed", after=3.0),)),
    13: PaymentPlan((StatusStep("completed", times=0),)),
    14: PaymentPlan((StatusStep("completed", times=5),)),
    15: PaymentPlan(
        (StatusStep("completed"), StatusStep("pending", is_stored=False), StatusStep("failed", is_stored=False))
    ),
    16: PaymentPlan((StatusStep("completed", signature=SignatureBehaviour.MISSING),)),
    17: PaymentPlan((StatusStep("completed", signature=SignatureBehaviour.WRONG),)),
    18: PaymentPlan(start=StartBehaviour.FAIL_ONCE),
    19: PaymentPlan(start=StartBehaviour.HANG_ONCE),
    21: PaymentPlan((StatusStep("completed"), StatusStep("reversed", after=1.0))),
    22: PaymentPlan(start=StartBehaviour.REFUSE),
}
"""11 fails, 12 delayed, 13 never reported, 14 five times, 15 out of order, 16 unsigned, 17 wrongly signed, 18 answered
503 at first, 19 answered too late at first, 21 reversed after a second, 22 refused. Any other amount completes."""


def plan_for(amount: str) -> PaymentPlan:
    """Choose the plan for an amount, a decimal string."""
    digits = amount.replace(".", "")
    return PLANS.get(int(digits[-2:]), PaymentPlan())
