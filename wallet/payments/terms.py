"""Terms of deposits and withdrawals: bounds, fees, quotes, and the approvals that a withdrawal needs. Pure.

A fee is a fixed part plus a share of the amount in parts per million: 2.5 % is 25000. It is rounded up once to a whole
minor unit: 2.5 % of 0.30 EUR is 0.01 EUR.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from casino.kernel import money
from wallet.payments.gate import HoldTerms
from wallet.payments.refusals import (
    AmountOutOfRange,
    FeeExceedsAmount,
    InvalidDepositMethod,
    InvalidWithdrawalPolicy,
    TooManyWithdrawals,
    WithdrawalTooLarge,
    WithdrawalTooSmall,
)

MILLION: Final = 10**6
PERCENT: Final = MILLION // 100
MOST_PLAYED: Final = 10 * MILLION
MAX_HOLD_HOURS: Final = 720
MAX_HOLD_TAGS: Final = 20
TAG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,29}", re.ASCII)
"""What a tag of a player looks like."""
_PERCENT: Final = re.compile(r"(0|[1-9][0-9]?)(?:\.([0-9]{1,4}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class DepositTerms:
    """Terms of a method in minor units of `currency`; `fee_ppm` is a share of the amount in parts per million."""

    currency: str
    minimum: int
    maximum: int
    fee_fixed: int
    fee_ppm: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Fee and net amount of a payment, in minor units."""

    amount: int
    fee: int
    net_amount: int


def quote_deposit(terms: DepositTerms, amount: int) -> Quote:
    """Quote a deposit of minor units. Raises AmountOutOfRange, FeeExceedsAmount."""
    if not terms.minimum <= amount <= terms.maximum:
        raise AmountOutOfRange(
            f"Got {money.format_amount(amount, terms.currency)} {terms.currency}.",
            minimum=terms.minimum,
            maximum=terms.maximum,
            currency=terms.currency,
        )
    fee = fee_of(terms.fee_fixed, terms.fee_ppm, amount)
    if fee >= amount:
        raise FeeExceedsAmount(fee=fee, currency=terms.currency)
    return Quote(amount, fee, amount - fee)


def fee_of(fixed: int, ppm: int, amount: int) -> int:
    """Compute the fee for an amount in minor units, rounded up; `ppm` is a share in parts per million."""
    return fixed - (-amount * ppm // MILLION)


def require_valid_terms(terms: DepositTerms) -> None:
    """Check terms. Raises InvalidDepositMethod, UnknownCurrency."""
    money.exponent(terms.currency)
    ordered = 0 < terms.minimum <= terms.maximum < money.MAX_AMOUNT
    if not (ordered and terms.fee_fixed >= 0 and 0 <= terms.fee_ppm < MILLION):
        raise InvalidDepositMethod


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
    """Withdrawals up to `auto_approve_up_to` need no approval, those above `second_approval_above` need two.

    So does the release of a held one.
    """

    auto_approve_up_to: int = 0
    second_approval_above: int = 0
    version: int = 0
    terms: WithdrawalTerms = field(default_factory=WithdrawalTerms)
    holds: HoldTerms = field(default_factory=HoldTerms)

    def approvals_required(self, amount: int) -> int:
        """Return how many members of staff have to approve a withdrawal."""
        if amount <= self.auto_approve_up_to:
            return 0
        return self.releases_required(amount)

    def releases_required(self, amount: int) -> int:
        """Return how many have to agree that a held withdrawal is released."""
        return 1 if amount <= self.second_approval_above else 2


def quote_withdrawal(terms: WithdrawalTerms, amount: int, *, currency: str) -> Quote:
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
    holds = policy.holds
    tagged = len(holds.tags) <= MAX_HOLD_TAGS and all(TAG.fullmatch(tag) for tag in holds.tags)
    verified = holds.kyc_above is None or holds.kyc_above >= 0
    if not (tagged and verified and 0 <= holds.played_ppm <= MOST_PLAYED and 0 < holds.hours <= MAX_HOLD_HOURS):
        raise InvalidWithdrawalPolicy("A hold's share, hours, amount or tags are out of range.")


def parse_percent(text: str) -> int:
    """Parse "2.5" as 25000 parts per million, with at most four decimals. Raises InvalidDepositMethod."""
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise InvalidDepositMethod(f"{text[:20]!r} is not a percentage below 100 with at most four decimals.")
    return int(match[1]) * 10_000 + int((match[2] or "").ljust(4, "0"))


def percent(ppm: int) -> str:
    """Format parts per million as a percentage: 25000 is "2.5"."""
    whole, rest = divmod(ppm, 10_000)
    return f"{whole}.{rest:04d}".rstrip("0").rstrip(".")
