"""A player's page: money, play, limits, sessions, payments, chats, notices, significant events and staff access."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Q, QuerySet, Sum
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from baccarat.chat.models import ChatMessage, ChatReport, ModerationAction
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.storage.models import Sitting, Wager
from casino.backoffice import game, html
from casino.backoffice.actions import RowAction
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import column, operator_column, table_link, time_column, with_names
from casino.backoffice.filters import brand_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, RowForm
from casino.backoffice.game import money_type_badge
from casino.backoffice.pages import kill_switch, search, significant_events
from casino.backoffice.pages.brands import LimitsGroupChoiceForm
from casino.backoffice.pages.ledger import balance_of
from casino.backoffice.sections import Facts, Grid, Section
from casino.backoffice.subjects import subject_names
from casino.compliance import erasure as erasures
from casino.compliance import exports
from casino.crypto import blind_index, crypto_shredding
from casino.operators import limits_groups, sessions
from casino.operators.memberships import staff_actor
from casino.operators.models import Operator, Player, PlayerSession
from casino.operators.principals import session_id
from casino.staff.access_log import record_access
from casino.staff.models import AccessLogEntry
from wallet.adjustments import notices
from wallet.models import Account, PlayerRestrictions
from wallet.responsible_gaming.events import responsible_gaming_stream

MAX_ROWS: Final = 15
"""Rows of each kind on the page; the lists show the others."""
MAX_WAGERS: Final = 25
MAX_SESSIONS: Final = 20
END_SESSIONS: Final = "operators.change_playersession"
REQUEST_ERASURE: Final = "compliance.request_erasure"
SET_LIMITS_GROUP: Final = "wallet.change_playerrestrictions"
EXPORT: Final = "compliance.export_player"
_AMOUNTS: Final = frozenset({"Balance", "Amount", "Staked", "Returned", "Net", "Won", "Commission", "Wagers"})


class ErasureForm(RowForm):
    reason = EnumSelectField(erasures.ErasureReason, label="Reason")
    overrides_retention = forms.BooleanField(
        label="Override the ten years for which the law wants the data kept", required=False
    )


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players. Found by id or by the operator's own reference."""

    list_display = ("nickname", "operator_", "brand_", "reference", "registered")
    list_filter = (operator_filter(), brand_filter(), since_by_uuid())
    list_select_related = ("operator", "brand")
    search_help_text = "id, or the operator's reference"
    operator_ = operator_column
    brand_ = column("brand", lambda player: player.brand and html.page("brand", player.brand_id, player.brand.slug))
    registered = time_column("created_at", "registered")

    def search_condition(self, term: str) -> Q | None:
        """Search for an id or a reference, by the index of each operator."""
        identity = as_uuid(term)
        condition = Q(operator_id__in=Operator.objects.values("id"), reference_index=blind_index.blind_index(term))
        return condition if identity is None else condition | Q(pk=identity)

    def title_of(self, obj: Player) -> str:
        return obj.nickname

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        return [path("<path:object_id>/export.zip", export, name="operators_player_export"), *super().get_urls()]

    def export(self, request: HttpRequest, object_id: str) -> StreamingHttpResponse:
        """Return all data about a player as a ZIP. Raises PermissionDenied."""
        player = self.find_row(request, object_id)
        if request.method != "GET" or player is None or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        record_access(request, subject=f"player:{player.pk}", operator=player.operator_id)
        chunks = exports.export_player(operator=player.operator_id, player=player.pk, now=timezone.now())
        response = StreamingHttpResponse(chunks, content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="player-{player.pk}.zip"'
        return response

    @RowAction(
        "End open sessions",
        name="end",
        permission=END_SESSIONS,
        applies=lambda _, player: bool(_open_sessions(player)),
        tone="bad",
        help_text="Seats and confirmed wagers stay as they are.",
        question="End every open session of this player? The player has to come back through the operator.",
    )
    def end_sessions(self, _request: HttpRequest, player: Player, _data: dict[str, Any]) -> str:
        running = _open_sessions(player)
        for session in running:
            sessions.end_session(session=bytes(session.token_hash))
        return f"Ended {len(running)} session{'' if len(running) == 1 else 's'}."

    @RowAction(
        "Request the erasure",
        name="erase",
        title="Erase this player's personal data",
        permission=REQUEST_ERASURE,
        form=ErasureForm,
        tone="bad",
        help_text="Names and texts are erased forever once another person agrees. Rounds and money stay provable.",
    )
    def request_erasure(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        erasures.request(operator=player.operator_id, player=player.pk, by=staff_actor(request.user), **data)
        return "Requested an erasure; another person decides."

    @RowAction(
        "Move",
        name="limits_group",
        title="Move to another limits group",
        permission=SET_LIMITS_GROUP,
        form=LimitsGroupChoiceForm,
        help_text="For wagers from now on.",
    )
    def move_to_limits_group(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        by, name = staff_actor(request.user), data["group"]
        limits_groups.assign(operator=player.operator_id, player=player.pk, name=name, by=by)
        return f"Moved to {name}."

    @RowAction(
        "Stop",
        title="Stop this player",
        permission=kill_switch.STOP_PLAY,
        form=kill_switch.StopForm,
        applies=lambda request, player: (
            kill_switch.may_stop(request, StopScope.PLAYER) and not kill_switch.is_player_stopped(player)
        ),
        tone="bad",
        help_text=kill_switch.STOP_HELP,
    )
    def stop(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        return kill_switch.stop(request, StopScope.PLAYER, str(player.pk), data)

    def sections(self, request: HttpRequest, obj: Player) -> Sequence[Section]:
        player = str(obj.pk)
        facts: list[tuple[str, object]] = [
            ("Reference", html.code(obj.reference)),
            ("Brand", obj.brand.slug if obj.brand else html.NOTHING),
            ("Limits group", obj.limits_group),
            ("Registered (UTC)", self.registered(obj)),
            ("Id", html.code(player)),
            ("Money", html.listing("wallet_account", "accounts and balances", q=player)),
            ("Limits", html.listing("wallet_playerrestrictions", "limits and exclusions", q=player)),
            ("Play", html.listing("baccarat_wager", "wagers", q=player)),
            ("Log", html.event_log(player, "events about the player")),
        ]
        if request.user.has_perm(EXPORT):
            url = reverse("admin:operators_player_export", args=[obj.pk])
            facts.append(("All data", html.link(url, "export as a ZIP of JSON")))
        parts = [build(request, obj) for permission, build in _SECTIONS if request.user.has_perm(permission)]
        return [
            self.facts(obj, "nickname", "operator_", *facts),
            *parts,
            _sessions(obj),
            *kill_switch.player_sections(request, obj),
        ]


def _open_sessions(player: Player) -> list[PlayerSession]:
    now = timezone.now()
    used = now - timedelta(seconds=settings.PLAYER_IDLE_SECONDS)
    return list(player.sessions.filter(ended_at=None, expires_at__gt=now, last_used_at__gt=used))


def _sessions(player: Player) -> Grid:
    running = {session.pk for session in _open_sessions(player)}
    rows = [
        (
            html.code(session_id(bytes(session.token_hash)).removeprefix("session:")),
            session.created_at,
            session.expires_at,
            session.last_used_at,
            session.ended_at,
            html.badge("open", "good")
            if session.pk in running
            else session.ended_reason.replace("_", " ") or "expired",
        )
        for session in player.sessions.order_by(F("created_at").desc())[:MAX_SESSIONS]
    ]
    headers = ("Session", "Opened (UTC)", "Expires (UTC)", "Last used (UTC)", "Ended (UTC)", "Status")
    return Grid("Sessions", headers, rows, empty="No session yet.")


def _accounts(_request: HttpRequest, player: Player) -> Section:
    accounts = (
        Account.objects.filter(player_id=player.pk).select_related("balance").order_by("money_type", "kind", "id")
    )
    names = subject_names({f"table:{account.table_id}" for account in accounts if account.table_id is not None})
    rows = [
        (
            html.page("account", account.pk, "owed" if account.kind == "debt" else account.kind.replace("_", " ")),
            money_type_badge(account.money_type),
            html.page("table", account.table_id, names.get(f"table:{account.table_id}", "table")),
            html.money(balance_of(account), account.currency),
        )
        for account in accounts
    ]
    headers = ("Account", "Money", "Table", "Balance")
    return Grid("Accounts", headers, rows, empty="No account yet.", numeric=_AMOUNTS)


def _totals(_request: HttpRequest, player: Player) -> Section:
    wagers = Wager.objects.filter(player_id=player.pk, voided_at=None)
    totals = (
        wagers.values("currency", "money_type")
        .order_by("-money_type")
        .annotate(
            count=Count("id"),
            all_staked=Sum("staked"),
            all_returned=Sum("returned"),
            all_commission=Sum("commission"),
            net=Sum(F("returned") - F("staked"), filter=Q(returned__isnull=False)),
        )
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
        for row in totals
    ]
    headers = ("Money", "Wagers", "Staked", "Returned", "Commission", "Net")
    return Grid("Total play, without voided wagers", headers, rows, empty="No wager yet.", numeric=_AMOUNTS)


def _wagers(request: HttpRequest, player: Player) -> Section:
    before = as_uuid(request.GET.get("before", ""))
    wagers: QuerySet[Any] = Wager.objects.filter(player_id=player.pk).order_by("-round_id")
    if before is not None:
        wagers = wagers.filter(round_id__lt=before)
    page = list(game.with_round_numbers(wagers)[: MAX_WAGERS + 1])
    rows = [game.wager_cells(wager) for wager in page[:MAX_WAGERS]]
    note = html.link(f"?before={page[MAX_WAGERS - 1].round_id}", "Older wagers") if len(page) > MAX_WAGERS else ""
    return Grid("Rounds", game.WAGER_HEADERS, rows, empty="No wager yet.", note=note, numeric=_AMOUNTS)


def _sittings(_request: HttpRequest, player: Player) -> Section:
    sittings = with_names(Sitting.objects.filter(player_id=player.pk).order_by("-at"), "table")[:MAX_ROWS]
    rows = [
        (
            table_link(row),
            "left" if row.seat is None else f"seat {row.seat}",
            money_type_badge(row.money_type),
            row.at,
        )
        for row in sittings
    ]
    return Grid("Tables", ("Table", "Seat", "Money", "Since (UTC)"), rows, empty="No seat yet.")


def _restrictions(_request: HttpRequest, player: Player) -> Section:
    row = PlayerRestrictions.objects.filter(pk=player.pk).first()
    if row is None:
        return Facts("Limits and exclusions", [("Limits", "none"), ("Exclusion", "never")])
    exclusion = row.state.get("exclusion")
    facts = [
        ("Limits", html.page("responsible_gaming", player.pk, f"{len(row.state['limits'])} set; details")),
        ("Exclusion", exclusion and exclusion["kind"].replace("_", " ")),
        ("Until (UTC)", row.excluded_until),
        ("Log", html.event_log(responsible_gaming_stream(player.pk))),
    ]
    return Facts("Limits and exclusions", facts)


def _payments(request: HttpRequest, player: Player) -> Section:
    payments = search.payments(request, lambda rows: rows.filter(player_id=player.pk), MAX_ROWS)
    rows = [
        (row.requested_at, html.page(kind, row.pk, kind), row.status, html.money(row.amount, row.currency))
        for kind, row in payments
    ]
    link = f"{reverse('admin:desk_search')}?{urlencode({'player': str(player.pk)})}"
    note = html.link(link, "Search all of them") if request.user.has_perms(search.NEEDED) else ""
    headers = ("Requested (UTC)", "Transaction", "Status", "Amount")
    return Grid("Payments and adjustments", headers, rows, empty="No payment yet.", note=note, numeric=_AMOUNTS)


def _chats(_request: HttpRequest, player: Player) -> Section:
    messages = ChatMessage.objects.filter(player_id=player.pk).order_by("-sent_at")[:MAX_ROWS]
    actions = ModerationAction.objects.filter(player_id=player.pk).order_by("-id")[:MAX_ROWS]
    reports = ChatReport.objects.filter(player_id=player.pk).order_by("-id")[:MAX_ROWS]
    crypto_shredding.decrypt_rows([*messages, *actions, *reports])
    entries = [
        *((row.sent_at, "wrote", html.page("message", row.pk, row.text), f"seat {row.seat}") for row in messages),
        *((row.reported_at, "was reported", html.page("complaint", row.pk, row.reason), "") for row in reports),
        *(
            (row.acted_at, f"was {row.kind.removeprefix('Player').lower()}", row.note or row.reason or "", row.by)
            for row in actions
        ),
    ]
    rows = [
        (at, what, text, more) for at, what, text, more in sorted(entries, key=lambda entry: entry[0], reverse=True)
    ]
    note = html.listing("chat_chatmessage", "All messages", q=str(player.pk))
    return Grid("Chats", ("Time (UTC)", "What", "Text", ""), rows, empty="No message yet.", note=note)


def _notices(_request: HttpRequest, player: Player) -> Section:
    latest = notices.list_notices(
        operator=player.operator_id, player=player.pk, unread=False, before=None, limit=MAX_ROWS
    )
    rows = [
        (
            each.created_at,
            each.notice.kind.replace("_", " "),
            each.notice.message,
            each.read_at,
        )
        for each in latest
    ]
    return Grid("Notices to the player", ("Time (UTC)", "Notice", "Text", "Read (UTC)"), rows)


def _significant(_request: HttpRequest, player: Player) -> Section:
    return significant_events.latest_significant("Significant events", f"player:{player.pk}")


def _access(_request: HttpRequest, player: Player) -> Section:
    entries = AccessLogEntry.objects.filter(subject=f"player:{player.pk}").order_by("-id")[:MAX_ROWS]
    rows = [(entry.at, f"staff:{entry.user_id}", entry.path, entry.address) for entry in entries]
    return Grid("Staff access to this player's data", ("Time (UTC)", "Who", "Page", "From"), rows)


_SECTIONS: Final[tuple[tuple[str, Callable[[HttpRequest, Player], Section]], ...]] = (
    ("significant.view_significantevent", _significant),
    ("wallet.view_account", _accounts),
    ("baccarat.view_wager", _totals),
    ("baccarat.view_wager", _wagers),
    ("baccarat.view_table", _sittings),
    ("wallet.view_playerrestrictions", _restrictions),
    ("wallet.view_deposit", _payments),
    ("chat.view_chatmessage", _chats),
    ("wallet.view_account", _notices),
    ("staff.view_accesslogentry", _access),
)
"""The sections of the page, in order, with the permission that each needs."""
