"""Kill switches: an operator's server stops and resumes its own casino, tables and players."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.tables.kill_switch import (
    AlreadyStopped,
    DepositsNotInScope,
    NotStopped,
    StopMessageTooLong,
    StopOfHigherRank,
    StopRank,
    StopReasonMissing,
    StopScope,
    UnknownStopSubject,
)
from baccarat.services import kill_switch
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, Text, parse_body, verbatim
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.crypto import crypto_shredding
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.events.projections import Row
from casino.operators.api.changes import WAITS, ChangeResponse
from casino.operators.assertions import LIVE_PARAMETER
from casino.operators.base_views import OperatorView, metadata
from casino.operators.refusals import ChangeAlreadyRequested, ChangeNeedsSecondPerson
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming.refusals import PlayerAlreadyBlocked, PlayerNotBlocked

PLATFORM: Final = "platform"
EXAMPLE: Final = {
    "scope": "table",
    "subject": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "reason": "The camera is down.",
}


class StopReason(Text):
    limit = kill_switch.MAX_REASON_LENGTH


class StopMessage(Text):
    limit, optional = kill_switch.MAX_MESSAGE_LENGTH, True


class ResumeRequest(Body, kw_only=True):
    """The scope, `operator` (the caller), `table` or `player` with the id as subject, and the reason."""

    scope: StopScope
    subject: Annotated[str, verbatim(40, blank=True)] = ""
    reason: Annotated[
        StopReason,
        Meta(
            description="A reason about a player is encrypted and erased with the player. Others are stored "
            "permanently: do not name a player."
        ),
    ]


class StopRequest(ResumeRequest):
    """A stop, with a message to players that replaces the default one; `deposits` stops your deposits, too."""

    deposits: bool = False
    player_message: StopMessage = StopMessage()


class Stop(Shape):
    """A kill switch after its last change. For a change by the platform, actor and reason are hidden."""

    scope: StopScope
    subject: Annotated[str, Meta(description="An id, or the digest of rules; empty for all gaming.")]
    active: bool
    deposits: Annotated[bool, Meta(description="Whether deposits are stopped, too.")]
    player_message: Annotated[str, Meta(description="The message shown to players.")]
    reason: str
    rank: Annotated[StopRank, Meta(description="Of who stopped or resumed play. Only it or a higher one lifts a stop.")]
    by: Annotated[str, Meta(examples=["operator:op_5f0c"])]
    at: Timestamp

    @classmethod
    def of(cls, row: Row, player_message: str, reason: str) -> "Stop":
        """Present a kill switch with its decrypted texts."""
        own = StopRank.OPERATOR.covers(StopRank(row.rank))
        return cls(
            scope=StopScope(row.scope),
            subject=row.subject,
            active=row.active,
            deposits=row.deposits,
            player_message=player_message,
            reason=reason if own else "",
            rank=StopRank(row.rank),
            by=row.by if own else PLATFORM,
            at=row.at,
        )


class StopList(ItemList[Stop]):
    """Your kill switches, and those of the platform that stop one of your tables."""


class StopsView(OperatorView):
    act = acts.STOP_PLAY

    @operation(
        "listStops",
        "List the stops of your casino, active and lifted",
        returns=StopList,
        description=("Stops of the platform that affect you are in the list too."),
    )
    def get(self, _request: Request) -> Response:
        return Response(StopList.of(_present(kill_switch.list_kill_switches(operator=self.caller.operator))))

    @operation(
        "stopPlay",
        "Stop all play in your casino, at a table, or of a player",
        returns=Stop,
        request=StopRequest,
        example=EXAMPLE,
        description=(
            "Takes effect at once: no round opens, nobody sits down and no wager is accepted. Confirmed wagers are "
            "dealt and settled; leaving, deposits and withdrawals continue to work. With `deposits`, which only a stop "
            "of your whole casino takes, no deposit is accepted either, nor a transfer in."
        ),
        refusals=(
            AlreadyStopped,
            DepositsNotInScope,
            PersonalDataErased,
            PlayerAlreadyBlocked,
            StopMessageTooLong,
            StopReasonMissing,
            UnknownAccount,
            UnknownStopSubject,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = _parse(self, StopRequest)
        message = body.pop("player_message")
        row = kill_switch.stop(operator=self.caller.operator, message=message, metadata=metadata(request), **body)
        return Response(_present([row])[0])


class ResumePlayView(OperatorView):
    act = acts.STOP_PLAY

    @operation(
        "resumePlay",
        "Resume play that you stopped",
        returns=Stop,
        request=ResumeRequest,
        example={**EXAMPLE, "reason": "It is back."},
        description=(
            "Only the platform can lift its own stops, and those of a regulator (`stop_of_higher_rank`). For a live "
            "operator, to resume play in your whole casino needs the assertion of a person, and another person "
            "confirms it (`POST /changes/{change}/confirm`)."
        ),
        parameters=[LIVE_PARAMETER],
        **WAITS,
        refusals=(
            ChangeAlreadyRequested,
            ChangeNeedsSecondPerson,
            NotStopped,
            PlayerNotBlocked,
            StopOfHigherRank,
            StopReasonMissing,
            UnknownAccount,
            UnknownStopSubject,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = _parse(self, ResumeRequest)
        caller, subject = self.caller, body["subject"]
        if kill_switch.needs_change(body["scope"], subject, operator=caller.operator, by=caller.actor):
            change = kill_switch.request_resume(operator=caller.operator, by=self.use_person(), **body)
            return Response(ChangeResponse.of(change), status=202)
        row = kill_switch.resume(operator=self.caller.operator, metadata=metadata(request), **body)
        return Response(_present([row])[0])


def _parse(view: OperatorView, kind: type[ResumeRequest]) -> dict[str, Any]:
    """Parse the body; an operator without a subject is the caller. Raises UnknownStopSubject, Malformed."""
    body = asdict(parse_body(kind, view.request))
    if body["scope"] is StopScope.OPERATOR and not body["subject"]:
        body["subject"] = str(view.caller.operator)
    elif not body["subject"]:
        raise UnknownStopSubject
    return body


def _present(rows: Sequence[Row]) -> list[Stop]:
    """Present stops; texts about players are decrypted with one query."""
    texts = crypto_shredding.decrypt_many([row.message for row in rows] + [row.reason for row in rows])
    messages, reasons = texts[: len(rows)], texts[len(rows) :]
    return [
        Stop.of(row, message or "", reason or "") for row, message, reason in zip(rows, messages, reasons, strict=True)
    ]
