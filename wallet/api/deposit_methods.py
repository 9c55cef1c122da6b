"""Deposit methods: the terms an operator offers, in versions, and what an amount costs."""

from datetime import datetime, timedelta
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import (
    Amount,
    AmountOrZero,
    Body,
    OfferedCurrency,
    Query,
    Text,
    parse_body,
    parse_query,
    verbatim,
)
from casino.api.shapes import ItemList, Money, Shape, Timestamp
from casino.events.sql import database_now
from casino.kernel.errors import Refusal
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.assertions import require_duty, use_assertion
from casino.operators.auth import OperatorKeyAuthentication
from casino.operators.base_views import OperatorOrPlayerView, OperatorView
from casino.operators.principals import PlayerPrincipal
from wallet import acts
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.payments import changes, methods
from wallet.payments.methods import MethodOffer, MethodVersion
from wallet.payments.refusals import (
    AmountOutOfRange,
    FeeExceedsAmount,
    InvalidDepositMethod,
    UnknownDepositMethod,
    UnknownProvider,
)
from wallet.payments.terms import DepositTerms, parse_percent, percent, quote_deposit

_OFFER: Final = {
    "name": "Card",
    "provider": "sandbox",
    "currency": "EUR",
    "minimum": "10.00",
    "maximum": "2000.00",
    "fee_fixed": "0.25",
    "fee_percent": "1.5",
    "processing_seconds": 60,
    "supports_withdrawals": True,
    "enabled": True,
}


class MethodName(Text):
    limit = 60


class DepositMethodRequest(Body):
    """All terms of a method, even if only one of them changes."""

    name: MethodName
    provider: Annotated[str, verbatim(40)]
    currency: OfferedCurrency
    minimum: Amount
    maximum: Amount
    fee_fixed: AmountOrZero = AmountOrZero(0)
    fee_percent: Annotated[str, verbatim(8, "Below 100, at most four decimals.")] = "0"
    processing_seconds: Annotated[int, Meta(description="The usual duration of a deposit.")] = 0
    supports_withdrawals: bool = False
    enabled: bool = True

    def offer(self) -> MethodOffer:
        """Return what is offered. Raises InvalidDepositMethod."""
        percent = parse_percent(self.fee_percent)
        return MethodOffer(
            self.name,
            self.provider,
            DepositTerms(self.currency, self.minimum, self.maximum, self.fee_fixed, percent),
            self.processing_seconds,
            self.supports_withdrawals,
            self.enabled,
        )


class DepositMethodsQuery(Query):
    """The currency, and an amount to quote for."""

    currency: Annotated[
        OfferedCurrency | None, Meta(description="By default all, for players the operator's first.")
    ] = None
    amount: Annotated[
        Amount | None,
        Meta(
            description="A decimal string in `currency`, else in the operator's first. Methods in others have no quote."
        ),
    ] = None


class DepositQuote(Shape):
    """The cost of a deposit of an amount."""

    amount: Money
    fee: Money | None
    net_amount: Money | None
    expected_at: Annotated[Timestamp | None, Meta(description="The usual time of completion for a request now.")]
    refusal_code: Annotated[
        str | None, Meta(description="The code of the refusal where the method refuses the amount.", examples=[None])
    ]

    @classmethod
    def of(cls, offer: MethodOffer, amount: int, now: datetime) -> "DepositQuote":
        """Quote for an amount in minor units."""
        currency = offer.terms.currency
        money = Money.of(amount, currency)
        try:
            quoted = quote_deposit(offer.terms, amount)
        except Refusal as refusal:
            return cls(amount=money, fee=None, net_amount=None, expected_at=None, refusal_code=refusal.code)
        return cls(
            amount=money,
            fee=Money.of(quoted.fee, currency),
            net_amount=Money.of(quoted.net_amount, currency),
            expected_at=now + timedelta(seconds=offer.processing_seconds),
            refusal_code=None,
        )


class DepositMethodResponse(Shape):
    """The latest version of a method; the fee is rounded up to a whole minor unit."""

    id: UUID
    version: int
    name: Annotated[str, Meta(examples=["Card"])]
    provider: Annotated[str, Meta(examples=["sandbox"])]
    minimum: Money
    maximum: Money
    fee_fixed: Money
    fee_percent: Annotated[str, Meta(examples=["1.5"])]
    processing_seconds: Annotated[int, Meta(examples=[60])]
    supports_withdrawals: bool
    enabled: bool
    quote: Annotated[DepositQuote | None, Meta(description="For the amount of the query.")]

    @classmethod
    def of(
        cls, method: MethodVersion, *, amount: int | None = None, now: datetime | None = None
    ) -> "DepositMethodResponse":
        """Present a method, with a quote for `amount` minor units if requested at `now`."""
        offer, terms = method.offer, method.offer.terms
        return cls(
            id=method.id,
            version=method.version,
            name=offer.name,
            provider=offer.provider,
            minimum=Money.of(terms.minimum, terms.currency),
            maximum=Money.of(terms.maximum, terms.currency),
            fee_fixed=Money.of(terms.fee_fixed, terms.currency),
            fee_percent=percent(terms.fee_ppm),
            processing_seconds=offer.processing_seconds,
            supports_withdrawals=offer.supports_withdrawals,
            enabled=offer.enabled,
            quote=None if amount is None or now is None else DepositQuote.of(offer, amount, now),
        )


class DepositMethodList(ItemList[DepositMethodResponse]):
    """Methods, oldest first."""


class DepositMethodListView(OperatorOrPlayerView):
    """The methods of an operator."""

    act = acts.APPROVE_TERMS

    def get_authenticators(self) -> list[BaseAuthentication]:
        """Let only operators' servers add methods."""
        adding = getattr(self.request, "method", None) == "POST"
        return [OperatorKeyAuthentication()] if adding else super().get_authenticators()

    @operation(
        "listDepositMethods",
        "List the deposit methods, with the fee for an amount",
        description="Players get the methods that they can use, operators all.",
        parameters=[DepositMethodsQuery],
        returns=DepositMethodList,
        refusals=(
            AmountOutOfRange,
            FeeExceedsAmount,
        ),
    )
    def get(self, request: Request) -> Response:
        query, caller = parse_query(DepositMethodsQuery, request), self.caller
        versions = methods.list_methods(operator=caller.operator)
        currency = query.currency or caller.currency
        if isinstance(caller, PlayerPrincipal):
            usable = funding.current(caller.operator) is Funding.HOUSE
            versions = [each for each in versions if each.offer.enabled and usable]
        if isinstance(caller, PlayerPrincipal) or query.currency is not None:
            versions = [each for each in versions if each.offer.terms.currency == currency]
        now = database_now()
        return Response(
            DepositMethodList.of(
                DepositMethodResponse.of(
                    version, amount=query.amount if version.offer.terms.currency == currency else None, now=now
                )
                for version in versions
            )
        )

    @operation(
        "createDepositMethod",
        "Add a deposit method",
        request=DepositMethodRequest,
        example=_OFFER,
        returns=DepositMethodResponse,
        status=201,
        **LIVE,
        refusals=(
            AmountOutOfRange,
            FeeExceedsAmount,
            InvalidDepositMethod,
            UnknownProvider,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        offer = parse_body(DepositMethodRequest, request).offer()
        if not self.caller.sandbox:
            by = use_assertion(request._request, operator=self.caller.operator)  # noqa: SLF001
            require_duty(by, self.act)
            change = changes.request_method(operator=self.caller.operator, offer=offer, by=by)
            return Response(ChangeResponse.of(change), status=202)
        method = methods.create(operator=self.caller.operator, offer=offer, actor=self.caller.actor)
        return Response(DepositMethodResponse.of(method), status=201)


class DepositMethodVersionsView(OperatorView):
    """The versions of a method."""

    act = acts.APPROVE_TERMS

    @operation(
        "createDepositMethodVersion",
        "Add the next version of a method; pending deposits keep the terms of their request",
        request=DepositMethodRequest,
        example=_OFFER,
        returns=DepositMethodResponse,
        status=201,
        **LIVE,
        refusals=(
            AmountOutOfRange,
            FeeExceedsAmount,
            InvalidDepositMethod,
            UnknownDepositMethod,
            UnknownProvider,
        ),
    )
    @idempotent
    def post(self, request: Request, method: UUID) -> Response:
        offer = parse_body(DepositMethodRequest, request).offer()
        if not self.caller.sandbox:
            operator = self.caller.operator
            change = changes.request_method(operator=operator, offer=offer, by=self.use_person(), method=method)
            return Response(ChangeResponse.of(change), status=202)
        version = methods.change(operator=self.caller.operator, method=method, offer=offer, actor=self.caller.actor)
        return Response(DepositMethodResponse.of(version), status=201)
