"""Reconciliation with payment providers: days, discrepancies, their owners and resolutions."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Actor, Body, Day, NoteText, OptionalNoteText, Query, parse_body, parse_query
from casino.api.shapes import CurrencyCode, Money, Page, Shape, Timestamp
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.operators import assertions
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import desk_actor
from casino.operators.refusals import ChangeNeedsSecondPerson
from wallet import acts
from wallet.payments.deposit_state import DepositStatus
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.payments.withdrawal_state import WithdrawalStatus
from wallet.reconciliation import messages, queries, services
from wallet.reconciliation.events import DiscrepancyResolution, DiscrepancyType
from wallet.reconciliation.queries import Discrepancy, DiscrepancyFilter, DiscrepancyNote, Reconciliation
from wallet.reconciliation.refusals import (
    DiscrepancyClosed,
    DiscrepancyNoteMissing,
    MessageNotApplicable,
    OwnPayment,
    UnknownDiscrepancy,
)
from wallet.reconciliation.state import DiscrepancyStatus

_OUR_STATUSES: Final = sorted({*DepositStatus, *WithdrawalStatus})
_PAYMENT: Final = "0199f3a2-9e20-7b02-8c22-4d6e8f0a2b3c"


class DiscrepancyAssignmentRequest(Body):
    """Its new owner: your own id of the person."""

    owner: Actor
    note: OptionalNoteText = OptionalNoteText()


class DiscrepancyResolutionRequest(Body):
    """A resolution for reports, and a note for people."""

    resolution: DiscrepancyResolution
    note: NoteText


class DiscrepanciesQuery(Query):
    """Filters of the list of discrepancies."""

    day: Annotated[Day | None, Meta(description="Only those of payments of this day.")] = None
    status: Annotated[DiscrepancyStatus | None, Meta(description="Only those with this status.")] = None


class ReconciliationResponse(Shape):
    """The last comparison of a day with a provider, in one currency."""

    id: UUID
    day: date
    provider: Annotated[str, Meta(examples=["sandbox"])]
    currency: CurrencyCode
    since: Timestamp
    until: Timestamp
    ours: Annotated[int, Meta(description="Our payments that the provider must have.", examples=[120])]
    theirs: Annotated[int, Meta(examples=[120])]
    matched: Annotated[int, Meta(examples=[119])]
    amount: Annotated[Money, Meta(description="Matched deposits less matched payouts.")]
    discrepancies: int
    compared_at: Timestamp

    @classmethod
    def of(cls, run: Reconciliation) -> "ReconciliationResponse":
        """Present a comparison."""
        return cls(
            id=run.id,
            day=run.day,
            provider=run.provider,
            currency=run.currency,
            since=run.since,
            until=run.until,
            ours=run.ours,
            theirs=run.theirs,
            matched=run.matched,
            amount=Money.of(run.amount, run.currency),
            discrepancies=run.discrepancies,
            compared_at=run.compared_at,
        )


class ReconciliationPage(Page[ReconciliationResponse]):
    """Comparisons, newest days first."""


class DiscrepancyNoteResponse(Shape):
    """A note by a member of staff."""

    actor: Annotated[str, Meta(examples=["desk:agent-3"])]
    note: Annotated[str, Meta(examples=["Ask the provider."])]
    created_at: Timestamp


class DiscrepancyResponse(Shape):
    """A payment on which the two sides differ; fields that one side does not have are null."""

    id: UUID
    reconciliation: UUID
    day: date
    provider: Annotated[str, Meta(examples=["sandbox"])]
    kind: Annotated[PaymentKind | None, Meta(description="Null for a message about a payment that nobody knows.")]
    payment: Annotated[str, Meta(examples=[_PAYMENT])]
    reference: Annotated[str, Meta(examples=["tx-71"])]
    type: DiscrepancyType
    our_amount: Money | None
    our_status: Annotated[str, Meta(extra_json_schema={"enum": _OUR_STATUSES})] | None
    their_amount: Money | None
    their_status: ProviderStatus | None
    status: DiscrepancyStatus
    owner: Annotated[str | None, Meta(examples=["desk:agent-9"])]
    resolution: DiscrepancyResolution | None
    resolved_by: Annotated[str | None, Meta(examples=["desk:agent-9"])]
    found_at: Timestamp
    ended_at: Timestamp | None
    notes: tuple[DiscrepancyNoteResponse, ...]

    @classmethod
    def of(cls, row: Discrepancy, notes: list[DiscrepancyNote]) -> "DiscrepancyResponse":
        """Present a discrepancy with its notes."""
        their_currency = row.their_currency or row.currency
        return cls(
            id=row.id,
            reconciliation=row.run_id,
            day=row.day,
            provider=row.provider,
            kind=None if row.kind is None else PaymentKind(row.kind),
            payment=row.payment,
            reference=row.reference,
            type=DiscrepancyType(row.type),
            our_amount=None if row.our_amount is None else Money.of(row.our_amount, row.currency),
            our_status=row.our_status,
            their_amount=None if row.their_amount is None else Money.of(row.their_amount, their_currency),
            their_status=None if row.their_status is None else ProviderStatus(row.their_status),
            status=DiscrepancyStatus(row.status),
            owner=row.owner,
            resolution=None if row.resolution is None else DiscrepancyResolution(row.resolution),
            resolved_by=row.resolved_by,
            found_at=row.found_at,
            ended_at=row.ended_at,
            notes=tuple(DiscrepancyNoteResponse(note.actor, note.note, note.created_at) for note in notes),
        )


class MessagesApplied(Shape):
    """What came of messages that were applied again."""

    left: Annotated[tuple[str, ...], Meta(description="Why some are still not applied; empty if all are.")]
    discrepancy: DiscrepancyResponse


class DiscrepancyPage(Page[DiscrepancyResponse]):
    """Discrepancies, newest days first."""


class ReconciliationListView(OperatorView):
    """Days that were compared."""

    @operation(
        "listReconciliations",
        "List the days compared with providers' records, newest first",
        parameters=paging.PARAMETERS,
        returns=ReconciliationPage,
        description=("For each day and provider how many payments matched and how many discrepancies there were."),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str, str)
        runs = queries.runs(operator=self.caller.operator, before=_before(page), limit=page.fetch_limit)
        return Response(paging.page(ReconciliationPage, page, runs, key=_key, item=ReconciliationResponse.of))


class DiscrepancyListView(OperatorView):
    """Discrepancies of the caller's payments."""

    @operation(
        "listDiscrepancies",
        "List payments on which a provider's records and ours differ, newest days first",
        parameters=[DiscrepanciesQuery, *paging.PARAMETERS],
        returns=DiscrepancyPage,
        description=(
            "Each day's payments are compared with the provider's report. A discrepancy stays until "
            "somebody resolves it."
        ),
    )
    def get(self, request: Request) -> Response:
        where = DiscrepancyFilter(self.caller.operator, **asdict(parse_query(DiscrepanciesQuery, request)))
        page = paging.parse_page_request(request, str, str)
        rows = queries.discrepancies(where, before=_before(page), limit=page.fetch_limit)
        notes = queries.notes([row.id for row in rows])
        return Response(
            paging.page(
                DiscrepancyPage,
                page,
                rows,
                key=_key,
                item=lambda row: DiscrepancyResponse.of(row, notes[row.id]),
            )
        )


class DiscrepancyView(OperatorView):
    """One discrepancy."""

    @operation(
        "getDiscrepancy",
        "Show one discrepancy",
        returns=DiscrepancyResponse,
        description=("Both records side by side, the owner, and how it was resolved."),
        refusals=(UnknownDiscrepancy,),
    )
    def get(self, _request: Request, discrepancy: UUID) -> Response:
        return Response(_load(self.caller.operator, discrepancy))


class AssignDiscrepancyView(OperatorView):
    """The owner of a discrepancy."""

    act = acts.RESOLVE_DISCREPANCY

    @operation(
        "assignDiscrepancy",
        "Assign a discrepancy to an owner",
        request=DiscrepancyAssignmentRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"owner": "agent-9", "note": "Ask the provider."},
        returns=DiscrepancyResponse,
        description=("The owner is a person of yours, by your own id. Assign it again to hand it over."),
        refusals=(
            DiscrepancyClosed,
            DiscrepancyNoteMissing,
            PersonalDataErased,
            UnknownDiscrepancy,
        ),
    )
    @idempotent
    def post(self, request: Request, discrepancy: UUID) -> Response:
        body = parse_body(DiscrepancyAssignmentRequest, request)
        services.assign(
            discrepancy,
            operator=self.caller.operator,
            owner=desk_actor(body.owner),
            by=self.use_person_or_key(),
            note=body.note,
            metadata=metadata(request),
        )
        return Response(_load(self.caller.operator, discrepancy))


class ApplyDiscrepancyAgainView(OperatorView):
    """The messages behind a discrepancy."""

    act = acts.RESOLVE_DISCREPANCY

    @operation(
        "applyDiscrepancyAgain",
        "Apply the messages behind a discrepancy again",
        parameters=[assertions.OPTIONAL_PARAMETER],
        returns=MessagesApplied,
        description=(
            "Of a discrepancy `message_unapplied`, once the cause is gone. What can be applied is applied; "
            "if nothing is left, the discrepancy is cleared."
        ),
        refusals=(DiscrepancyClosed, MessageNotApplicable, UnknownDiscrepancy),
    )
    @idempotent
    def post(self, request: Request, discrepancy: UUID) -> Response:
        operator, by = self.caller.operator, self.use_person_or_key()
        left = messages.apply_again(discrepancy, operator=operator, metadata=replace(metadata(request), actor=by))
        return Response(MessagesApplied(tuple(left), _load(operator, discrepancy)))


class ResolveDiscrepancyView(OperatorView):
    """The resolution of a discrepancy."""

    act = acts.RESOLVE_DISCREPANCY

    @operation(
        "resolveDiscrepancy",
        "Resolve a discrepancy",
        request=DiscrepancyResolutionRequest,
        example={"resolution": "provider_corrected", "note": "They sent it again."},
        returns=DiscrepancyResponse,
        description=(
            "Say in the note what was found. A resolved discrepancy doesn't open again. "
            "Nobody resolves one of a payment that they decided about. Above the policy's amount a provider's message "
            "that is not applied takes two persons: one assigns it, and another resolves it."
        ),
        refusals=(
            ChangeNeedsSecondPerson,
            DiscrepancyClosed,
            DiscrepancyNoteMissing,
            OwnPayment,
            PersonalDataErased,
            UnknownDiscrepancy,
        ),
    )
    @idempotent
    def post(self, request: Request, discrepancy: UUID) -> Response:
        body = parse_body(DiscrepancyResolutionRequest, request)
        services.resolve(
            discrepancy,
            operator=self.caller.operator,
            resolution=body.resolution,
            note=body.note,
            by=self.use_person_or_key() if self.caller.sandbox else self.use_person(),
            metadata=metadata(request),
        )
        return Response(_load(self.caller.operator, discrepancy))


def _load(operator: UUID, discrepancy: UUID) -> DiscrepancyResponse:
    row = queries.find(operator=operator, discrepancy=discrepancy)
    return DiscrepancyResponse.of(row, queries.notes([row.id])[row.id])


def _key(row: Reconciliation | Discrepancy) -> tuple[str, str]:
    return row.day.isoformat(), str(row.id)


def _before(page: paging.PageRequest) -> tuple[date, UUID] | None:
    if page.after is None:
        return None
    day, key = page.after
    try:
        return date.fromisoformat(day), UUID(key)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
