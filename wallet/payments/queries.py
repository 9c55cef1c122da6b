"""Read deposits and withdrawals of one operator, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from casino.events.periods import period_conditions
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountName, debt_account
from wallet.models import Deposit, Hold, Withdrawal
from wallet.payments.funding_options import FundingOptions, LastDeposit
from wallet.payments.refusals import UnknownDeposit, UnknownWithdrawal
from wallet.payments.withdrawal_state import IN_REVIEW, WithdrawalStatus
from wallet.responsible_gaming.projection import decode_restrictions

__all__ = [
    "Deposit",
    "Hold",
    "PaymentFilter",
    "Withdrawal",
    "deposits",
    "find_deposit",
    "find_withdrawal",
    "load_funding_options",
    "load_last_errors",
    "open_or_ended_since",
    "withdrawals",
]

MAX_PAYMENTS: Final = 50
_LAST_ERRORS: Final = """
    SELECT payment_id, error FROM wallet_payment_due
     WHERE payment_id = ANY (%s::uuid[]) AND error <> ''
"""
_FUNDING: Final = """
    SELECT coalesce((SELECT balance FROM wallet_balance WHERE account_id = %s), 0),
           coalesce((SELECT balance FROM wallet_balance WHERE account_id = %s), 0),
           last.method_id, offered.name, last.amount, offered.enabled,
           (SELECT state::text FROM wallet_playerrestrictions WHERE player_id = %s AND operator_id = %s),
           clock_timestamp(), NOT EXISTS (SELECT FROM wallet_funding WHERE operator_id = %s AND funding <> 'house')
      FROM (SELECT) AS always
      LEFT JOIN LATERAL (SELECT method_id, operator_id, amount FROM wallet_deposit
                          WHERE player_id = %s AND operator_id = %s AND currency = %s AND %s
                          ORDER BY id DESC LIMIT 1) AS last ON true
      LEFT JOIN LATERAL (SELECT name, enabled FROM wallet_deposit_method
                          WHERE method_id = last.method_id AND operator_id = last.operator_id
                          ORDER BY version DESC LIMIT 1) AS offered ON true
"""


@dataclass(frozen=True, slots=True)
class PaymentFilter:
    """Payments of an operator; of one player, in one status, or requested in a period, where given."""

    operator: UUID
    player: UUID | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def filters(self, before: UUID | None) -> dict[str, Any]:
        """Return the conditions for Django's ORM. Raises PeriodReversed."""
        waits = self.status == IN_REVIEW
        chosen = {
            "operator_id": self.operator,
            "player_id": self.player,
            "status": None if waits else self.status,
            "status__in": [WithdrawalStatus.REQUESTED, WithdrawalStatus.HELD] if waits else None,
        }
        return {
            **{name: value for name, value in chosen.items() if value is not None},
            **period_conditions("requested_at", since=self.since, until=self.until, before=before),
        }


def deposits(where: PaymentFilter, *, before: UUID | None, limit: int) -> list[Deposit]:
    """List deposits made before the one with this id."""
    return list(Deposit.objects.filter(**where.filters(before)).order_by("-id")[:limit])


def withdrawals(where: PaymentFilter, *, before: UUID | None, limit: int) -> list[Withdrawal]:
    """List withdrawals made before the one with this id."""
    return list(Withdrawal.objects.filter(**where.filters(before)).order_by("-id")[:limit])


def open_or_ended_since(
    *, operator: UUID, player: UUID, since: datetime | None
) -> tuple[list[Deposit], list[Withdrawal]]:
    """List a player's pending payments and those that ended from `since` on, newest first.

    None for `since` lists only pending ones. Lists at most MAX_PAYMENTS of each kind.
    """
    pending = Q(ended_at=None) if since is None else Q(ended_at=None) | Q(ended_at__gte=since)
    filters = PaymentFilter(operator, player).filters(None)
    return (
        list(Deposit.objects.filter(pending, **filters).order_by("-id")[:MAX_PAYMENTS]),
        list(Withdrawal.objects.filter(pending, **filters).order_by("-id")[:MAX_PAYMENTS]),
    )


def load_funding_options(account: AccountName) -> FundingOptions:
    """Read a player's balance, debt and last deposit, in one statement; play money has no debt and no deposits."""
    if account.player is None:
        raise ValueError(f"A {account.kind} account does not belong to a player.")
    real = account.money_type is MoneyType.REAL
    debt = debt_account(
        operator=account.operator, player=account.player, money_type=account.money_type, currency=account.currency
    )
    owner = [account.player, account.operator]
    ((balance, owed, method, name, amount, enabled, state, now, by_deposit),) = fetch(
        _FUNDING,
        [account.id, debt.id if real else None, *owner, account.operator, *owner, account.currency, real],
    )
    last = None if method is None else LastDeposit(method, name, amount, enabled)
    return FundingOptions(balance, -owed, last, decode_restrictions(state).active_exclusion(now), by_deposit)


def find_deposit(where: PaymentFilter, deposit: UUID) -> Deposit:
    """Find one deposit. Raises UnknownDeposit, also for another's."""
    row = Deposit.objects.filter(**where.filters(None), pk=deposit).first()
    if row is None:
        raise UnknownDeposit
    return row


def find_withdrawal(where: PaymentFilter, withdrawal: UUID) -> Withdrawal:
    """Find one withdrawal. Raises UnknownWithdrawal, also for another's."""
    row = Withdrawal.objects.filter(**where.filters(None), pk=withdrawal).first()
    if row is None:
        raise UnknownWithdrawal
    return row


def load_last_errors(payments: list[UUID]) -> dict[UUID, str]:
    """Return the last error of each of these payments that has one."""
    return dict(fetch(_LAST_ERRORS, [payments]))
