"""How figures are written: amounts with their currency, shares in per cent, changes against the period before."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final
from uuid import UUID

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.timezone import now

from baccarat.reports.days import Figures, Money
from casino.backoffice import html
from casino.backoffice.filters import first_serial
from casino.kernel.money import format_amount

VIEW_REPORTS: Final = "reports.view_report"
MAX_EVENTS: Final = 300_000
"""Events among which a page may sum ledger entries: about a second's work."""
_MONEY_NAMES: Final = {
    "real": "Real money",
    "play": "Play money",
    "sandbox": "Sandbox credits",
    "sandbox_play": "Sandbox play money",
}


def money_name(money: Money) -> str:
    return f"{_MONEY_NAMES.get(money[0], money[0])}, {money[1]}"


def percent(share: Fraction | None, decimals: int = 2) -> str:
    """Write a share of one in per cent."""
    return html.NOTHING if share is None else f"{plain_percent(share, decimals)} %"


def plain_percent(share: Fraction, decimals: int = 2) -> str:
    """Write a share of one in per cent, without the sign."""
    return f"{Decimal(share.numerator) * 100 / Decimal(share.denominator):.{decimals}f}"


def hold_text(figures: Figures) -> SafeString | str:
    """Write a hold, marking one outside its band."""
    hold, band = figures.hold, figures.hold_band
    text = percent(hold)
    if hold is None or band is None or band[0] <= hold <= band[1]:
        return text
    return html.with_note(text, "outside its band")


def band_text(figures: Figures) -> str:
    band = figures.hold_band
    return html.NOTHING if band is None else f"{percent(band[0])} to {percent(band[1])}"


def with_change(text: object, value: int, before: int, currency: str) -> SafeString:
    """Put below a value by how much it is more or less than before; and what it was, if that was nothing or a loss."""
    if before <= 0:
        return html.below(text, f"before: {format_amount(before, currency)}")
    change = Fraction(value - before, before)
    arrow = "\N{UPWARDS ARROW}" if change > 0 else "\N{DOWNWARDS ARROW}" if change < 0 else "="
    return html.below(text, f"{arrow} {percent(abs(change), 1)}")


def is_quiet(since: datetime, until: datetime | None = None) -> bool:
    """Return whether a page may sum what was recorded in a span of time; for a busy one there are reports."""
    end = first_serial("events_event", until or now() + timedelta(days=1))
    return end - first_serial("events_event", since) < MAX_EVENTS


def day_url(money: Money, day: str, operator: UUID | str | None, **more: str) -> str:
    """Return the address of the page of a day."""
    query: Mapping[str, str] = {"money": "-".join(money), "day": day, "operator": str(operator or ""), **more}
    return f"{reverse('admin:desk_day')}?{urlencode({name: value for name, value in query.items() if value})}"


def parse_money(text: str) -> Money | None:
    """Parse a kind of money and a currency such as real-EUR."""
    money_type, _, currency = text.partition("-")
    return (money_type, currency) if money_type in _MONEY_NAMES and currency else None
