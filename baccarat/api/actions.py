"""What a player does at a table, over HTTP. Each action is one call and answers with the table as it then stands."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import bodies
from baccarat.api.documents import action, look_at_cards
from baccarat.services import betting, ceremony, seats
from baccarat.services.table_actor import TableActor
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent, idempotent_without_storing
from casino.operators.base_views import PlayerView, metadata


class Action(PlayerView):
    """A player's action at one table."""

    def guest(self, table: UUID) -> TableActor:
        caller = self.caller
        return TableActor(table=table, operator=caller.operator, player=caller.player, metadata=metadata(self.request))


class TakeSeat(Action):
    @action(
        "takeSeat",
        "Sit down with money from the account",
        bodies.SeatTake,
        {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "play"},
        "One who sits down while a round runs waits for the next.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.take(actor=self.guest(table), **parse_body(bodies.SeatTake, request)))


class ChangeSeat(Action):
    @action("changeSeat", "Move to a free seat between rounds", bodies.SeatChange, {"seat": 3})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.change(actor=self.guest(table), **parse_body(bodies.SeatChange, request)))


class Rebuy(Action):
    @action(
        "rebuy",
        "Move money from the account to the game balance",
        bodies.RebuyAmount,
        {"amount": "50.00", "currency": "EUR"},
        "Between rounds only: with a wager in play the refusal says until when.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.rebuy(actor=self.guest(table), **parse_body(bodies.RebuyAmount, request)))


class Leave(Action):
    @action("leaveTable", "Leave with the money", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(seats.leave(actor=self.guest(table)))


class NewGame(Action):
    @action("newGame", "Open a round, or clear the chips of the one that is open", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.new_game(actor=self.guest(table)))


class Place(Action):
    @action(
        "placeChips",
        "Place chips on a spot",
        bodies.Chips,
        {"spot": "banker", "amount": "10.00", "currency": "EUR"},
        "Placed chips are not at risk before the deal. The first chip opens a round where none is open.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(betting.place(actor=self.guest(table), **parse_body(bodies.Chips, request)))


class Undo(Action):
    @action("undoPlacement", "Take back the last placement", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.undo(actor=self.guest(table)))


class Clear(Action):
    @action("clearChips", "Take back all chips that are not confirmed", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.clear(actor=self.guest(table)))


class Rebet(Action):
    @action("rebet", "Place the last wager again", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.rebet(actor=self.guest(table)))


class RebetAndDeal(Action):
    @action("rebetAndDeal", "Place the last wager again and confirm it", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.rebet_and_deal(actor=self.guest(table)))


class Deal(Action):
    @action(
        "deal",
        "Confirm the wager",
        bodies.Deal,
        {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"},
        "Without stakes the chips on the table are confirmed; with stakes these replace them, in one step.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        given: dict[str, Any] = parse_body(bodies.Deal, request)
        stakes = {stake["spot"]: stake["amount"] for stake in given.get("stakes", ())}
        currency = given.get("currency", self.caller.currency)
        contribution = given.get("contribution")
        guest = self.guest(table)
        return Response(betting.deal(actor=guest, stakes=stakes, currency=currency, contribution=contribution))


class Pass(Action):
    @action("passTurn", "Leave this round out", bodies.Nothing, {})
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(betting.pass_turn(actor=self.guest(table)))


class Look(Action):
    @look_at_cards
    @idempotent_without_storing
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(ceremony.look(actor=self.guest(table)))


class HandBack(Action):
    @action(
        "handBackCards",
        "Hand the Player's cards back to the Caller",
        bodies.Nothing,
        {},
        "Then the Player's hand is turned over, then the Banker's, and the round is settled.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        parse_body(bodies.Nothing, request)
        return Response(ceremony.hand_back(actor=self.guest(table)))
