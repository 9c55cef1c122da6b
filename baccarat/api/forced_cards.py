"""Forced cards: a sandbox operator's server chooses what the next round of its table is dealt.

Apart from all other operations on tables: production does not start with `FORCED_CARDS`, without which this refuses.
"""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.queries import rounds
from baccarat.queries.round_view import RoundResponse
from baccarat.services import forcing
from casino.api.fields import EnumField, ReferenceField, StrictSerializer, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.operators.base_views import OperatorView, metadata


class ForcedCardsRequest(StrictSerializer):
    """The cards in deal order (Player, Banker, Player, Banker, third cards), or else a scenario that names some."""

    scenario = EnumField(Scenario, required=False)
    cards = serializers.ListField(child=ReferenceField(max_length=2), required=False, max_length=6)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the cards, those of the scenario if there is one."""
        if len(attrs) != 1:
            raise ValidationError({"cards": ValidationError("Send cards or a scenario.", "field_invalid").detail})
        return {"cards": tuple(attrs["cards"]) if "cards" in attrs else SCENARIOS[attrs["scenario"]]}


class ForcedCardsView(OperatorView):
    """The cards of the table's open round."""

    act = acts.FORCE_CARDS

    @operation(
        "forceCards",
        "Choose the cards of the table's open round, as a test",
        request=ForcedCardsRequest,
        example={"scenario": "six_card_tie"},
        returns=RoundResponse,
        description=(
            "For sandbox operators, at installations for tests. If no round is open, one opens for the players who are "
            "seated. Choose before any of them confirms a wager or passes; none sees the cards before they are dealt. "
            "The round is played, settled and paid as any other. It has `forced`, its proof is never verified but "
            "*forced*, and statistics leave it out. The cards must be exactly those that a round takes."
        ),
        refusals=forcing.REFUSALS,
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(ForcedCardsRequest, request)
        operator, sandbox = self.caller.operator, self.caller.sandbox
        round_ = forcing.force(table=table, operator=operator, sandbox=sandbox, metadata=metadata(request), **body)
        return Response(rounds.load_round(round_=round_, operator=operator, viewer=None))
