"""Cases: what an operator's staff must look into, listed, written in, assigned, resolved and reopened."""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Actor, Body, Moment, PeriodQuery, Text, parse_body, parse_query, verbatim
from casino.api.shapes import ItemList, Page, Shape, Timestamp
from casino.compliance import acts, case_entries, cases, complaints
from casino.compliance.cases import CaseFilter, CaseStatus, CaseStep
from casino.compliance.models import AnswerKind, CaseAction, CaseEntry, CaseEntryKind, CaseKind
from casino.compliance.refusals import (
    CaseAlreadyResolved,
    CaseEntryInvalid,
    CaseNotResolved,
    CaseOutcomeInvalid,
    CaseSubjectOpen,
    ResolutionMissing,
    UnknownCase,
)
from casino.events.periods import PeriodReversed
from casino.operators import assertions
from casino.operators.base_views import OperatorView
from casino.operators.memberships import desk_actor
from casino.operators.principals import Scope

_DETAILS: Final = {
    "table": "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11",
    "name": "Mini 1",
    "rules": "f5066ba0c1d2" + "5e" * 26,
    "label": "mini@1",
    "spot": "banker",
    "money_type": "real",
    "currency": "EUR",
    "rounds": 12000,
    "wagers": 8000,
    "handle": "80000.00",
    "returned": "81200.00",
    "theoretical": "0.989421",
    "expected": "0.989421",
    "actual": "1.015000",
    "low": "0.961000",
    "high": "1.012000",
    "verdict": "above",
    "since": "2026-11-01T00:00:00+00:00",
    "until": "2026-11-22T00:00:00+00:00",
}


class CasesQuery(PeriodQuery):
    """Filters of the list of cases; `from` and `to` are about when they were opened."""

    status: Annotated[CaseStatus | None, Meta(description="Only those with this status.")] = None
    kind: Annotated[CaseKind | None, Meta(description="Only those of this kind.")] = None
    player: Annotated[
        UUID | None, Meta(description="Only those about this player of yours, or about another and this one.")
    ] = None
    due_before: Annotated[
        Moment | None, Meta(description="Only unresolved ones whose deadline is before this time.")
    ] = None


class Resolution(Text):
    limit = cases.MAX_RESOLUTION_LENGTH


class OptionalMessage(Text):
    limit, multiline, optional = complaints.MAX_MESSAGE_LENGTH, True, True


class CaseText(Text):
    limit, multiline = case_entries.MAX_TEXT_LENGTH, True


class OptionalEvidence(Text):
    limit, optional = 200, True


class CaseAssignmentRequest(Body):
    """The member of staff who takes the case."""

    owner: Actor


class CaseResolutionRequest(Body):
    """What was found, for staff; of a complaint the outcome, and what its player reads besides the outcome's text."""

    resolution: Resolution
    outcome: Annotated[AnswerKind | None, Meta(description="Of a complaint: `upheld`, `rejected` or `closed`.")] = None
    message: Annotated[OptionalMessage, Meta(description="For the player of a complaint.")] = OptionalMessage()


class CaseReopeningRequest(Body):
    """Why a resolved case is worked on again, for staff."""

    reason: CaseText


class CaseEntryRequest(Body):
    """Something to write down; `due_at` is for a `deadline` alone, and `sha256` for a `document`.

    Exports, reminders and answers write themselves down, but `more_needed`, whose text the player reads.
    """

    kind: CaseEntryKind
    text: CaseText
    evidence: Annotated[
        OptionalEvidence,
        Meta(description="What it refers to, such as `round:…` or `deposit:…`; of a `document` its number with you."),
    ] = OptionalEvidence()
    sha256: Annotated[str, verbatim(64, "Of a document, in hexadecimal.", blank=True)] = ""
    due_at: Moment | None = None

    def __post_init__(self) -> None:
        """Check that a person may write this down. Raises CaseEntryInvalid."""
        asks = self.kind is CaseEntryKind.MORE_NEEDED
        if self.kind in case_entries.BY_THEMSELVES and not asks:
            raise CaseEntryInvalid("This writes itself down.")
        if asks and (self.evidence or self.sha256 or self.due_at):
            raise CaseEntryInvalid("What a player is asked is a text alone.")


class CaseEntryResponse(Shape):
    """What somebody wrote down in a case."""

    kind: CaseEntryKind
    text: str
    evidence: Annotated[str, Meta(description="What it refers to; empty for nothing.", examples=["round:0199f3a2"])]
    sha256: Annotated[str, Meta(description="Of a document, in hexadecimal; else empty.", examples=[""])]
    due_at: Annotated[Timestamp | None, Meta(description="The deadline that a `deadline` sets; the last one counts.")]
    by: Annotated[str, Meta(examples=["desk:agent-9"])]
    at: Timestamp

    @classmethod
    def of(cls, entry: CaseEntry) -> "CaseEntryResponse":
        """Present a decrypted entry."""
        kind = CaseEntryKind(entry.kind)
        return cls(kind, entry.text, entry.evidence, entry.sha256, entry.due_at, entry.by, entry.at)


class CaseEntryList(ItemList[CaseEntryResponse]):
    """Everything that is written down in a case, the oldest first."""


class CaseActionResponse(Shape):
    """A step in working on a case."""

    action: CaseStep
    owner: Annotated[str, Meta(examples=["desk:agent-9"])]
    resolution: str
    by: Annotated[str, Meta(examples=["desk:agent-9"])]
    at: Timestamp

    @classmethod
    def of(cls, row: CaseAction) -> "CaseActionResponse":
        """Present one step."""
        return cls(CaseStep(row.action), row.owner, row.resolution, row.by, row.at)


class CaseResponse(Shape):
    """A finding that a person must look into, and what was done about it."""

    id: UUID
    kind: CaseKind
    subject: Annotated[str, Meta(examples=["table:0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11 mini@1 banker real EUR"])]
    details: Annotated[
        dict[str, str | int | None],
        Meta(
            description=(
                "What was measured, by the names of the report's columns; amounts as decimals of `currency`. For "
                "`return_out_of_band`: the spot, its `handle` and `returned`, and the `actual` return beside `low` and "
                "`high`. For `wager_reconciliation`: both sides of each sum, and their `difference`. For "
                "`suspicious_activity`: the `rule`, its terms, and what was counted. For `complaint`: when it was "
                "received."
            ),
            examples=[_DETAILS],
        ),
    ]
    player: Annotated[UUID | None, Meta(description="The player whom it is about, if it is about one.")]
    report: Annotated[UUID | None, Meta(description="The report in which it was found.")]
    opened_by: Annotated[str, Meta(description="Who filed the complaint; else empty.", examples=["desk:agent-7"])]
    opened_at: Timestamp
    due_at: Annotated[Timestamp | None, Meta(description="Its deadline; null without one.")]
    status: CaseStatus
    answer: Annotated[AnswerKind | None, Meta(description="What the player of a complaint was told last.")]
    actions: Annotated[tuple[CaseActionResponse, ...], Meta(description="The oldest first.")]

    @classmethod
    def of(cls, row: Any) -> "CaseResponse":
        """Present a case whose actions and deadline are loaded."""
        actions = tuple(CaseActionResponse.of(action) for action in row.actions.all())
        return cls(
            id=row.pk,
            kind=CaseKind(row.kind),
            subject=row.subject,
            details=row.details,
            player=cases.player_of(row.subject),
            report=row.report_id,
            opened_by=row.opened_by,
            opened_at=row.opened_at,
            due_at=row.due_at,
            status=cases.status_of(actions[-1].action if actions else None),
            answer=row.answer and AnswerKind(row.answer),
            actions=actions,
        )


def _present(case: UUID, operator: UUID) -> Response:
    """Answer with a case as it is now. Raises UnknownCase."""
    return Response(CaseResponse.of(cases.find_case(case, operator=operator)))


class CasePage(Page[CaseResponse]):
    """Cases, newest first."""


class CaseListView(OperatorView):
    @operation(
        "listCases",
        "List what your staff must look into, newest first",
        parameters=[CasesQuery, *paging.PARAMETERS],
        returns=CasePage,
        description=(
            "Reports open a case where they find something that a person has to explain, such as a return outside its "
            "band; so do rules about what players move; and each complaint is one. The list is the queue of your "
            "compliance desk: `due_before` shows what has to be done by then."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        query = parse_query(CasesQuery, request)
        rows = cases.list_cases(
            operator=self.caller.operator,
            among=CaseFilter(**asdict(query)),
            before=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        return Response(paging.page(CasePage, page, rows, key=lambda row: (str(row.pk),), item=CaseResponse.of))


class CaseView(OperatorView):
    @operation(
        "getCase",
        "Show one case with everything that was done about it",
        returns=CaseResponse,
        description="What was measured, and each assignment and the resolution, with the person and the time.",
        refusals=(UnknownCase,),
    )
    def get(self, _request: Request, case: UUID) -> Response:
        return _present(case, self.caller.operator)


class CaseEntriesView(OperatorView):
    act = acts.RESOLVE_CASE

    @operation(
        "listCaseEntries",
        "List what is written down in a case, oldest first",
        returns=CaseEntryList,
        description=(
            "Notes, evidence, documents, deadlines and what the player of a complaint was told, each with its author. "
            "Exports, and that it was `reported` to an authority, are shown to keys with the scope `compliance` alone."
        ),
        refusals=(UnknownCase,),
    )
    def get(self, _request: Request, case: UUID) -> Response:
        is_compliance = Scope.COMPLIANCE in self.caller.scopes
        entries = case_entries.entries_of(case, operator=self.caller.operator, confidential=is_compliance)
        return Response(CaseEntryList.of(map(CaseEntryResponse.of, entries)))

    @operation(
        "addCaseEntry",
        "Write something down in a case",
        request=CaseEntryRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"kind": "note", "text": "Asked the player for a payslip."},
        returns=CaseEntryResponse,
        status=201,
        description=(
            "A note, evidence, another deadline, a document of yours by its number and SHA-256, or that it was "
            "`reported` to the authority. With `more_needed` the player of a complaint is asked for more, and reads "
            "the text. For good: it can't be changed. A resolved case takes no deadline. Texts about a player are "
            "encrypted under that player's key."
        ),
        refusals=(CaseAlreadyResolved, CaseEntryInvalid, UnknownCase),
    )
    @idempotent
    def post(self, request: Request, case: UUID) -> Response:
        body, operator = parse_body(CaseEntryRequest, request), self.caller.operator
        by = self.use_person_or_key()
        if body.kind is CaseEntryKind.MORE_NEEDED:
            entry = complaints.ask(case, operator=operator, text=body.text, by=by)
        else:
            entry = case_entries.add_entry(case, operator=operator, by=by, **asdict(body))
        return Response(CaseEntryResponse.of(entry), status=201)


class AssignCaseView(OperatorView):
    act = acts.RESOLVE_CASE

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
        owner = desk_actor(parse_body(CaseAssignmentRequest, request).owner)
        operator = self.caller.operator
        cases.assign_case(case, operator=operator, owner=owner, by=self.use_person_or_key())
        return _present(case, operator)


class ResolveCaseView(OperatorView):
    act = acts.RESOLVE_CASE

    @operation(
        "resolveCase",
        "Resolve a case with an explanation",
        request=CaseResolutionRequest,
        example={"resolution": "A new shoe was miscounted; the report was generated again."},
        returns=CaseResponse,
        description=(
            "A complaint needs an `outcome`, which its player is told, with the body for alternative dispute "
            "resolution. If the finding of another case comes back, it opens another case."
        ),
        refusals=(CaseAlreadyResolved, CaseEntryInvalid, CaseOutcomeInvalid, ResolutionMissing, UnknownCase),
    )
    @idempotent
    def post(self, request: Request, case: UUID) -> Response:
        body, operator = parse_body(CaseResolutionRequest, request), self.caller.operator
        complaints.resolve(case, operator=operator, by=self.use_person(), **asdict(body))
        return _present(case, operator)


class ReopenCaseView(OperatorView):
    act = acts.RESOLVE_CASE

    @operation(
        "reopenCase",
        "Reopen a resolved case",
        request=CaseReopeningRequest,
        example={"reason": "The player sent the video."},
        returns=CaseResponse,
        description=(
            "It is its last owner's again, and its deadline stays. The player of a complaint reads again that it was "
            "received."
        ),
        refusals=(CaseEntryInvalid, CaseNotResolved, CaseSubjectOpen, UnknownCase),
    )
    @idempotent
    def post(self, request: Request, case: UUID) -> Response:
        reason, operator = parse_body(CaseReopeningRequest, request).reason, self.caller.operator
        complaints.reopen(case, operator=operator, reason=reason, by=self.use_person())
        return _present(case, operator)
