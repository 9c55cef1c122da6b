"""Payments and deposit methods as staff see them, only those of their operators; and who agrees to a withdrawal."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Deed, Facts, Grid, Section
from casino.events.store import Metadata
from casino.observability.request_id import request_id
from casino.operators import memberships
from casino.operators.models import Operator, Player
from wallet.models import Deposit, DepositMethod, Payment, Withdrawal
from wallet.payments import queries, withdrawals
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.fees import percent
from wallet.payments.withdrawal_state import WithdrawalStatus

REVIEW: Final = "wallet.change_withdrawal"
_TONES: Final = {
    DepositStatus.COMPLETED.value: "good",
    WithdrawalStatus.PAID.value: "good",
    DepositStatus.REVERSED.value: "bad",
    WithdrawalStatus.RETURNED.value: "bad",
    WithdrawalStatus.REQUESTED.value: "warn",
}


def _status_filter(states: type[DepositStatus] | type[WithdrawalStatus]) -> Any:
    choices = {state.value: state.value.capitalize() for state in states}
    return chosen(title="status", parameter="status", choices=choices, where=lambda value: Q(status=value))


@admin.register(DepositMethod)
class DepositMethodAdmin(ReadOnlyAdmin):
    """Ways to deposit, every version of each; operators change them by the API. Found by the method's id."""

    list_display = ("title", "version", "operator", "terms", "fee", "standing", "since")
    list_filter = (operator_filter(),)
    ordering = ("-id",)
    search_help_text = "id of the method"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the operator's name."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        methods: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug))
        return methods

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Find a version by its number, or the newest one of a method by the method's id."""
        method = as_uuid(object_id)
        if method is None:
            return super().get_object(request, object_id, from_field)
        return self.get_queryset(request).filter(method_id=method).order_by("-version").first()

    def found_by(self, term: str) -> Q | None:
        """Look for a method's id."""
        identity = as_uuid(term)
        return None if identity is None else Q(method_id=identity)

    @admin.display(description="name")
    def title(self, method: DepositMethod) -> str:
        return method.name

    @admin.display(description="operator")
    def operator(self, method: Any) -> SafeString | str:
        return html.page("operator", method.operator_id, method.slug or html.short(method.operator_id))

    @admin.display(description="takes")
    def terms(self, method: DepositMethod) -> SafeString:
        """Minimum and maximum."""
        ends = (html.money(method.minimum, method.currency), html.money(method.maximum, method.currency))
        return format_html("{} to {}", *ends)

    @admin.display(description="fee")
    def fee(self, method: DepositMethod) -> SafeString:
        """Fixed part and share."""
        return format_html("{} + {} %", html.money(method.fee_fixed, method.currency), percent(method.fee_ppm))

    @admin.display(description="standing")
    def standing(self, method: DepositMethod) -> SafeString:
        """Whether this version offers it."""
        return html.badge("offered", "good") if method.enabled else html.badge("closed", "bad")

    @admin.display(description="since (UTC)")
    def since(self, method: DepositMethod) -> SafeString | str:
        """When this version was made."""
        return html.moment(method.created_at)

    def sections(self, request: HttpRequest, obj: DepositMethod) -> Sequence[Section]:
        del request
        facts = (
            ("Name", obj.name),
            ("Version", str(obj.version)),
            ("Operator", self.operator(obj)),
            ("Provider", obj.provider),
            ("Takes", self.terms(obj)),
            ("Fee", self.fee(obj)),
            ("Seconds to complete", str(obj.processing_seconds)),
            ("Pays out", "yes" if obj.supports_withdrawals else "no"),
            ("Standing", self.standing(obj)),
            ("Made by", obj.actor),
            ("Since (UTC)", self.since(obj)),
            ("Method", html.code(obj.method_id)),
        )
        return (Facts("Deposit method", facts),)


class PaymentAdmin(ReadOnlyAdmin):
    """What lists of deposits and of withdrawals have in common. Found by id, player's id or provider's reference."""

    list_display = ("title", "standing", "sum", "operator", "player", "when")
    ordering = ("-id",)
    search_help_text = "id, player's id, or the provider's reference"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        payments: QuerySet[Any] = super().get_queryset(request)
        named: QuerySet[Any] = payments.annotate(slug=Subquery(slug), nickname=Subquery(nickname))
        return named

    def found_by(self, term: str) -> Q | None:
        """Look for an id, a player or a reference."""
        identity = as_uuid(term)
        return Q(reference=term) if identity is None else Q(pk=identity) | Q(player_id=identity)

    @admin.display(description="id")
    def title(self, payment: Payment) -> str:
        """The end of its id."""
        return html.short(payment.pk)

    @admin.display(description="status")
    def standing(self, payment: Payment) -> SafeString:
        return html.badge(payment.status, _TONES.get(payment.status, "plain"))

    @admin.display(description="amount")
    def sum(self, payment: Payment) -> SafeString | str:
        """How much."""
        return html.money(payment.amount, payment.currency)

    @admin.display(description="operator")
    def operator(self, payment: Any) -> SafeString | str:
        return html.page("operator", payment.operator_id, payment.slug or html.short(payment.operator_id))

    @admin.display(description="player")
    def player(self, payment: Any) -> SafeString | str:
        return html.page("player", payment.player_id, payment.nickname or html.short(payment.player_id))

    @admin.display(description="requested (UTC)")
    def when(self, payment: Payment) -> SafeString | str:
        """When it was asked for."""
        return html.moment(payment.requested_at)

    def method(self, payment: Payment) -> SafeString | str:
        """By which method, as it was when it was asked for."""
        version = DepositMethod.objects.filter(method_id=payment.method_id, version=payment.method_version).first()
        if version is None:
            return f"{payment.method_id}, version {payment.method_version}"
        return html.page("method", version.pk, str(version))

    def facts(self, payment: Payment) -> list[tuple[str, object]]:
        """List what both have in common, with what keeps it from moving on."""
        trouble = queries.load_last_errors([payment.pk]).get(payment.pk, "")
        return [
            ("Status", self.standing(payment)),
            ("Amount", self.sum(payment)),
            ("Operator", self.operator(payment)),
            ("Player", self.player(payment)),
            ("Provider", payment.provider),
            ("Provider's reference", payment.reference or html.NOTHING),
            ("Reason", payment.reason or html.NOTHING),
            ("Trouble", trouble or html.NOTHING),
            ("Method", self.method(payment)),
            ("Requested (UTC)", self.when(payment)),
            ("Ended (UTC)", html.moment(payment.ended_at)),
            ("Provider told us", html.listing("wallet_providercallback", "callbacks", q=str(payment.pk))),
            ("Log", html.listing("events_event", "all events", q=f"{self.opts.model_name}-{payment.pk}")),
            ("Id", html.code(payment.pk)),
        ]


@admin.register(Deposit)
class DepositAdmin(PaymentAdmin):
    """Money on its way in."""

    list_filter = (operator_filter(), _status_filter(DepositStatus), since_by_uuid())

    def sections(self, request: HttpRequest, obj: Deposit) -> Sequence[Section]:
        del request
        more = [
            ("Fee", html.money(obj.fee, obj.currency)),
            ("Debt left by its reversal", html.money(obj.debt_created, obj.currency)),
        ]
        return (Facts("Deposit", [*self.facts(obj), *more]),)


@admin.register(Withdrawal)
class WithdrawalAdmin(PaymentAdmin):
    """Money on its way out: a queue of those that wait for staff, by the filter `requested`."""

    list_filter = (operator_filter(), _status_filter(WithdrawalStatus), since_by_uuid())

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `approve` and `reject`."""
        return [
            self.perform_path("approve", REVIEW, self.approve),
            self.perform_path("reject", REVIEW, self.reject),
            *super().get_urls(),
        ]

    def approve(self, request: HttpRequest, withdrawal: Withdrawal) -> str:
        """Agree. Raises NotWaitingForReview, MakerIsChecker, DebtOutstanding."""
        who = memberships.staff_actor(request.user)
        after = withdrawals.approve(withdrawal.pk, staff=who, metadata=_remembered(request, withdrawal))
        missing = after.requested.approvals_required - len(after.approved_by)
        return f"Approved; {missing} more to agree." if missing else "Approved; it is on its way to the provider."

    def reject(self, request: HttpRequest, withdrawal: Withdrawal) -> str:
        """Refuse. Raises NotWaitingForReview."""
        who = memberships.staff_actor(request.user)
        withdrawals.reject(
            withdrawal.pk, staff=who, reason="refused in review", metadata=_remembered(request, withdrawal)
        )
        return "Rejected; the money is the player's again."

    def sections(self, request: HttpRequest, obj: Withdrawal) -> Sequence[Section]:
        """Show a withdrawal, with buttons for those who may review it."""
        more = [
            ("Fee", html.money(obj.fee, obj.currency)),
            ("Members of staff to agree", str(obj.approvals_required)),
            ("Agreed", obj.approved_by or html.NOTHING),
            ("Rejected by", obj.rejected_by or html.NOTHING),
        ]
        facts = Facts("Withdrawal", [*self.facts(obj), *more])
        if obj.status != WithdrawalStatus.REQUESTED or not request.user.has_perm(REVIEW):
            return (facts,)
        agree = Deed("Approve", self.perform_url("approve", obj), "Agree to this withdrawal?", tone="good")
        refuse = Deed("Reject", self.perform_url("reject", obj), "Refuse it and give the money back?", tone="bad")
        return (facts, Grid("Review", ("Agree", "Refuse"), [(agree, refuse)]))


def _remembered(request: HttpRequest, withdrawal: Withdrawal) -> Metadata:
    made = request_id(request)
    operator, who = str(withdrawal.operator_id), memberships.staff_actor(request.user)
    return Metadata(operator=operator, actor=who, causation="", correlation=made, request=made)
