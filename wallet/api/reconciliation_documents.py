"""How operations about reconciliation are documented, examples included."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from casino.api import paging
from wallet.api import reconciliation_serializers as shapes
from wallet.reconciliation.state import DiscrepancyStatus

_RUN: Final = "6a7b35a6-4a55-5d2c-8b4b-0c4b62a1f0d1"


def _euro(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "EUR"}


_DAY: Final = {
    "id": _RUN,
    "day": "2026-11-20",
    "provider": "sandbox",
    "currency": "EUR",
    "since": "2026-11-19T23:00:00Z",
    "until": "2026-11-20T23:00:00Z",
    "ours": 120,
    "theirs": 120,
    "matched": 119,
    "amount": _euro("5840.00"),
    "differing": 1,
    "compared_at": "2026-11-21T00:05:00Z",
}
_DIFFERENCE: Final[dict[str, Any]] = {
    "id": "0d3f7a52-92a4-5b0e-9a53-3b1f6f0d7c11",
    "reconciliation": _RUN,
    "day": "2026-11-20",
    "provider": "sandbox",
    "kind": "deposit",
    "payment": "0199f3a2-9e20-7b02-8c22-4d6e8f0a2b3c",
    "reference": "tx-71",
    "what": "amount_mismatch",
    "our_amount": _euro("50.00"),
    "our_status": "completed",
    "their_amount": _euro("50.01"),
    "their_status": "completed",
    "status": "open",
    "owner": None,
    "resolution": None,
    "resolved_by": None,
    "found_at": "2026-11-21T00:05:00Z",
    "ended_at": None,
    "notes": [],
}
_SAID: Final = {"actor": "desk:agent-3", "note": "Ask the provider.", "created_at": "2026-11-21T08:00:00Z"}
_ASSIGNED: Final = {**_DIFFERENCE, "status": "assigned", "owner": "desk:agent-9", "notes": [_SAID]}
_RESOLVED: Final = {
    **_ASSIGNED,
    "status": "resolved",
    "resolution": "provider_corrected",
    "resolved_by": "desk:agent-9",
    "ended_at": "2026-11-21T10:00:00Z",
}


def _examples(answer: Any, *, asked: Any = None) -> list[OpenApiExample]:
    shown = [OpenApiExample("Answer", value=answer, response_only=True, status_codes=["200"])]
    return shown if asked is None else [OpenApiExample("Request", value=asked, request_only=True), *shown]


list_runs: Final = extend_schema(
    operation_id="listReconciliations",
    summary="List the days that were compared with providers' records, newest first",
    parameters=paging.PARAMETERS,
    responses=shapes.ReconciliationPage,
    examples=_examples({"items": [_DAY], "next": None}),
)
list_differences: Final = extend_schema(
    operation_id="listDiscrepancies",
    summary="List payments about which a provider's records and ours differ, newest days first",
    parameters=[
        OpenApiParameter("day", str, description="One day, such as 2026-11-20."),
        OpenApiParameter("status", str, enum=[status.value for status in DiscrepancyStatus]),
        *paging.PARAMETERS,
    ],
    responses=shapes.DifferencePage,
    examples=_examples({"items": [_DIFFERENCE], "next": None}),
)
get_difference: Final = extend_schema(
    operation_id="getDiscrepancy",
    summary="Show one difference",
    responses=shapes.DifferenceShown,
    examples=_examples(_DIFFERENCE),
)
assign_difference: Final = extend_schema(
    operation_id="assignDiscrepancy",
    summary="Give a difference to an owner",
    request=shapes.AssignmentRequest,
    responses=shapes.DifferenceShown,
    examples=_examples(_ASSIGNED, asked={"actor": "agent-3", "owner": "agent-9", "note": "Ask the provider."}),
)
resolve_difference: Final = extend_schema(
    operation_id="resolveDiscrepancy",
    summary="Say what became of a difference",
    request=shapes.ResolutionRequest,
    responses=shapes.DifferenceShown,
    examples=_examples(
        _RESOLVED, asked={"actor": "agent-9", "resolution": "provider_corrected", "note": "They sent it again."}
    ),
)
