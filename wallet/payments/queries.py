"""What can be asked about deposits and withdrawals: always within one operator, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountName, debt_account
from wallet.models import Deposit, Withdrawal
from wallet.payments.funding_options import FundingOptions, LastDeposit
from wallet.payments.refusals import UnknownDeposit, UnknownWithdrawal
from wallet.responsible_gaming.projection import decode_restrictions

__all__ = [
    "Deposit",
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
NEWEST: Final = UUID(int=2**128 - 1)


_MEANS: Final = """
    SELECT coalesce((SELECT balance FROM wallet_balance WHERE account_id = %s), 0),
           coalesce((SELECT balance FROM wallet_balance WHERE account_id = %s), 0),
           last.method_id, offered.name, last.amount, offered.enabled,
           (SELECT state::text FROM wallet_playerrestrictions WHERE player_id = %s AND operator_id = %s), clock_timestamp()
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
    """Whose payments: an operator's, or only one player's, in one state where `status` is given."""

    operator: UUID
    player: UUID | None = None
    status: str | None = None

    def filters(self, before: UUID | None) -> dict[str, Any]:
        """Return the conditions for Django's ORM."""
        found: dict[str, Any] = {"operator_id": self.operator, "id__lt": before or NEWEST}
        if self.player is not None:
            found["player_id"] = self.player
        if self.status is not None:
            found["status"] = self.status
        return found


def deposits(where: PaymentFilter, *, before: UUID | None, limit: int) -> list[Deposit]:
    """List deposits made before the one with this id."""
    return list(Deposit.objects.filter(**where.filters(before)).order_by("-id")[:limit])


def withdrawals(where: PaymentFilter, *, before: UUID | None, limit: int) -> list[Withdrawal]:
    """List withdrawals made before the one with this id."""
    return list(Withdrawal.objects.filter(**where.filters(before)).order_by("-id")[:limit])


def open_or_ended_since(
    *, operator: UUID, player: UUID, since: datetime | None
) -> tuple[list[Deposit], list[Withdrawal]]:
    """List a player's payments that are under way, and those that ended from `since` on, newest first.

    None for `since` lists those under way alone; at most MOST of each kind.
    """
    pending = Q(ended_at=None) if since is None else Q(ended_at=None) | Q(ended_at__gte=since)
    filters = PaymentFilter(operator, player).filters(None)
    return (
        list(Deposit.objects.filter(pending, **filters).order_by("-id")[:MAX_PAYMENTS]),
        list(Withdrawal.objects.filter(pending, **filters).order_by("-id")[:MAX_PAYMENTS]),
    )


def load_funding_options(account: AccountName) -> FundingOptions:
    """Read what a player has on an account, owes, and deposited last, in one statement.

    In play money there is nothing to owe and nothing to deposit.
    """
    if account.player is None:
        raise ValueError(f"A {account.kind} account is no player's.")
    real = account.money_type is MoneyType.REAL
    owing = debt_account(
        operator=account.operator, player=account.player, money_type=account.money_type, currency=account.currency
    )
    whose = [account.player, account.operator]
    ((held, owed, method, name, amount, enabled, state, now),) = fetch(
        _MEANS, [account.id, owing.id if real else None, *whose, *whose, account.currency, real]
    )
    last = None if method is None else LastDeposit(method, name, amount, enabled)
    return FundingOptions(held, -owed, last, decode_restrictions(state).active_exclusion(now))


def find_deposit(where: PaymentFilter, deposit: UUID) -> Deposit:
    """Find one deposit. Raises UnknownDeposit, also for another's."""
    found = Deposit.objects.filter(**where.filters(None), pk=deposit).first()
    if found is None:
        raise UnknownDeposit
    return found


def find_withdrawal(where: PaymentFilter, withdrawal: UUID) -> Withdrawal:
    """Find one withdrawal. Raises UnknownWithdrawal, also for another's."""
    found = Withdrawal.objects.filter(**where.filters(None), pk=withdrawal).first()
    if found is None:
        raise UnknownWithdrawal
    return found


def load_last_errors(payments: list[UUID]) -> dict[UUID, str]:
    """Tell what keeps these payments from moving on, for those that something does."""
    rows = fetch(
        "SELECT payment_id, last_error FROM wallet_payment_due WHERE payment_id = ANY (%s::uuid[]) AND last_error <> ''",
        [payments],
    )
    return dict(rows)
