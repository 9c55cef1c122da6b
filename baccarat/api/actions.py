"""What a player does at a table. Each action is one call and answers with the table as it is then."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import refusals
from baccarat.domain.fairness.cut import MAX_CONTRIBUTION_BYTES, MalformedContribution, parse_contribution
from baccarat.domain.rules.wagers import Spot
from baccarat.queries.round_view import PeekedCards
from baccarat.queries.table_view import TableStateResponse
from baccarat.services import betting, ceremony, seats
from baccarat.services.table_actor import TableActor
from casino.api.fields import (
    AmountField,
    CurrencyField,
    EmptyRequest,
    EnumField,
    MoneyTypeField,
    StrictSerializer,
    WholeNumberField,
    parse_body,
)
from casino.api.idempotency import idempotent, idempotent_without_storing
from casino.api.openapi import operation
from casino.operators.base_views import PlayerView, metadata


class SpotField(EnumField):
    """`player`, `banker` or `tie` (`unknown_spot` otherwise)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Spot, **options)

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except ValidationError as error:
            if error.get_codes() != ["unknown_choice"]:
                raise
            raise ValidationError(f"{data[:40]!r} is no spot.", code=refusals.UnknownSpot.code) from None


@extend_schema_field(
    {
        "type": "string",
        "pattern": f"^([0-9a-fA-F]{{2}}){{1,{MAX_CONTRIBUTION_BYTES}}}$",
        "examples": ["9f2c5e7a41b0d863"],
    }
)
class ContributionField(serializers.Field[str, Any, str, str]):
    """1 to 32 bytes in hex (`contribution_malformed` otherwise)."""

    def to_internal_value(self, data: Any) -> str:
        """Read the bytes and write them in lower case."""
        if not isinstance(data, str):
            raise ValidationError("A contribution is text.", code="not_a_string")
        try:
            return parse_contribution(data).hex()
        except MalformedContribution as error:
            raise ValidationError(str(error), code=refusals.ContributionMalformed.code) from None

    def to_representation(self, value: str) -> str:
        return value


class TakeSeatRequest(StrictSerializer):
    """Where to sit, and with how much from the account."""

    seat = WholeNumberField()
    buy_in = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField()
    contribution = ContributionField(required=False)


class ChangeSeatRequest(StrictSerializer):
    """The seat to move to."""

    seat = WholeNumberField()


class RebuyRequest(StrictSerializer):
    """How much to move from the account to the game balance."""

    amount = AmountField()
    currency = CurrencyField()


class PlaceChipsRequest(StrictSerializer):
    """Chips for one spot."""

    spot = SpotField()
    amount = AmountField()
    currency = CurrencyField()


class StakeRequest(StrictSerializer):
    """A stake on one spot."""

    spot = SpotField()
    amount = AmountField()


class DealRequest(StrictSerializer):
    """Nothing, to confirm the chips on the table; or the whole wager, which replaces them, with its currency.

    A contribution goes to the cut of the round's own shoe, also with stakes that open it, or of the next long one.
    """

    stakes = StakeRequest(many=True, required=False)
    currency = CurrencyField(required=False)
    contribution = ContributionField(required=False)

    def validate_stakes(self, stakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse a wager without stakes, and a spot that comes twice."""
        if not stakes:
            raise ValidationError("The list is empty.", code=refusals.NoStakes.code)
        if len({stake["spot"] for stake in stakes}) != len(stakes):
            raise ValidationError("A spot comes twice.", code=refusals.DuplicateSpot.code)
        return stakes

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse amounts without their currency."""
        if "stakes" in attrs and "currency" not in attrs:
            raise ValidationError({"currency": [ErrorDetail("Amounts need their currency.", code="required")]})
        return attrs


def action(
    operation_id: str,
    summary: str,
    request: type[StrictSerializer] = EmptyRequest,
    example: dict[str, Any] | None = None,
    description: str = "",
) -> Any:
    """Document an action at a table, which answers with the table after it."""
    return operation(
        operation_id,
        summary,
        returns=TableStateResponse,
        request=request,
        example=example or {},
        description=description,
    )


class TableActionView(PlayerView):
    """A player's action at one table."""

    def actor(self, table: UUID) -> TableActor:
        caller = self.caller
        return TableActor(table=table, operator=caller.operator, player=caller.player, metadata=metadata(self.request))


class TakeSeatView(TableActionView):
    @action(
        "takeSeat",
        "Sit down with money from the account",
        TakeSeatRequest,
        {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "play"},
        "A player who sits down while a round runs waits for the next.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.take(actor=self.actor(table), **parse_body(TakeSeatRequest, request)))


class ChangeSeatView(TableActionView):
    @action("changeSeat", "Move to a free seat between rounds", ChangeSeatRequest, {"seat": 3})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.change(actor=self.actor(table), **parse_body(ChangeSeatRequest, request)))


class RebuyView(TableActionView):
    @action(
        "rebuy",
        "Move money from the account to the game balance",
        RebuyRequest,
        {"amount": "50.00", "currency": "EUR"},
        "Between rounds only: with a wager in play the refusal says until when.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.rebuy(actor=self.actor(table), **parse_body(RebuyRequest, request)))


class LeaveTableView(TableActionView):
    @action("leaveTable", "Leave with the money")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(seats.leave(actor=self.actor(table)))


class NewGameView(TableActionView):
    @action("newGame", "Open a round, or clear the chips of the one that is open")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.new_game(actor=self.actor(table)))


class PlaceChipsView(TableActionView):
    @action(
        "placeChips",
        "Place chips on a spot",
        PlaceChipsRequest,
        {"spot": "banker", "amount": "10.00", "currency": "EUR"},
        "Placed chips are not at risk before the deal. The first chip opens a round where none is open.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(betting.place(actor=self.actor(table), **parse_body(PlaceChipsRequest, request)))


class UndoPlacementView(TableActionView):
    @action("undoPlacement", "Take back the last placement")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.undo(actor=self.actor(table)))


class ClearChipsView(TableActionView):
    @action("clearChips", "Take back all chips that are not confirmed")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.clear(actor=self.actor(table)))


class RebetView(TableActionView):
    @action("rebet", "Place the last wager again")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.rebet(actor=self.actor(table)))


class RebetAndDealView(TableActionView):
    @action("rebetAndDeal", "Place the last wager again and confirm it")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.rebet_and_deal(actor=self.actor(table)))


class DealView(TableActionView):
    @action(
        "deal",
        "Confirm the wager",
        DealRequest,
        {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"},
        "Without stakes the chips on the table are confirmed; with stakes these replace them, in one step.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(DealRequest, request)
        stakes = {stake["spot"]: stake["amount"] for stake in body.get("stakes", ())}
        currency = body.get("currency", self.caller.currency)
        actor, contribution = self.actor(table), body.get("contribution")
        return Response(betting.deal(actor=actor, stakes=stakes, currency=currency, contribution=contribution))


class PassTurnView(TableActionView):
    @action("passTurn", "Leave this round out")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.pass_turn(actor=self.actor(table)))


class LookAtCardsView(TableActionView):
    @operation(
        "lookAtCards",
        "Look at the Player's two cards that lie face down at your seat",
        returns=PeekedCards,
        request=EmptyRequest,
        example={},
        description=(
            "At a table with a Caller they are with the seat of the highest Player wager, the earliest of equals, from "
            "the close of betting on: the round's `ceremony` says which seat and until when. Only this answer, to this "
            "player alone, shows them before they are turned over; it is stored nowhere. Looking again shows the same."
        ),
    )
    @idempotent_without_storing
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(ceremony.look(actor=self.actor(table)))


class HandBackCardsView(TableActionView):
    @action(
        "handBackCards",
        "Hand the Player's cards back to the Caller",
        description="Then the Player's hand is turned over, then the Banker's, and the round is settled.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(ceremony.hand_back(actor=self.actor(table)))
