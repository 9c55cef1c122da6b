"""Deposits: requested by players, listed for operators."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import FIRST_OFFERED, Amount, Body, OfferedCurrency, PeriodQuery, parse_body, parse_query
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.events.periods import PeriodReversed
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.principals import PlayerPrincipal, Principal
from casino.operators.refusals import KeyLimitReached
from wallet.funding.refusals import FundingDiffers
from wallet.ledger.refusals import UnknownAccount
from wallet.payments import deposits, queries
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.queries import Deposit, PaymentFilter
from wallet.payments.refusals import (
    AmountOutOfRange,
    DepositMethodUnavailable,
    DepositsAreStopped,
    FeeExceedsAmount,
    NoEarlierDeposit,
    UnknownDeposit,
    UnknownDepositMethod,
)
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayerIsBlocked, PlayLimitReached

PAYMENT_EXAMPLE: Final[Mapping[str, str]] = {
    "method": "0199f3a2-8d10-7a01-9b11-3c5d7e9f1a2b",
    "amount": "50.00",
    "currency": "EUR",
}


class PaymentRequest(Body):
    """An amount and a deposit method, by which withdrawals are paid out, too."""

    method: UUID
    amount: Amount
    currency: OfferedCurrency


class DepositResponse(Shape):
    """A deposit."""

    id: UUID
    player: UUID
    method: UUID
    status: DepositStatus
    amount: Money
    fee: Money
    net_amount: Money
    debt_created: Annotated[Money, Meta(description="The debt that a reversal left.")]
    reason: Annotated[str, Meta(examples=[""])]
    requested_at: Timestamp
    ended_at: Timestamp | None

    @classmethod
    def of(cls, deposit: Deposit) -> "DepositResponse":
        """Present a deposit."""
        currency = deposit.currency
        return cls(
            id=deposit.id,
            player=deposit.player_id,
            method=deposit.method_id,
            status=DepositStatus(deposit.status),
            amount=Money.of(deposit.amount, currency),
            fee=Money.of(deposit.fee, currency),
            net_amount=Money.of(deposit.amount - deposit.fee, currency),
            debt_created=Money.of(deposit.debt_created, currency),
            reason=deposit.reason,
            requested_at=deposit.requested_at,
            ended_at=deposit.ended_at,
        )


class DepositPage(Page[DepositResponse]):
    """Deposits, newest first."""


class DepositsQuery(PeriodQuery):
    """Filters of the list of deposits, by when they were requested."""

    status: Annotated[DepositStatus | None, Meta(description="Only those with this status.")] = None


class DepositListView(OperatorView):
    """Deposits of the caller's players."""

    @operation(
        "listDeposits",
        "List your players' deposits, newest first",
        parameters=[DepositsQuery, *paging.PARAMETERS],
        returns=DepositPage,
        description="Deposits of all your players in every status, or in one; of all times, or of a period.",
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        return Response(_page(request, self.caller))


class MyDepositListView(PlayerView):
    """The caller's deposits."""

    @operation(
        "listMyDeposits",
        "List your deposits, newest first",
        parameters=[DepositsQuery, *paging.PARAMETERS],
        returns=DepositPage,
        description="Deposits in every status, or in one; of all times, or of a period.",
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        return Response(_page(request, self.caller))

    @operation(
        "requestDeposit",
        "Request a deposit; it is pending until the provider reports its result",
        request=PaymentRequest,
        example=PAYMENT_EXAMPLE,
        returns=DepositResponse,
        status=201,
        description=("The money is on the account once the provider has reported it: then the status is `completed`."),
        refusals=(
            AmountOutOfRange,
            DepositMethodUnavailable,
            DepositsAreStopped,
            FeeExceedsAmount,
            FundingDiffers,
            KeyLimitReached,
            PlayLimitReached,
            PlayerExcluded,
            PlayerIsBlocked,
            UnknownAccount,
            UnknownDeposit,
            UnknownDepositMethod,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        caller = self.caller
        deposit = deposits.request(
            **payer(caller), metadata=metadata(request), **asdict(parse_body(PaymentRequest, request))
        )
        return Response(_load(caller, deposit), status=201)


class QuickDepositRequest(Body):
    """The currency of the deposit."""

    currency: Annotated[OfferedCurrency, Meta(description="By default the operator's first.")] = FIRST_OFFERED


class QuickDepositView(PlayerView):
    """A repeat of the caller's last deposit."""

    @operation(
        "repeatLastDeposit",
        "Request a deposit with the method and the amount of the last one",
        request=QuickDepositRequest,
        example={"currency": "EUR"},
        returns=DepositResponse,
        status=201,
        description="Method and amount are those of the last completed deposit in the currency, the terms today's.",
        refusals=(
            AmountOutOfRange,
            DepositMethodUnavailable,
            DepositsAreStopped,
            FeeExceedsAmount,
            FundingDiffers,
            KeyLimitReached,
            NoEarlierDeposit,
            PlayLimitReached,
            PlayerExcluded,
            PlayerIsBlocked,
            UnknownAccount,
            UnknownDeposit,
            UnknownDepositMethod,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        caller, currency = self.caller, parse_body(QuickDepositRequest, request).currency
        deposit = deposits.repeat(**payer(caller), currency=currency, metadata=metadata(request))
        return Response(_load(caller, deposit), status=201)


class MyDepositView(PlayerView):
    """One of the caller's deposits."""

    @operation(
        "getMyDeposit",
        "Show one of your deposits",
        returns=DepositResponse,
        description=("Its status and fee, and why it failed if it did."),
        refusals=(UnknownDeposit,),
    )
    def get(self, _request: Request, deposit: UUID) -> Response:
        return Response(_load(self.caller, deposit))


def payer(player: PlayerPrincipal) -> dict[str, Any]:
    """Return the arguments that name the player of a payment, and the API key whose limits apply."""
    return {"operator": player.operator, "player": player.player, "key": player.key_id}


def payment_filter(
    caller: Principal, status: str | None = None, since: datetime | None = None, until: datetime | None = None
) -> PaymentFilter:
    """Select the payments that a caller may read: a player's own, or those of an operator's players."""
    player = caller.player if isinstance(caller, PlayerPrincipal) else None
    return PaymentFilter(caller.operator, player, status, since, until)


def _load(caller: PlayerPrincipal, deposit: UUID) -> DepositResponse:
    return DepositResponse.of(queries.find_deposit(payment_filter(caller), deposit))


def _page(request: Request, caller: Principal) -> DepositPage:
    page = paging.parse_page_request(request, str)
    where = payment_filter(caller, **asdict(parse_query(DepositsQuery, request)))
    before = None if page.after is None else paging.parse_uuid(page.after[0])
    rows = queries.deposits(where, before=before, limit=page.fetch_limit)
    return paging.page(DepositPage, page, rows, key=lambda row: (str(row.id),), item=DepositResponse.of)
