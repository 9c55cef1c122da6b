"""Policies by which money leaves as soon as it came, for tests that are not about play before a withdrawal."""

from typing import Any, Final
from uuid import UUID

from tests.support.acts import agreed
from wallet.payments import methods
from wallet.payments.gate import HoldTerms

UNPLAYED: Final = HoldTerms(played_ppm=0)


def pay_unplayed(operator: UUID, *, automatic: int = 0, second: int = 0, currency: str = "EUR", **terms: Any) -> None:
    """Set an operator's policy: no approval up to one amount, two above the other, and no play needed."""
    with agreed():
        methods.set_policy(
            operator=operator,
            currency=currency,
            auto_approve_up_to=automatic,
            second_approval_above=second,
            actor="staff:1",
            **{"holds": UNPLAYED, **terms},
        )
