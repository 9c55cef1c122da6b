"""Money on its way in and out over HTTP: for players, for operators, and for providers that call back."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.api.views import BaseApiView
from casino.operators.auth import OperatorKeyAuthentication
from casino.operators.base_views import OperatorOrPlayerView, OperatorView, PlayerView, metadata
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal
from wallet.api import payments_documents as documents
from wallet.api import payments_serializers as shapes
from wallet.payments import callbacks, deposits, methods, queries, signatures, withdrawals
from wallet.payments.queries import PaymentFilter

Row = TypeVar("Row")


class DepositMethodListView(OperatorOrPlayerView):
    """What an operator offers: to be read by both, and added to by the operator."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        """Let only operators' servers add methods."""
        adding = getattr(self.request, "method", None) == "POST"
        return [OperatorKeyAuthentication()] if adding else super().get_authenticators()

    @documents.list_methods
    def get(self, request: Request) -> Response:
        """List methods: a player's can be used, an operator sees all."""
        query = shapes.AmountQuery(data=request.query_params, context={"currency": self.caller.currency})
        query.is_valid(raise_exception=True)
        amount = query.validated_data["amount"]
        offered = methods.list_methods(operator=self.caller.operator)
        if isinstance(self.caller, PlayerPrincipal):
            currency = self.caller.currency
            offered = [each for each in offered if each.offer.enabled and each.offer.terms.currency == currency]
        now = methods.database_now()
        return Response({"items": [shapes.shown_method(each, amount=amount, now=now) for each in offered]})

    @documents.create_method
    @idempotent
    def post(self, request: Request) -> Response:
        offer = shapes.offer_of(parse_body(shapes.MethodRequest, request))
        made = methods.create(operator=self.caller.operator, offer=offer, actor=self.caller.actor)
        return Response(shapes.shown_method(made), status=201)


class DepositMethodVersionsView(OperatorView):
    """The next version of a method."""

    @documents.change_method
    @idempotent
    def post(self, request: Request, method: UUID) -> Response:
        offer = shapes.offer_of(parse_body(shapes.MethodRequest, request))
        made = methods.change(operator=self.caller.operator, method=method, offer=offer, actor=self.caller.actor)
        return Response(shapes.shown_method(made), status=201)


class WithdrawalPolicyView(OperatorView):
    """Who has to agree to withdrawals."""

    @documents.get_policy
    def get(self, request: Request) -> Response:
        del request
        return Response(shapes.shown_policy(methods.policy(operator=self.caller.operator), self.caller.currency))

    @documents.set_policy
    @idempotent
    def post(self, request: Request) -> Response:
        given = parse_body(shapes.PolicyRequest, request)
        made = methods.set_policy(operator=self.caller.operator, actor=self.caller.actor, **shapes.policy_of(given))
        return Response(shapes.shown_policy(made, self.caller.currency), status=201)


class DepositListView(OperatorView):
    """Deposits of the caller's players."""

    @documents.list_deposits
    def get(self, request: Request) -> Response:
        return _page(request, self.caller, shapes.DepositQuery, queries.deposits, shapes.shown_deposit)


class WithdrawalListView(OperatorView):
    """Withdrawals of the caller's players."""

    @documents.list_withdrawals
    def get(self, request: Request) -> Response:
        return _page(request, self.caller, shapes.WithdrawalQuery, queries.withdrawals, shapes.shown_withdrawal)


class MyDepositListView(PlayerView):
    """The player's deposits."""

    @documents.my_deposits
    def get(self, request: Request) -> Response:
        return _page(request, self.caller, shapes.DepositQuery, queries.deposits, shapes.shown_deposit)

    @documents.deposit
    @idempotent
    def post(self, request: Request) -> Response:
        given = parse_body(shapes.PaymentRequest, request)
        made = deposits.request(**_who(self.caller), metadata=metadata(request), **_without_currency(given))
        return _my_deposit(self.caller, made, status=201)


class QuickDepositView(PlayerView):
    """The last deposit once more."""

    @documents.quick_deposit
    @idempotent
    def post(self, request: Request) -> Response:
        """Repeat the last method and amount."""
        parse_body(shapes.Nothing, request)
        made = deposits.repeat(**_who(self.caller), metadata=metadata(request))
        return _my_deposit(self.caller, made, status=201)


class MyDepositView(PlayerView):
    """One of the player's deposits."""

    @documents.my_deposit
    def get(self, request: Request, deposit: UUID) -> Response:
        del request
        return _my_deposit(self.caller, deposit, status=200)


class MyWithdrawalQuoteView(PlayerView):
    """What a withdrawal would come to."""

    @documents.withdrawal_quote
    def get(self, request: Request) -> Response:
        """Tell fee, arrival and bounds, before anything is committed to."""
        me = self.caller
        query = shapes.WithdrawalAmount(data=request.query_params, context={"currency": me.currency})
        query.is_valid(raise_exception=True)
        rules = methods.policy(operator=me.operator)
        pending_count = withdrawals.count_pending(operator=me.operator, player=me.player)
        amount = query.validated_data["amount"]
        return Response(shapes.shown_withdrawal_quote(rules, amount, pending_count, me.currency))


class MyWithdrawalListView(PlayerView):
    """The player's withdrawals."""

    @documents.my_withdrawals
    def get(self, request: Request) -> Response:
        return _page(request, self.caller, shapes.WithdrawalQuery, queries.withdrawals, shapes.shown_withdrawal)

    @documents.withdraw
    @idempotent
    def post(self, request: Request) -> Response:
        given = parse_body(shapes.PaymentRequest, request)
        made = withdrawals.request(**_who(self.caller), metadata=metadata(request), **_without_currency(given))
        return _my_withdrawal(self.caller, made, status=201)


class MyWithdrawalView(PlayerView):
    """One of the player's withdrawals."""

    @documents.my_withdrawal
    def get(self, request: Request, withdrawal: UUID) -> Response:
        del request
        return _my_withdrawal(self.caller, withdrawal, status=200)


class CancelWithdrawalView(PlayerView):
    """A withdrawal that is not wanted any more."""

    @documents.cancel_withdrawal
    @idempotent
    def post(self, request: Request, withdrawal: UUID) -> Response:
        """Cancel a withdrawal while that is possible."""
        parse_body(shapes.Nothing, request)
        me = self.caller
        withdrawals.cancel(withdrawal, operator=me.operator, player=me.player, metadata=metadata(request))
        return _my_withdrawal(me, withdrawal, status=200)


class ProviderCallbacksView(BaseApiView):
    """Where providers report. The signature says who calls; the answer says only that the report is kept."""

    @documents.callback
    def post(self, request: Request, provider: str) -> Response:
        """Verify a report and keep it; it is applied right after."""
        sent = request._request  # noqa: SLF001  (the signature is over the bytes, not over what they parse to)
        new = callbacks.receive(
            provider=provider,
            timestamp=sent.headers.get(signatures.TIMESTAMP, ""),
            nonce=sent.headers.get(signatures.NONCE, ""),
            signature=sent.headers.get(signatures.SIGNATURE, ""),
            body=sent.body,
        )
        return Response({"new": new}, status=202)


def _who(caller: PlayerPrincipal) -> dict[str, Any]:
    return {"operator": caller.operator, "player": caller.player, "currency": caller.currency}


def _without_currency(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != "currency"}


def _where(caller: PlayerPrincipal | OperatorPrincipal, status: str | None = None) -> PaymentFilter:
    player = caller.player if isinstance(caller, PlayerPrincipal) else None
    return PaymentFilter(caller.operator, player, status)


def _my_deposit(caller: PlayerPrincipal, deposit: UUID, *, status: int) -> Response:
    return Response(shapes.shown_deposit(queries.find_deposit(_where(caller), deposit)), status=status)


def _my_withdrawal(caller: PlayerPrincipal, withdrawal: UUID, *, status: int) -> Response:
    return Response(shapes.shown_withdrawal(queries.find_withdrawal(_where(caller), withdrawal)), status=status)


def _page(
    request: Request,
    caller: PlayerPrincipal | OperatorPrincipal,
    query: type[Serializer[Any]],
    rows: Callable[..., list[Row]],
    shown: Callable[[Row], dict[str, Any]],
) -> Response:
    page = paging.parse_page_request(request, str)
    asked = query(data={name: value for name, value in request.query_params.items() if name == "status"})
    asked.is_valid(raise_exception=True)
    before = None if page.after is None else _id(page.after[0])
    found = rows(_where(caller, asked.validated_data["status"]), before=before, limit=page.fetch_limit)
    return Response(paging.present_page(page, found, key=lambda row: (str(row.id),), item=shown))  # type: ignore[attr-defined]


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
