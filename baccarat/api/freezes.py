"""Freezing the account of a player, and lifting that."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.services import freezing
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, Text, parse_body
from casino.api.shapes import Shape, Timestamp
from casino.operators.api.changes import ChangeResponse
from casino.operators.base_views import OperatorView, metadata
from casino.operators.refusals import ChangeAlreadyRequested, UnknownPlayer
from casino.operators.services import require_player
from wallet import acts
from wallet.ledger.refusals import UnknownAccount
from wallet.payments.refusals import HoldReasonMissing
from wallet.payments.withdrawals import MAX_REASON_LENGTH
from wallet.responsible_gaming import changes, projection
from wallet.responsible_gaming.refusals import PlayerAlreadyFrozen, PlayerNotFrozen


class FreezeReason(Text):
    limit, multiline = MAX_REASON_LENGTH, True


class FreezeRequest(Body):
    """Why, for your staff; the player is not shown it."""

    reason: FreezeReason


class FreezeResponse(Shape):
    """Whether an account is frozen."""

    player: UUID
    frozen_at: Annotated[Timestamp | None, Meta(description="Null unless it is frozen.")]


class FreezeView(OperatorView):
    """The freeze of one of the caller's players."""

    act = acts.FREEZE
    confidential = True

    @operation(
        "getPlayerFreeze",
        "Show whether a player's account is frozen",
        returns=FreezeResponse,
        description="Players are never told: they read that they can't play for now.",
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        return Response(_load(self.caller.operator, player))

    @operation(
        "freezePlayer",
        "Freeze a player's account: no play, no money in or out",
        request=FreezeRequest,
        example={"reason": "A court order of 3 November."},
        returns=FreezeResponse,
        description=(
            "At once: sessions end, withdrawals are held, and deposits, seats and wagers are refused. A confirmed "
            "wager is dealt and settled; then the seat is left, and the game balance is on the account. Where money is "
            "in your own wallet, play alone is refused: its transfers are no payouts of ours."
        ),
        refusals=(HoldReasonMissing, PlayerAlreadyFrozen, UnknownAccount, UnknownPlayer),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        reason, operator = parse_body(FreezeRequest, request).reason, self.caller.operator
        by = replace(metadata(request), actor=self.use_person())
        freezing.freeze(operator=operator, player=player, reason=reason, metadata=by)
        return Response(_load(operator, player))


class UnfreezeView(OperatorView):
    act = acts.UNFREEZE

    @operation(
        "unfreezePlayer",
        "Request that the freeze of a player's account is lifted",
        returns=ChangeResponse,
        status=202,
        description="Another person confirms it (`POST /changes/{change}/confirm`). Held payments stay held.",
        refusals=(ChangeAlreadyRequested, PlayerNotFrozen, UnknownAccount, UnknownPlayer),
    )
    @idempotent
    def post(self, _request: Request, player: UUID) -> Response:
        change = changes.request_unfreeze(operator=self.caller.operator, player=player, by=self.use_person())
        return Response(ChangeResponse.of(change), status=202)


def _load(operator: UUID, player: UUID) -> FreezeResponse:
    require_player(operator=operator, player=player)
    state, _ = projection.load_restrictions(operator=operator, player=player)
    return FreezeResponse(player, state.frozen_at)
