"""Forced cards: a sandbox operator's server chooses what the next round of its table is dealt.

Apart from all other operations on tables: production does not start with `FORCED_CARDS`, without which this refuses.
"""

from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.queries import rounds
from baccarat.queries.round_view import RoundResponse
from baccarat.services import forcing
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, malformed, parse_body, verbatim
from casino.operators.base_views import OperatorView, metadata


class ForcedCardsRequest(Body):
    """The cards in deal order (Player, Banker, Player, Banker, third cards), or else a scenario that names some."""

    scenario: Scenario | None = None
    cards: Annotated[tuple[Annotated[str, verbatim(2)], ...], Meta(max_length=6)] | None = None

    def __post_init__(self) -> None:
        """Refuse cards beside a scenario, and neither. Raises Malformed."""
        if (self.cards is None) == (self.scenario is None):
            raise malformed("field_invalid", "are sent, or else a scenario", "cards")

    def chosen(self) -> tuple[str, ...]:
        """Return the cards, those of the scenario if there is one."""
        return self.cards or () if self.scenario is None else SCENARIOS[self.scenario]


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
        cards = parse_body(ForcedCardsRequest, request).chosen()
        operator, sandbox = self.caller.operator, self.caller.sandbox
        round_ = forcing.force(table=table, operator=operator, sandbox=sandbox, metadata=metadata(request), cards=cards)
        return Response(rounds.load_round(round_=round_, operator=operator, viewer=None))
