"""Cases: what an operator's staff must look into, listed, assigned and resolved."""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import ActorField, EnumField, StrictSerializer, TextField, parse_body, parse_query
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import Page, Shape, Timestamp
from casino.compliance import cases
from casino.compliance.cases import CaseStatus
from casino.compliance.models import Case, CaseAction, CaseKind
from casino.compliance.refusals import CaseAlreadyResolved, ResolutionMissing, UnknownCase
from casino.operators import assertions
from casino.operators.base_views import OperatorView
from casino.operators.memberships import desk_actor
from casino.operators.principals import Scope

_DETAILS: Final = {
    "table": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "name": "Mini 1",
    "rules": "mini@1",
    "spot": "banker",
    "money_type": "real",
    "currency": "EUR",
    "rounds": 12000,
    "stakes": 8000,
    "handle": 8000000,
    "returned": 8120000,
    "theoretical": "0.989421",
    "expected": "0.989421",
    "actual": "1.015000",
    "low": "0.961000",
    "high": "1.012000",
    "verdict": "above",
    "since": "2026-11-01T00:00:00+00:00",
    "until": "2026-11-22T00:00:00+00:00",
}


class CasesQuery(serializers.Serializer[Any]):
    """Filters of the list of cases."""

    status = EnumField(CaseStatus, required=False, default=None, help_text="Only those with this status.")


class CaseAssignmentRequest(StrictSerializer):
    """The member of staff who takes the case."""

    owner = ActorField()


class CaseResolutionRequest(StrictSerializer):
    """What was found."""

    resolution = TextField(max_length=cases.MAX_RESOLUTION_LENGTH)


class CaseActionResponse(Shape):
    """A step in working on a case."""

    action: CaseStatus
    owner: Annotated[str, Meta(examples=["desk:agent-9"])]
    resolution: str
    by: Annotated[str, Meta(examples=["desk:agent-9"])]
    at: Timestamp

    @classmethod
    def of(cls, row: CaseAction) -> "CaseActionResponse":
        """Present one step."""
        return cls(CaseStatus(row.action), row.owner, row.resolution, row.by, row.at)


class CaseResponse(Shape):
    """A finding that a person must look into, and what was done about it."""

    id: UUID
    kind: CaseKind
    subject: Annotated[str, Meta(examples=["table:0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11 mini@1 banker real EUR"])]
    details: Annotated[
        dict[str, str | int | None],
        Meta(
            description=(
                "What was measured, by the names of the report's columns; amounts in minor units of `currency`. For "
                "`return_out_of_band`: the spot, its `handle` and `returned`, and the `actual` return beside `low` and "
                "`high`. For `wager_reconciliation`: both sides of each sum, and their `difference`."
            ),
            examples=[_DETAILS],
        ),
    ]
    report: Annotated[UUID | None, Meta(description="The report in which it was found.")]
    opened_at: Timestamp
    status: CaseStatus
    actions: Annotated[tuple[CaseActionResponse, ...], Meta(description="The oldest first.")]

    @classmethod
    def of(cls, row: Case) -> "CaseResponse":
        """Present a case whose actions are loaded."""
        actions = tuple(CaseActionResponse.of(action) for action in row.actions.all())
        status = actions[-1].action if actions else CaseStatus.OPEN
        return cls(row.pk, CaseKind(row.kind), row.subject, row.details, row.report_id, row.opened_at, status, actions)


class CasePage(Page[CaseResponse]):
    """Cases, newest first."""


class CaseListView(OperatorView):
    scope = Scope.COMPLIANCE

    @operation(
        "listCases",
        "List what your staff must look into, newest first",
        parameters=[CasesQuery, *paging.PARAMETERS],
        returns=CasePage,
        description=(
            "A nightly report opens a case where it finds something that a person has to explain, such as a return "
            "outside its band. The list is the queue of your compliance desk."
        ),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        rows = cases.list_cases(
            operator=self.caller.operator,
            status=parse_query(CasesQuery, request)["status"],
            before=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        return Response(paging.page(CasePage, page, rows, key=lambda row: (str(row.pk),), item=CaseResponse.of))


class CaseView(OperatorView):
    scope = Scope.COMPLIANCE

    @operation(
        "getCase",
        "Show one case with everything that was done about it",
        returns=CaseResponse,
        description="What was measured, and each assignment and the resolution, with the person and the time.",
        refusals=(UnknownCase,),
    )
    def get(self, request: Request, case: UUID) -> Response:
        del request
        return Response(CaseResponse.of(cases.find_case(case, operator=self.caller.operator)))


class AssignCaseView(OperatorView):
    scope = Scope.COMPLIANCE

    @operation(
        "assignCase",
        "Assign a case to a member of your staff",
        request=CaseAssignmentRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"owner": "agent-9"},
        returns=CaseResponse,
        description="The owner is a person of yours, by your own id. Assign it again to hand it over.",
        refusals=(CaseAlreadyResolved, UnknownCase),
    )
    @idempotent
    def post(self, request: Request, case: UUID) -> Response:
        owner = desk_actor(parse_body(CaseAssignmentRequest, request)["owner"])
        operator = self.caller.operator
        cases.assign_case(case, operator=operator, owner=owner, by=self.use_person_or_key())
        return Response(CaseResponse.of(cases.find_case(case, operator=operator)))


class ResolveCaseView(OperatorView):
    scope = Scope.COMPLIANCE

    @operation(
        "resolveCase",
        "Resolve a case with an explanation",
        request=CaseResolutionRequest,
        parameters=[assertions.PARAMETER],
        example={"resolution": "A new shoe was miscounted; the report was generated again."},
        returns=CaseResponse,
        description="For good: a case is not opened again. If the finding comes back, it opens another case.",
        refusals=(CaseAlreadyResolved, ResolutionMissing, UnknownCase),
    )
    @idempotent
    def post(self, request: Request, case: UUID) -> Response:
        resolution = parse_body(CaseResolutionRequest, request)["resolution"]
        operator = self.caller.operator
        cases.resolve_case(case, operator=operator, resolution=resolution, by=self.use_person())
        return Response(CaseResponse.of(cases.find_case(case, operator=operator)))
