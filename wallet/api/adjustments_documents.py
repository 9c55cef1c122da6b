"""How operations about corrections by hand are documented, examples included."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from casino.api import paging
from casino.kernel.money import MoneyType
from wallet.adjustments.events import AdjustmentReason
from wallet.adjustments.state import AdjustmentStatus
from wallet.api import adjustments_serializers as shapes
from wallet.api.documents import PLAYER

_ADJUSTMENT: Final = "0199f3a2-af30-7c03-9d33-5e7f9a1b3c4d"


def _euro(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "EUR"}


_ASKED: Final = {
    "actor": "agent-17",
    "player": PLAYER,
    "direction": "credit",
    "amount": "20.00",
    "currency": "EUR",
    "money_type": "real",
    "reason": "complaint",
    "note": "Ticket 4411: the bonus round was shown twice.",
    "message": "We are sorry for the trouble.",
}
_SHOWN: Final = {
    "id": _ADJUSTMENT,
    "player": PLAYER,
    "direction": "credit",
    "money_type": "real",
    "amount": _euro("20.00"),
    "reason": "complaint",
    "status": "requested",
    "requested_by": "desk:agent-17",
    "requested_at": "2026-11-21T09:00:00Z",
    "decided_by": None,
    "decided_at": None,
    "taken": _euro("0.00"),
    "owed": _euro("0.00"),
    "note": "Ticket 4411: the bonus round was shown twice.",
    "message": "We are sorry for the trouble.",
    "answer": "",
}
_DECIDED: Final = {"decided_by": "desk:agent-3", "decided_at": "2026-11-21T09:10:00Z"}
_TOTAL: Final = {
    "reason": "complaint",
    "direction": "credit",
    "money_type": "real",
    "count": 3,
    "amount": _euro("60.00"),
    "owed": _euro("0.00"),
}
_PERIOD: Final = [
    OpenApiParameter("from", str, description="From this time on, such as 2026-11-01 or 2026-11-01T09:00:00Z."),
    OpenApiParameter("to", str, description="Up to this time, which is not included."),
    OpenApiParameter("format", str, enum=["json", "csv"], description="As `Accept` says when left out."),
]
_SHEET: Final = OpenApiExample(
    "Sheet",
    value="reason,direction,money_type,count,amount,owed,currency\r\ncomplaint,credit,real,3,60.00,0.00,EUR\r\n",
    response_only=True,
    status_codes=["200"],
    media_type="text/csv",
)
_LINES: Final = OpenApiExample(
    "Sheet",
    value="id,requested_at,requested_by,player,direction,money_type,amount,currency,reason,status,decided_by,decided_at,"
    f"taken,owed\r\n{_ADJUSTMENT},2026-11-21T09:00:00Z,desk:agent-17,{PLAYER},credit,real,20.00,EUR,complaint,"
    "requested,,,0.00,0.00\r\n",
    response_only=True,
    status_codes=["200"],
    media_type="text/csv",
)


def _examples(answer: Any, *, status: str = "200", asked: Any = None) -> list[OpenApiExample]:
    shown = [OpenApiExample("Answer", value=answer, response_only=True, status_codes=[status])]
    return shown if asked is None else [OpenApiExample("Request", value=asked, request_only=True), *shown]


request_adjustment: Final = extend_schema(
    operation_id="requestAdjustment",
    summary="Ask for a player's account to be corrected; another person has to agree before anything moves",
    request=shapes.AdjustmentRequest,
    responses={201: shapes.AdjustmentShown},
    examples=_examples(_SHOWN, status="201", asked=_ASKED),
)
approve_adjustment: Final = extend_schema(
    operation_id="approveAdjustment",
    summary="Agree to an adjustment, as another person than who asked; the money moves and the player is told",
    request=shapes.ApprovalRequest,
    responses=shapes.AdjustmentShown,
    examples=_examples({**_SHOWN, **_DECIDED, "status": "approved"}, asked={"actor": "agent-3", "as_debt": False}),
)
reject_adjustment: Final = extend_schema(
    operation_id="rejectAdjustment",
    summary="Refuse an adjustment, as another person than who asked; nothing moves",
    request=shapes.RejectionRequest,
    responses=shapes.AdjustmentShown,
    examples=_examples(
        {**_SHOWN, **_DECIDED, "status": "rejected", "answer": "Paid on Monday."},
        asked={"actor": "agent-3", "answer": "Paid on Monday."},
    ),
)
list_adjustments: Final = extend_schema(
    operation_id="listAdjustments",
    summary="List adjustments of your players' accounts, newest first, in pages or as one sheet",
    parameters=[
        OpenApiParameter("player", OpenApiTypes.UUID, description="Of one player alone."),
        OpenApiParameter("status", str, enum=[status.value for status in AdjustmentStatus]),
        OpenApiParameter("reason", str, enum=[reason.value for reason in AdjustmentReason]),
        *_PERIOD,
        *paging.PARAMETERS,
    ],
    responses={(200, "application/json"): shapes.AdjustmentPage, (200, "text/csv"): OpenApiTypes.STR},
    examples=[*_examples({"items": [_SHOWN], "next": None}), _LINES],
)
get_adjustment: Final = extend_schema(
    operation_id="getAdjustment",
    summary="Show one adjustment",
    responses=shapes.AdjustmentShown,
    examples=_examples(_SHOWN),
)
report_adjustments: Final = extend_schema(
    operation_id="getAdjustmentTotals",
    summary="Add up what was approved in a period, by reason: real money, unless play money is asked for",
    parameters=[OpenApiParameter("money_type", str, enum=[money_type.value for money_type in MoneyType]), *_PERIOD],
    responses={(200, "application/json"): shapes.ReasonTotals, (200, "text/csv"): OpenApiTypes.STR},
    examples=[*_examples({"items": [_TOTAL]}), _SHEET],
)
