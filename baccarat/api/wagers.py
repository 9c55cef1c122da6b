"""Confirm a wager: one call, and a second server to ask where the money is in the operator's own wallet."""

from typing import Annotated, Final, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiExample
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.action_requests import DealRequest, RebetAndDealRequest, signed
from baccarat.api.actions import TableActionView, action
from baccarat.domain.rounds.refusals import ChipsAlreadyPlaced, NothingToRepeat
from baccarat.queries.receipts import WagerResponse
from baccarat.services import betting, wagering
from baccarat.services.seats import MoneyElsewhere
from baccarat.services.turns import TakenStakes
from baccarat.services.wagering import Confirming, WantedWager
from casino.api.idempotency import idempotent_once_prepared
from casino.api.openapi import JSON
from casino.api.requests import parse_body
from casino.api.shapes import Shape, Timestamp, example_of


class WagerConfirming(Shape):
    """A wager that waits for the answer of the operator's own wallet."""

    status: Literal["confirming"]
    round: UUID
    deadline_at: Annotated[Timestamp | None, Meta(description="When betting closes; null if it waits for players.")]


WAITING: Final = OpenApiExample(
    "Waiting", example_of(WagerConfirming), response_only=True, media_type=JSON, status_codes=["202"]
)


class WageringView(TableActionView):
    """An action that confirms a wager, with stakes that the operator's own wallet may have to pay first."""

    taken: TakenStakes | None = None

    def foresees_taking(self) -> bool:
        """Return whether the operator's own wallet is probably the one to pay."""
        return wagering.is_probably_elsewhere(self.caller.operator)

    def take(self, wanted: WantedWager) -> Response | None:
        """Take the stakes if the money is there; answer 202 if an equal request waits for it."""
        actor = self.actor(self.kwargs["table"])
        taken = wagering.take_stakes(wanted, actor=actor)
        if isinstance(taken, Confirming):
            return Response(WagerConfirming("confirming", taken.round, taken.deadline_at), status=202)
        self.taken = taken
        return None

    def handle_exception(self, exc: Exception) -> Response:
        """Give stakes back that were taken for a wager which could not be confirmed."""
        if self.taken is not None:
            wagering.give_back(self.taken, actor=self.actor(self.kwargs["table"]))
        return super().handle_exception(exc)


def _take_for_deal(view: "DealView", request: Request, identity: UUID) -> Response | None:
    body = parse_body(DealRequest, request)
    contributed, wager = signed(body.contribution_signature), body.wager_signature()
    wanted = WantedWager(identity, body.by_spot(), body.currency, body.contribution, contributed, wager)
    return view.take(wanted)


def _take_again(view: "RebetAndDealView", request: Request, identity: UUID) -> Response | None:
    body = parse_body(RebetAndDealRequest, request)
    return view.take(WantedWager(identity, {}, signature=body.wager_signature(), again=True))


class DealView(WageringView):
    @action(
        "deal",
        "Confirm the wager",
        DealRequest,
        {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"},
        "Without stakes, confirms the chips on the table; stakes replace them first, in one step. 202 means that your "
        "casino's own wallet has not answered yet, so the wager is neither confirmed nor refused: send the request "
        "again with the same `Idempotency-Key` until it has another answer, or wait for `WagerConfirmed` on the "
        "stream. A wager that is not confirmed when betting closes is not in the round, and costs nothing. A "
        "`signature`, over `terms.digest`, the open round, `you.player` and the stakes as asked, proves to anybody "
        "that these terms stood before the wager; the specification at `/play/verify/specification` has its bytes. "
        "Open a round before you sign, where none is open (`new-game`).",
        refusals=(
            *betting.TURN,
            *betting.OPENING,
            *betting.STAKING,
            *betting.WAGER,
            *betting.CUT,
            *wagering.REFUSALS,
        ),
        returns=WagerResponse,
        responses={(202, JSON): WagerConfirming},
        examples=[WAITING],
    )
    @idempotent_once_prepared(MoneyElsewhere, _take_for_deal, foreseen=WageringView.foresees_taking)
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(DealRequest, request)
        return Response(
            betting.deal(
                actor=self.actor(table),
                stakes=body.by_spot(),
                currency=body.currency,
                contribution=body.contribution,
                contribution_signature=signed(body.contribution_signature),
                signature=body.wager_signature(),
                taken=self.taken,
            )
        )


class RebetAndDealView(WageringView):
    @action(
        "rebetAndDeal",
        "Place the last wager again and confirm it",
        RebetAndDealRequest,
        {},
        returns=WagerResponse,
        description=("As `rebet` and then `deal`, in one step: either both happen or neither."),
        refusals=(
            *betting.TURN,
            *betting.OPENING,
            *betting.STAKING,
            *betting.WAGER,
            *wagering.REFUSALS,
            NothingToRepeat,
            ChipsAlreadyPlaced,
        ),
        responses={(202, JSON): WagerConfirming},
        examples=[WAITING],
    )
    @idempotent_once_prepared(MoneyElsewhere, _take_again, foreseen=WageringView.foresees_taking)
    def post(self, request: Request, table: UUID) -> Response:
        signature = parse_body(RebetAndDealRequest, request).wager_signature()
        return Response(betting.rebet_and_deal(actor=self.actor(table), signature=signature, taken=self.taken))
