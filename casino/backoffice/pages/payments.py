"""Deposits, withdrawals with their reviews, transfers, deposit methods and providers' callbacks."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, done_or_waits, hand_over, staff_metadata
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.columns import (
    LabelledRowsAdmin,
    TransactionAdmin,
    column,
    money_column,
    staff_column,
    status_column,
    time_column,
)
from casino.backoffice.filters import (
    brand_filter,
    case_filter,
    enum_filter,
    money_type_filter,
    operator_filter,
    since_by_uuid,
)
from casino.backoffice.forms import AssignForm
from casino.backoffice.pages.holds import RejectForm, before_money_leaves
from casino.backoffice.pages.terms import MethodTerms
from casino.backoffice.sections import Facts, Section
from casino.operators import changes, memberships
from wallet.models import Deposit, DepositMethod, ProviderCallback, Transfer, Withdrawal
from wallet.payments import deposits, holds, provider_messages, queries, stored_messages, withdrawals
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.terms import percent
from wallet.payments.withdrawal_state import WithdrawalStatus
from wallet.remote.statements import PROVIDER
from wallet.transfers.events import TransferDirection

REVIEW: Final = "wallet.change_withdrawal"
_TONES: Final = {
    DepositStatus.COMPLETED.value: "good",
    WithdrawalStatus.PAID.value: "good",
    DepositStatus.REVERSED.value: "bad",
    WithdrawalStatus.RETURNED.value: "bad",
    WithdrawalStatus.REQUESTED.value: "warn",
    WithdrawalStatus.HELD.value: "warn",
}
WAITING: Final = "waiting"
_CALLBACK_TONES: Final = {
    deposits.APPLIED: "good",
    deposits.NO_CHANGE: "plain",
    stored_messages.CLOSED: "plain",
    WAITING: "warn",
}
_OUTCOMES: Final = {
    WAITING: ("Waiting", Q(outcome=None)),
    "applied": ("Applied", Q(outcome=deposits.APPLIED)),
    "no_change": ("No change", Q(outcome=deposits.NO_CHANGE)),
    "closed": ("Closed with a reason", Q(outcome=stored_messages.CLOSED)),
    "disputed": ("Contradicts our records", Q(outcome__isnull=False) & ~Q(outcome__in=stored_messages.ENDED)),
}
_PAGES: Final = {PaymentKind.DEPOSIT: "deposit", PaymentKind.PAYOUT: "withdrawal"}


@admin.register(DepositMethod)
class DepositMethodAdmin(MethodTerms, LabelledRowsAdmin):
    """Every version of each deposit method; a change is the next one. Found by the method's id."""

    names = ("operator",)
    list_display = ("name", "version", "operator", "range", "fee", "status", "since")
    list_filter = (operator_filter(),)
    search_fields = ("method_id",)
    search_help_text = "id of the method"
    range = column(
        "amounts",
        lambda row: format_html(
            "{} to {}", html.money(row.minimum, row.currency), html.money(row.maximum, row.currency)
        ),
    )
    fee = column(
        "fee", lambda row: format_html("{} + {} %", html.money(row.fee_fixed, row.currency), percent(row.fee_ppm))
    )
    status = column("status", lambda row: html.badge("offered", "good") if row.enabled else html.badge("closed", "bad"))
    since = time_column("created_at", "since")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Find a version by its number, or the newest one by the method's id."""
        method = as_uuid(object_id)
        if method is None:
            return super().get_object(request, object_id, from_field)
        return self.get_queryset(request).filter(method_id=method).order_by("-version").first()

    def sections(self, _request: HttpRequest, obj: DepositMethod) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("name", "version", "operator", "provider", "range", "fee"),
            ("Usual seconds to complete", str(obj.processing_seconds)),
            *("supports_withdrawals", "status"),
            ("Changed by", obj.actor),
            "since",
            ("Method", html.code(obj.method_id)),
        )
        return (facts,)


class PaymentAdmin(TransactionAdmin):
    """Base of the lists of deposits and withdrawals. Found by id, player's id or provider's reference."""

    list_display = ("short_id", "status_badge", "amount_", "operator", "player", "requested")
    search_fields = ("pk", "player_id", "reference")
    search_help_text = "id, player's id, or the provider's reference"
    status_badge = status_column(_TONES)
    amount_ = money_column("amount", "amount")
    requested = time_column("requested_at", "requested")

    def payment_facts(self, payment: Deposit | Withdrawal, *items: str | tuple[str, object]) -> Facts:
        """Show what deposits and withdrawals have in common, with the last error of the provider, then `items`."""
        error = queries.load_last_errors([payment.pk]).get(payment.pk)
        version = DepositMethod.objects.filter(method_id=payment.method_id, version=payment.method_version).first()
        method = f"{payment.method_id}, version {payment.method_version}"
        return self.facts(
            payment,
            *("status_badge", "amount_", "operator", "player", "provider"),
            ("Provider's reference", payment.reference),
            "reason",
            ("Last error", error),
            ("Method", method if version is None else html.page("method", version.pk, str(version))),
            "requested",
            ("Ended", payment.ended_at),
            ("Callbacks", html.listing("wallet_providercallback", "from the provider", q=str(payment.pk))),
            ("Log", html.event_log(f"{self.opts.model_name}-{payment.pk}")),
            "pk",
            ("Fee", html.money(payment.fee, payment.currency)),
            *items,
        )


@admin.register(Deposit)
class DepositAdmin(PaymentAdmin):
    """Deposits, newest first."""

    list_filter = (operator_filter(), brand_filter("player_id"), enum_filter(DepositStatus), since_by_uuid())

    def sections(self, _request: HttpRequest, obj: Deposit) -> Sequence[Section]:
        debt = ("Debt created by its reversal", html.money(obj.debt_created, obj.currency))
        return [self.payment_facts(obj, debt)]


def _is_requested(_request: HttpRequest, withdrawal: Withdrawal) -> bool:
    return withdrawal.status == WithdrawalStatus.REQUESTED


@admin.register(Withdrawal)
class WithdrawalAdmin(PaymentAdmin):
    """Withdrawals, newest first; the filter `requested` is the queue, `held` that of compliance."""

    owner_ = staff_column("owner", "handed to")
    list_filter = (operator_filter(), brand_filter("player_id"), enum_filter(WithdrawalStatus), since_by_uuid())

    @RowAction("Approve", permission=REVIEW, applies=_is_requested, tone="good", question="Approve this withdrawal?")
    def approve(self, request: HttpRequest, withdrawal: Withdrawal, _data: dict[str, Any]) -> str:
        waits = withdrawals.approve(
            withdrawal.pk,
            staff=memberships.staff_actor(request.user),
            metadata=staff_metadata(request, withdrawal.operator_id),
        )
        return done_or_waits(waits, "Approved; it is on its way to the provider.")

    @RowAction("Hand over", permission=REVIEW, form=AssignForm, applies=_is_requested)
    def assign(self, request: HttpRequest, withdrawal: Withdrawal, data: dict[str, Any]) -> str:
        assign = partial(withdrawals.assign, withdrawal.pk, metadata=staff_metadata(request, withdrawal.operator_id))
        return hand_over(request, "a withdrawal", data["owner"], assign)

    @RowAction(
        "Reject",
        permission=REVIEW,
        form=RejectForm,
        applies=_is_requested,
        tone="bad",
        question="Reject this withdrawal and return the money?",
    )
    def reject(self, request: HttpRequest, withdrawal: Withdrawal, data: dict[str, Any]) -> str:
        withdrawals.reject(
            withdrawal.pk,
            staff=memberships.staff_actor(request.user),
            reason=data["reason"],
            metadata=staff_metadata(request, withdrawal.operator_id),
        )
        return "Rejected; the money is back on the player's account."

    def sections(self, request: HttpRequest, obj: Withdrawal) -> Sequence[Section]:
        waits = changes.waiting(withdrawals.KIND, f"withdrawal:{obj.pk}")
        needed = ("Approvals needed", str(obj.approvals_required))
        waiting = ("Waits for another person", waits and html.page("change", waits.pk, waits.summary))
        hold = holds.open_hold_of(obj.pk)
        waits_for = "waits for compliance" if scope.may_view("wallet_hold") else "in review"
        held = ("Held", hold and html.page("hold", hold.pk, waits_for))
        why = ("Why, for staff", obj.note or html.NOTHING)
        facts = self.payment_facts(obj, needed, waiting, held, "owner_", "approved_by", "rejected_by", why)
        return [facts, *before_money_leaves(request, obj)]


@admin.register(Transfer)
class TransferAdmin(TransactionAdmin):
    """Transfers from and to operators' own wallets, newest first. Found by id, player's id or reference."""

    list_display = ("short_id", "reference", "direction", "amount_", "operator", "player", "made")
    list_filter = (
        operator_filter(),
        brand_filter("player_id"),
        enum_filter(TransferDirection, "direction"),
        money_type_filter(),
        since_by_uuid(),
    )
    search_fields = ("pk", "player_id", "reference")
    search_help_text = "id, player's id, or the operator's reference"
    amount_ = money_column("amount", "amount")
    made = time_column("at", "made")

    def sections(self, _request: HttpRequest, obj: Transfer) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("reference", "direction", "money_type", "amount_"),
            ("Requested", "everything" if obj.everything else "the amount"),
            ("On the account afterwards", html.money(obj.balance, obj.currency)),
            *("operator", "player", "made"),
            ("Log", html.event_log(f"transfer-{obj.pk}")),
            "pk",
        )
        return [facts]


def _report(callback: ProviderCallback) -> ProviderReport | None:
    """Parse what a callback says of money, None if it is unreadable."""
    try:
        return provider_messages.parse_report(callback.money.encode())
    except ValueError:
        return None


def _about(callback: ProviderCallback) -> SafeString | str | None:
    report = _report(callback)
    if callback.provider == PROVIDER:
        return html.page("remote", callback.payment_id, f"wallet {html.short_or_nothing(callback.payment_id)}")
    if report is None:
        return None
    return html.page(_PAGES[report.kind], report.payment, f"{report.kind} {html.short(report.payment)}")


def _reported_amount(callback: ProviderCallback) -> SafeString | str | None:
    report = _report(callback)
    return None if report is None else html.money(report.amount, report.currency)


def _reported_status(callback: ProviderCallback) -> str:
    report = _report(callback)
    return "unreadable" if report is None else report.status.value


def _outcome(callback: ProviderCallback) -> SafeString:
    outcome = callback.outcome or WAITING
    return html.badge(outcome.replace("_", " "), _CALLBACK_TONES.get(outcome, "bad"))


@admin.register(ProviderCallback)
class ProviderCallbackAdmin(ReadOnlyAdmin):
    """Callbacks with a valid signature, newest first. Found by number or by the id of a payment."""

    list_display = ("number", "provider", "about", "reported", "amount", "result", "last_error", "received")
    list_filter = (case_filter("outcome", _OUTCOMES),)
    search_help_text = "number, or id of a payment"
    number = column("no.", lambda callback: str(callback.pk))
    about = column("about", _about)
    reported = column("reported status", _reported_status)
    amount = column("amount", _reported_amount)
    result = column("outcome", _outcome)
    received = time_column("received_at", "received", fine=True)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back `scope.MAX_ROWS_BACK` rows, and further for a number that is searched."""
        narrow = as_number(search_term.strip()) is not None
        rows = queryset if narrow else queryset.filter(scope.latest(ProviderCallback, request))
        return super().get_search_results(request, rows, search_term)

    def search_condition(self, term: str) -> Q | None:
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(pk=number)
        return None if identity is None else Q(payment_id=identity)

    def sections(self, _request: HttpRequest, obj: ProviderCallback) -> Sequence[Section]:
        names = ("provider", "about", "reported", "amount", "result", "attempts", "last_error", "received")
        texts = ("Nonce", html.code(obj.nonce)), ("Body as received", html.code(obj.body))
        return [self.facts(obj, *names, *texts, title="Provider callback")]
