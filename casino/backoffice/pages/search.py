"""One page to search by: a round, a player, a transaction, an amount, a time, a spot, an outcome."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.http import urlencode

from baccarat.domain.rules.wagers import Spot
from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.pages import baccarat_parts, search_rows
from casino.backoffice.pages.cards import in_line
from casino.backoffice.pages.narrative import stakes_in_words
from casino.backoffice.pages.operators import nicknames
from casino.backoffice.pages.search_form import Asked, SearchForm, player_id
from casino.backoffice.sections import Grid, Section
from casino.backoffice.seen import seen
from casino.kernel.money import format_amount

NEEDED: Final = ("baccarat.view_round", "baccarat.view_wager")
MOST_HITS: Final = 5
"""Rows of one kind that a word shows; its list shows all of them."""
_MONEY: Final = frozenset({"Staked", "Returned", "Net", "Amount"})


def page(request: HttpRequest) -> HttpResponse:
    """Answer the search page with what it finds. Raises PermissionDenied."""
    if not request.user.has_perms(NEEDED):
        raise PermissionDenied
    form = SearchForm(request.GET or None)
    sections: Sequence[Section] = ()
    if form.is_valid():
        asked = form.asked()
        player = player_id(asked)
        seen(request, subject="search" if player is None else f"player:{player}", operator=asked.operator)
        sections = _found(request, asked)
    context = {
        **admin.site.each_context(request),
        "title": "Search",
        "form": form,
        "operators": scope.names(request),
        "sections": sections,
    }
    return TemplateResponse(request, "admin/baccarat/search.html", context)


def _found(request: HttpRequest, asked: Asked) -> Sequence[Section]:
    before = as_uuid(request.GET.get("before", ""))
    hits: list[Section] = [_hits(request, asked.word)] if asked.word and before is None else []
    narrowed = asked.of_money or asked.table or asked.outcome or asked.since or asked.until or asked.operator
    if not narrowed and asked.word:
        return hits
    if not asked.of_money:
        return [*hits, _rounds(request, asked, before)]
    money = [_payments(request, asked)] if before is None and not asked.spot and not asked.outcome else []
    return [*hits, _wagers(request, asked, before), *money]


def _hits(request: HttpRequest, word: str) -> Grid:
    """Every part of the admin that this person may see finds what its own search finds: exact, by its indexes."""
    rows: list[tuple[object, object]] = []
    for kind, part in _parts():
        if not part.has_view_permission(request):
            continue
        found, _ = part.get_search_results(request, part.get_queryset(request), word)
        some = list(found.order_by(*part.get_ordering(request))[: MOST_HITS + 1])
        what = str(part.opts.verbose_name).capitalize()
        rows += [(what, html.page(kind, row.pk, str(row))) for row in some[:MOST_HITS]]
        if len(some) > MOST_HITS:
            rows.append((what, html.listing(settings.ADMIN_PAGES[kind], "all of them", q=word)))
    return Grid(f"“{word}”", ("What", "Which"), rows, empty="Nothing has this id, number or reference.")


def _parts() -> list[tuple[str, ReadOnlyAdmin]]:
    """The parts of the admin that have pages of their own, in the order of ADMIN_PAGES, each with its first kind."""
    named = {f"{part.opts.app_label}_{part.opts.model_name}": part for part in admin.site._registry.values()}  # noqa: SLF001
    kinds = {name: kind for kind, name in reversed(settings.ADMIN_PAGES.items())}
    found = [(kind, named.get(name)) for kind, name in settings.ADMIN_PAGES.items() if kinds[name] == kind]
    return [(kind, part) for kind, part in found if isinstance(part, ReadOnlyAdmin)]


def _rounds(request: HttpRequest, asked: Asked, before: UUID | None) -> Grid:
    found = search_rows.rounds(request, asked, before=before)
    shown = found[: search_rows.PAGE]
    rows = [
        (
            html.page("round", row.pk, f"No. {row.number}"),
            html.page("table", row.table_id, row.table_name or html.short(row.table_id)),
            baccarat_parts.operator_link(row),
            baccarat_parts.phase_badge(row.phase, row.suspended),
            in_line(row.cards.split()) if row.cards else html.NOTHING,
            baccarat_parts.outcome_badge(row.outcome),
            str(row.wagers),
            html.moment(row.opened_at),
        )
        for row in shown
    ]
    headers = ("Round", "Table", "Operator", "Phase", "Cards", "Won by", "Wagers", "Opened (UTC)")
    note = _older(request, shown[-1].pk) if len(found) > search_rows.PAGE else ""
    return Grid("Rounds", headers, rows, empty="No such round.", note=note)


def _wagers(request: HttpRequest, asked: Asked, before: UUID | None) -> Grid:
    shown, following = search_rows.whole_rounds(search_rows.wagers(request, asked, before=before))
    names = nicknames([row.player_id for row in shown])
    note = "" if following is None else _older(request, following)
    rows = [_wager(row, names.get(row.player_id, html.short(row.player_id))) for row in shown]
    return Grid("Wagers", HEADERS, rows, empty="No such wager.", note=note, numeric=_MONEY)


HEADERS: Final = ("Confirmed (UTC)", "Player", "Round", "Table", "On", "Staked", "Returned", "Net")


def _wager(row: Any, nickname: str) -> tuple[object, ...]:
    stakes = {Spot(spot): amount for spot, amount in row.stakes.items()}
    staked = html.money(row.staked, row.currency)
    return (
        html.moment(row.confirmed_at),
        html.page("player", row.player_id, nickname),
        baccarat_parts.round_link(row),
        html.page("table", row.table_id, row.table_name or html.short(row.table_id)),
        stakes_in_words(stakes, lambda minor: format_amount(minor, row.currency)),
        staked if row.money_type == "real" else html.both(staked, "play money"),
        html.money(row.returned, row.currency),
        outcome_of(row),
    )


def outcome_of(row: Any) -> object:
    """Show what a wager came to: what was won or lost, that it is in play, or that it was voided."""
    if row.voided_at is not None:
        return html.badge("voided", "bad")
    if row.returned is None:
        return html.badge("in play", "warn")
    return html.money(row.returned - row.staked, row.currency, signed=True)


def _payments(request: HttpRequest, asked: Asked) -> Grid:
    found = search_rows.payments(request, asked)
    names = nicknames([row.player_id for row in found])
    rows = [
        (
            html.moment(row.requested_at),
            html.page(row._meta.model_name, row.pk, f"{row._meta.model_name} {html.short(row.pk)}"),  # noqa: SLF001
            html.page("player", row.player_id, names.get(row.player_id, html.short(row.player_id))),
            row.status,
            html.money(row.amount, row.currency),
        )
        for row in found
    ]
    headers = ("Requested (UTC)", "Transaction", "Player", "Status", "Amount")
    note = f"The newest {search_rows.PAGE}; narrow the time for older ones." if len(rows) == search_rows.PAGE else ""
    return Grid("Payments and adjustments", headers, rows, empty="No such payment.", note=note, numeric=_MONEY)


def _older(request: HttpRequest, before: UUID) -> object:
    kept = {name: str(value) for name, value in request.GET.items() if name != "before" and value}
    return html.link(f"?{urlencode({**kept, 'before': str(before)})}", "Older ones")
