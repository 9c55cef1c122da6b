"""Numbers in the admin's side bar: how much of what one works on waits for a person. Counted to a hundred."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest

from casino.admin import scope
from wallet.models import Adjustment, Difference, Withdrawal

MOST: Final = 100


def withdrawals(request: HttpRequest) -> str:
    """This will count withdrawals that wait for review."""
    return _waiting(request, "wallet.view_withdrawal", Withdrawal.objects.filter(status="requested"))


def adjustments(request: HttpRequest) -> str:
    """This will count adjustments that wait for another person."""
    return _waiting(request, "wallet.view_adjustment", Adjustment.objects.filter(status="requested"))


def differences(request: HttpRequest) -> str:
    """This will count differences from providers' records that nobody has resolved."""
    return _waiting(request, "wallet.view_difference", Difference.objects.filter(status__in=["open", "assigned"]))


def _waiting(request: HttpRequest, permission: str, rows: QuerySet[Any]) -> str:
    if not request.user.has_perm(permission):
        return ""
    count = scope.within(rows, request)[:MOST].count()
    return f"{count}+" if count == MOST else str(count or "")
