"""Players' actions at a table. Each is one call that returns the new state of the table."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiExample
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.action_requests import (
    ChangeSeatRequest,
    CutRequest,
    PlaceChipsRequest,
    RebuyRequest,
    TakeSeatRequest,
    signed,
)
from baccarat.domain.rounds.refusals import (
    ChipsAlreadyPlaced,
    NoChipsPlaced,
    NothingToRepeat,
    RoundIsOpen,
    WitnessesNotReady,
)
from baccarat.domain.tables.refusals import HurryNotAllowed, NoShow, NotSeated, UnknownTable
from baccarat.queries.round_view import PeekedCards
from baccarat.queries.table_view import TableStateResponse
from baccarat.services import betting, ceremony, seats, wagering, witness_chains
from baccarat.services.seats import MoneyElsewhere, TableActor
from casino.api.contract import Declared
from casino.api.idempotency import idempotent, idempotent_once_prepared, idempotent_without_storing
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body
from casino.operators.base_views import PlayerView, metadata
from wallet.remote.refusals import WalletUnavailable


def action(
    operation_id: str,
    summary: str,
    request: type[Body] | None = None,
    example: dict[str, Any] | None = None,
    description: str = "",
    *,
    refusals: Sequence[Declared],
    responses: Mapping[Any, Any] | None = None,
    examples: Sequence[OpenApiExample] = (),
    returns: type[TableStateResponse] = TableStateResponse,
) -> Any:
    """Document an action that returns the new state of the table."""
    return operation(
        operation_id,
        summary,
        returns=returns,
        request=request,
        example=example,
        description=description,
        refusals=refusals,
        responses=responses,
        examples=examples,
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
    is_elsewhere = balance_told = False

    def prepare(self, _request: Request, _identity: UUID) -> None:
        """Wait for the chains of a new table, and ask the operator's own wallet for the player's balance."""
        actor = self.actor(self.kwargs["table"])
        witness_chains.wait_for_chains(table=actor.table, operator=actor.operator)
        if self.is_elsewhere:
            wagering.ask_balance(actor=actor)
            self.balance_told = True

    @action(
        "takeSeat",
        "Sit down with money from the account",
        TakeSeatRequest,
        {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "play"},
        "A player who sits down during a round joins the next one. At a new table the answer may take some seconds, "
        "until its witnesses are ready. Where the money is in your casino's own wallet, it "
        "stays there (`funding` of the table is `seamless`): bring nothing, the wallet is asked for the balance.",
        refusals=(*seats.TAKING, WalletUnavailable),
    )
    @idempotent_once_prepared((MoneyElsewhere, WitnessesNotReady), prepare)
    def post(self, request: Request, table: UUID) -> Response:
        body = asdict(parse_body(TakeSeatRequest, request))
        body["contribution_signature"] = signed(body["contribution_signature"])
        try:
            return Response(seats.take(actor=self.actor(table), balance_told=self.balance_told, **body))
        except MoneyElsewhere:
            self.is_elsewhere = True
            raise


class ChangeSeatView(TableActionView):
    @action(
        "changeSeat",
        "Move to a free seat between rounds",
        ChangeSeatRequest,
        {"seat": 3},
        description=("Your game balance moves with you."),
        refusals=seats.CHANGING,
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.change(actor=self.actor(table), seat=parse_body(ChangeSeatRequest, request).seat))


class RebuyView(TableActionView):
    @action(
        "rebuy",
        "Move money from the account to the game balance",
        RebuyRequest,
        {"amount": "50.00", "currency": "EUR"},
        "Between rounds only: while a wager is in play, the refusal contains the deadline.",
        refusals=seats.REBUYING,
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(seats.rebuy(actor=self.actor(table), **asdict(parse_body(RebuyRequest, request))))


class LeaveTableView(TableActionView):
    @action(
        "leaveTable",
        "Leave the table with the game balance",
        description=(
            "The game balance returns to the account. Unconfirmed chips are taken back; a wager in play is dealt first."
        ),
        refusals=seats.LEAVING,
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(seats.leave(actor=self.actor(table)))


class NewGameView(TableActionView):
    @action(
        "newGame",
        "Open a round, or clear the chips of the one that is open",
        description=("If a round is open, your unconfirmed chips are taken back and its terms stay."),
        refusals=(*betting.TURN, *betting.OPENING, RoundIsOpen),
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
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
        refusals=(*betting.TURN, *betting.OPENING, *betting.STAKING),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(betting.place(actor=self.actor(table), **asdict(parse_body(PlaceChipsRequest, request))))


class UndoPlacementView(TableActionView):
    @action(
        "undoPlacement",
        "Take back the last placement",
        description="Each call takes back one placement, until you have no unconfirmed chips.",
        refusals=(*betting.TURN, NoChipsPlaced),
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.undo(actor=self.actor(table)))


class ClearChipsView(TableActionView):
    @action(
        "clearChips",
        "Take back all unconfirmed chips",
        description=("All spots, of this round. Nothing was at risk."),
        refusals=betting.TURN,
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.clear(actor=self.actor(table)))


class RebetView(TableActionView):
    @action(
        "rebet",
        "Place the last wager again",
        description=("The chips of your last wager at this table, on the same spots; they are not confirmed yet."),
        refusals=(*betting.TURN, *betting.OPENING, *betting.STAKING, NothingToRepeat, ChipsAlreadyPlaced),
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.rebet(actor=self.actor(table)))


class DoubleView(TableActionView):
    @action(
        "doubleStakes",
        "Place the chips on the table once more",
        description="Every stake, or none of them: one undo takes all of it back.",
        refusals=(*betting.TURN, *betting.STAKING, NoChipsPlaced),
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.double(actor=self.actor(table)))


class PassTurnView(TableActionView):
    @action(
        "passTurn",
        "Sit out this round",
        description=("You keep the seat. The round need not wait for you."),
        refusals=betting.TURN,
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.pass_turn(actor=self.actor(table)))


class SkipShowView(TableActionView):
    @action(
        "skipShow",
        "Ask to skip the show of the last deal",
        description="Once every seated player has asked, the next round opens at once. A player alone at the table "
        "need not ask: the first chip, rebet or deal skips the show. Where `may_hurry` is false, nobody skips it.",
        refusals=(UnknownTable, NotSeated, NoShow, HurryNotAllowed),
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(betting.skip_show(actor=self.actor(table)))


class LookAtCardsView(TableActionView):
    @operation(
        "lookAtCards",
        "Look at the Player's two cards, face down at your seat",
        returns=PeekedCards,
        description=(
            "At a table with a Caller, the seat with the highest Player wager (the earliest of equals) holds the cards "
            "once betting closes: the round's `ceremony` contains the seat and the deadline. Only this response, to "
            "this player, shows them before they are turned over; it is not stored. Looking again shows the same cards."
        ),
        refusals=ceremony.REFUSALS,
    )
    @idempotent_without_storing
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(ceremony.look(actor=self.actor(table)))


class HandBackCardsView(TableActionView):
    @action(
        "handBackCards",
        "Hand the Player's cards back to the Caller",
        description="The Player's hand is turned over, then the Banker's, and the round is settled.",
        refusals=ceremony.REFUSALS,
    )
    @idempotent
    def post(self, _request: Request, table: UUID) -> Response:
        return Response(ceremony.hand_back(actor=self.actor(table)))


class ContributeToCutView(TableActionView):
    @action(
        "contributeToCut",
        "Cut the shoe",
        CutRequest,
        {"contribution": "9f2c5e7a41b0d863"},
        "The order of a shoe follows from the house's seed, which the table has committed to, and from the cut: the "
        "contributions that seats add afterwards. They go to `next_shoe`, which nobody can bet on yet: a long shoe is "
        "cut until it starts, a round's own shoe until the terms of that round are fixed, which is when the round "
        "before it ends. A seat's last contribution counts, 1 to 32 bytes of your choice in hex; everyone at the table "
        "can see it. Contributing is optional. A `contribution_signature` proves to anybody that the seat's player "
        "made it for this shoe; the specification at `/play/verify/specification` has its bytes.",
        refusals=(UnknownTable, NotSeated, *betting.CUT),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(CutRequest, request)
        return Response(
            betting.contribute_to_cut(
                actor=self.actor(table),
                contribution=body.contribution,
                contribution_signature=signed(body.contribution_signature),
            )
        )
