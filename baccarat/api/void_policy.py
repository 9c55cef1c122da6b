"""An operator's policy on winnings that were spent before their round is voided."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.services import void_policy, voiding
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body
from casino.api.shapes import Shape
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.base_views import OperatorView


class SpentWinnings(StrEnum):
    """Who bears winnings that were spent meanwhile: the player, by a debt, or the house."""

    DEBT = "debt"
    FORGIVE = "forgive"


class VoidPolicyRequest(Body):
    """The policy on winnings that were spent before their round is voided."""

    spent: SpentWinnings


class VoidPolicyResponse(Shape):
    """The policy on winnings that were spent before their round is voided."""

    spent: Annotated[SpentWinnings, Meta(description="The player owes them (`debt`), or the house bears them.")]

    @classmethod
    def of(cls, operator: UUID) -> "VoidPolicyResponse":
        """Present an operator's policy."""
        forgives = voiding.forgives_spent_winnings(operator=operator)
        return cls(spent=SpentWinnings.FORGIVE if forgives else SpentWinnings.DEBT)


class VoidPolicyView(OperatorView):
    """The caller's policy."""

    act = acts.SET_VOID_POLICY

    @operation(
        "getVoidPolicy",
        "Show what happens to winnings that were spent before their round is voided",
        description="Used when a void is approved. `debt` until it is set.",
        returns=VoidPolicyResponse,
    )
    def get(self, _request: Request) -> Response:
        return Response(VoidPolicyResponse.of(self.caller.operator))

    @operation(
        "setVoidPolicy",
        "Set what happens to winnings that were spent before their round is voided",
        request=VoidPolicyRequest,
        example={"spent": "debt"},
        returns=VoidPolicyResponse,
        **LIVE,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(VoidPolicyRequest, request)
        operator, forgive = self.caller.operator, body.spent is SpentWinnings.FORGIVE
        if not self.caller.sandbox:
            change = void_policy.request_policy(operator=operator, forgive=forgive, by=self.use_person())
            return Response(ChangeResponse.of(change), status=202)
        voiding.set_policy(operator=operator, forgive=forgive, actor=self.caller.actor)
        return Response(VoidPolicyResponse.of(operator))
