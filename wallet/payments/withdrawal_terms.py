"""An operator's withdrawal policy: bounds, fees and approvals. Pure."""

from dataclasses import dataclass, field

from casino.kernel import money
from wallet.payments.fees import MILLION, Quote, fee_of
from wallet.payments.refusals import (
    FeeExceedsAmount,
    InvalidWithdrawalPolicy,
    TooManyWithdrawals,
    WithdrawalTooLarge,
    WithdrawalTooSmall,
)


@dataclass(frozen=True, slots=True)
class WithdrawalTerms:
    """Bounds and fees in minor units; None for no bound. `fee_ppm` is a share of the amount in parts per million.

    A player may have `max_pending` withdrawals at once.
    """

    minimum: int = 1
    maximum: int | None = None
    max_pending: int | None = None
    fee_fixed: int = 0
    fee_ppm: int = 0


@dataclass(frozen=True, slots=True)
class WithdrawalPolicy:
    """Withdrawals up to `auto_approve_up_to` need no approval, those above `second_approval_above` need two."""

    auto_approve_up_to: int = 0
    second_approval_above: int = 0
    version: int = 0
    terms: WithdrawalTerms = field(default_factory=WithdrawalTerms)

    def approvals_required(self, amount: int) -> int:
        """Return how many members of staff have to approve a withdrawal."""
        if amount <= self.auto_approve_up_to:
            return 0
        return 1 if amount <= self.second_approval_above else 2


def quote(terms: WithdrawalTerms, amount: int, *, currency: str) -> Quote:
    """Quote a withdrawal of minor units. Raises WithdrawalTooSmall, WithdrawalTooLarge, FeeExceedsAmount."""
    if amount < terms.minimum:
        raise WithdrawalTooSmall(minimum=money.format_amount(terms.minimum, currency), currency=currency)
    if terms.maximum is not None and amount > terms.maximum:
        raise WithdrawalTooLarge(maximum=money.format_amount(terms.maximum, currency), currency=currency)
    fee = fee_of(terms.fee_fixed, terms.fee_ppm, amount)
    if fee >= amount:
        raise FeeExceedsAmount(fee=fee, currency=currency)
    return Quote(amount, fee, amount - fee)


def require_capacity(terms: WithdrawalTerms, *, pending_count: int) -> None:
    """Check that one more withdrawal may be requested. Raises TooManyWithdrawals."""
    if terms.max_pending is not None and pending_count >= terms.max_pending:
        raise TooManyWithdrawals(max_pending=terms.max_pending, pending_count=pending_count)


def require_valid_policy(policy: WithdrawalPolicy) -> None:
    """Check a policy. Raises InvalidWithdrawalPolicy."""
    terms = policy.terms
    ordered = 0 <= policy.auto_approve_up_to <= policy.second_approval_above
    bounded = 0 < terms.minimum <= (money.MAX_AMOUNT if terms.maximum is None else terms.maximum)
    room = terms.max_pending is None or terms.max_pending > 0
    if not (ordered and bounded and room and terms.fee_fixed >= 0 and 0 <= terms.fee_ppm < MILLION):
        raise InvalidWithdrawalPolicy
