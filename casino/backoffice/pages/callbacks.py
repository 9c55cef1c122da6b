"""What providers told us, as it came, and what became of each: the first place to look when money is late."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from django.contrib import admin
from django.db.models import Exists, F, JSONField, OuterRef, Q, QuerySet, UUIDField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.sections import Facts, Section
from wallet.models import ProviderCallback, Deposit, Withdrawal
from wallet.payments import deposits, provider_messages
from wallet.payments.provider_reports import PaymentKind, ProviderReport

WAITING: Final = "waiting"
_TONES: Final = {deposits.APPLIED: "good", deposits.NO_CHANGE: "plain", WAITING: "warn"}
_VERDICTS: Final = {
    WAITING: ("Waiting", Q(outcome=None)),
    "applied": ("Applied", Q(outcome=deposits.APPLIED)),
    "no_change": ("Nothing new", Q(outcome=deposits.NO_CHANGE)),
    "disputed": ("Contradicts us", Q(outcome__isnull=False) & ~Q(outcome__in=[deposits.APPLIED, deposits.NO_CHANGE])),
}
_PAGES: Final = {PaymentKind.DEPOSIT: "deposit", PaymentKind.PAYOUT: "withdrawal"}


def _payment(body: Any) -> Cast:
    return Cast(KeyTextTransform("payment", Cast(body, JSONField())), UUIDField())


@admin.register(ProviderCallback)
class CallbackAdmin(ReadOnlyAdmin):
    """Callbacks whose signature was good, newest first. Found by number or by the id of a payment."""

    list_display = ("number", "provider", "about", "said", "sum", "verdict", "last_error", "time")
    list_filter = (
        chosen(
            title="verdict",
            parameter="verdict",
            choices={key: label for key, (label, _) in _VERDICTS.items()},
            where=lambda value: _VERDICTS[value][1],
        ),
    )
    ordering = ("-id",)
    search_help_text = "number, or id of a payment"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Go by the payment that a callback is about; one about none of ours is for superusers."""
        theirs = {"pk": _payment(OuterRef("body")), "operator_id__in": operators}
        return Q(Exists(Deposit.objects.filter(**theirs))) | Q(Exists(Withdrawal.objects.filter(**theirs)))

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back so far as `scope.SPAN`, and further for a number that is searched."""
        narrow = as_number(search_term.strip()) is not None
        rows = queryset if narrow else queryset.filter(scope.latest(ProviderCallback, request))
        return super().get_search_results(request, rows.annotate(payment=_payment(F("body"))), search_term)

    def found_by(self, term: str) -> Q | None:
        """Look for a number or a payment."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(pk=number)
        return None if identity is None else Q(payment=identity)

    @admin.display(description="no.")
    def number(self, callback: ProviderCallback) -> str:
        return str(callback.pk)

    @admin.display(description="about")
    def about(self, callback: ProviderCallback) -> SafeString | str:
        told = report(callback)
        if told is None:
            return html.NOTHING
        return html.page(_PAGES[told.kind], told.payment, f"{told.kind} {html.short(told.payment)}")

    @admin.display(description="says")
    def said(self, callback: ProviderCallback) -> str:
        """What became of the payment, in the provider's eyes."""
        told = report(callback)
        return "unreadable" if told is None else told.status.value

    @admin.display(description="amount")
    def sum(self, callback: ProviderCallback) -> SafeString | str:
        """How much, as the provider has it."""
        told = report(callback)
        return html.NOTHING if told is None else html.money(told.amount, told.currency)

    @admin.display(description="verdict")
    def verdict(self, callback: ProviderCallback) -> SafeString:
        verdict = callback.outcome or WAITING
        return html.badge(verdict.replace("_", " "), _TONES.get(verdict, "bad"))

    @admin.display(description="received (UTC)")
    def time(self, callback: ProviderCallback) -> SafeString | str:
        return html.moment(callback.received_at, fine=True)

    def sections(self, request: HttpRequest, obj: ProviderCallback) -> Sequence[Section]:
        del request
        facts = (
            ("Provider", obj.provider),
            ("About", self.about(obj)),
            ("Says", self.said(obj)),
            ("Amount", self.sum(obj)),
            ("Verdict", self.verdict(obj)),
            ("Tried", f"{obj.attempts} times"),
            ("Trouble", obj.last_error or html.NOTHING),
            ("Received (UTC)", self.time(obj)),
            ("Nonce", html.code(obj.nonce)),
            ("Body, as it came", html.code(obj.body)),
        )
        return (Facts("Callback", facts),)


def report(callback: ProviderCallback) -> ProviderReport | None:
    """Read what a callback says, None where that can't be read any more."""
    try:
        return provider_messages.parse_report(callback.body)
    except (ValueError, msgspec.MsgspecError):
        return None
