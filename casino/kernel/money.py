"""Money: integers of minor units beside a currency. Decimals exist only as text, in the API and on pages.

Minor-unit exponents follow ISO 4217 (list one, as maintained by SIX Interbank Clearing). Other currencies, such as
crypto, are declared by configuration when a process starts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from casino.kernel.errors import Invalid, Refusal

NO_MINOR_UNIT: Final = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split())
THOUSANDTHS: Final = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
HUNDREDTHS: Final = frozenset(
    """AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP
    SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW""".split()
)
MAX_AMOUNT: Final = 10**15
"""Every amount must be less than this many minor units, so balances stay far inside a 64-bit integer."""
MAX_EXPONENT: Final = 8
CODE_PATTERN: Final = "[A-Z0-9]{3,10}"
AMOUNT_PATTERN: Final = rf"(0|[1-9][0-9]{{0,17}})(\.[0-9]{{1,{MAX_EXPONENT}}})?"

AmountText = Annotated[
    str,
    Meta(description="Decimal string.", examples=["25.00"], extra_json_schema={"pattern": f"^-?{AMOUNT_PATTERN}$"}),
]
"""An amount as it is written; `parse` reads it."""

_DECIMAL: Final = re.compile(rf"(-?)(0|[1-9][0-9]{{0,17}})(?:\.([0-9]{{1,{MAX_EXPONENT}}}))?", re.ASCII)
_DECLARATION: Final = re.compile(rf"({CODE_PATTERN}):([0-{MAX_EXPONENT}])(?::([0-9.]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency that is not in ISO 4217. `unit` is what published table rules call one, in minor units."""

    code: str
    exponent: int
    unit: int


_declared: Final[dict[str, Currency]] = {}


class MoneyType(StrEnum):
    """Real or play money, which never mix."""

    REAL = "real"
    PLAY = "play"


class UnknownCurrency(Invalid):
    title = "This is not a currency we know"
    remedy = "Send an ISO 4217 code in capitals, such as EUR, or the code of another currency that you offer."


class AmountNotText(Invalid):
    title = "An amount must be a decimal string, not a number"
    remedy = 'Send the amount in quotes, such as "25.00": numbers lose cents on the way.'


class AmountMalformed(Invalid):
    title = "This is not an amount of money"
    remedy = 'Write plain digits with at most the decimals of the currency, such as "25.00".'


class AmountNotPositive(Invalid):
    title = "The amount must be more than zero"
    remedy = "Send an amount above zero."


class AmountTooLarge(Invalid):
    title = "The amount is larger than this system handles"
    remedy = "Send a smaller amount."


def parse_declarations(texts: Iterable[str]) -> tuple[Currency, ...]:
    """Parse declared currencies such as "BTC:8:0.0001": code, decimals, and optionally the unit of table rules.

    Raises ValueError, also for a code of ISO 4217 and for one that is repeated.
    """
    currencies: dict[str, Currency] = {}
    for text in texts:
        match = _DECLARATION.fullmatch(text)
        if match is None:
            raise ValueError(f"A currency is written BTC:8 or BTC:8:0.0001, not {text!r}.")
        code, decimals = match[1], int(match[2])
        if code in HUNDREDTHS | NO_MINOR_UNIT | THOUSANDTHS:
            raise ValueError(f"{code} is a currency of ISO 4217, whose decimals are known.")
        if code in currencies:
            raise ValueError(f"{code} is declared twice.")
        try:
            unit = _minor_units(match[3] or "1", code, decimals)
        except Refusal as refusal:
            raise ValueError(f"The unit of {code}: {refusal.detail}") from None
        if unit <= 0:
            raise ValueError(f"The unit of {code} must be more than zero.")
        currencies[code] = Currency(code, decimals, unit)
    return tuple(currencies.values())


def declare(currencies: Iterable[Currency]) -> None:
    """Make these, and no others, the currencies beside those of ISO 4217."""
    _declared.clear()
    _declared.update((currency.code, currency) for currency in currencies)


def is_known(code: str) -> bool:
    """Return whether this is the code of a currency."""
    return code in HUNDREDTHS or code in NO_MINOR_UNIT or code in THOUSANDTHS or code in _declared


def is_declared(currency: str) -> bool:
    """Return whether a currency is known by its declaration only."""
    return currency in _declared


def exponent(currency: str) -> int:
    """Return how many decimals the currency has: 2 for EUR. Raises UnknownCurrency."""
    if currency in HUNDREDTHS:
        return 2
    if currency in NO_MINOR_UNIT:
        return 0
    if currency in THOUSANDTHS:
        return 3
    if currency in _declared:
        return _declared[currency].exponent
    raise UnknownCurrency(f"{currency[:20]!r} is not a currency code we know.")


def unit(currency: str) -> int:
    """Return what published table rules call one, in minor units: 100 for EUR. Raises UnknownCurrency."""
    decimals = exponent(currency)
    return _declared[currency].unit if currency in _declared else int(10**decimals)


def parse(text: object, currency: str) -> int:
    """Turn a decimal string into minor units: "25.00" EUR is 2500.

    Raises AmountNotText, AmountMalformed (also for more decimals than the currency has), AmountTooLarge,
    UnknownCurrency. Zero and negative amounts are parsed; `parse_positive` refuses them.
    """
    decimals = exponent(currency)
    if not isinstance(text, str):
        raise AmountNotText(f"Got {type(text).__name__}, expected a decimal string.")
    return _minor_units(text, currency, decimals)


def _minor_units(text: str, currency: str, decimals: int) -> int:
    match = _DECIMAL.fullmatch(text)
    if match is None:
        digits = text.lstrip("-").split(".")[0]
        if digits.isascii() and digits.isdigit() and len(digits) > 18:
            raise _too_large(currency)
        raise AmountMalformed(f"{text[:40]!r} is not a decimal amount.")
    sign, whole, fraction = match[1], match[2], match[3] or ""
    if len(fraction.rstrip("0")) > decimals:
        raise AmountMalformed(f"{currency} has {decimals} decimals; got {text!r}.")
    minor: int = int(whole) * 10**decimals + int(fraction[:decimals].ljust(decimals, "0") or "0")
    if minor >= MAX_AMOUNT:
        raise _too_large(currency)
    return -minor if sign else minor


def _too_large(currency: str) -> AmountTooLarge:
    return AmountTooLarge(f"The largest amount is {format_amount(MAX_AMOUNT - 1, currency)} {currency}.")


def parse_positive(text: object, currency: str) -> int:
    """Parse an amount that must be more than zero. Raises AmountNotPositive and what `parse` raises."""
    minor = parse(text, currency)
    if minor <= 0:
        raise AmountNotPositive(f"Got {text}.")
    return minor


def format_amount(minor: int, currency: str) -> str:
    """Format minor units as a decimal string: 1950 EUR is "19.50". Raises UnknownCurrency."""
    decimals = exponent(currency)
    if not decimals:
        return str(minor)
    sign = "-" if minor < 0 else ""
    whole, fraction = divmod(abs(minor), 10**decimals)
    return f"{sign}{whole}.{fraction:0{decimals}d}"
