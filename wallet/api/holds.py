"""Held payments, for the compliance desk of an operator: their causes, owners and decisions."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Actor, Body, PeriodQuery, Text, parse_body, parse_query
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.crypto.crypto_shredding import decrypt_text
from casino.events.periods import PeriodReversed
from casino.operators.api.changes import WAITS, ChangeResponse
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import desk_actor
from casino.operators.refusals import ChangeAlreadyRequested
from wallet import acts
from wallet.payments import holds, withdrawals
from wallet.payments.hold_state import HoldStatus
from wallet.payments.holds import HoldFilter
from wallet.payments.queries import Hold
from wallet.payments.refusals import HoldDecided, HoldReasonMissing, ReleasedByItsApprover, UnknownHold


class HoldsQuery(PeriodQuery):
    """Filters of the list of holds, by when they were placed."""

    status: Annotated[HoldStatus | None, Meta(description="Only those with this status.")] = None
    player: Annotated[UUID | None, Meta(description="Only those of this player of yours.")] = None


class HoldAssignmentRequest(Body):
    """The member of staff who takes it."""

    owner: Actor


class HoldReason(Text):
    limit, multiline = withdrawals.MAX_REASON_LENGTH, True


class HoldRejectionRequest(Body):
    """Why, for your staff; the player is not shown it."""

    reason: HoldReason


class HoldResponse(Shape):
    """What keeps a withdrawal from being sent. Never show it to the player."""

    id: UUID
    withdrawal: UUID
    player: UUID
    amount: Money
    causes: Annotated[
        tuple[str, ...],
        Meta(
            description=(
                "`open_case:<case>`, `kyc_failed`, `kyc_missing`, `sanctions`, `pep`, `tag:<tag>`, "
                "`excluded_by_house`, `frozen`, `unplayed`, `daily_cap` or `daily_wins`. Values may be added."
            ),
            examples=[["open_case:0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11", "unplayed"]],
        ),
    ]
    status: Annotated[HoldStatus, Meta(description="`closed`: the player cancelled, or the provider had paid already.")]
    owner: Annotated[str | None, Meta(examples=["desk:agent-9"])]
    due_at: Annotated[Timestamp, Meta(description="By when to decide. No money moves then.")]
    decided_by: Annotated[tuple[str, ...], Meta(examples=[["desk:agent-9"]])]
    reason: Annotated[str, Meta(description="Of a rejection.", examples=[""])]
    placed_at: Timestamp
    ended_at: Timestamp | None

    @classmethod
    def of(cls, row: Hold) -> "HoldResponse":
        """Present a hold."""
        return cls(
            id=row.pk,
            withdrawal=row.withdrawal_id,
            player=row.player_id,
            amount=Money.of(row.amount, row.currency),
            causes=tuple(row.causes.split(",")),
            status=HoldStatus(row.status),
            owner=row.owner,
            due_at=row.due_at,
            decided_by=tuple(filter(None, row.decided_by.split(","))),
            reason=decrypt_text(row.reason) if row.status == HoldStatus.REJECTED else "",
            placed_at=row.placed_at,
            ended_at=row.ended_at,
        )


class HoldPage(Page[HoldResponse]):
    """Holds, newest first."""


class HoldListView(OperatorView):
    """Holds of the caller's players."""

    act = acts.DECIDE_HOLD
    confidential = True

    @operation(
        "listHolds",
        "List your players' held withdrawals with their causes, newest first",
        parameters=[HoldsQuery, *paging.PARAMETERS],
        returns=HoldPage,
        description=(
            "The queue of your compliance desk: `status=open` is what waits. Players see of each that it is in review, "
            "whatever its cause."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        query = parse_query(HoldsQuery, request)
        rows = holds.list_holds(
            HoldFilter(self.caller.operator, **asdict(query)),
            before=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        return Response(paging.page(HoldPage, page, rows, key=lambda row: (str(row.pk),), item=HoldResponse.of))


class HoldView(OperatorView):
    """One hold."""

    act = acts.DECIDE_HOLD
    confidential = True

    @operation(
        "getHold",
        "Show one held withdrawal with its causes",
        returns=HoldResponse,
        description="What holds it, who works on it, and who decided.",
        refusals=(UnknownHold,),
    )
    def get(self, _request: Request, hold: UUID) -> Response:
        return Response(HoldResponse.of(holds.find(hold, operator=self.caller.operator)))


class AssignHoldView(OperatorView):
    act = acts.DECIDE_HOLD

    @operation(
        "assignHold",
        "Give a held withdrawal to a member of your staff",
        request=HoldAssignmentRequest,
        example={"owner": "agent-9"},
        returns=HoldResponse,
        description="The owner is a person of yours, by your own id. Assign it again to hand it over.",
        refusals=(HoldDecided, UnknownHold),
    )
    @idempotent
    def post(self, request: Request, hold: UUID) -> Response:
        owner = desk_actor(parse_body(HoldAssignmentRequest, request).owner)
        row, by = holds.find(hold, operator=self.caller.operator), self.use_person()
        return Response(
            HoldResponse.of(holds.assign(row.pk, owner=owner, by=by, metadata=replace(metadata(request), actor=by)))
        )


class ReleaseHoldView(OperatorView):
    act = acts.DECIDE_HOLD

    @operation(
        "releaseHold",
        "Release a held withdrawal, so that it goes on",
        returns=HoldResponse,
        description=(
            "The causes that it has hold it no more; another cause does. Above the amount from which the policy asks "
            "for two approvals, another person confirms it (`POST /changes/{change}/confirm`). Nobody releases what "
            "they approved."
        ),
        refusals=(ChangeAlreadyRequested, HoldDecided, ReleasedByItsApprover, UnknownHold),
        **WAITS,
    )
    @idempotent
    def post(self, request: Request, hold: UUID) -> Response:
        row, by = holds.find(hold, operator=self.caller.operator), self.use_person()
        change = holds.release(row.pk, by=by, metadata=replace(metadata(request), actor=by))
        if change is not None:
            return Response(ChangeResponse.of(change), status=202)
        return Response(HoldResponse.of(holds.find(hold)))


class RejectHoldView(OperatorView):
    act = acts.DECIDE_HOLD

    @operation(
        "rejectHold",
        "Reject a held withdrawal; the money is the player's again",
        request=HoldRejectionRequest,
        example={"reason": "Not the account of the player."},
        returns=HoldResponse,
        description="The player reads that it was refused in review. To keep the money as well, freeze the account.",
        refusals=(HoldDecided, HoldReasonMissing, UnknownHold),
    )
    @idempotent
    def post(self, request: Request, hold: UUID) -> Response:
        reason = parse_body(HoldRejectionRequest, request).reason
        row, by = holds.find(hold, operator=self.caller.operator), self.use_person()
        return Response(
            HoldResponse.of(holds.reject(row.pk, by=by, reason=reason, metadata=replace(metadata(request), actor=by)))
        )
