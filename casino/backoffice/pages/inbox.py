"""The inbox: whatever waits for the user's decision, of every kind, oldest first, and decided in place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.html import format_html_join
from django.views.decorators.http import require_safe

from casino.backoffice import html
from casino.backoffice.base import INBOX
from casino.backoffice.columns import name_of_operator
from casino.backoffice.pages.holds import cause_links
from casino.backoffice.sections import ActionBar, Banner, FormSection, TemplateSection
from casino.backoffice.site import StaffSite
from casino.backoffice.subjects import nicknames, player_link, subject_link, subject_names
from casino.crypto.crypto_shredding import decrypt_text
from casino.operators import changes, memberships
from casino.operators.change import ChangeStatus
from casino.operators.models import Change, Operator
from casino.significant.models import SignificantEvent, Unacknowledged
from wallet.models import Discrepancy, Hold, Withdrawal

MAX_ROWS: Final = 25
"""Rows of each kind on the page, the oldest first; the lists have all of them."""
DECIDE: Final = "operators.change_change"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that waits: what it is, who asked, when and why, what it does, and how many have agreed."""

    kind: str
    text: object
    by: str
    at: datetime
    why: object = ""
    effect: object = ""
    agreed: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """One kind of what waits: the permission to decide it, its rows, and what is said of each."""

    permission: str
    rows: QuerySet[Any]
    describe: Callable[[Any], Item]


def _change(row: Change) -> Item:
    reasons = (row.details.get(name) for name in ("reason", "note"))
    why = ": ".join(decrypt_text(str(each)).replace("_", " ") for each in reasons if each)
    agreed = f"{1 + len(row.confirmed_by)} of {row.persons}"
    return Item("Change", row.summary, row.requested_by, row.requested_at, why, effect_of(row), agreed)


def effect_of(change: Change) -> object:
    """Say what a change moves, before it is made: whose account, by how much."""
    moves = changes.moves_of(change)
    names = nicknames([move.player for move in moves])
    lines = ((player_link(move.player, names), html.money(move.amount, move.currency, signed=True)) for move in moves)
    return format_html_join(", ", "{} {}", lines)


def _withdrawal(row: Withdrawal) -> Item:
    amount = html.money(row.amount, row.currency)
    effect = f"The provider {row.provider} is asked to pay it."
    agreed = f"{len(list(filter(None, row.approved_by.split(','))))} of {row.approvals_required}"
    return Item("Withdrawal", amount, f"player:{row.player_id}", row.requested_at, "", effect, agreed)


def _hold(row: Hold) -> Item:
    amount, causes = html.money(row.amount, row.currency), cause_links(row.causes.split(","))
    effect = "Released, it goes on to the provider; rejected, it is on the player's account again."
    return Item("Held payment", amount, f"player:{row.player_id}", row.placed_at, causes, effect)


def _discrepancy(row: Discrepancy) -> Item:
    text = f"{row.type.replace('_', ' ').capitalize()} of {row.day:%Y-%m-%d}"
    return Item("Discrepancy", text, "system:reconciliation", row.found_at, row.reference)


def _event(row: SignificantEvent) -> Item:
    return Item("Significant event", row.kind.replace("_", " ").capitalize(), row.actor, row.at, row.reason)


QUEUES: Final = (
    Queue("wallet.change_withdrawal", Withdrawal.objects.filter(status="requested"), _withdrawal),
    Queue("wallet.decide_hold", Hold.objects.filter(status="open"), _hold),
    Queue("wallet.change_discrepancy", Discrepancy.objects.filter(status__in=["open", "assigned"]), _discrepancy),
    Queue(
        "significant.acknowledge_significantevent",
        SignificantEvent.objects.filter(pk__in=Unacknowledged.objects.values("pk")),
        _event,
    ),
)


def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show what waits, of the kinds that the user may decide. Raises PermissionDenied."""
    queues = [queue for queue in (*QUEUES, _changes(request)) if request.user.has_perm(queue.permission)]
    if not queues:
        raise PermissionDenied
    found = sorted((each for queue in queues for each in _rows(queue, request)), key=lambda each: each[1].at)
    subjects = subject_names(item.by for _, item in found)
    owners = {
        owner.pk: name_of_operator(owner.pk, owner.slug, in_sandbox=owner.sandbox) for owner in Operator.objects.all()
    }
    cards = [_card(request, row, item, subjects, owners) for row, item in found]
    sections: list[object] = [TemplateSection("Inbox", "admin/casino/inbox.html", {"cards": cards})]
    if not cards:
        sections = [Banner("Nothing waits for you", "What others request is here until it is decided.")]
    context = {**admin.site.each_context(request), "title": "Inbox", "sections": sections}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def _rows(queue: Queue, request: HttpRequest) -> Iterator[tuple[Model, Item]]:
    """Yield the oldest rows as their own list selects and prepares them."""
    page: Any = admin.site.get_model_admin(queue.rows.model)
    waiting = page.get_queryset(request).filter(pk__in=queue.rows.values("pk")).order_by("pk")[:MAX_ROWS]
    for row in page.prepared(waiting):
        yield row, queue.describe(row)


def _card(request: HttpRequest, row: Any, item: Item, names: Any, owners: Mapping[Any, object]) -> dict[str, object]:
    page: Any = admin.site.get_model_admin(type(row))
    forms: list[FormSection] = page.action_sections(request, row, {})
    is_own = item.by == memberships.staff_actor(request.user)
    return {
        "kind": item.kind,
        "text": html.link(page.page_url(row), item.text),
        "facts": [
            (name, value)
            for name, value in (
                ("Operator", owners.get(row.operator_id, "the installation")),
                ("By", "you: another person decides" if is_own else subject_link(item.by, names)),
                ("Since", item.at),
                ("Why", item.why),
                ("What it does", item.effect),
                ("Agreed", item.agreed),
            )
            if value
        ],
        "actions": ActionBar([replace(form, url=f"{form.url}?{INBOX}") for form in forms]),
    }


def _changes(request: HttpRequest) -> Queue:
    """Return the changes that wait, of the kinds that the user may confirm."""
    kinds = [kind for kind in changes.kinds() if request.user.has_perm(changes.act_of(kind).name)]
    return Queue(DECIDE, Change.objects.filter(status=ChangeStatus.REQUESTED, kind__in=kinds), _change)


StaffSite.pages.append(path("inbox/", admin.site.admin_view(require_safe(inbox_page)), name="desk_inbox"))
