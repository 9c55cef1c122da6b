"""Cooling-off and self-exclusion, by players themselves and by operators' servers: each view is one call."""

from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.services import exclusion
from casino.api.fields import EnumField, StrictSerializer, TextField, WholeNumberField, parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.committed_refusals import idempotent_with_committed_refusals
from casino.operators.fields import PinField
from casino.operators.queries import require_player
from wallet.api.responsible_gaming_serializers import ExclusionShown, shown_exclusion
from wallet.responsible_gaming import exclusions, services
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.exclusion_history import ExclusionRecord
from wallet.responsible_gaming.refusals import ExclusionLengthInvalid
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind


class ExclusionRequest(StrictSerializer):
    """`hours` (24 to 1008) for a cooling-off, `months` (6 to 120) for a self-exclusion."""

    kind = EnumField(ExclusionKind)
    hours = WholeNumberField(required=False)
    months = WholeNumberField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Find how long it is to last. Raises ExclusionLengthInvalid."""
        name, other = ("hours", "months") if attrs["kind"] is ExclusionKind.COOLING_OFF else ("months", "hours")
        if name not in attrs or other in attrs:
            raise ExclusionLengthInvalid
        others = {key: value for key, value in attrs.items() if key not in {"kind", name}}
        return {"kind": attrs["kind"], "length": attrs[name], **others}


class OwnExclusionRequest(ExclusionRequest):
    """The same, confirmed with the PIN where the player has one."""

    pin = PinField(required=False)


class OperatorsExclusionRequest(ExclusionRequest):
    """The same, and why: for the operator's own people, in no event and never shown to the player."""

    note = TextField(max_length=exclusions.MAX_NOTE_LENGTH, required=False, default="")


class PastExclusionShown(ExclusionShown):
    """An exclusion that holds or held."""

    ended_at = serializers.DateTimeField(allow_null=True, help_text="Null while it holds.")


class NotedExclusionShown(PastExclusionShown):
    """The same, with why the operator's people set it."""

    note = serializers.CharField()


class ExclusionsAnswer(serializers.Serializer[Any]):
    """The latest exclusions, newest first, a hundred at most."""

    items = PastExclusionShown(many=True)


class NotedExclusionsAnswer(serializers.Serializer[Any]):
    """The latest exclusions with their notes, newest first, a hundred at most."""

    items = NotedExclusionShown(many=True)


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
_WHY: Final = "asked for by telephone"
_ENDED: Final = {
    "kind": "cooling_off",
    "set_by": "player",
    "since": "2026-11-18T09:00:00Z",
    "until": "2026-11-21T09:00:00Z",
    "ended_at": "2026-11-21T09:00:00Z",
}
_THREE_DAYS: Final = {"kind": "cooling_off", "hours": 72}


class MyExclusions(PlayerView):
    """The player who asks stays away."""

    @extend_schema(
        operation_id="listMyExclusions",
        summary="List one's exclusions: the one that holds, and those that ended",
        responses=ExclusionsAnswer,
        examples=[OpenApiExample("Exclusions", value={"items": [_ENDED]}, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        del request
        found = exclusions.list_exclusions(operator=self.caller.operator, player=self.caller.player)
        return Response({"items": [_past(told.record) for told in found]})

    @extend_schema(
        operation_id="createMyExclusion",
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
    @idempotent_with_committed_refusals
    def post(self, request: Request) -> Response:
        given, me = parse_body(OwnExclusionRequest, request), self.caller
        on = PlayerContext(operator=me.operator, player=me.player, currency=me.currency, metadata=metadata(request))
        state = exclusion.exclude(subject=on, by=Initiator.PLAYER, **given)
        return Response({"exclusion": shown_exclusion(state.exclusion)})


class PlayerExclusions(OperatorView):
    """One of the caller's players stays away."""

    @extend_schema(
        operation_id="listPlayerExclusions",
        summary="List the exclusions of one of your players, with why your people set them",
        responses=NotedExclusionsAnswer,
        examples=[
            OpenApiExample(
                "Exclusions", value={"items": [{**_ENDED, "set_by": "operator", "note": _WHY}]}, response_only=True
            )
        ],
    )
    def get(self, request: Request, player: UUID) -> Response:
        del request
        found = exclusions.list_exclusions(operator=self.caller.operator, player=player)
        return Response({"items": [{**_past(told.record), "note": told.note} for told in found]})

    @extend_schema(
        operation_id="createPlayerExclusion",
        summary="Keep one of your players away from deposits and play",
        description=_STOPS,
        request=OperatorsExclusionRequest,
        responses=ExclusionAnswer,
        examples=[
            OpenApiExample("Half a year", value={**_HALF_YEAR, "note": _WHY}, request_only=True),
            OpenApiExample("Three days", value=_THREE_DAYS, request_only=True),
            _ANSWER,
        ],
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given, me = parse_body(OperatorsExclusionRequest, request), self.caller
        require_player(operator=me.operator, player=player)
        on = PlayerContext(operator=me.operator, player=player, currency=me.currency, metadata=metadata(request))
        state = exclusion.exclude(subject=on, by=Initiator.OPERATOR, **given)
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
        me = self.caller
        require_player(operator=me.operator, player=player)
        on = PlayerContext(operator=me.operator, player=player, currency=me.currency, metadata=metadata(request))
        state = services.end_exclusion(context=on)
        return Response({"exclusion": shown_exclusion(state.exclusion)})


def _past(each: ExclusionRecord) -> dict[str, Any]:
    shown = shown_exclusion(each.exclusion) or {}
    return {**shown, "ended_at": each.ended_at}
