"""What a deposit costs and what of it arrives. Pure.

A fee is a fixed part and a share of the amount. The share is kept in parts per million, so that 2.5 % is 25000 and
exact; the fee is rounded once, up to a whole minor unit: 2.5 % of 0.30 EUR is 0.01 EUR.
"""

import re
from dataclasses import dataclass
from typing import Final

from casino.kernel import money
from wallet.payments.refusals import AmountOutOfRange, FeeExceedsAmount, InvalidDepositMethod

MILLION: Final = 10**6
_PERCENT: Final = re.compile(r"(0|[1-9][0-9]?)(?:\.([0-9]{1,4}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class DepositTerms:
    """What a method asks, in minor units of `currency`; `fee_ppm` is the share in parts per million of the amount."""

    currency: str
    minimum: int
    maximum: int
    fee_fixed: int
    fee_ppm: int


@dataclass(frozen=True, slots=True)
class Quote:
    """What a deposit of `amount` comes to."""

    amount: int
    fee: int
    net_amount: int


def quote(terms: DepositTerms, amount: int) -> Quote:
    """Tell fee and arrival for an amount in minor units. Raises AmountOutOfRange, NothingArrives."""
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
    """Tell the fee for an amount in minor units, rounded up once; `ppm` is a share in parts per million."""
    return fixed - (-amount * ppm // MILLION)


def require_valid_terms(terms: DepositTerms) -> None:
    """Check terms. Raises MethodImpossible, UnknownCurrency."""
    money.exponent(terms.currency)
    sane = 0 < terms.minimum <= terms.maximum < money.MAX_AMOUNT
    if not (sane and terms.fee_fixed >= 0 and 0 <= terms.fee_ppm < MILLION):
        raise InvalidDepositMethod


def parse_percent(text: str) -> int:
    """Read "2.5" as 25000 parts per million, with at most four decimals. Raises MethodImpossible."""
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise InvalidDepositMethod(f"{text[:20]!r} is not a percentage below 100 with at most four decimals.")
    return int(match[1]) * 10_000 + int((match[2] or "").ljust(4, "0"))


def percent(ppm: int) -> str:
    """Print parts per million as a percentage: 25000 is "2.5"."""
    whole, rest = divmod(ppm, 10_000)
    return f"{whole}.{rest:04d}".rstrip("0").rstrip(".")
