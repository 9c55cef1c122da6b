"""How the sandbox provider behaves, chosen by the last two digits of an amount's minor units: 50.13 EUR never reports.

A plan defines the response to starting the payment, the sequence of statuses, and how each is reported.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class StartBehaviour(StrEnum):
    """The response to the request that starts a payment."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    """422: the payment is refused for good."""
    FAIL_ONCE = "fail once"
    """503 to the first request, which is not stored."""
    HANG_ONCE = "hang once"
    """The first request is accepted, but its response comes too late."""


class SignatureBehaviour(StrEnum):
    """How a callback is signed."""

    VALID = "valid"
    WRONG = "wrong"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class StatusStep:
    """A status, reached `after` seconds after the previous step, and reported `times`."""

    status: str
    after: float = 0.05
    times: int = 1
    signature: SignatureBehaviour = SignatureBehaviour.VALID
    is_stored: bool = True
    """Whether queries return this status from now on; a late report of an earlier status changes nothing."""


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
"""11 fails, 12 delayed, 13 never reported, 14 five times, 15 out of order, 16 unsigned, 17 wrongly signed, 18 gets
503 at first, 19 a late response at first, 21 reversed after a second, 22 refused. Any other amount completes."""


def plan_for(amount: str) -> PaymentPlan:
    """Choose the plan for an amount, a decimal string."""
    digits = amount.replace(".", "")
    return PLANS.get(int(digits[-2:]), PaymentPlan())
