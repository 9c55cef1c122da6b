"""The currencies that operators offer, and the check that declared ones keep their decimals."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction

from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators import acts
from casino.operators.models import DeclaredCurrency, Operator
from casino.operators.refusals import CurrenciesInvalid, CurrencyDecimalsDiffer
from casino.significant import act_log

MAX_CURRENCIES: Final = 20


def prepare(currencies: Sequence[str]) -> list[str]:
    """Check currencies that an operator is to offer, and note the declared ones with their decimals.

    Raises UnknownCurrency, CurrenciesInvalid, CurrencyDecimalsDiffer.
    """
    if not 1 <= len(currencies) <= MAX_CURRENCIES or len(set(currencies)) != len(currencies):
        raise CurrenciesInvalid
    for code in currencies:
        decimals = money.exponent(code)
        if money.is_declared(code):
            stored, _ = DeclaredCurrency.objects.get_or_create(code=code, defaults={"exponent": decimals})
            if stored.exponent != decimals:
                raise CurrencyDecimalsDiffer(f"{code} has been used with {stored.exponent} decimals, not {decimals}.")
    return list(currencies)


def change(*, operator: Operator, currencies: Sequence[str], by: str) -> None:
    """Add currencies, or make another one the default by putting it first.

    None can be removed, so that every balance can be played and withdrawn. Raises as `prepare`.
    """
    with transaction.atomic():
        row = Operator.objects.select_for_update().get(pk=operator.pk)
        if not set(row.currencies) <= set(currencies):
            raise CurrenciesInvalid
        act, offered = acts.SET_CURRENCIES.name, prepare(currencies)
        act_log.changed(row, act, by=by, reason="The currencies were changed", currencies=offered)


def check_decimals() -> str:
    """Return `ok`, or which currency in use is declared with other decimals, or no longer."""
    for code, decimals in DeclaredCurrency.objects.order_by("code").values_list("code", "exponent"):
        try:
            declared = money.exponent(code)
        except Refusal:
            return f"CURRENCIES must declare {code}:{decimals}, which is in use"
        if declared != decimals:
            return f"CURRENCIES declares {code} with {declared} decimals, but it is in use with {decimals}"
    return "ok"
