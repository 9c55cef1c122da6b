"""Small pieces of HTML that lists and pages are made of; all text in them is escaped."""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.admin.utils import quote
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from casino.backoffice.context import may_see
from casino.kernel import money as kernel_money

NOTHING: Final = "\N{EN DASH}"


def money(minor: int | None, currency: str, *, signed: bool = False) -> SafeString | str:
    """Print minor units with their currency, as decimals; `signed` puts a plus before a gain."""
    if minor is None:
        return NOTHING
    tone = "loss" if minor < 0 else "gain" if signed and minor > 0 else ""
    plus = "+" if signed and minor > 0 else ""
    amount = kernel_money.format_amount(minor, currency).replace("-", "\N{MINUS SIGN}")
    return format_html('<span class="c-money {}">{}{} <small>{}</small></span>', tone, plus, amount, currency)


def moment(when: datetime | None, *, fine: bool = False) -> SafeString | str:
    """Print a time in UTC, to the second, or with `fine` to the millisecond."""
    if when is None:
        return NOTHING
    text = plain_moment(when, fine=fine).removesuffix(" UTC")
    return format_html('<time class="c-time" datetime="{}">{}</time>', when.astimezone(UTC).isoformat(), text)


def plain_moment(when: datetime, *, fine: bool = False) -> str:
    """Write a time in UTC as text, to the second, or with `fine` to the millisecond."""
    text = when.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds" if fine else "seconds")
    return f"{text.removesuffix('+00:00')} UTC"


def badge(text: str, tone: str = "plain") -> SafeString:
    """Print a word on a coloured ground: plain, good, bad, warn, player, banker or tie."""
    return format_html('<span class="c-badge c-{}">{}</span>', tone, text)


def both(value: object, remark: str) -> SafeString:
    """Print a value with a remark beside it."""
    return format_html('{} <span class="c-remark">{}</span>', value, remark)


def code(text: object) -> SafeString:
    """Print an id or a digest in full, in type of one width."""
    return format_html('<code class="c-code">{}</code>', text)


def short(identity: UUID) -> str:
    """Return the end of an id, where ids of one time differ, for places too narrow for all of it."""
    return f"…{str(identity)[-12:]}"


def link(url: str, text: object) -> SafeString:
    return format_html('<a class="c-link" href="{}">{}</a>', url, text)


def page(kind: str, identity: int | str | UUID | None, text: object = None) -> SafeString | str:
    """Link to the page of a table, round, player, operator … by its id; settings.ADMIN_PAGES has the kinds.

    A kind without a page, or with one that who looks may not see, is printed as it is; no identity is a dash.
    """
    if identity is None:
        return NOTHING
    shown = str(identity) if text is None else text
    name = settings.ADMIN_PAGES.get(kind)
    if name is None or not may_see(name):
        return str(shown)
    return link(reverse(f"admin:{name}_change", args=[quote(identity)]), shown)


def stream(name: str, text: object = None) -> SafeString | str:
    """Link to the page of what a stream is about: round-…, table-…, wallet-…."""
    kind, _, identity = name.partition("-")
    return page(kind, identity, name if text is None else text)


def listing(model: str, text: object, **query: str) -> SafeString:
    """Link to a list, `app_model`, with a search or filters set; for who may not see it, print the text."""
    if not may_see(model):
        return format_html("{}", text)
    return link(f"{reverse(f'admin:{model}_changelist')}?{urlencode(query)}", text)
