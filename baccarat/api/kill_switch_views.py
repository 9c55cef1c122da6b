"""Kill switches over HTTP: an operator's server stops and resumes what is its own."""

from collections.abc import Sequence
from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.examples import TABLE_ID
from baccarat.api.serializers import one_of
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.kill_switch_refusals import UnknownSwitch
from baccarat.queries import rules_versions
from baccarat.services import kill_switch
from baccarat.storage.rows import SwitchRow
from casino.api.fields import EnumField, StrictSerializer, TextField, parse_body
from casino.api.idempotency import idempotent
from casino.crypto import crypto_shredding
from casino.operators.base_views import OperatorView, metadata

THE_HOUSE: Final = "the house"


class SwitchRequest(StrictSerializer):
    """What to stop or resume: `operator` (all of yours), `table` or `player`, the last two by id; and why."""

    scope = EnumField(StopScope)
    subject = TextField(max_length=40, required=False, default="")
    reason = TextField(
        max_length=kill_switch.MAX_REASON_LENGTH,
        help_text="Why. Words about a player are sealed and go with the player; all others are kept: name nobody.",
    )


class StopRequest(SwitchRequest):
    """The same, and what players are told, if not the usual words."""

    says = TextField(max_length=kill_switch.MAX_MESSAGE_LENGTH, required=False, default="")


class SwitchShown(serializers.Serializer[Any]):
    """A switch as its last change left it. Who of the house did it, and why, is the house's."""

    scope = one_of(*StopScope)
    subject = serializers.CharField(help_text="An id, or the rules such as mini@1; empty for all gaming.")
    stopped = serializers.BooleanField()
    says = serializers.CharField(help_text="What players are told.")
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


class SwitchList(serializers.Serializer[Any]):
    """Your switches, and those of the house that stop some table of yours."""

    items = SwitchShown(many=True)


_STOPPED: Final = {
    "scope": "table",
    "subject": TABLE_ID,
    "stopped": True,
    "says": "Play at this table is stopped for now.",
    "reason": "The camera is down.",
    "by": "operator:op_5f0c",
    "at": "2026-11-21T09:00:00Z",
}
_ASKED: Final = {"scope": "table", "subject": TABLE_ID, "reason": "The camera is down."}
_HOLDS: Final = (
    "At once, and for everything that commits later, no round opens, nobody sits down and no wager is taken. What is "
    "confirmed is dealt and settled; leaving, deposits and withdrawals go on as before."
)


class Switches(OperatorView):
    """What stops play, or did."""

    @extend_schema(
        operation_id="listStops",
        summary="List what stops play in your casino, or did",
        responses=SwitchList,
        examples=[OpenApiExample("Answer", value={"items": [_STOPPED]}, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        del request
        return Response({"items": _shown(rules_versions.switches(operator=self.caller.operator))})


class StopPlay(OperatorView):
    """A switch that is thrown."""

    @extend_schema(
        operation_id="stopPlay",
        summary="Stop all play in your casino, at a table, or of a player",
        description=_HOLDS,
        request=StopRequest,
        responses=SwitchShown,
        examples=[
            OpenApiExample("Request", value=_ASKED, request_only=True),
            OpenApiExample("Answer", value=_STOPPED, response_only=True, status_codes=["200"]),
        ],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given, operator = _asked(self, parse_body(StopRequest, request)), self.caller.operator
        return Response(_shown([kill_switch.stop(operator=operator, metadata=metadata(request), **given)])[0])


class ResumePlay(OperatorView):
    """A switch that is released."""

    @extend_schema(
        operation_id="resumePlay",
        summary="Let play go on that you stopped",
        description="What the house stopped, the house resumes (`stop_set_by_platform`).",
        request=SwitchRequest,
        responses=SwitchShown,
        examples=[
            OpenApiExample("Request", value={**_ASKED, "reason": "It is back."}, request_only=True),
            OpenApiExample(
                "Answer",
                value={**_STOPPED, "stopped": False, "says": "", "reason": "It is back."},
                response_only=True,
                status_codes=["200"],
            ),
        ],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given, operator = _asked(self, parse_body(SwitchRequest, request)), self.caller.operator
        return Response(_shown([kill_switch.resume(operator=operator, metadata=metadata(request), **given)])[0])


def _asked(view: OperatorView, given: dict[str, Any]) -> dict[str, Any]:
    """An operator that names no subject means itself."""
    if given["scope"] is StopScope.OPERATOR and not given["subject"]:
        given["subject"] = str(view.caller.operator)
    elif not given["subject"]:
        raise UnknownSwitch
    return given


def _shown(rows: Sequence[SwitchRow]) -> list[dict[str, Any]]:
    """Switches as SwitchShown says; what is sealed of players is opened with one question."""
    says = crypto_shredding.decrypt_many([row.message for row in rows] + [row.reason for row in rows])
    return [_one(row, told or "", why or "") for row, told, why in zip(rows, says, says[len(rows) :], strict=False)]


def _one(row: SwitchRow, says: str, reason: str) -> dict[str, Any]:
    own = row.by.startswith(kill_switch.OPERATOR_ACTOR_PREFIX)
    return {
        "scope": row.scope,
        "subject": row.subject,
        "stopped": row.stopped,
        "says": says,
        "reason": reason if own else "",
        "by": row.by if own else THE_HOUSE,
        "at": row.at,
    }
