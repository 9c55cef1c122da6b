"""The sections of a player's page: figures and status on top, then money, play, limits, sessions, chats and access."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from baccarat.chat.models import ChatMessage, ChatReport, ModerationAction, PlayerModeration
from baccarat.storage.models import Sitting, Wager
from casino.backoffice import game, html, scope
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import table_link, with_names
from casino.backoffice.game import money_type_badge
from casino.backoffice.pages import holds, kill_switch, player_risk, search, significant_events
from casino.backoffice.pages.ledger import balance_of
from casino.backoffice.pages.responsible_gaming import exclusion_badges
from casino.backoffice.sections import Grid, Section
from casino.backoffice.subjects import subject_names
from casino.crypto import crypto_shredding
from casino.kernel.money import MoneyType
from casino.operators.models import Player, PlayerSession
from casino.operators.principals import session_id
from casino.staff.models import AccessLogEntry
from wallet import notices
from wallet.ledger.accounts import AccountKind
from wallet.models import Account, Deposit, Withdrawal
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.withdrawal_state import WithdrawalStatus
from wallet.responsible_gaming.projection import load_restrictions
from wallet.responsible_gaming.state import PlayerRestrictionsState

MAX_ROWS: Final = 15
"""Rows of each kind on the page; the lists show the others."""
MAX_WAGERS: Final = 25
MAX_SESSIONS: Final = 20
_AMOUNTS: Final = frozenset({"Balance", "Amount", "Staked", "Returned", "Net", "Won", "Commission"})
_REAL_ONLY: Final = frozenset({"Deposited", "Withdrawn"})


def open_sessions(player: Player) -> list[PlayerSession]:
    """Return the sessions that a player has open, read once for each request."""
    return scope.cached_per_request(f"sessions:{player.pk}", lambda: _read_open_sessions(player))


def _read_open_sessions(player: Player) -> list[PlayerSession]:
    now = timezone.now()
    used = now - timedelta(seconds=settings.PLAYER_IDLE_SECONDS)
    return list(player.sessions.filter(ended_at=None, expires_at__gt=now, last_used_at__gt=used))


def _sessions(_request: HttpRequest, player: Player) -> Grid:
    running = {session.pk for session in open_sessions(player)}
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
    headers = ("Session", "Opened", "Expires", "Last used", "Ended", "Status")
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


def figures(request: HttpRequest, player: Player) -> Grid | None:
    """Show the player's money by kind and currency, real money first; None for readers of neither money nor wagers."""
    columns: dict[str, dict[tuple[str, str], int]] = {}
    if request.user.has_perm("wallet.view_account"):
        accounts = Account.objects.filter(player_id=player.pk)
        balances = accounts.filter(kind=AccountKind.ACCOUNT).annotate(total=F("balance__balance"))
        at_tables = accounts.filter(kind=AccountKind.GAME).annotate(total=F("balance__balance"))
        columns["Balance"], columns["At tables"] = _by_money(balances), _by_money(at_tables)
    if request.user.has_perm("wallet.view_deposit"):
        deposits = Deposit.objects.filter(player_id=player.pk, status=DepositStatus.COMPLETED)
        columns["Deposited"] = _by_currency(deposits)
    if request.user.has_perm("wallet.view_withdrawal"):
        withdrawals = Withdrawal.objects.filter(player_id=player.pk, status=WithdrawalStatus.PAID)
        columns["Withdrawn"] = _by_currency(withdrawals)
    if request.user.has_perm("baccarat.view_wager"):
        columns |= _played(player)
    if not columns:
        return None
    kinds = {kind: None for column in columns.values() for kind in column}
    rows = [
        (
            money_type_badge(money_type),
            *(
                _figure(name, column.get((money_type, currency), 0), currency, money_type)
                for name, column in columns.items()
            ),
        )
        for money_type, currency in sorted(kinds, key=lambda kind: (kind[0] != MoneyType.REAL, kind[1]))
    ]
    note = "Voided wagers are left out. Net is what the player won or lost in settled rounds."
    return Grid("Figures", ("Money", *columns), rows, empty="No account yet.", note=note, numeric=frozenset(columns))


def _figure(name: str, value: int, currency: str, money_type: str) -> SafeString | str:
    if name == "Wagers":
        return str(value)
    if name in _REAL_ONLY and money_type != MoneyType.REAL:
        return html.NOTHING
    return html.money(value, currency, signed=name == "Net")


def _by_money(accounts: QuerySet[Any]) -> dict[tuple[str, str], int]:
    rows = accounts.values_list("money_type", "currency").annotate(sum=Sum("total")).order_by()
    return {(money_type, currency): total or 0 for money_type, currency, total in rows}


def _by_currency(payments: QuerySet[Any]) -> dict[tuple[str, str], int]:
    rows = payments.values_list("currency").annotate(sum=Sum("amount")).order_by()
    return {(MoneyType.REAL.value, currency): total for currency, total in rows}


def _played(player: Player) -> dict[str, dict[tuple[str, str], int]]:
    wagers = Wager.objects.filter(player_id=player.pk, voided_at=None).order_by()
    totals = wagers.values_list("money_type", "currency").annotate(
        Count("id"),
        Sum("staked"),
        Sum("returned", default=0),
        Sum("commission", default=0),
        net=Sum(F("returned") - F("staked"), filter=Q(returned__isnull=False), default=0),
    )
    rows = list(totals)
    return {
        title: {(row[0], row[1]): row[place] for row in rows}
        for place, title in enumerate(("Wagers", "Staked", "Returned", "Commission", "Net"), start=2)
    }


def status(request: HttpRequest, player: Player) -> list[tuple[str, object]]:
    """Say what keeps the player from playing, with the limits and the open sessions."""
    facts = player_risk.status_facts(request, player)
    if request.user.has_perm("wallet.view_playerrestrictions"):
        restrictions, _ = load_restrictions(operator=player.operator_id, player=player.pk)
        limits = html.page("responsible_gaming", player.pk, f"{len(restrictions.limits) or 'none'} set")
        facts += [
            ("Exclusion", exclusion_badges(restrictions)),
            ("Limits", limits if restrictions != PlayerRestrictionsState() else "none"),
            ("Account", html.badge("frozen", "bad") if restrictions.frozen_at else "not frozen"),
        ]
    if kill_switch.is_player_stopped(player):
        facts.append(("Play", html.badge("stopped", "bad")))
    if request.user.has_perm("chat.view_chatmessage"):
        facts.append(("Chat", _moderation(player)))
    running = len(open_sessions(player))
    facts += [("Limits group", player.limits_group), ("Open sessions", str(running) if running else "none")]
    return facts


def _moderation(player: Player) -> SafeString:
    now, row = timezone.now(), PlayerModeration.objects.filter(pk=player.pk).first()
    if row is not None and row.ban_reason is not None and (row.banned_until is None or row.banned_until > now):
        return html.badge("banned", "bad")
    if row is not None and row.mute_reason is not None and (row.muted_until is None or row.muted_until > now):
        return html.badge("muted", "warn")
    return html.badge("allowed", "good")


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
    return Grid("Tables", ("Table", "Seat", "Money", "Since"), rows, empty="The player has not sat down yet.")


def _payments(request: HttpRequest, player: Player) -> Section:
    payments = search.payments(request, lambda rows: rows.filter(player_id=player.pk), MAX_ROWS)
    rows = [
        (at, html.page(kind, row.pk, kind), status, html.money(row.amount, row.currency))
        for kind, row in payments
        for at, status in (search.time_and_status(row),)
    ]
    link = f"{reverse('admin:desk_search')}?{urlencode({'player': str(player.pk)})}"
    note = html.link(link, "Search all payments and adjustments") if request.user.has_perms(search.NEEDED) else ""
    headers = ("Requested", "Transaction", "Status", "Amount")
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
    return Grid("Chats", ("Time", "What", "Text", ""), rows, empty="No message yet.", note=note)


def _notices(_request: HttpRequest, player: Player) -> Section:
    latest = notices.list_notices(
        operator=player.operator_id, player=player.pk, unread=False, before=None, limit=MAX_ROWS
    )
    rows = [
        (
            each.created_at,
            each.notice.kind.replace("_", " "),
            html.money(each.notice.details.get("amount"), each.notice.details.get("currency", "")),
            each.notice.message,
            each.read_at,
        )
        for each in latest
    ]
    headers = ("Time", "Notice", "Amount", "Text", "Read")
    return Grid("Notices to the player", headers, rows, empty="No notice yet.", numeric=_AMOUNTS)


def _significant(_request: HttpRequest, player: Player) -> Section:
    return significant_events.latest_significant("Significant events", f"player:{player.pk}")


def _access(_request: HttpRequest, player: Player) -> Section:
    entries = AccessLogEntry.objects.filter(subject=f"player:{player.pk}").order_by("-id")[:MAX_ROWS]
    rows = [(entry.at, f"staff:{entry.user_id}", entry.path, entry.address) for entry in entries]
    return Grid("Staff access to this player's data", ("Time", "Who", "Page", "From"), rows)


_SECTIONS: Final[tuple[tuple[str, Callable[[HttpRequest, Player], Section | None]], ...]] = (
    *player_risk.SECTIONS,
    ("significant.view_significantevent", _significant),
    ("wallet.view_account", _accounts),
    ("wallet.view_hold", holds.of_player),
    ("wallet.view_deposit", _payments),
    ("baccarat.view_wager", _wagers),
    ("baccarat.view_table", _sittings),
    ("operators.view_player", _sessions),
    ("chat.view_chatmessage", _chats),
    ("wallet.view_account", _notices),
    ("staff.view_accesslogentry", _access),
)
"""The sections of the page below its head, in order, with the permission that each needs."""


def sections(request: HttpRequest, player: Player) -> Sequence[Section]:
    """Build the sections that the user may see."""
    built = (build(request, player) for permission, build in _SECTIONS if request.user.has_perm(permission))
    return [section for section in built if section is not None]
