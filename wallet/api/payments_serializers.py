"""The bodies of the part of the API that is about money on its way in and out."""

from datetime import datetime, timedelta
from typing import Any

from rest_framework import serializers

from casino.api.fields import (
    AmountField,
    CurrencyField,
    EnumField,
    FlagField,
    IdField,
    MoneySerializer,
    StrictSerializer,
    TextField,
    WholeNumberField,
    present_money,
)
from casino.kernel.errors import Refusal
from wallet.payments import withdrawal_terms
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.fees import DepositTerms, parse_percent, percent, quote
from wallet.payments.methods import MethodOffer, MethodVersion
from wallet.payments.queries import Deposit, Withdrawal
from wallet.payments.withdrawal_state import WithdrawalStatus
from wallet.payments.withdrawal_terms import WithdrawalPolicy, WithdrawalTerms


class MethodRequest(StrictSerializer):
    """What an operator offers; the whole of it, also when it is changed."""

    name = TextField(max_length=60)
    provider = TextField(max_length=40)
    currency = CurrencyField()
    minimum = AmountField()
    maximum = AmountField()
    fee_fixed = AmountField(allow_zero=True, required=False, default=0)
    fee_percent = TextField(max_length=8, required=False, default="0", help_text="Below 100, at most four decimals.")
    seconds = WholeNumberField(required=False, default=0, help_text="How long a deposit takes, as a rule.")
    payouts = FlagField(required=False, default=False, help_text="Whether withdrawals may go out by it.")
    enabled = FlagField(required=False, default=True)


class QuoteShown(serializers.Serializer[Any]):
    """What an amount comes to; `refused` is the code of the refusal where the method does not take it."""

    amount = MoneySerializer()
    fee = MoneySerializer(allow_null=True)
    arrives = MoneySerializer(allow_null=True)
    expected_at = serializers.DateTimeField(allow_null=True, help_text="When it arrives, as a rule, if asked for now.")
    refused = serializers.CharField(allow_null=True)


class MethodShown(serializers.Serializer[Any]):
    """A method as it is offered now; the fee is rounded up to a whole minor unit."""

    id = serializers.UUIDField()
    version = serializers.IntegerField()
    name = serializers.CharField()
    provider = serializers.CharField()
    minimum = MoneySerializer()
    maximum = MoneySerializer()
    fee_fixed = MoneySerializer()
    fee_percent = serializers.CharField()
    seconds = serializers.IntegerField()
    payouts = serializers.BooleanField()
    enabled = serializers.BooleanField()
    quote = QuoteShown(allow_null=True)


class Methods(serializers.Serializer[Any]):
    """Methods, oldest first."""

    items = MethodShown(many=True)


class AmountQuery(serializers.Serializer[Any]):
    """For which amount fees are asked for."""

    amount = AmountField(required=False, default=None, allow_null=True)


class PaymentRequest(StrictSerializer):
    """How much, and by which method."""

    method = IdField()
    amount = AmountField()
    currency = CurrencyField()


class Nothing(StrictSerializer):
    """An empty object."""


class DepositQuery(serializers.Serializer[Any]):
    """Which deposits."""

    status = EnumField(DepositStatus, required=False, default=None)


class WithdrawalQuery(serializers.Serializer[Any]):
    """Which withdrawals."""

    status = EnumField(WithdrawalStatus, required=False, default=None)


class DepositShown(serializers.Serializer[Any]):
    """A deposit as it stands."""

    id = serializers.UUIDField()
    player = serializers.UUIDField()
    method = serializers.UUIDField()
    status = serializers.CharField(help_text="`pending`, `failed`, `completed` or `reversed`.")
    amount = MoneySerializer()
    fee = MoneySerializer()
    arrives = MoneySerializer()
    owed = MoneySerializer(help_text="The debt that a reversal left.")
    reason = serializers.CharField()
    requested_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class DepositPage(serializers.Serializer[Any]):
    """Deposits, newest first."""

    items = DepositShown(many=True)
    next = serializers.CharField(allow_null=True)


class WithdrawalShown(serializers.Serializer[Any]):
    """A withdrawal as it stands."""

    id = serializers.UUIDField()
    player = serializers.UUIDField()
    method = serializers.UUIDField()
    status = serializers.CharField(
        help_text="`requested`, `approved`, `sent`, `paid`, `returned`, `rejected` or `cancelled`."
    )
    amount = MoneySerializer()
    fee = MoneySerializer()
    arrives = MoneySerializer()
    can_cancel = serializers.BooleanField()
    reason = serializers.CharField()
    requested_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class WithdrawalPage(serializers.Serializer[Any]):
    """Withdrawals, newest first."""

    items = WithdrawalShown(many=True)
    next = serializers.CharField(allow_null=True)


class PolicyRequest(StrictSerializer):
    """Up to which amount nobody looks, above which two members of staff do, and what withdrawals may be and cost."""

    auto_approve_up_to = AmountField(allow_zero=True)
    second_approval_above = AmountField(allow_zero=True)
    minimum = AmountField(required=False, default=1)
    maximum = AmountField(required=False, default=None, allow_null=True)
    max_pending = WholeNumberField(required=False, default=None, allow_null=True, min_value=1, max_value=1000)
    fee_fixed = AmountField(allow_zero=True, required=False, default=0)
    fee_percent = TextField(max_length=8, required=False, default="0", help_text="Below 100, at most four decimals.")


class PolicyShown(serializers.Serializer[Any]):
    """The policy for withdrawals asked for from now on; version 0 is what holds before one is set."""

    version = serializers.IntegerField()
    auto_approve_up_to = MoneySerializer()
    second_approval_above = MoneySerializer()
    minimum = MoneySerializer()
    maximum = MoneySerializer(allow_null=True)
    max_pending = serializers.IntegerField(allow_null=True, help_text="Withdrawals of a player under way at once.")
    fee_fixed = MoneySerializer()
    fee_percent = serializers.CharField()


class WithdrawalQuote(serializers.Serializer[Any]):
    """What a withdrawal would cost and what of it would arrive.

    `refused` is the code of the refusal, where there is one; `approvals` members of staff would have to agree.
    """

    amount = MoneySerializer()
    fee = MoneySerializer(allow_null=True)
    arrives = MoneySerializer(allow_null=True)
    approvals = serializers.IntegerField()
    refused = serializers.CharField(allow_null=True)
    minimum = MoneySerializer()
    maximum = MoneySerializer(allow_null=True)
    pending_count = serializers.IntegerField()
    max_pending = serializers.IntegerField(allow_null=True)


class WithdrawalAmount(serializers.Serializer[Any]):
    """For which amount a quote is asked for."""

    amount = AmountField()


def offer_of(given: dict[str, Any]) -> MethodOffer:
    """Make an offer of a MethodRequest. Raises MethodImpossible."""
    terms = DepositTerms(
        given["currency"], given["minimum"], given["maximum"], given["fee_fixed"], parse_percent(given["fee_percent"])
    )
    return MethodOffer(given["name"], given["provider"], terms, given["seconds"], given["payouts"], given["enabled"])


def shown_method(method: MethodVersion, *, amount: int | None = None, now: datetime | None = None) -> dict[str, Any]:
    """Shape a method for an answer, with what `amount` minor units come to, and when if asked for `now`."""
    offer, terms = method.offer, method.offer.terms
    return {
        "id": method.id,
        "version": method.version,
        "name": offer.name,
        "provider": offer.provider,
        "minimum": present_money(terms.minimum, terms.currency),
        "maximum": present_money(terms.maximum, terms.currency),
        "fee_fixed": present_money(terms.fee_fixed, terms.currency),
        "fee_percent": percent(terms.fee_ppm),
        "seconds": offer.processing_seconds,
        "payouts": offer.supports_withdrawals,
        "enabled": offer.enabled,
        "quote": None if amount is None or now is None else _quote(offer, amount, now),
    }


def _quote(offer: MethodOffer, amount: int, now: datetime) -> dict[str, Any]:
    terms, unknown = offer.terms, dict.fromkeys(("fee", "arrives", "expected_at", "refused"))
    shown: dict[str, Any] = {"amount": present_money(amount, terms.currency), **unknown}
    try:
        offered = quote(terms, amount)
    except Refusal as refusal:
        return {**shown, "refused": refusal.code}
    return {
        **shown,
        "fee": present_money(offered.fee, terms.currency),
        "arrives": present_money(offered.net_amount, terms.currency),
        "expected_at": now + timedelta(seconds=offer.processing_seconds),
    }


def shown_deposit(deposit: Deposit) -> dict[str, Any]:
    """Shape a deposit for an answer."""
    return {
        "id": deposit.id,
        "player": deposit.player_id,
        "method": deposit.method_id,
        "status": deposit.status,
        "amount": present_money(deposit.amount, deposit.currency),
        "fee": present_money(deposit.fee, deposit.currency),
        "arrives": present_money(deposit.amount - deposit.fee, deposit.currency),
        "owed": present_money(deposit.debt_created, deposit.currency),
        "reason": deposit.reason,
        "requested_at": deposit.requested_at,
        "ended_at": deposit.ended_at,
    }


def shown_withdrawal(withdrawal: Withdrawal) -> dict[str, Any]:
    """Shape a withdrawal for an answer."""
    return {
        "id": withdrawal.id,
        "player": withdrawal.player_id,
        "method": withdrawal.method_id,
        "status": withdrawal.status,
        "amount": present_money(withdrawal.amount, withdrawal.currency),
        "fee": present_money(withdrawal.fee, withdrawal.currency),
        "arrives": present_money(withdrawal.amount - withdrawal.fee, withdrawal.currency),
        "can_cancel": withdrawal.status in {WithdrawalStatus.REQUESTED, WithdrawalStatus.APPROVED},
        "reason": withdrawal.reason,
        "requested_at": withdrawal.requested_at,
        "ended_at": withdrawal.ended_at,
    }


def shown_policy(policy: WithdrawalPolicy, currency: str) -> dict[str, Any]:
    """Shape a policy for an answer."""
    return {
        "version": policy.version,
        "auto_approve_up_to": present_money(policy.auto_approve_up_to, currency),
        "second_approval_above": present_money(policy.second_approval_above, currency),
        "minimum": present_money(policy.terms.minimum, currency),
        "maximum": None if policy.terms.maximum is None else present_money(policy.terms.maximum, currency),
        "max_pending": policy.terms.max_pending,
        "fee_fixed": present_money(policy.terms.fee_fixed, currency),
        "fee_percent": percent(policy.terms.fee_ppm),
    }


def policy_of(given: dict[str, Any]) -> dict[str, Any]:
    """Make the arguments of `set_policy` of a PolicyRequest. Raises MethodImpossible."""
    terms = WithdrawalTerms(
        given["minimum"],
        given["maximum"],
        given["max_pending"],
        given["fee_fixed"],
        parse_percent(given["fee_percent"]),
    )
    return {
        "auto_approve_up_to": given["auto_approve_up_to"],
        "second_approval_above": given["second_approval_above"],
        "terms": terms,
    }


def shown_withdrawal_quote(policy: WithdrawalPolicy, amount: int, pending_count: int, currency: str) -> dict[str, Any]:
    """Shape what a withdrawal of `amount` minor units comes to for an answer."""
    terms = policy.terms
    shown: dict[str, Any] = {
        "amount": present_money(amount, currency),
        "fee": None,
        "arrives": None,
        "approvals": policy.approvals_required(amount),
        "refused": None,
        "minimum": present_money(terms.minimum, currency),
        "maximum": None if terms.maximum is None else present_money(terms.maximum, currency),
        "pending_count": pending_count,
        "max_pending": terms.max_pending,
    }
    try:
        offered = withdrawal_terms.quote(terms, amount, currency=currency)
        withdrawal_terms.require_capacity(terms, pending_count=pending_count)
    except Refusal as refusal:
        return {**shown, "refused": refusal.code}
    return {
        **shown,
        "fee": present_money(offered.fee, currency),
        "arrives": present_money(offered.net_amount, currency),
    }
