"""Small pieces of HTML for lists and pages; all text in them is escaped."""

import re
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from casino.backoffice.scope import cached_per_request, may_view
from casino.kernel import money as kernel_money
from casino.kernel.text import isolate

_STREAM: Final = re.compile(r"(?P<kind>[a-z-]+)-(?P<identity>[0-9a-f-]{36})(-[A-Z0-9]+)?")
NOTHING: Final = "\N{EN DASH}"
PAGES: Final = {
    "staff": "staff_member",
    "erasure": "compliance_erasure",
    "round": "baccarat_round",
    "wager": "baccarat_wager",
    "table": "baccarat_table",
    "report": "reports_report",
    "saved_report": "reports_savedreport",
    "case": "compliance_case",
    "risk_alert": "risk_riskalert",
    "risk_rule": "risk_riskrule",
    "wallet": "operators_player",
    "player": "operators_player",
    "operator": "operators_operator",
    "key": "operators_apikey",
    "brand": "operators_brand",
    "skin": "baccarat_skin",
    "webhook": "feed_webhookendpoint",
    "account": "wallet_account",
    "entry": "wallet_entry",
    "event": "events_event",
    "deposit": "wallet_deposit",
    "method": "wallet_depositmethod",
    "withdrawal": "wallet_withdrawal",
    "payment": "wallet_withdrawal",  # as changes name what is paid out
    "hold": "wallet_hold",
    "adjustment": "wallet_adjustment",
    "change": "operators_change",
    "transfer": "wallet_transfer",
    "remote": "wallet_remotetransaction",
    "reconciliation": "wallet_reconciliation",
    "discrepancy": "wallet_discrepancy",
    "responsible_gaming": "wallet_playerrestrictions",
    "significant": "significant_significantevent",
    "message": "chat_chatmessage",
    "complaint": "chat_chatreport",
}
"""The page (app_model) of each kind that subjects and streams name."""
_STAFF: Final = re.compile(r"\bstaff:(\d{1,18})\b")


def money(minor: int | None, currency: str, *, signed: bool = False) -> SafeString | str:
    """Print minor units as decimals with their currency; `signed` puts a plus before a gain."""
    if minor is None:
        return NOTHING
    tone = "loss" if minor < 0 else "gain" if signed and minor > 0 else ""
    plus = "+" if signed and minor > 0 else ""
    amount = kernel_money.format_amount(minor, currency).replace("-", "\N{MINUS SIGN}")
    return format_html('<span class="c-money {}">{}{} <small>{}</small></span>', tone, plus, amount, currency)


def moment(when: datetime | None, *, fine: bool = False) -> SafeString | str:
    """Print a time in the user's time zone, with the zone: to the second, or to the millisecond if `fine`."""
    if when is None:
        return NOTHING
    text, _, zone = plain_moment(when, fine=fine).rpartition(" ")
    utc = when.astimezone(UTC).isoformat()
    return format_html('<time class="c-time" datetime="{}">{} <small>{}</small></time>', utc, text, zone)


def plain_moment(when: datetime, *, fine: bool = False) -> str:
    """Write a time in the user's time zone as text, to the second, or to the millisecond if `fine`."""
    local = timezone.localtime(when)
    text = local.replace(tzinfo=None).isoformat(sep=" ", timespec="milliseconds" if fine else "seconds")
    return f"{text} {local.tzname()}"


def badge(text: str, tone: str = "plain") -> SafeString:
    """Print a word on a coloured ground: plain, good, bad, warn, player, banker or tie."""
    return format_html('<span class="c-badge c-{}">{}</span>', tone, text)


def with_note(value: object, note: str) -> SafeString:
    """Print a value with a note beside it."""
    return format_html('{} <span class="c-remark">{}</span>', value, note)


def lines(*values: object) -> SafeString:
    """Print values below one another."""
    return format_html_join(mark_safe("<br>"), "{}", ((value,) for value in values))


def below(value: object, note: str) -> SafeString:
    """Print a value with a small line below it."""
    return format_html('<span class="c-stack">{}<small>{}</small></span>', value, note)


def code(text: object) -> SafeString:
    """Print an id or a digest in full, in a monospaced font."""
    return format_html('<code class="c-code">{}</code>', text)


def short(identity: UUID) -> str:
    """Return the end of an id, where ids of the same time differ."""
    return f"…{str(identity)[-12:]}"


def short_or_nothing(identity: UUID | None) -> str:
    """Return the end of an id, or a dash."""
    return NOTHING if identity is None else short(identity)


def link(url: str, text: object) -> SafeString:
    return format_html('<a class="c-link" href="{}">{}</a>', url, own_order(text))


def own_order(text: object) -> object:
    """Print a text that has letters from right to left in an order of its own."""
    is_mixed = isinstance(text, str) and not isinstance(text, SafeString) and isolate(text) != text
    return format_html("<bdi>{}</bdi>", text) if is_mixed else text


def page(kind: str, identity: int | str | UUID | None, text: object = None) -> SafeString | str:
    """Link to the page of a table, round, player, operator … by its id.

    Prints the text alone for a kind without a page, or if the user may not see the page; a dash for no id.
    """
    if identity is None:
        return NOTHING
    label = str(identity) if text is None else text
    name = PAGES.get(kind)
    if name is None or not may_view(name):
        return str(own_order(label))
    return link(reverse(f"admin:{name}_change", args=[quote(identity)]), label)


def stream(name: str) -> SafeString | str:
    """Link to the page of what a stream is about: round-…, responsible-gaming-…, wallet-…-EUR."""
    parts = _STREAM.fullmatch(name)
    return page(parts["kind"].replace("-", "_"), parts["identity"], name) if parts else name


def listing(model: str, text: object, **query: str) -> SafeString:
    """Link to a list, `app_model`, with a search or filters set; print the text if the user may not see it."""
    if not may_view(model):
        return format_html("{}", text)
    return link(f"{reverse(f'admin:{model}_changelist')}?{urlencode(query)}", text)


def event_log(stream_name: str, text: str = "all events") -> SafeString:
    """Link to the events of a stream."""
    return listing("events_event", text, q=stream_name)


def with_logins(text: str) -> str:
    """Replace staff:<number>, as events and rows name members of staff, by their logins."""
    if "staff:" not in text:
        return text
    logins = cached_per_request("logins", _logins)
    if isinstance(text, SafeString):
        return mark_safe(_STAFF.sub(lambda match: escape(logins.get(int(match[1]), match[0])), text))  # noqa: S308  (escaped)
    return _STAFF.sub(lambda match: logins.get(int(match[1]), match[0]), text)


def _logins() -> dict[int, str]:
    return dict(User.objects.values_list("pk", "username"))
