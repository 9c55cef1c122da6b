"""Held payments, and what staff see of a player before money leaves: on withdrawals, requests to pay, and holds."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from baccarat.risk import activity, networks
from baccarat.risk.models import KycStatus
from casino.backoffice import html
from casino.backoffice.actions import RowAction, done_or_waits, hand_over, staff_metadata
from casino.backoffice.columns import TransactionAdmin, column, money_column, staff_column, status_column, time_column
from casino.backoffice.filters import brand_filter, case_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import AssignForm, RowForm, label, text_field
from casino.backoffice.pages import player_risk
from casino.backoffice.pages.risk import VIEW_ALERTS
from casino.backoffice.sections import Facts, Grid, Section
from casino.backoffice.subjects import nicknames, player_link
from casino.crypto.crypto_shredding import decrypt_text
from casino.operators import changes, memberships
from casino.operators.models import Player
from wallet import acts
from wallet.models import Hold, Withdrawal
from wallet.payments import gate, gate_facts, holds, methods, withdrawals
from wallet.payments.hold_state import HoldStatus
from wallet.payments.withdrawal_state import WithdrawalStatus

DECIDE: Final = acts.DECIDE_HOLD.name
MAX_NEARBY: Final = 10
_TONES: Final = {
    HoldStatus.OPEN.value: "warn",
    HoldStatus.RELEASED.value: "good",
    HoldStatus.REJECTED.value: "bad",
}
_STATES: Final = {
    "waiting": ("Waiting", Q(status=HoldStatus.OPEN)),
    "overdue": ("Overdue", Q(status=HoldStatus.OPEN, due_at__lt=Now())),
    "decided": ("Decided", ~Q(status=HoldStatus.OPEN)),
}


class RejectForm(RowForm):
    """Why a payment is not made; its player reads no more than that it was refused in review."""

    reason = text_field("Reason, for staff", max_length=withdrawals.MAX_REASON_LENGTH, rows=3)


def _is_open(_request: HttpRequest, hold: Hold) -> bool:
    return hold.status == HoldStatus.OPEN


def cause_links(causes: Iterable[str]) -> SafeString | str:
    """Show causes in words, with links to cases."""
    return format_html_join(" ", "{}", ((_cause(each),) for each in causes)) or html.NOTHING


def _cause(cause: str) -> SafeString | str:
    kind, _, about = cause.partition(":")
    if kind == gate.CauseKind.OPEN_CASE:
        return html.page("case", about, html.badge(gate.CAUSE_LABELS[gate.CauseKind.OPEN_CASE], "bad"))
    return html.badge(f"{gate.CAUSE_LABELS[gate.CauseKind(kind)]} {about}".strip(), "bad")


@admin.register(Hold)
class HoldAdmin(TransactionAdmin):
    """Held payments, newest first; the filter `Waiting` is the queue. Found by id, withdrawal's or player's id."""

    list_display = ("short_id", "status_badge", "amount_", "operator", "player", "causes_", "owner_", "due", "placed")
    list_filter = (
        operator_filter(), brand_filter("player_id"), case_filter("status", _STATES), enum_filter(HoldStatus),
        since_by_uuid(),
    )  # fmt: skip
    search_fields = ("pk", "player_id", "withdrawal_id")
    search_help_text = "id, the withdrawal's or the player's id"
    status_badge = status_column(_TONES)
    amount_ = money_column("amount", "amount")
    causes_ = column("causes", lambda row: cause_links(row.causes.split(",")))
    owner_ = staff_column("owner", "owner")
    due = time_column("due_at", "decide before")
    placed = time_column("placed_at", "held")

    @RowAction("Hand over", permission=DECIDE, form=AssignForm, applies=_is_open)
    def assign(self, request: HttpRequest, hold: Hold, data: dict[str, Any]) -> str:
        assign = partial(holds.assign, hold.pk, metadata=staff_metadata(request, hold.operator_id))
        return hand_over(request, "a held payment", data["owner"], assign)

    @RowAction(
        "Release",
        permission=DECIDE,
        applies=_is_open,
        tone="good",
        help_text="Its causes hold it no more. Above the policy's amount, another person has to confirm it. "
        "Who approved it can't release it.",
        question="Release this withdrawal?",
    )
    def release(self, request: HttpRequest, hold: Hold, _data: dict[str, Any]) -> str:
        by, metadata = memberships.staff_actor(request.user), staff_metadata(request, hold.operator_id)
        return done_or_waits(holds.release(hold.pk, by=by, metadata=metadata), "Released; it goes on.")

    @RowAction(
        "Reject",
        permission=DECIDE,
        form=RejectForm,
        applies=_is_open,
        tone="bad",
        help_text="The money is the player's again. To keep it as well, freeze the account on the player's page.",
        question="Reject this withdrawal?",
    )
    def reject(self, request: HttpRequest, hold: Hold, data: dict[str, Any]) -> str:
        by, metadata = memberships.staff_actor(request.user), staff_metadata(request, hold.operator_id)
        holds.reject(hold.pk, by=by, reason=data["reason"], metadata=metadata)
        return "Rejected; the money is back on the player's account."

    def sections(self, request: HttpRequest, obj: Hold) -> Sequence[Section]:
        withdrawal = Withdrawal.objects.filter(pk=obj.withdrawal_id).first()
        waits = changes.waiting(holds.KIND, f"payment:{obj.withdrawal_id}")
        rejected = obj.status == HoldStatus.REJECTED
        facts = self.facts(
            obj,
            *("status_badge", "amount_", "operator", "player", "causes_", "owner_", "placed", "due"),
            ("Withdrawal", withdrawal and html.page("withdrawal", withdrawal.pk, str(withdrawal.status))),
            ("Waits for another person", waits and html.page("change", waits.pk, waits.summary)),
            ("Decided by", html.with_logins(obj.decided_by.replace(",", ", ")) if obj.decided_by else html.NOTHING),
            ("Reason", decrypt_text(obj.reason) if rejected else label(obj.reason) if obj.reason else html.NOTHING),
            ("Ended", obj.ended_at),
            ("Log", html.event_log(f"hold-{obj.pk}")),
            "pk",
        )
        return [facts, *(() if withdrawal is None else before_money_leaves(request, withdrawal))]


def before_money_leaves(request: HttpRequest, withdrawal: Withdrawal) -> Sequence[Section]:
    """Show what is known of the player of a withdrawal: cases, identity, networks, and play against deposits."""
    allowed, player = request.user.has_perm, withdrawal.player_id
    terms = methods.policy(operator=withdrawal.operator_id, currency=withdrawal.currency).holds
    facts = gate_facts.read(
        operator=withdrawal.operator_id, player=player, currency=withdrawal.currency, amount=withdrawal.amount,
        terms=terms, withdrawal=withdrawal.pk,
    )  # fmt: skip
    rows: list[tuple[str, object]] = []
    if allowed(player_risk.VIEW_CASES):
        cases = [_cause(f"{gate.CauseKind.OPEN_CASE}:{case}") for case in facts.cases]
        rows.append(("Cases", format_html_join(" ", "{}", ((case,) for case in cases)) or html.badge("none", "good")))
    if allowed(player_risk.VIEW_STATUS):
        rows += [
            ("KYC", player_risk.kyc_badge(KycStatus(facts.kyc))),
            ("Tags", ", ".join(facts.tags) or "none"),
            ("Screening", ", ".join(facts.statuses) or "nothing found"),
        ]
    if allowed("wallet.view_playerrestrictions"):
        rows.append(("Account", html.badge("frozen", "bad") if facts.frozen else "not frozen"))
    if allowed(VIEW_ALERTS):
        near = networks.players_nearby(player, operators={withdrawal.operator_id}, limit=MAX_NEARBY)
        names = nicknames([other for other, _ in near])
        links = format_html_join(", ", "{}", ((player_link(key, names),) for key in names))
        rows.append(("Same network", links or "nobody"))
    if allowed("wallet.view_deposit"):
        rows += _play(withdrawal, facts)
    if allowed(DECIDE) and withdrawal.status in _OPEN:
        rows.append(("Held by the gate now", cause_links(gate.causes(facts))))
    return [Facts("Before money leaves", rows)] if rows else []


_OPEN: Final = frozenset({WithdrawalStatus.REQUESTED, WithdrawalStatus.HELD, WithdrawalStatus.APPROVED})


def _play(withdrawal: Withdrawal, facts: gate.PayoutFacts) -> list[tuple[str, object]]:
    """Compare deposits with play: what has still to be staked, and the last thirty days."""
    currency = withdrawal.currency
    owed = gate.unplayed(facts.moved, facts.terms.played_ppm)
    shown: list[tuple[str, object]] = [
        ("Still to be staked for its deposits", html.money(owed, currency) if owed else html.badge("nothing", "good"))
    ]
    sums = activity.sums_of(withdrawal.player_id, timezone.now()).get(currency, {}).get("30 d")
    if sums is not None:
        shown += [
            ("Deposited in 30 days", html.money(sums.deposited, currency)),
            ("Staked in 30 days", html.money(sums.staked, currency)),
            ("Withdrawals requested in 30 days", html.money(sums.withdrawn, currency)),
        ]
    return shown


def of_player(_request: HttpRequest, player: Player) -> Section:
    """List the held payments of a player."""
    rows = [
        (row.placed_at, html.page("hold", row.pk, row.status), html.money(row.amount, row.currency),
         cause_links(row.causes.split(",")), row.due_at)
        for row in Hold.objects.filter(player_id=player.pk).order_by("-pk")[:MAX_NEARBY]
    ]  # fmt: skip
    headers = ("Held", "Hold", "Amount", "Causes", "Decide before")
    return Grid("Held payments", headers, rows, empty="No payment was held.", numeric=frozenset({"Amount"}))
