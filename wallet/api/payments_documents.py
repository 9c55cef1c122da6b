"""How operations about money on its way in and out are documented, examples included."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers

from casino.api import paging
from wallet.api import payments_serializers as shapes
from wallet.api.documents import PLAYER
from wallet.payments import signatures
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.withdrawal_state import WithdrawalStatus


class CallbackReport(serializers.Serializer[Any]):
    """What a provider reports of one payment."""

    kind = serializers.ChoiceField(choices=["deposit", "payout"])
    payment = serializers.UUIDField(help_text="Our id.")
    reference = serializers.CharField(help_text="The provider's.")
    status = serializers.ChoiceField(choices=["pending", "failed", "completed", "reversed"])
    amount = serializers.CharField()
    currency = serializers.CharField()
    reason = serializers.CharField(required=False)


class CallbackTaken(serializers.Serializer[Any]):
    """The callback is kept; `new` is false for one that came before."""

    new = serializers.BooleanField()


_METHOD: Final = "0199f3a2-8d10-7a01-9b11-3c5d7e9f1a2b"
_PAYMENT: Final = "0199f3a2-9e20-7b02-8c22-4d6e8f0a2b3c"


def _euro(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "EUR"}


_OFFER: Final = {
    "name": "Card",
    "provider": "sandbox",
    "currency": "EUR",
    "minimum": "10.00",
    "maximum": "2000.00",
    "fee_fixed": "0.25",
    "fee_percent": "1.5",
    "seconds": 60,
    "payouts": True,
    "enabled": True,
}
_SHOWN: Final = {
    **{name: value for name, value in _OFFER.items() if name != "currency"},
    "id": _METHOD,
    "version": 1,
    "minimum": _euro("10.00"),
    "maximum": _euro("2000.00"),
    "fee_fixed": _euro("0.25"),
    "quote": None,
}
_QUOTED: Final = {
    **_SHOWN,
    "quote": {
        "amount": _euro("50.00"),
        "fee": _euro("1.00"),
        "arrives": _euro("49.00"),
        "expected_at": "2026-11-21T09:01:00Z",
        "refused": None,
    },
}
_ASKED: Final = {"method": _METHOD, "amount": "50.00", "currency": "EUR"}
_DEPOSIT: Final = {
    "id": _PAYMENT,
    "player": PLAYER,
    "method": _METHOD,
    "status": "pending",
    "amount": _euro("50.00"),
    "fee": _euro("1.00"),
    "arrives": _euro("49.00"),
    "owed": _euro("0.00"),
    "reason": "",
    "requested_at": "2026-11-21T09:00:00Z",
    "ended_at": None,
}
_WITHDRAWAL: Final = {
    "id": _PAYMENT,
    "player": PLAYER,
    "method": _METHOD,
    "status": "requested",
    "amount": _euro("50.00"),
    "fee": _euro("1.00"),
    "arrives": _euro("49.00"),
    "can_cancel": True,
    "reason": "",
    "requested_at": "2026-11-21T09:00:00Z",
    "ended_at": None,
}
_POLICY: Final = {
    "auto_approve_up_to": "100.00",
    "second_approval_above": "1000.00",
    "minimum": "10.00",
    "maximum": "5000.00",
    "max_pending": 3,
    "fee_fixed": "0.50",
    "fee_percent": "1",
}
_POLICY_SHOWN: Final = {
    "version": 1,
    "auto_approve_up_to": _euro("100.00"),
    "second_approval_above": _euro("1000.00"),
    "minimum": _euro("10.00"),
    "maximum": _euro("5000.00"),
    "max_pending": 3,
    "fee_fixed": _euro("0.50"),
    "fee_percent": "1",
}
_WITHDRAWAL_QUOTE: Final = {
    "amount": _euro("50.00"),
    "fee": _euro("1.00"),
    "arrives": _euro("49.00"),
    "approvals": 0,
    "refused": None,
    "minimum": _euro("10.00"),
    "maximum": _euro("5000.00"),
    "pending_count": 1,
    "max_pending": 3,
}
_REPORT: Final = {
    "kind": "deposit",
    "payment": _PAYMENT,
    "reference": "tx-71",
    "status": "completed",
    "amount": "50.00",
    "currency": "EUR",
}


def _examples(answer: Any, *, status: str = "200", asked: Any = None) -> list[OpenApiExample]:
    shown = [OpenApiExample("Answer", value=answer, response_only=True, status_codes=[status])]
    return shown if asked is None else [OpenApiExample("Request", value=asked, request_only=True), *shown]


def _state(states: type[DepositStatus] | type[WithdrawalStatus]) -> OpenApiParameter:
    return OpenApiParameter("status", str, enum=[state.value for state in states], description="All when left out.")


list_methods: Final = extend_schema(
    operation_id="listDepositMethods",
    summary="List the ways to deposit, with what an amount would cost and what of it would arrive",
    parameters=[OpenApiParameter("amount", str, description="A decimal string in the operator's currency.")],
    responses=shapes.Methods,
    examples=_examples({"items": [_QUOTED]}),
)
create_method: Final = extend_schema(
    operation_id="createDepositMethod",
    summary="Offer a new way to deposit",
    request=shapes.MethodRequest,
    responses={201: shapes.MethodShown},
    examples=_examples(_SHOWN, status="201", asked=_OFFER),
)
change_method: Final = extend_schema(
    operation_id="createDepositMethodVersion",
    summary="Make this the method's next version; deposits under way keep the terms they were asked for at",
    request=shapes.MethodRequest,
    responses={201: shapes.MethodShown},
    examples=_examples({**_SHOWN, "version": 2}, status="201", asked=_OFFER),
)
get_policy: Final = extend_schema(
    operation_id="getWithdrawalPolicy",
    summary="Show what withdrawals may be, what they cost, and how many members of staff have to agree",
    responses=shapes.PolicyShown,
    examples=_examples(_POLICY_SHOWN),
)
set_policy: Final = extend_schema(
    operation_id="setWithdrawalPolicy",
    summary="Set what withdrawals may be, what they cost, and from which amounts one or two members of staff look",
    request=shapes.PolicyRequest,
    responses={201: shapes.PolicyShown},
    examples=_examples(_POLICY_SHOWN, status="201", asked=_POLICY),
)
list_deposits: Final = extend_schema(
    operation_id="listDeposits",
    summary="List your players' deposits, newest first",
    parameters=[_state(DepositStatus), *paging.PARAMETERS],
    responses=shapes.DepositPage,
    examples=_examples({"items": [_DEPOSIT], "next": None}),
)
list_withdrawals: Final = extend_schema(
    operation_id="listWithdrawals",
    summary="List your players' withdrawals, newest first",
    parameters=[_state(WithdrawalStatus), *paging.PARAMETERS],
    responses=shapes.WithdrawalPage,
    examples=_examples({"items": [_WITHDRAWAL], "next": None}),
)
my_deposits: Final = extend_schema(
    operation_id="listMyDeposits",
    summary="List the deposits of the player who asks, newest first",
    parameters=[_state(DepositStatus), *paging.PARAMETERS],
    responses=shapes.DepositPage,
    examples=_examples({"items": [_DEPOSIT], "next": None}),
)
my_deposit: Final = extend_schema(
    operation_id="getMyDeposit",
    summary="Show one deposit of the player who asks",
    responses=shapes.DepositShown,
    examples=_examples({**_DEPOSIT, "status": "completed", "ended_at": "2026-11-21T09:00:40Z"}),
)
deposit: Final = extend_schema(
    operation_id="deposit",
    summary="Ask for a deposit; it is pending until the provider says what became of it",
    request=shapes.PaymentRequest,
    responses={201: shapes.DepositShown},
    examples=_examples(_DEPOSIT, status="201", asked=_ASKED),
)
quick_deposit: Final = extend_schema(
    operation_id="repeatLastDeposit",
    summary="Ask for the method and amount of the last deposit again",
    request=shapes.Nothing,
    responses={201: shapes.DepositShown},
    examples=_examples(_DEPOSIT, status="201", asked={}),
)
withdrawal_quote: Final = extend_schema(
    operation_id="quoteMyWithdrawal",
    summary="Tell what a withdrawal would cost and what of it would arrive, before it is asked for",
    parameters=[OpenApiParameter("amount", str, required=True, description="A decimal string in one's currency.")],
    responses=shapes.WithdrawalQuote,
    examples=_examples(_WITHDRAWAL_QUOTE),
)
my_withdrawals: Final = extend_schema(
    operation_id="listMyWithdrawals",
    summary="List the withdrawals of the player who asks, newest first",
    parameters=[_state(WithdrawalStatus), *paging.PARAMETERS],
    responses=shapes.WithdrawalPage,
    examples=_examples({"items": [_WITHDRAWAL], "next": None}),
)
my_withdrawal: Final = extend_schema(
    operation_id="getMyWithdrawal",
    summary="Show one withdrawal of the player who asks",
    responses=shapes.WithdrawalShown,
    examples=_examples(_WITHDRAWAL),
)
withdraw: Final = extend_schema(
    operation_id="withdraw",
    summary="Ask for a withdrawal; the money is held at once",
    request=shapes.PaymentRequest,
    responses={201: shapes.WithdrawalShown},
    examples=_examples(_WITHDRAWAL, status="201", asked=_ASKED),
)
cancel_withdrawal: Final = extend_schema(
    operation_id="cancelWithdrawal",
    summary="Cancel a withdrawal before it is sent; the money is back at once",
    request=shapes.Nothing,
    responses=shapes.WithdrawalShown,
    examples=_examples({**_WITHDRAWAL, "status": "cancelled", "can_cancel": False}, asked={}),
)
callback: Final = extend_schema(
    operation_id="receivePaymentCallback",
    summary="Report what became of a payment, signed with the secret shared with this provider",
    request=CallbackReport,
    responses={202: CallbackTaken},
    auth=[{"providerSignature": []}],  # type: ignore[list-item]
    parameters=[
        OpenApiParameter(
            signatures.TIMESTAMP, OpenApiTypes.STR, "header", required=True, description="Whole seconds since 1970."
        ),
        OpenApiParameter(
            signatures.NONCE, OpenApiTypes.STR, "header", required=True, description="8 to 128 characters, used once."
        ),
        OpenApiParameter(
            signatures.SIGNATURE,
            OpenApiTypes.STR,
            "header",
            required=True,
            description="`v1=` and the hexadecimal HMAC-SHA256 of timestamp, `.`, nonce, `.` and the raw body.",
        ),
    ],
    examples=_examples({"new": True}, status="202", asked=_REPORT),
)
