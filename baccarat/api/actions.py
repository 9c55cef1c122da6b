"""Players' actions at a table. Each is one call that returns the new state of the table."""

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
from baccarat.services import betting, seats
from baccarat.services.seats import TableActor
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
            raise ValidationError(f"{data[:40]!r} is not a spot.", code=refusals.UnknownSpot.code) from None


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
    """A seat, and the amount to bring from the account."""

    seat = WholeNumberField()
    buy_in = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField()
    contribution = ContributionField(required=False)


class ChangeSeatRequest(StrictSerializer):
    """The seat to move to."""

    seat = WholeNumberField()


class RebuyRequest(StrictSerializer):
    """An amount to move from the account to the game balance."""

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
    """Empty to confirm the chips on the table, or the whole wager, which replaces them, with its currency.

    A contribution goes to the cut of the round's own shoe, even if the stakes open the round, or of the next long shoe.
    """

    stakes = StakeRequest(many=True, required=False)
    currency = CurrencyField(required=False)
    contribution = ContributionField(required=False)

    def validate_stakes(self, stakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse an empty list and a repeated spot."""
        if not stakes:
            raise ValidationError("The list is empty.", code=refusals.NoStakes.code)
        if len({stake["spot"] for stake in stakes}) != len(stakes):
            raise ValidationError("A spot is repeated.", code=refusals.DuplicateSpot.code)
        return stakes

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse stakes without a currency."""
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
    """Document an action that returns the new state of the table."""
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
        return TableActor(
            table=table,
            operator=caller.operator,
            player=caller.player,
            metadata=metadata(self.request),
            brand=None if caller.brand is None else caller.brand.id,
        )


class TakeSeatView(TableActionView):
    @action(
        "takeSeat",
        "Sit down with money from the account",
        TakeSeatRequest,
        {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "play"},
        "A player who sits down during a round joins the next one.",
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
        "Between rounds only: while a wager is in play, the refusal contains the deadline.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.rebuy(actor=self.actor(table), **parse_body(RebuyRequest, request)))


class LeaveTableView(TableActionView):
    @action("leaveTable", "Leave the table with the game balance")
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
        "Placed chips are not at risk before the deal. The first chip opens a round if none is open, except while "
        "several players watch the show of the last deal: until `betting_opens_at`, whatever acts on the next round is "
        "refused (`betting_not_open`).",
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
    @action("clearChips", "Take back all unconfirmed chips")
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
        "Without stakes, confirms the chips on the table; stakes replace them first, in one step.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(DealRequest, request)
        stakes = {stake["spot"]: stake["amount"] for stake in body.get("stakes", ())}
        currency = body.get("currency", self.caller.currency)
        actor, contribution = self.actor(table), body.get("contribution")
        return Response(betting.deal(actor=actor, stakes=stakes, currency=currency, contribution=contribution))


class PassTurnView(TableActionView):
    @action("passTurn", "Sit out this round")
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.pass_turn(actor=self.actor(table)))


class SkipShowView(TableActionView):
    @action(
        "skipShow",
        "Ask to skip the show of the last deal",
        description="Once every seated player has asked, the next round opens at once. A player alone at the table "
        "need not ask: the first chip, rebet or deal skips the show.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.skip_show(actor=self.actor(table)))


class LookAtCardsView(TableActionView):
    @operation(
        "lookAtCards",
        "Look at the Player's two cards, face down at your seat",
        returns=PeekedCards,
        request=EmptyRequest,
        example={},
        description=(
            "At a table with a Caller, the seat with the highest Player wager (the earliest of equals) holds the cards "
            "once betting closes: the round's `ceremony` contains the seat and the deadline. Only this response, to "
            "this player, shows them before they are turned over; it is not stored. Looking again shows the same cards."
        ),
    )
    @idempotent_without_storing
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.look(actor=self.actor(table)))


class HandBackCardsView(TableActionView):
    @action(
        "handBackCards",
        "Hand the Player's cards back to the Caller",
        description="The Player's hand is turned over, then the Banker's, and the round is settled.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(EmptyRequest, request)
        return Response(betting.hand_back(actor=self.actor(table)))


class CutRequest(StrictSerializer):
    """A contribution to the cut."""

    contribution = ContributionField()


class ContributeToCutView(TableActionView):
    @action(
        "contributeToCut",
        "Cut the shoe",
        CutRequest,
        {"contribution": "9f2c5e7a41b0d863"},
        "The order of a shoe follows from the house's seed, which the table has committed to, and from the cut: the "
        "contributions that seats add afterwards. The next shoe and its commitment are shown as `next_shoe` before "
        "anybody can bet on it. If each round has its own shoe, contribute while betting is open, or with the stakes "
        "that open the round; at a table with a long shoe, to the next one, until it starts. A seat's last "
        "contribution counts, 1 to 32 bytes of your choice in hex; everyone at the table can see it. Contributing is "
        "optional.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(betting.contribute_to_cut(actor=self.actor(table), **parse_body(CutRequest, request)))
