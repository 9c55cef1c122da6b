"""Withdrawals: quoted for and requested by players, listed for operators."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Amount, CurrencyQuery, PeriodQuery, parse_body, parse_query
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.events.periods import PeriodReversed
from casino.kernel.errors import Refusal
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.principals import PlayerPrincipal, Principal
from casino.operators.refusals import KeyLimitReached
from wallet.api.deposits import PAYMENT_EXAMPLE, PaymentRequest, payer, payment_filter
from wallet.funding.refusals import FundingDiffers
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds, UnknownAccount
from wallet.payments import methods, queries, withdrawal_state, withdrawals
from wallet.payments.queries import Withdrawal
from wallet.payments.refusals import (
    DepositMethodUnavailable,
    FeeExceedsAmount,
    TooLateToCancel,
    TooManyWithdrawals,
    UnknownDepositMethod,
    UnknownWithdrawal,
    WithdrawalsNotSupported,
    WithdrawalTooLarge,
    WithdrawalTooSmall,
)
from wallet.payments.terms import WithdrawalPolicy, quote_withdrawal, require_capacity


class ReviewedStatus(StrEnum):
    """The status of a withdrawal. `in_review` waits for somebody; why is not said."""

    IN_REVIEW = withdrawal_state.IN_REVIEW
    APPROVED = "approved"
    SENT = "sent"
    PAID = "paid"
    RETURNED = "returned"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class WithdrawalResponse(Shape):
    """A withdrawal."""

    id: UUID
    player: UUID
    method: UUID
    status: ReviewedStatus
    amount: Money
    fee: Money
    net_amount: Money
    can_cancel: Annotated[bool, Meta(description="One in review may be refused all the same: then it goes on.")]
    reason: Annotated[str, Meta(description="Why it ended without being paid; empty before.", examples=[""])]
    requested_at: Timestamp
    ended_at: Timestamp | None

    @classmethod
    def of(cls, withdrawal: Withdrawal) -> "WithdrawalResponse":
        """Present a withdrawal."""
        currency, status = withdrawal.currency, ReviewedStatus(withdrawal_state.shown_status(withdrawal.status))
        return cls(
            id=withdrawal.id,
            player=withdrawal.player_id,
            method=withdrawal.method_id,
            status=status,
            amount=Money.of(withdrawal.amount, currency),
            fee=Money.of(withdrawal.fee, currency),
            net_amount=Money.of(withdrawal.amount - withdrawal.fee, currency),
            can_cancel=status in {ReviewedStatus.IN_REVIEW, ReviewedStatus.APPROVED},
            reason=withdrawal.reason if withdrawal.ended_at else "",
            requested_at=withdrawal.requested_at,
            ended_at=withdrawal.ended_at,
        )


class WithdrawalPage(Page[WithdrawalResponse]):
    """Withdrawals, newest first."""


class WithdrawalsQuery(PeriodQuery):
    """Filters of the list of withdrawals, by when they were requested."""

    status: Annotated[ReviewedStatus | None, Meta(description="Only those with this status.")] = None


class WithdrawalQuoteQuery(CurrencyQuery, kw_only=True):
    """The amount to quote for."""

    amount: Annotated[Amount, Meta(description="A decimal string.")]


class WithdrawalQuote(Shape):
    """The cost of a withdrawal of an amount, and the bounds that apply."""

    amount: Money
    fee: Money | None
    net_amount: Money | None
    approvals_required: Annotated[int, Meta(description="Members of staff who must approve it.")]
    refusal_code: Annotated[
        str | None, Meta(description="The code of the refusal where it would be refused.", examples=[None])
    ]
    minimum: Money
    maximum: Money | None
    pending_count: Annotated[int, Meta(description="Your pending withdrawals.")]
    max_pending: Annotated[int | None, Meta(description="The most that may be pending.", examples=[3])]

    @classmethod
    def of(cls, policy: WithdrawalPolicy, amount: int, pending_count: int, currency: str) -> "WithdrawalQuote":
        """Quote for an amount in minor units."""
        terms = policy.terms
        fee = net_amount = refusal_code = None
        try:
            quoted = quote_withdrawal(terms, amount, currency=currency)
            require_capacity(terms, pending_count=pending_count)
        except Refusal as refusal:
            refusal_code = refusal.code
        else:
            fee, net_amount = Money.of(quoted.fee, currency), Money.of(quoted.net_amount, currency)
        return cls(
            amount=Money.of(amount, currency),
            fee=fee,
            net_amount=net_amount,
            approvals_required=policy.approvals_required(amount),
            refusal_code=refusal_code,
            minimum=Money.of(terms.minimum, currency),
            maximum=None if terms.maximum is None else Money.of(terms.maximum, currency),
            pending_count=pending_count,
            max_pending=terms.max_pending,
        )


class WithdrawalListView(OperatorView):
    """Withdrawals of the caller's players."""

    @operation(
        "listWithdrawals",
        "List your players' withdrawals, newest first",
        parameters=[WithdrawalsQuery, *paging.PARAMETERS],
        returns=WithdrawalPage,
        description="Withdrawals of all your players in every status, or in one; of all times, or of a period.",
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        return Response(_page(request, self.caller))


class MyWithdrawalQuoteView(PlayerView):
    """A quote for the caller."""

    @operation(
        "quoteMyWithdrawal",
        "Show what a withdrawal would cost, without requesting it",
        parameters=[WithdrawalQuoteQuery],
        returns=WithdrawalQuote,
        description=("The fee and what arrives. Where a withdrawal would be refused, `refusal_code` says why."),
        refusals=(
            FeeExceedsAmount,
            TooManyWithdrawals,
            WithdrawalTooLarge,
            WithdrawalTooSmall,
        ),
    )
    def get(self, request: Request) -> Response:
        caller = self.caller
        query = parse_query(WithdrawalQuoteQuery, request)
        pending_count = withdrawals.count_pending(operator=caller.operator, player=caller.player)
        policy = methods.policy(operator=caller.operator, currency=query.currency)
        return Response(WithdrawalQuote.of(policy, query.amount, pending_count, query.currency))


class MyWithdrawalListView(PlayerView):
    """The caller's withdrawals."""

    @operation(
        "listMyWithdrawals",
        "List your withdrawals, newest first",
        parameters=[WithdrawalsQuery, *paging.PARAMETERS],
        returns=WithdrawalPage,
        description="Withdrawals in every status, or in one; of all times, or of a period.",
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        return Response(_page(request, self.caller))

    @operation(
        "requestWithdrawal",
        "Request a withdrawal; the money is held at once",
        request=PaymentRequest,
        example=PAYMENT_EXAMPLE,
        returns=WithdrawalResponse,
        status=201,
        description=(
            "Small ones are sent at once; from the amounts of the operator's policy on, staff approve them first. One "
            "that is `in_review` waits for somebody."
        ),
        refusals=(
            DebtOutstanding,
            DepositMethodUnavailable,
            FeeExceedsAmount,
            FundingDiffers,
            InsufficientFunds,
            KeyLimitReached,
            TooManyWithdrawals,
            UnknownAccount,
            UnknownDepositMethod,
            UnknownWithdrawal,
            WithdrawalTooLarge,
            WithdrawalTooSmall,
            WithdrawalsNotSupported,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        caller = self.caller
        withdrawal = withdrawals.request(
            **payer(caller), metadata=metadata(request), **asdict(parse_body(PaymentRequest, request))
        )
        return Response(_load(caller, withdrawal), status=201)


class MyWithdrawalView(PlayerView):
    """One of the caller's withdrawals."""

    @operation(
        "getMyWithdrawal",
        "Show one of your withdrawals",
        returns=WithdrawalResponse,
        description=("Its status and fee, whether it can still be cancelled, and why it failed if it did."),
        refusals=(UnknownWithdrawal,),
    )
    def get(self, _request: Request, withdrawal: UUID) -> Response:
        return Response(_load(self.caller, withdrawal))


class CancelWithdrawalView(PlayerView):
    """The cancellation of one of the caller's withdrawals."""

    @operation(
        "cancelWithdrawal",
        "Cancel a withdrawal before it is sent; the money is released at once",
        returns=WithdrawalResponse,
        description=("Possible while it is in review or about to be sent; in review, it may be refused."),
        refusals=(
            DebtOutstanding,
            TooLateToCancel,
            UnknownWithdrawal,
        ),
    )
    @idempotent
    def post(self, request: Request, withdrawal: UUID) -> Response:
        caller = self.caller
        withdrawals.cancel(withdrawal, operator=caller.operator, player=caller.player, metadata=metadata(request))
        return Response(_load(caller, withdrawal))


def _load(caller: PlayerPrincipal, withdrawal: UUID) -> WithdrawalResponse:
    return WithdrawalResponse.of(queries.find_withdrawal(payment_filter(caller), withdrawal))


def _page(request: Request, caller: Principal) -> WithdrawalPage:
    page = paging.parse_page_request(request, str)
    where = payment_filter(caller, **asdict(parse_query(WithdrawalsQuery, request)))
    before = None if page.after is None else paging.parse_uuid(page.after[0])
    rows = queries.withdrawals(where, before=before, limit=page.fetch_limit)
    return paging.page(WithdrawalPage, page, rows, key=lambda row: (str(row.id),), item=WithdrawalResponse.of)
