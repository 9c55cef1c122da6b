"""A player's page whole: money, play, limits, sessions, payments, chats, notices, what was significant, who looked."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from baccarat.chat.models import ModerationAction, ChatMessage, ChatReport
from baccarat.domain.rules.wagers import Spot
from baccarat.storage.models import Sitting, Wager
from casino.backoffice import html
from casino.backoffice.base import as_uuid
from casino.backoffice.pages import baccarat_parts, player_stop, search
from casino.backoffice.pages import significant_parts as significant
from casino.backoffice.pages.ledger import balance_of, money_type_badge
from casino.backoffice.pages.narrative import stakes_in_words
from casino.backoffice.pages.operators import PlayerAdmin
from casino.backoffice.pages.subject_names import named
from casino.backoffice.sections import Facts, Grid, Section
from casino.crypto import crypto_shredding
from casino.kernel.money import format_amount
from casino.operators.models import Player
from casino.staff.models import AccessLogEntry
from wallet import notices
from wallet.models import Account, Adjustment, Deposit, PlayerRestrictions, Withdrawal

FEW: Final = 15
"""Rows of each kind that a player's page shows; the lists show the others."""
WAGERS: Final = 25
_MONEY: Final = frozenset({"Balance", "Amount", "Staked", "Returned", "Net", "Won", "Commission", "Wagers"})

admin.site.unregister(Player)


@admin.register(Player)
class WholePlayerAdmin(PlayerAdmin):
    """Players, with all that there is about one. Found by id or by the operator's own reference."""

    def title_of(self, obj: Player) -> str:
        """Name a player as the others at the table do."""
        return obj.nickname

    def sections(self, request: HttpRequest, obj: Player) -> Sequence[Section]:
        """Show a player whole, as far as this person may see it."""
        first, *others = super().sections(request, obj)
        shown = [make(request, obj) for needed, make in _SECTIONS if request.user.has_perm(needed)]
        return [first, *shown, *others, *player_stop.sections(request, obj)]


def _money(request: HttpRequest, player: Player) -> Section:
    del request
    accounts = (
        Account.objects.filter(player_id=player.pk).select_related("balance").order_by("money_type", "kind", "id")
    )
    names = named({f"table:{account.table_id}" for account in accounts if account.table_id is not None})
    rows = [
        (
            html.page("account", account.pk, "owed" if account.kind == "debt" else account.kind.replace("_", " ")),
            money_type_badge(account.money_type),
            html.page("table", account.table_id, names.get(f"table:{account.table_id}", "table")),
            html.money(balance_of(account), account.currency),
        )
        for account in accounts
    ]
    return Grid("Money", ("Account", "Book", "Table", "Balance"), rows, empty="No account yet.", numeric=_MONEY)


def _totals(request: HttpRequest, player: Player) -> Section:
    del request
    played = (
        Wager.objects.filter(player_id=player.pk, voided_at=None).values("currency", "money_type").order_by("-book")
    )
    summed = played.annotate(
        count=Count("id"),
        all_staked=Sum("staked"),
        all_returned=Sum("returned"),
        all_commission=Sum("commission"),
        net=Sum(F("returned") - F("staked"), filter=Q(returned__isnull=False)),
    )
    rows = [
        (
            money_type_badge(row["money_type"]),
            str(row["count"]),
            html.money(row["all_staked"], row["currency"]),
            html.money(row["all_returned"], row["currency"]),
            html.money(row["all_commission"], row["currency"]),
            html.money(row["net"], row["currency"], signed=True),
        )
        for row in summed
    ]
    headers = ("Book", "Wagers", "Staked", "Returned", "Commission", "Net")
    return Grid("Play in all, voided wagers left out", headers, rows, empty="No wager yet.", numeric=_MONEY)


def _wagers(request: HttpRequest, player: Player) -> Section:
    before = as_uuid(request.GET.get("before", ""))
    rows = Wager.objects.filter(player_id=player.pk).order_by("-round_id")
    if before is not None:
        rows = rows.filter(round_id__lt=before)
    found = list(baccarat_parts.with_numbers(baccarat_parts.with_names(rows, table=True))[: WAGERS + 1])
    lines = [_wager(wager) for wager in found[:WAGERS]]
    more = html.link(f"?before={found[WAGERS - 1].round_id}", "Older wagers") if len(found) > WAGERS else ""
    headers = ("Confirmed (UTC)", "Round", "Table", "On", "Staked", "Returned", "Net")
    return Grid("Rounds", headers, lines, empty="No wager yet.", note=more, numeric=_MONEY)


def _wager(wager: Any) -> tuple[object, ...]:
    stakes = {Spot(spot): amount for spot, amount in wager.stakes.items()}
    staked = html.money(wager.staked, wager.currency)
    return (
        html.moment(wager.confirmed_at),
        baccarat_parts.round_link(wager),
        html.page("table", wager.table_id, wager.table_name or html.short(wager.table_id)),
        stakes_in_words(stakes, lambda minor: format_amount(minor, wager.currency)),
        staked if wager.money_type == "real" else html.both(staked, "play money"),
        html.money(wager.returned, wager.currency),
        search.outcome_of(wager),
    )


def _sittings(request: HttpRequest, player: Player) -> Section:
    del request
    sat = baccarat_parts.with_names(Sitting.objects.filter(player_id=player.pk).order_by("-at"), table=True)[:FEW]
    rows = [
        (
            html.page("table", row.table_id, row.table_name or html.short(row.table_id)),
            "left" if row.seat is None else f"seat {row.seat}",
            money_type_badge(row.money_type),
            html.moment(row.at),
        )
        for row in sat
    ]
    return Grid("Tables", ("Table", "Sits", "Book", "Since (UTC)"), rows, empty="Sat at no table yet.")


def _protection(request: HttpRequest, player: Player) -> Section:
    del request
    kept = PlayerRestrictions.objects.filter(pk=player.pk).first()
    if kept is None:
        return Facts("Limits and exclusions", [("Limits", "none set"), ("Exclusion", "never")])
    away = kept.state.get("exclusion")
    facts = [
        ("Limits", html.page("protection", player.pk, f"{len(kept.state['limits'])} set; all of it")),
        ("Exclusion", html.NOTHING if away is None else away["kind"].replace("_", " ")),
        ("Until (UTC)", html.moment(kept.excluded_until)),
        ("Log", html.listing("events_event", "all events", q=f"responsible-gaming-{player.pk}")),
    ]
    return Facts("Limits and exclusions", facts)


def _payments(request: HttpRequest, player: Player) -> Section:
    models = [model for model in (Deposit, Withdrawal, Adjustment) if request.user.has_perm(_view_of(model))]
    found: list[Any] = []
    for model in models:
        found += model._default_manager.filter(player_id=player.pk).order_by("-id")[:FEW]  # noqa: SLF001
    rows = [
        (
            html.moment(row.requested_at),
            html.page(row._meta.model_name, row.pk, row._meta.model_name),  # noqa: SLF001
            row.status,
            html.money(row.amount, row.currency),
        )
        for row in sorted(found, key=lambda row: row.pk, reverse=True)
    ]
    link = f"{reverse('admin:desk_search')}?{urlencode({'player': str(player.pk)})}"
    headers = ("Requested (UTC)", "Transaction", "Status", "Amount")
    note = html.link(link, "Search among all of them") if request.user.has_perms(search.NEEDED) else ""
    return Grid("Payments and adjustments", headers, rows, empty="No payment yet.", note=note, numeric=_MONEY)


def _view_of(model: Any) -> str:
    return f"wallet.view_{model._meta.model_name}"  # noqa: SLF001


def _chats(request: HttpRequest, player: Player) -> Section:
    del request
    said = ChatMessage.objects.filter(player_id=player.pk).order_by("-sent_at")[:FEW]
    acts = ModerationAction.objects.filter(player_id=player.pk).order_by("-id")[:FEW]
    reports = ChatReport.objects.filter(player_id=player.pk).order_by("-id")[:FEW]
    crypto_shredding.decrypt_rows([*said, *acts, *reports])
    rows = [
        *((row.sent_at, "said", html.page("message", row.pk, row.text), f"seat {row.seat}") for row in said),
        *((row.reported_at, "was reported", html.page("complaint", row.pk, row.reason), "") for row in reports),
        *((row.acted_at, f"was {_DONE.get(row.kind, row.kind)}", row.note or row.reason or "", row.by) for row in acts),
    ]
    lines = [
        (html.moment(at), did, words or html.NOTHING, more)
        for at, did, words, more in sorted(rows, key=lambda row: row[0], reverse=True)
    ]
    note = html.listing("chat_chatmessage", "All messages", q=str(player.pk))
    return Grid("Chats", ("Time (UTC)", "What", "Words", ""), lines, empty="Never said anything.", note=note)


_DONE: Final = {
    "PlayerMuted": "muted",
    "PlayerUnmuted": "unmuted",
    "PlayerBanned": "removed",
    "PlayerUnbanned": "let in again",
}


def _notices(request: HttpRequest, player: Player) -> Section:
    del request
    told = notices.list_notices(operator=player.operator_id, player=player.pk, unread=False, before=None, limit=FEW)
    rows = [
        (
            html.moment(given.created_at),
            given.notice.kind.replace("_", " "),
            given.notice.message or html.NOTHING,
            html.moment(given.read_at),
        )
        for given in told
    ]
    return Grid("What the player was told", ("Time (UTC)", "Notice", "Words", "Read (UTC)"), rows)


def _significant(request: HttpRequest, player: Player) -> Section:
    del request
    return significant.latest("Significant events", f"player:{player.pk}")


def _looked(request: HttpRequest, player: Player) -> Section:
    del request
    views = list(AccessLogEntry.objects.filter(subject=f"player:{player.pk}").order_by("-id")[:FEW])
    people = dict(User.objects.filter(pk__in={view.user_id for view in views}).values_list("pk", "username"))
    rows = [
        (html.moment(view.at), people.get(view.user_id, f"staff {view.user_id}"), view.path, view.address or "")
        for view in views
    ]
    return Grid("Staff who looked at this player's data", ("Time (UTC)", "Who", "Page", "From"), rows)


_Make = Callable[[HttpRequest, Player], Section]
_SECTIONS: Final[tuple[tuple[str, _Make], ...]] = (
    ("significant.view_significantevent", _significant),
    ("wallet.view_account", _money),
    ("baccarat.view_wager", _totals),
    ("baccarat.view_wager", _wagers),
    ("baccarat.view_table", _sittings),
    ("wallet.view_playerrestrictions", _protection),
    ("wallet.view_deposit", _payments),
    ("chat.view_chatmessage", _chats),
    ("wallet.view_account", _notices),
    ("staff.view_accesslogentry", _looked),
)
"""What is shown, in this order, and what one needs to see it."""
