"""Limits on play, reality checks and play money, for players and for operators' servers: each view is one call."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import parse_body, present_money
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.queries import require_player
from wallet.api import responsible_gaming_documents as documents
from wallet.api.reality_check_serializers import RealityRequest, shown_reality
from wallet.api.responsible_gaming_serializers import (
    CapRequest,
    LimitRequest,
    TopUpRequest,
    WhichLimit,
    shown_house,
    shown_limits,
)
from wallet.responsible_gaming import play_money, queries, services
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext


class MyResponsibleGamingView(PlayerView):
    """What protects the player who asks."""

    def player_context(self, request: Request) -> PlayerContext:
        """Name the player, with what events remember of the request."""
        me = self.caller
        return PlayerContext(operator=me.operator, player=me.player, currency=me.currency, metadata=metadata(request))

    def limits_response(self) -> Response:
        me = self.caller
        return Response(shown_limits(queries.limits(operator=me.operator, player=me.player), me.currency))

    def reality_check_response(self) -> Response:
        """Show time and result as they are now."""
        me = self.caller
        return Response(shown_reality(queries.reality_check(operator=me.operator, player=me.player), me.currency))


class MyLimitsView(MyResponsibleGamingView):
    """The limits of the player who asks."""

    @documents.my_limits
    def get(self, request: Request) -> Response:
        del request
        return self.limits_response()

    @documents.set_my_limit
    @idempotent
    def post(self, request: Request) -> Response:
        """Set one, or ask for a higher one."""
        services.set_limit(
            context=self.player_context(request), by=Initiator.PLAYER, **parse_body(LimitRequest, request)
        )
        return self.limits_response()


class ConfirmMyLimitView(MyResponsibleGamingView):
    """A player's second word on a higher limit."""

    @documents.confirm_my_limit
    @idempotent
    def post(self, request: Request) -> Response:
        services.confirm_increase(context=self.player_context(request), **parse_body(WhichLimit, request))
        return self.limits_response()


class CancelMyLimitView(MyResponsibleGamingView):
    """A player's wish for a higher limit, taken back."""

    @documents.cancel_my_limit
    @idempotent
    def post(self, request: Request) -> Response:
        services.cancel_increase(context=self.player_context(request), **parse_body(WhichLimit, request))
        return self.limits_response()


class PlayerLimitsView(OperatorView):
    """The limits of one of the caller's players."""

    @documents.player_limits
    def get(self, request: Request, player: UUID) -> Response:
        del request
        return self._limits(player)

    @documents.set_player_limit
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        """Set the operator's one."""
        given, me = parse_body(LimitRequest, request), self.caller
        require_player(operator=me.operator, player=player)
        on = PlayerContext(operator=me.operator, player=player, currency=me.currency, metadata=metadata(request))
        services.set_limit(context=on, by=Initiator.OPERATOR, **given)
        return self._limits(player)

    def _limits(self, player: UUID) -> Response:
        me = self.caller
        return Response(shown_limits(queries.limits(operator=me.operator, player=player), me.currency))


class OperatorLimitsView(OperatorView):
    """The limits that hold for every one of the caller's players."""

    @documents.house_limits
    def get(self, request: Request) -> Response:
        del request
        return self._limits()

    @documents.set_house_limit
    @idempotent
    def post(self, request: Request) -> Response:
        given, me = parse_body(LimitRequest, request), self.caller
        services.set_operator_wide_limit(
            operator=me.operator, currency=me.currency, metadata=metadata(request), **given
        )
        return self._limits()

    def _limits(self) -> Response:
        me = self.caller
        return Response(shown_house(queries.load_operator_limits(operator=me.operator), me.currency))


class MyRealityCheckView(MyResponsibleGamingView):
    """Time and result of the player who asks."""

    @documents.my_reality
    def get(self, request: Request) -> Response:
        del request
        return self.reality_check_response()

    @documents.set_my_reality
    @idempotent
    def post(self, request: Request) -> Response:
        """Set how often the player is reminded."""
        services.set_reality_check(context=self.player_context(request), **parse_body(RealityRequest, request))
        return self.reality_check_response()


class PlayerRealityCheckView(OperatorView):
    """Time and result of one of the caller's players."""

    @documents.player_reality
    def get(self, request: Request, player: UUID) -> Response:
        del request
        me = self.caller
        return Response(shown_reality(queries.reality_check(operator=me.operator, player=player), me.currency))


class MyPlayMoneyView(PlayerView):
    """Play money on request."""

    @documents.top_up
    @idempotent
    def post(self, request: Request) -> Response:
        """Fill it up."""
        parse_body(TopUpRequest, request)
        me = self.caller
        amount, balance = play_money.top_up(
            operator=me.operator, player=me.player, currency=me.currency, metadata=metadata(request)
        )
        return Response(
            {"amount": present_money(amount, me.currency), "balance": present_money(balance, me.currency)}, status=201
        )


class PlayMoneyPolicyView(OperatorView):
    """How much play money the caller's players get."""

    @documents.show_cap
    def get(self, request: Request) -> Response:
        del request
        return self._cap()

    @documents.set_cap
    @idempotent
    def post(self, request: Request) -> Response:
        """Set the cap."""
        given, me = parse_body(CapRequest, request), self.caller
        services.set_play_money_cap(
            operator=me.operator, currency=given["currency"], cap=given["cap"], metadata=metadata(request)
        )
        return self._cap()

    def _cap(self) -> Response:
        me = self.caller
        return Response(
            {"cap": present_money(play_money.play_money_cap(operator=me.operator, currency=me.currency), me.currency)}
        )
