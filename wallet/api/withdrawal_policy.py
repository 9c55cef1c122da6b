"""An operator's policy for withdrawals: bounds, fees, and from which amounts staff must approve."""

from typing import Annotated, Any, Final

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import (
    FIRST_OFFERED,
    Amount,
    AmountOrZero,
    Body,
    CurrencyQuery,
    OfferedCurrency,
    integer,
    parse_body,
    parse_query,
    verbatim,
)
from casino.api.shapes import Money, Shape
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.base_views import OperatorView
from wallet import acts
from wallet.payments import changes, methods
from wallet.payments.gate import HoldTerms
from wallet.payments.refusals import InvalidDepositMethod, InvalidWithdrawalPolicy
from wallet.payments.terms import (
    MAX_HOLD_HOURS,
    MAX_HOLD_TAGS,
    PERCENT,
    WithdrawalPolicy,
    WithdrawalTerms,
    parse_percent,
    percent,
)

_POLICY: Final = {
    "auto_approve_up_to": "100.00",
    "second_approval_above": "1000.00",
    "minimum": "10.00",
    "maximum": "5000.00",
    "max_pending": 3,
    "fee_fixed": "0.50",
    "fee_percent": "1",
    "played_percent": 100,
    "kyc_above": "2000.00",
    "hold_hours": 72,
    "hold_tags": ["watch"],
}


class WithdrawalPolicyRequest(Body, kw_only=True):
    """The whole policy for a currency."""

    currency: OfferedCurrency = FIRST_OFFERED
    auto_approve_up_to: Annotated[AmountOrZero, Meta(description="Withdrawals up to this amount need no approval.")]
    second_approval_above: Annotated[
        AmountOrZero, Meta(description="Withdrawals above this amount need two approvals.")
    ]
    minimum: Amount = Amount(1)
    maximum: Amount | None = None
    max_pending: Annotated[int, Meta(ge=1, le=1000)] | None = None
    fee_fixed: AmountOrZero = AmountOrZero(0)
    fee_percent: Annotated[str, verbatim(8, "Below 100, at most four decimals.")] = "0"
    played_percent: Annotated[
        int, integer(0, 1000, "The share of each deposit that is staked before a withdrawal leaves without being held.")
    ] = 100
    kyc_above: Annotated[
        AmountOrZero | None,
        Meta(
            description="Withdrawals above this amount are held until the player's identity is verified; null for none."
        ),
    ] = None
    hold_hours: Annotated[int, integer(1, MAX_HOLD_HOURS, "How long compliance has to decide.")] = 72
    hold_tags: Annotated[
        tuple[Annotated[str, verbatim(30)], ...],
        Meta(max_length=MAX_HOLD_TAGS, description="Tags of players whose withdrawals are held."),
    ] = ()

    def terms(self) -> dict[str, Any]:
        """Group bounds and fees, and what holds payments. Raises InvalidDepositMethod."""
        percent = parse_percent(self.fee_percent)
        holds = HoldTerms(self.played_percent * PERCENT, self.kyc_above, self.hold_hours, self.hold_tags)
        return {
            "currency": self.currency,
            "auto_approve_up_to": self.auto_approve_up_to,
            "second_approval_above": self.second_approval_above,
            "terms": WithdrawalTerms(self.minimum, self.maximum, self.max_pending, self.fee_fixed, percent),
            "holds": holds,
        }


class WithdrawalPolicyResponse(Shape):
    """The policy for new withdrawals; version 0 applies until one is set."""

    version: int
    auto_approve_up_to: Money
    second_approval_above: Money
    minimum: Money
    maximum: Money | None
    max_pending: Annotated[int | None, Meta(description="A player's withdrawals pending at once.", examples=[3])]
    fee_fixed: Money
    fee_percent: Annotated[str, Meta(examples=["1"])]
    played_percent: Annotated[int, Meta(description="The share of each deposit to be staked first.", examples=[100])]
    kyc_above: Money | None
    hold_hours: Annotated[int, Meta(examples=[72])]
    hold_tags: Annotated[tuple[str, ...], Meta(examples=[["watch"]])]

    @classmethod
    def of(cls, policy: WithdrawalPolicy, currency: str) -> "WithdrawalPolicyResponse":
        """Present a policy."""
        terms, holds = policy.terms, policy.holds
        return cls(
            version=policy.version,
            auto_approve_up_to=Money.of(policy.auto_approve_up_to, currency),
            second_approval_above=Money.of(policy.second_approval_above, currency),
            minimum=Money.of(terms.minimum, currency),
            maximum=None if terms.maximum is None else Money.of(terms.maximum, currency),
            max_pending=terms.max_pending,
            fee_fixed=Money.of(terms.fee_fixed, currency),
            fee_percent=percent(terms.fee_ppm),
            played_percent=holds.played_ppm // PERCENT,
            kyc_above=None if holds.kyc_above is None else Money.of(holds.kyc_above, currency),
            hold_hours=holds.hours,
            hold_tags=holds.tags,
        )


class WithdrawalPolicyView(OperatorView):
    """The caller's policy."""

    act = acts.APPROVE_TERMS

    @operation(
        "getWithdrawalPolicy",
        "Show the bounds and fees of withdrawals, and how many members of staff must approve them",
        parameters=[CurrencyQuery],
        returns=WithdrawalPolicyResponse,
        description=("The latest version. Each withdrawal keeps the terms of its request."),
    )
    def get(self, request: Request) -> Response:
        currency = parse_query(CurrencyQuery, request).currency
        policy = methods.policy(operator=self.caller.operator, currency=currency)
        return Response(WithdrawalPolicyResponse.of(policy, currency))

    @operation(
        "setWithdrawalPolicy",
        "Set the bounds and fees of withdrawals, and from which amounts staff must approve them",
        request=WithdrawalPolicyRequest,
        example=_POLICY,
        returns=WithdrawalPolicyResponse,
        status=201,
        **LIVE,
        refusals=(
            InvalidDepositMethod,
            InvalidWithdrawalPolicy,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(WithdrawalPolicyRequest, request)
        if not self.caller.sandbox:
            change = changes.request_policy(operator=self.caller.operator, by=self.use_person(), **body.terms())
            return Response(ChangeResponse.of(change), status=202)
        policy = methods.set_policy(operator=self.caller.operator, actor=self.caller.actor, **body.terms())
        return Response(WithdrawalPolicyResponse.of(policy, body.currency), status=201)
