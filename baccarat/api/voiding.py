"""Rounds that staff decide about: voids requested by one person and decided by another, and suspended rounds."""

from dataclasses import replace
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.refusals import (
    NoVoidRequested,
    RoundAlreadyVoided,
    RoundNotSuspended,
    RoundNotVoidable,
    UnknownRound,
    VoidAlreadyRequested,
    VoidNeedsSecondPerson,
    VoidNoteInvalid,
)
from baccarat.queries import rounds
from baccarat.queries.round_view import RoundResponse
from baccarat.services import dealing, voiding
from casino.api.fields import EmptyRequest, EnumField, StrictSerializer, TextField, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.events.payloads import ArchiveUnavailable
from casino.events.records import Metadata
from casino.operators import assertions
from casino.operators.base_views import OperatorView, metadata

_NOTE_HELP = "Encrypted, and erased with the players of the round."


class VoidRequest(StrictSerializer):
    """Why the round must not count."""

    reason = EnumField(VoidReason)
    note = TextField(max_length=voiding.MAX_NOTE_LENGTH, help_text=_NOTE_HELP)


class VoidDeclineRequest(StrictSerializer):
    """Why the round counts."""

    note = TextField(max_length=voiding.MAX_NOTE_LENGTH, help_text=_NOTE_HELP)


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
        "Void a round, or request its void if cards may be known",
        request=VoidRequest,
        parameters=[assertions.PARAMETER],
        example={"reason": "malfunction", "note": "The camera failed before the third card."},
        returns=RoundResponse,
        description=(
            "A round in play, suspended or not, is void at once, and every stake goes back. Once cards may be known "
            "(after the outcome, once a Caller has looked, and from the close of betting on at a table with witnesses) "
            "one person requests the void, and another approves or declines it: `void_request` shows who waits. List "
            "them with `GET /api/v1/rounds?status=void_requested`. Until then the round goes on."
        ),
        refusals=(
            ArchiveUnavailable,
            PersonalDataErased,
            RoundAlreadyVoided,
            RoundNotVoidable,
            UnknownRound,
            VoidAlreadyRequested,
            VoidNoteInvalid,
        ),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        body = parse_body(VoidRequest, request)
        voiding.void(round_=round, operator=self.caller.operator, metadata=self.person(), **body)
        return self.respond(round)


class ApproveVoidView(StaffRoundView):
    act = acts.APPROVE_VOID

    @operation(
        "approveVoid",
        "Approve the void of a round that another person requested",
        request=EmptyRequest,
        parameters=[assertions.PARAMETER],
        example={},
        returns=RoundResponse,
        description=(
            "Stakes, payouts and commission of the whole round are undone. Winnings that a player has spent are owed "
            "or forgiven, by your policy. Whoever requested the void can't approve it."
        ),
        refusals=(
            ArchiveUnavailable,
            NoVoidRequested,
            RoundAlreadyVoided,
            RoundNotVoidable,
            UnknownRound,
            VoidNeedsSecondPerson,
        ),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        parse_body(EmptyRequest, request)
        voiding.approve(round_=round, operator=self.caller.operator, metadata=self.person())
        return self.respond(round)


class DeclineVoidView(StaffRoundView):
    act = acts.APPROVE_VOID

    @operation(
        "declineVoid",
        "Decline the void of a round; the round stands",
        request=VoidDeclineRequest,
        parameters=[assertions.PARAMETER],
        example={"note": "The recording shows the cards as they were dealt."},
        returns=RoundResponse,
        description="Nothing is moved. Whoever requested the void may take it back in this way, too.",
        refusals=(ArchiveUnavailable, NoVoidRequested, PersonalDataErased, UnknownRound, VoidNoteInvalid),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        body = parse_body(VoidDeclineRequest, request)
        voiding.decline(round_=round, operator=self.caller.operator, note=body["note"], metadata=self.person())
        return self.respond(round)


class ResumeRoundView(StaffRoundView):
    act = acts.RESUME_ROUND

    @operation(
        "resumeRound",
        "Return a suspended round to dealing",
        request=EmptyRequest,
        parameters=[assertions.PARAMETER],
        example={},
        returns=RoundResponse,
        description=(
            "A round that can't be dealt is suspended and blocks no other; list them with "
            "`GET /api/v1/rounds?status=suspended`. If the error persists, it is suspended again: then void it."
        ),
        refusals=(RoundNotSuspended, UnknownRound),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        parse_body(EmptyRequest, request)
        dealing.resume(round_=round, operator=self.caller.operator, metadata=self.person())
        return self.respond(round)
