"""Cooling-off and self-exclusion, by players themselves and by operators' servers: each view is one call."""

from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.operations import exclusion
from casino.api.fields import ChoiceOf, Strict, WholeNumberField, read
from casino.api.idempotency import idempotent
from casino.operators.counted import idempotent_counting
from casino.operators.fields import PinField
from casino.operators.queries import find_player
from casino.operators.views import OperatorView, PlayerView, metadata
from wallet.api.protection_serializers import ExclusionShown, shown_exclusion
from wallet.protection import operations
from wallet.protection.operations import On
from wallet.protection.refusals import ExclusionLengthInvalid
from wallet.protection.state import ExclusionKind
from wallet.protection_events import Setter


class ExclusionRequest(Strict):
    """`hours` (24 to 1008) for a cooling-off, `months` (6 to 120) for a self-exclusion."""

    kind = ChoiceOf(ExclusionKind)
    hours = WholeNumberField(required=False)
    months = WholeNumberField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """This will find how long it is to last. Raises ExclusionLengthInvalid."""
        name, other = ("hours", "months") if attrs["kind"] is ExclusionKind.COOLING_OFF else ("months", "hours")
        if name not in attrs or other in attrs:
            raise ExclusionLengthInvalid
        return {"kind": attrs["kind"], "length": attrs[name], "pin": attrs.get("pin")}


class OwnExclusionRequest(ExclusionRequest):
    """The same, confirmed with the PIN where the player has one."""

    pin = PinField(required=False)


class ExclusionAnswer(serializers.Serializer[Any]):
    """The exclusion that holds, or null."""

    exclusion = ExclusionShown(allow_null=True)


_SELF: Final = {
    "exclusion": {
        "kind": "self_exclusion",
        "set_by": "player",
        "since": "2026-11-21T09:00:00Z",
        "until": "2027-05-21T09:00:00Z",
    }
}
_STOPS: Final = (
    "At once no deposit, seat, rebuy or wager is taken, in any session; chips that were not confirmed go back. A "
    "confirmed wager is dealt and settled. Leaving, withdrawing and pending payments go on as before."
)
_ANSWER: Final = OpenApiExample("Half a year", value=_SELF, response_only=True, status_codes=["200"])
_HALF_YEAR: Final = {"kind": "self_exclusion", "months": 6}
_THREE_DAYS: Final = {"kind": "cooling_off", "hours": 72}


class MyExclusions(PlayerView):
    """The player who asks stays away."""

    @extend_schema(
        operation_id="excludeMyself",
        summary="Stay away from deposits and play: cool off for a while, or exclude oneself for months",
        description=_STOPS,
        request=OwnExclusionRequest,
        responses=ExclusionAnswer,
        examples=[
            OpenApiExample("Half a year", value={**_HALF_YEAR, "pin": "482913"}, request_only=True),
            OpenApiExample("Three days", value=_THREE_DAYS, request_only=True),
            _ANSWER,
        ],
    )
    @idempotent_counting
    def post(self, request: Request) -> Response:
        """This will exclude the player."""
        given, me = read(OwnExclusionRequest, request), self.caller
        on = On(operator=me.operator, player=me.player, currency=me.currency, metadata=metadata(request))
        state = exclusion.exclude(on=on, by=Setter.PLAYER, **given)
        return Response({"exclusion": shown_exclusion(state.exclusion)})


class PlayerExclusions(OperatorView):
    """One of the caller's players stays away."""

    @extend_schema(
        operation_id="excludePlayer",
        summary="Keep one of your players away from deposits and play",
        description=_STOPS,
        request=ExclusionRequest,
        responses=ExclusionAnswer,
        examples=[
            OpenApiExample("Half a year", value=_HALF_YEAR, request_only=True),
            OpenApiExample("Three days", value=_THREE_DAYS, request_only=True),
            _ANSWER,
        ],
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        """This will exclude the player."""
        given, me = read(ExclusionRequest, request), self.caller
        find_player(operator=me.operator, player=player)
        on = On(operator=me.operator, player=player, currency=me.currency, metadata=metadata(request))
        state = exclusion.exclude(on=on, by=Setter.OPERATOR, **given)
        return Response({"exclusion": shown_exclusion(state.exclusion)})


class EndExclusion(OperatorView):
    """A self-exclusion that is over."""

    @extend_schema(
        operation_id="endPlayerExclusion",
        summary="Let a player play again whose self-exclusion has reached its end",
        request=None,
        responses=ExclusionAnswer,
        examples=[OpenApiExample("Ended", value={"exclusion": None}, response_only=True, status_codes=["200"])],
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        """This will end it."""
        me = self.caller
        find_player(operator=me.operator, player=player)
        on = On(operator=me.operator, player=player, currency=me.currency, metadata=metadata(request))
        state = operations.end_exclusion(on=on)
        return Response({"exclusion": shown_exclusion(state.exclusion)})
