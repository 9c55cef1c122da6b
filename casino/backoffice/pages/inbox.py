"""The inbox: whatever waits for the user's decision, of every kind, the most urgent first, and decided in place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from casino.backoffice import badges, html
from casino.backoffice.base import INBOX
from casino.backoffice.columns import name_of_operator
from casino.backoffice.pages.holds import cause_links
from casino.backoffice.pages.significant_events import kind_title
from casino.backoffice.sections import ActionBar, FormSection, TemplateSection
from casino.backoffice.site import StaffSite
from casino.backoffice.subjects import nicknames, player_link, subject_link, subject_names
from casino.crypto.crypto_shredding import decrypt_text
from casino.operators import changes, memberships
from casino.operators.models import Change, ChangeName, Operator
from casino.significant.models import SignificantEvent
from wallet.models import Discrepancy, Hold, Withdrawal

MAX_ROWS: Final = 25
"""Rows of each kind on the page, the oldest first; the lists have all of them."""


_PAYOUTS: Final = {
    ChangeName.WITHDRAWAL: "The provider {} is asked to pay it to {}.",
    ChangeName.RELEASE_PAYMENT: "It goes on to the provider {}, to be paid to {}.",
}


class Urgency(IntEnum):
    """What is decided first; of the same urgency, what waits longest."""

    MONEY = 0
    REQUEST = 1
    DISCREPANCY = 2
    EVENT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that waits: what it is, who asked, when and why, what it does, and how many have agreed.

    `about` is its subject, such as round:<id>; there may be a time before which it is to be decided.
    """

    urgency: Urgency
    text: object
    about: str = ""
    by: str
    at: datetime
    before: datetime | None = None
    why: object = ""
    effect: object = ""
    agreed: str = ""


def _change(row: Change) -> Item:
    effect = effect_of(row)
    reasons = (row.details.get(name) for name in ("reason", "note"))
    return Item(
        urgency=Urgency.MONEY if effect else Urgency.REQUEST,
        text=row.summary,
        about=row.subject,
        by=row.requested_by,
        at=row.requested_at,
        before=row.expires_at,
        why=": ".join(decrypt_text(str(each)).replace("_", " ") for each in reasons if each),
        effect=effect,
        agreed=f"{1 + len(row.confirmed_by)} of {row.persons}",
    )


def effect_of(change: Change) -> object:
    """Say what a change moves, before it is made: whose account, by how much, or who is paid."""
    payout = payout_of(change)
    if payout is not None:
        player = player_link(payout.player_id, nicknames([payout.player_id]))
        return format_html(_PAYOUTS[ChangeName(change.kind)], payout.provider, player)
    moves = changes.moves_of(change)
    names = nicknames([move.player for move in moves])
    lines = ((player_link(move.player, names), html.money(move.amount, move.currency, signed=True)) for move in moves)
    return format_html_join(", ", "{} {}", lines)


def payout_of(change: Change) -> Withdrawal | None:
    """Return the withdrawal that a change pays out or releases, if it is such a change."""
    is_payout = change.kind in _PAYOUTS
    return Withdrawal.objects.filter(pk=change.subject.partition(":")[2]).first() if is_payout else None


def _payment(row: Withdrawal | Hold, **rest: Any) -> Item:
    amount = html.money(row.amount, row.currency)
    return Item(urgency=Urgency.MONEY, text=amount, by=f"player:{row.player_id}", **rest)


def _withdrawal(row: Withdrawal) -> Item:
    return _payment(
        row,
        at=row.requested_at,
        effect=f"Approved, the provider {row.provider} is asked to pay it; rejected, the player has it again.",
        agreed=f"{len(list(filter(None, row.approved_by.split(','))))} of {row.approvals_required}",
    )


def _hold(row: Hold) -> Item:
    return _payment(
        row,
        at=row.placed_at,
        before=row.due_at,
        why=cause_links(row.causes.split(",")),
        effect="Released, it goes on to the provider, above the policy's amount once another person agrees; rejected, "
        "the player has it again.",
    )


def _discrepancy(row: Discrepancy) -> Item:
    page: Any = admin.site.get_model_admin(Discrepancy)
    return Item(
        urgency=Urgency.DISCREPANCY,
        text=f"{row.type.replace('_', ' ').capitalize()} of {row.day:%Y-%m-%d}",
        by="system:reconciliation",
        at=row.found_at,
        why=format_html("ours {}, the provider's {}, reference {}", page.ours(row), page.theirs(row), row.reference),
    )


def _event(row: SignificantEvent) -> Item:
    title = kind_title(row)
    text = title if row.amount is None else format_html("{}, {}", title, html.money(row.amount, row.currency))
    return Item(urgency=Urgency.EVENT, text=text, about=row.subject, by=row.actor, at=row.at, why=row.reason)


_DESCRIBE: Final[Mapping[type[Model], Callable[[Any], Item]]] = {
    Hold: _hold,
    Withdrawal: _withdrawal,
    Change: _change,
    Discrepancy: _discrepancy,
    SignificantEvent: _event,
}


def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show what waits, of the kinds that the user may decide. Raises PermissionDenied."""
    queues = badges.decisions(request)
    if not queues:
        raise PermissionDenied
    found = [each for rows in queues for each in _rows(rows)]
    found.sort(key=lambda each: (each[1].urgency, each[1].at))
    subjects = subject_names(name for row, item in found for name in (item.by, item.about, row.owner or ""))
    owners = {
        owner.pk: name_of_operator(owner.pk, owner.slug, in_sandbox=owner.sandbox) for owner in Operator.objects.all()
    }
    cards = [_card(request, row, item, subjects, owners) for row, item in found]
    sections = [TemplateSection("Inbox", "admin/casino/inbox.html", {"cards": cards})]
    context = {**admin.site.each_context(request), "title": "Inbox", "sections": sections}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def _rows(waiting: QuerySet[Any]) -> Iterator[tuple[Any, Item]]:
    """Yield the oldest rows as their own list prepares them."""
    page: Any = admin.site.get_model_admin(waiting.model)
    for row in page.prepared(waiting.order_by("pk")[:MAX_ROWS]):
        yield row, _DESCRIBE[waiting.model](row)


def _card(request: HttpRequest, row: Any, item: Item, names: Any, owners: Mapping[Any, object]) -> dict[str, object]:
    page: Any = admin.site.get_model_admin(type(row))
    forms: list[FormSection] = page.action_sections(request, row, {})
    is_own = item.by == memberships.staff_actor(request.user)
    return {
        "kind": capfirst(page.opts.verbose_name),
        "text": html.link(page.page_url(row), item.text),
        "facts": [
            (name, value)
            for name, value in (
                ("Operator", owners.get(row.operator_id, "the installation")),
                ("About", item.about and subject_link(item.about, names)),
                ("By", "you: another person decides" if is_own else subject_link(item.by, names)),
                ("Handed to", row.owner and subject_link(row.owner, names)),
                ("Since", item.at),
                ("Decide before", item.before),
                ("Why", item.why),
                ("What it does", item.effect),
                ("Agreed", item.agreed),
            )
            if value
        ],
        "actions": ActionBar([_in_place(form) for form in forms]),
    }


def _in_place(form: FormSection) -> FormSection:
    """Let a form lead back here; what a button does is said above it."""
    return replace(form, url=f"{form.url}?{INBOX}", help_text=form.help_text if form.form.fields else "")


StaffSite.pages.append(path("inbox/", admin.site.admin_view(require_safe(inbox_page)), name="desk_inbox"))
