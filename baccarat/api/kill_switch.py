"""Kill switch: an operator's server stops and resumes what is its own."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.kill_switch_refusals import UnknownSwitch
from baccarat.queries import rules_versions
from baccarat.services import kill_switch
from baccarat.storage.rows import SwitchRow
from casino.api.fields import EnumField, StrictSerializer, TextField, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.crypto import crypto_shredding
from casino.operators.base_views import OperatorView, metadata

PLATFORM: Final = "platform"
EXAMPLE: Final = {
    "scope": "table",
    "subject": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "reason": "The camera is down.",
}


class ResumeRequest(StrictSerializer):
    """What to stop or resume: `operator` (all of yours), `table` or `player`, the last two by id; and why."""

    scope = EnumField(StopScope)
    subject = TextField(max_length=40, required=False, default="")
    reason = TextField(
        max_length=kill_switch.MAX_REASON_LENGTH,
        help_text="Why. A reason about a player is encrypted and erased with the player; all others are kept: name "
        "nobody.",
    )


class StopRequest(ResumeRequest):
    """The same, and what players read, if not the usual message."""

    player_message = TextField(max_length=kill_switch.MAX_MESSAGE_LENGTH, required=False, default="")


class Stop(Shape):
    """A stop as its last change left it. Who at the platform did it, and why, is not shown."""

    scope: StopScope
    subject: Annotated[str, Meta(description="An id, or the rules such as mini@1; empty for all gaming.")]
    active: bool
    player_message: Annotated[str, Meta(description="What players read.")]
    reason: str
    by: Annotated[str, Meta(examples=["operator:op_5f0c"])]
    at: Timestamp

    @classmethod
    def of(cls, row: SwitchRow, player_message: str, reason: str) -> "Stop":
        """Present a stop whose texts are decrypted."""
        own = row.by.startswith(kill_switch.OPERATOR_ACTOR_PREFIX)
        return cls(
            scope=StopScope(row.scope),
            subject=row.subject,
            active=row.stopped,
            player_message=player_message,
            reason=reason if own else "",
            by=row.by if own else PLATFORM,
            at=row.at,
        )


class StopList(ItemList[Stop]):
    """Your stops, and those of the platform that stop some table of yours."""


class StopsView(OperatorView):
    """What stops play, or did."""

    @operation("listStops", "List what stops play in your casino, or did", returns=StopList)
    def get(self, request: Request) -> Response:
        del request
        return Response(StopList.of(_present(rules_versions.switches(operator=self.caller.operator))))

    @operation(
        "stopPlay",
        "Stop all play in your casino, at a table, or of a player",
        returns=Stop,
        request=StopRequest,
        example=EXAMPLE,
        description=(
            "At once, and for everything that commits later, no round opens, nobody sits down and no wager is taken. "
            "What is confirmed is dealt and settled; leaving, deposits and withdrawals go on as before."
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = _parse(self, StopRequest)
        message = body.pop("player_message")
        row = kill_switch.stop(operator=self.caller.operator, message=message, metadata=metadata(request), **body)
        return Response(_present([row])[0])


class ResumePlayView(OperatorView):
    @operation(
        "resumePlay",
        "Resume play that you stopped",
        returns=Stop,
        request=ResumeRequest,
        example={**EXAMPLE, "reason": "It is back."},
        description="What the platform stopped, the platform resumes (`stop_set_by_platform`).",
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = _parse(self, ResumeRequest)
        row = kill_switch.resume(operator=self.caller.operator, metadata=metadata(request), **body)
        return Response(_present([row])[0])


def _parse(view: OperatorView, serializer: type[ResumeRequest]) -> dict[str, Any]:
    """Parse the body; an operator without a subject is the caller."""
    body = parse_body(serializer, view.request)
    if body["scope"] is StopScope.OPERATOR and not body["subject"]:
        body["subject"] = str(view.caller.operator)
    elif not body["subject"]:
        raise UnknownSwitch
    return body


def _present(rows: Sequence[SwitchRow]) -> list[Stop]:
    """Present stops; texts about players are decrypted with one query."""
    texts = crypto_shredding.decrypt_many([row.message for row in rows] + [row.reason for row in rows])
    messages, reasons = texts[: len(rows)], texts[len(rows) :]
    return [
        Stop.of(row, message or "", reason or "") for row, message, reason in zip(rows, messages, reasons, strict=True)
    ]
