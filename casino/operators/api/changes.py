"""Changes that two persons agree on: what waits, who decided, and from when it holds."""

from typing import Annotated, Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample
from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import JSON, operation
from casino.api.requests import Query, parse_query, verbatim
from casino.api.shapes import Page, Shape, Timestamp, example_of
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.operators import acts, changes
from casino.operators.assertions import OPTIONAL_PARAMETER, require_duty
from casino.operators.base_views import OperatorView
from casino.operators.change import ChangeStatus
from casino.operators.models import Change, ChangeName
from casino.operators.principals import Scope
from casino.operators.refusals import (
    ChangeDecided,
    ChangeIsForTheAdmin,
    ChangeNeedsSecondPerson,
    KeyLimitReached,
    ScopeMissing,
    UnknownChange,
)


class ChangesQuery(Query):
    """Filters of the list of changes."""

    kind: Annotated[ChangeName | None, Meta(description="Only those of this kind.")] = None
    subject: Annotated[str, verbatim(100, "Only those that change this, such as `round:…`.")] | None = None
    status: Annotated[ChangeStatus | None, Meta(description="Only those with this status.")] = None


class ChangeResponse(Shape):
    """A change that one person requested and another confirms."""

    id: UUID
    kind: ChangeName
    subject: Annotated[str, Meta(description="What it changes.", examples=["operator:0199f3a2-6b1e-7c3d-9a55-2f1f"])]
    summary: Annotated[str, Meta(examples=["Change the withdrawal policy"])]
    details: Annotated[
        dict[str, Any],
        Meta(
            description="What is applied, for voids, adjustments and rules.",
            examples=[{"direction": "credit", "amount": "20.00", "currency": "EUR"}],
        ),
    ]
    status: ChangeStatus
    requested_by: Annotated[str, Meta(examples=["desk:agent-17"])]
    requested_at: Timestamp
    decided_by: Annotated[str, Meta(description="Empty while it waits.", examples=["desk:agent-3"])]
    decided_at: Timestamp | None
    effective_at: Annotated[Timestamp | None, Meta(description="When it takes, or took, effect, once confirmed.")]

    @classmethod
    def of(cls, change: Change) -> "ChangeResponse":
        """Present a change."""
        return cls(
            id=change.pk,
            kind=ChangeName(change.kind),
            subject=change.subject,
            summary=change.summary,
            details=changes.shown_details(change),
            status=ChangeStatus(change.status),
            requested_by=change.requested_by,
            requested_at=change.requested_at,
            decided_by=change.decided_by,
            decided_at=change.decided_at,
            effective_at=change.effective_at,
        )


def waits(response: type[ChangeResponse]) -> OpenApiExample:
    """Return the documented example of an answer about what waits for a second person."""
    return OpenApiExample("Waits", example_of(response), response_only=True, media_type=JSON, status_codes=["202"])


WAITS: Final[dict[str, Any]] = {"responses": {(202, JSON): ChangeResponse}, "examples": [waits(ChangeResponse)]}
"""Keyword arguments for `operation` that document what may wait for a second person."""
LIVE: Final[dict[str, Any]] = {
    "description": (
        "For a live operator this needs the assertion of a person, is confirmed by another person (`POST "
        "/changes/{change}/confirm`), and takes effect after a delay. For a sandbox operator it takes effect at once."
    ),
    **WAITS,
}
"""Those that document what waits, at a live operator, for a second person and a delay."""


class ChangePage(Page[ChangeResponse]):
    """Changes, newest first."""


class ChangeListView(OperatorView):
    """Changes of the caller's operator."""

    @operation(
        "listChanges",
        "List changes that need two persons, newest first",
        parameters=[ChangesQuery, *paging.PARAMETERS],
        description=(
            "Requested ones wait for another person, confirmed ones until `effective_at`. A request that nobody "
            "confirms within 72 hours expires."
        ),
        returns=ChangePage,
    )
    def get(self, request: Request) -> Response:
        where = parse_query(ChangesQuery, request)
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        rows = changes.list_changes(
            operator=self.caller.operator, before=before, limit=page.fetch_limit, **asdict(where)
        )
        return Response(paging.page(ChangePage, page, rows, key=lambda row: (str(row.pk),), item=ChangeResponse.of))


class ChangeView(OperatorView):
    """One change."""

    @operation(
        "getChange",
        "Show one change",
        description="`decided_by` confirmed, declined or cancelled it.",
        returns=ChangeResponse,
        refusals=(UnknownChange,),
    )
    def get(self, _request: Request, change: UUID) -> Response:
        return Response(ChangeResponse.of(changes.find(change, operator=self.caller.operator)))


class DecidedChangeView(OperatorView):
    """A view that decides a change, for keys with the scope of its kind."""

    act = acts.DECIDE_CHANGE

    def find(self, change: UUID) -> Change:
        """Find the change. Raises UnknownChange, ScopeMissing."""
        row = changes.find(change, operator=self.caller.operator)
        scope = changes.act_of(row.kind).scope or Scope.CONFIGURE
        if scope not in self.caller.scopes:
            raise ScopeMissing(scope=scope)
        return row


class ConfirmChangeView(DecidedChangeView):
    """The confirmation of a change."""

    @operation(
        "confirmChange",
        "Confirm a change that another person requested",
        description=(
            "It takes effect at `effective_at`, and can be cancelled until then. The key needs the scope with which "
            "the change is requested."
        ),
        returns=ChangeResponse,
        refusals=(
            UnknownChange,
            ChangeDecided,
            ChangeIsForTheAdmin,
            ChangeNeedsSecondPerson,
            KeyLimitReached,
            ScopeMissing,
            PersonalDataErased,
            "funding_differs",
            "hold_decided",
            "player_not_frozen",
            "released_by_its_approver",
            "insufficient_funds",
            "no_debt_in_play_money",
            "return_under_floor",
            "rules_are_stopped",
            "seats_are_taken",
            "shuffle_is_fixed",
            "round_already_voided",
            "round_not_voidable",
            "invalid_withdrawal_policy",
            "invalid_deposit_method",
            "invalid_origin",
            "invalid_signing_key",
            "too_many_signing_keys",
            "unknown_key",
            "invalid_play_limit",
            "exclusion_permanent",
            "exclusion_still_running",
            "funding_in_use",
            "funding_money_held",
            "wallet_address_invalid",
            "wallet_key_missing",
            "wallet_not_conformant",
            "not_self_excluded",
            "not_stopped",
            "stop_of_higher_rank",
            "unknown_account",
            "unknown_deposit_method",
            "unknown_provider",
        ),
    )
    @idempotent
    def post(self, _request: Request, change: UUID) -> Response:
        row, by, me = self.find(change), self.use_person(), self.caller
        require_duty(by, changes.act_of(row.kind))
        confirmed = changes.confirm(change, operator=me.operator, by=by, key=me.key_id)
        return Response(ChangeResponse.of(confirmed))


class DeclineChangeView(DecidedChangeView):
    """The refusal of a requested change."""

    @operation(
        "declineChange",
        "Decline a requested change",
        description="Nothing changes.",
        parameters=[OPTIONAL_PARAMETER],
        returns=ChangeResponse,
        refusals=(UnknownChange, ChangeDecided),
    )
    @idempotent
    def post(self, _request: Request, change: UUID) -> Response:
        by = self.use_person_or_key()
        self.find(change)
        return Response(ChangeResponse.of(changes.decline(change, operator=self.caller.operator, by=by)))


class CancelChangeView(DecidedChangeView):
    """The cancellation of a change."""

    @operation(
        "cancelChange",
        "Cancel a change before it takes effect",
        description="Nothing changes. One person, or a key, is enough.",
        parameters=[OPTIONAL_PARAMETER],
        returns=ChangeResponse,
        refusals=(UnknownChange, ChangeDecided),
    )
    @idempotent
    def post(self, _request: Request, change: UUID) -> Response:
        by = self.use_person_or_key()
        self.find(change)
        return Response(ChangeResponse.of(changes.cancel(change, operator=self.caller.operator, by=by)))
