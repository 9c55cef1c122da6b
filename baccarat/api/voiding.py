"""Rounds that staff decide about: voids, and suspended rounds."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.refusals import (
    RoundAlreadyVoided,
    RoundNotSuspended,
    RoundNotVoidable,
    UnknownRound,
    VoidNoteInvalid,
)
from baccarat.queries import rounds
from baccarat.queries.round_view import RoundResponse
from baccarat.services import dealing, voiding
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, Text, parse_body
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.events.records import Metadata
from casino.operators.api.changes import WAITS, ChangeResponse
from casino.operators.base_views import OperatorView, metadata
from casino.operators.refusals import ChangeAlreadyRequested

_NOTE_HELP = "Encrypted, and erased with the players of the round."


class VoidNote(Text):
    limit = voiding.MAX_NOTE_LENGTH


class VoidRequest(Body):
    """Why the round must not count."""

    reason: VoidReason
    note: Annotated[VoidNote, Meta(description=_NOTE_HELP)]


class StaffRoundView(OperatorView):
    """Base of what a person on the operator's staff does to a round."""

    def person(self) -> Metadata:
        """Use up the request's assertion, and return the metadata of events that its person causes."""
        return replace(metadata(self.request), actor=self.use_person())

    def respond(self, round_: UUID) -> Response:
        """Answer with the round as it is now."""
        return Response(rounds.load_round(round_=round_, operator=self.caller.operator, viewer=None))


class VoidRoundView(StaffRoundView):
    act = acts.REQUEST_VOID

    @operation(
        "voidRound",
        "Void a round, or request the change if cards may be known",
        request=VoidRequest,
        example={"reason": "malfunction", "note": "The camera failed before the third card."},
        returns=RoundResponse,
        description=(
            "A round in play, suspended or not, is void at once, and every stake goes back. Once cards may be known "
            "(after the outcome, once a Caller has looked, and from the close of betting on at a table with witnesses) "
            "one person requests the change, and another confirms it (`POST /changes/{change}/confirm`). List those "
            "that wait with `GET /changes?kind=void`. Until then the round goes on. Then stakes, payouts and "
            "commission of the whole round are undone. Winnings that a player has spent are owed or forgiven, by your "
            "policy."
        ),
        refusals=(
            PersonalDataErased,
            RoundAlreadyVoided,
            RoundNotVoidable,
            UnknownRound,
            ChangeAlreadyRequested,
            VoidNoteInvalid,
        ),
        **WAITS,
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        body = parse_body(VoidRequest, request)
        waits = voiding.void(round_=round, operator=self.caller.operator, metadata=self.person(), **asdict(body))
        return self.respond(round) if waits is None else Response(ChangeResponse.of(waits), status=202)


class ResumeRoundView(StaffRoundView):
    act = acts.RESUME_ROUND

    @operation(
        "resumeRound",
        "Return a suspended round to dealing",
        returns=RoundResponse,
        description=(
            "A round that can't be dealt is suspended and blocks no other; list them with "
            "`GET /api/v1/rounds?status=suspended`. If the error persists, it is suspended again: then void it."
        ),
        refusals=(RoundNotSuspended, UnknownRound),
    )
    @idempotent
    def post(self, _request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        dealing.resume(round_=round, operator=self.caller.operator, metadata=self.person())
        return self.respond(round)
