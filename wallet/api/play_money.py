"""Play money on request, up to the operator's cap."""

from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import (
    FIRST_OFFERED,
    AmountOrZero,
    Body,
    CurrencyQuery,
    OfferedCurrency,
    parse_body,
    parse_query,
)
from casino.api.shapes import Money, Shape
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.base_views import OperatorView, PlayerView, metadata
from wallet import acts
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import changes, play_money, services
from wallet.responsible_gaming.refusals import InvalidPlayLimit, PlayerExcluded, PlayMoneyCapReached, PlayMoneyTooSoon


class PlayMoneyTopUp(Shape):
    """The amount that was added, and the play-money account after it."""

    amount: Money
    balance: Money


class PlayMoneyTopUpRequest(Body):
    """The currency to top up."""

    currency: OfferedCurrency = FIRST_OFFERED


class PlayMoneyPolicyRequest(Body):
    """The balance up to which play money is topped up."""

    cap: AmountOrZero
    currency: OfferedCurrency


class PlayMoneyPolicy(Shape):
    """The balance up to which play money is topped up."""

    cap: Money


class MyPlayMoneyView(PlayerView):
    """Play money for the caller."""

    @operation(
        "topUpMyPlayMoney",
        "Top up your play money to the operator's cap, at most once an hour",
        request=PlayMoneyTopUpRequest,
        example={},
        returns=PlayMoneyTopUp,
        status=201,
        description=("Fills the account of play money up to the cap; money on tables counts."),
        refusals=(
            PlayMoneyCapReached,
            PlayMoneyTooSoon,
            PlayerExcluded,
            UnknownAccount,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        currency, caller = parse_body(PlayMoneyTopUpRequest, request).currency, self.caller
        amount, balance = play_money.top_up(
            operator=caller.operator, player=caller.player, currency=currency, metadata=metadata(request)
        )
        return Response(PlayMoneyTopUp(Money.of(amount, currency), Money.of(balance, currency)), status=201)


class PlayMoneyPolicyView(OperatorView):
    """Play money for the caller's players."""

    act = acts.APPROVE_TERMS

    @operation(
        "getPlayMoneyPolicy",
        "Show the balance up to which play money is topped up",
        parameters=[CurrencyQuery],
        returns=PlayMoneyPolicy,
        description=("Players top up by themselves, to this balance."),
    )
    def get(self, request: Request) -> Response:
        return self._policy(parse_query(CurrencyQuery, request).currency)

    @operation(
        "setPlayMoneyPolicy",
        "Set the balance up to which play money is topped up",
        request=PlayMoneyPolicyRequest,
        example={"cap": "100.00", "currency": "EUR"},
        returns=PlayMoneyPolicy,
        **{**LIVE, "description": f"{LIVE['description']} Balances stay as they are."},
        refusals=(InvalidPlayLimit,),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, caller = parse_body(PlayMoneyPolicyRequest, request), self.caller
        if not caller.sandbox:
            change = changes.request_play_money_cap(operator=caller.operator, by=self.use_person(), **asdict(body))
            return Response(ChangeResponse.of(change), status=202)
        services.set_play_money_cap(
            operator=caller.operator, currency=body.currency, cap=body.cap, metadata=metadata(request)
        )
        return self._policy(body.currency)

    def _policy(self, currency: str) -> Response:
        cap = play_money.play_money_cap(operator=self.caller.operator, currency=currency)
        return Response(PlayMoneyPolicy(Money.of(cap, currency)))
