"""What waits of payments, corrections and differences, for the admin's side bar."""

from typing import Final

from casino.backoffice.badges import Waiting
from wallet.models import Adjustment, Discrepancy, Withdrawal

withdrawals: Final = Waiting("wallet.view_withdrawal", lambda: Withdrawal.objects.filter(status="requested"))
"""Withdrawals that wait for review."""
adjustments: Final = Waiting("wallet.view_adjustment", lambda: Adjustment.objects.filter(status="requested"))
"""Adjustments that wait for another person."""
differences: Final = Waiting(
    "wallet.view_discrepancy", lambda: Discrepancy.objects.filter(status__in=["open", "assigned"])
)
"""Differences from providers' records that nobody has resolved."""
