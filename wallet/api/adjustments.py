"""Adjustments of players' accounts: requested by one person, decided by another, and their totals."""

from collections.abc import Iterator
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpResponseBase
from msgspec import Meta
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import (
    AmountField,
    CurrencyField,
    EnumField,
    FlagField,
    IdField,
    MoneyTypeField,
    StrictSerializer,
    TextField,
    parse_body,
    parse_query,
)
from casino.api.idempotency import idempotent
from casino.api.json_format import ShapeRenderer
from casino.api.openapi import csv_answer, operation
from casino.api.shapes import ItemList, Money, Page, Shape, Timestamp
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.events.periods import PeriodReversed
from casino.kernel.money import MoneyType, format_amount
from casino.operators import assertions
from casino.operators.base_views import OperatorView, metadata
from casino.operators.refusals import KeyLimitReached
from wallet import acts
from wallet.adjustments import queries, services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.adjustments.queries import Adjustment, AdjustmentFilter, AdjustmentText, AdjustmentTotal
from wallet.adjustments.refusals import (
    AdjustmentDecided,
    AdjustmentNoteMissing,
    AdjustmentRequiresSecondPerson,
    NoDebtInPlayMoney,
    UnknownAdjustment,
)
from wallet.adjustments.state import AdjustmentStatus
from wallet.api import csv_export
from wallet.api.csv_export import ExportFormat, ExportQuery
from wallet.funding.refusals import FundingDiffers
from wallet.ledger.refusals import InsufficientFunds, UnknownAccount

COLUMNS: Final = (
    "id", "requested_at", "requested_by", "player", "direction", "money_type", "amount", "currency", "reason", "status",
    "decided_by", "decided_at", "taken", "owed",
)  # fmt: skip
TOTAL_COLUMNS: Final = ("reason", "direction", "money_type", "count", "amount", "owed", "currency")
_PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"
_SHEET: Final = (
    f"{','.join(COLUMNS)}\r\n0199f3a2-af30-7c03-9d33-5e7f9a1b3c4d,2026-11-21T09:00:00Z,desk:agent-17,{_PLAYER},credit,"
    "real,20.00,EUR,complaint,requested,,,0.00,0.00\r\n"
)
_TOTAL_SHEET: Final = f"{','.join(TOTAL_COLUMNS)}\r\ncomplaint,credit,real,3,60.00,0.00,EUR\r\n"
_NOTE: Final = "Ticket 4411: the bonus round was shown twice."
_MESSAGE: Final = "We are sorry for the trouble."


class AdjustmentRequest(StrictSerializer):
    """An adjustment of a player's account; `note` is for staff, `message` for the player."""

    player = IdField()
    direction = EnumField(AdjustmentDirection)
    amount = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)
    reason = EnumField(AdjustmentReason)
    note = TextField(max_length=500)
    message = TextField(max_length=500, required=False, default="", allow_blank=True)


class AdjustmentApprovalRequest(StrictSerializer):
    """An approval; with `as_debt` the player owes what a debit takes beyond the balance."""

    as_debt = FlagField(required=False, default=False)
    answer = TextField(max_length=500, required=False, default="", allow_blank=True)


class AdjustmentRejectionRequest(StrictSerializer):
    """A rejection with its reason."""

    answer = TextField(max_length=500)


class AdjustmentResponse(Shape):
    """An adjustment. Of a debit, `taken` came from the account and `owed` became a debt."""

    id: UUID
    player: UUID
    direction: Annotated[AdjustmentDirection, Meta(description="As the player sees it.")]
    money_type: MoneyType
    amount: Money
    reason: AdjustmentReason
    status: AdjustmentStatus
    requested_by: Annotated[str, Meta(examples=["desk:agent-17"])]
    requested_at: Timestamp
    decided_by: Annotated[str | None, Meta(examples=["desk:agent-3"])]
    decided_at: Timestamp | None
    taken: Money
    owed: Money
    note: Annotated[str, Meta(examples=[_NOTE])]
    message: Annotated[str, Meta(examples=[_MESSAGE])]
    answer: Annotated[str, Meta(examples=["Paid on Monday."])]

    @classmethod
    def of(cls, adjustment: Adjustment, text: AdjustmentText | None) -> "AdjustmentResponse":
        """Present an adjustment, without text where that was erased."""
        currency = adjustment.currency
        return cls(
            id=adjustment.id,
            player=adjustment.player_id,
            direction=AdjustmentDirection(adjustment.direction),
            money_type=MoneyType(adjustment.money_type),
            amount=Money.of(adjustment.amount, currency),
            reason=AdjustmentReason(adjustment.reason),
            status=AdjustmentStatus(adjustment.status),
            requested_by=adjustment.requested_by,
            requested_at=adjustment.requested_at,
            decided_by=adjustment.decided_by,
            decided_at=adjustment.decided_at,
            taken=Money.of(adjustment.taken, currency),
            owed=Money.of(adjustment.owed, currency),
            note="" if text is None else text.note,
            message="" if text is None else text.message,
            answer="" if text is None else text.answer,
        )


class AdjustmentPage(Page[AdjustmentResponse]):
    """Adjustments, newest first."""


class AdjustmentTotalResponse(Shape):
    """The approved adjustments of one reason, added up."""

    reason: AdjustmentReason
    direction: AdjustmentDirection
    money_type: MoneyType
    count: int
    amount: Money
    owed: Annotated[Money, Meta(description="The part of it that became debts.")]

    @classmethod
    def of(cls, total: AdjustmentTotal) -> "AdjustmentTotalResponse":
        """Present the total of one reason."""
        return cls(
            reason=AdjustmentReason(total.reason),
            direction=AdjustmentDirection(total.direction),
            money_type=MoneyType(total.money_type),
            count=total.count,
            amount=Money.of(total.amount, total.currency),
            owed=Money.of(total.owed, total.currency),
        )


class AdjustmentTotals(ItemList[AdjustmentTotalResponse]):
    """Approved adjustments of a period, by reason."""


class AdjustmentTotalsQuery(ExportQuery):
    """Filters of the totals of adjustments."""

    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)


class AdjustmentsQuery(ExportQuery):
    """Filters of the list of adjustments."""

    player = IdField(required=False, default=None, help_text="Only those of this player.")
    status = EnumField(AdjustmentStatus, required=False, default=None, help_text="Only those with this status.")
    reason = EnumField(AdjustmentReason, required=False, default=None, help_text="Only those for this reason.")


class AdjustmentListView(OperatorView):
    """Adjustments of the accounts of the caller's players."""

    act = acts.REQUEST_ADJUSTMENT

    renderer_classes = csv_export.RENDERERS

    def get_renderers(self) -> list[BaseRenderer]:
        """Answer a POST only in JSON."""
        return [ShapeRenderer()] if getattr(self.request, "method", None) == "POST" else super().get_renderers()

    @operation(
        "listAdjustments",
        "List adjustments of your players' accounts, newest first, in pages or as one CSV file",
        parameters=[AdjustmentsQuery, *paging.PARAMETERS],
        returns=AdjustmentPage,
        **csv_answer(_SHEET),
        description=("Requests of every status. As CSV the whole list comes at once; pages are for JSON."),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = parse_query(AdjustmentsQuery, request)
        where = AdjustmentFilter(
            self.caller.operator, query["player"], query["status"], query["reason"], query["from"], query["to"]
        )
        # Raises PeriodReversed before a stream begins.
        where.filters()
        if csv_export.requested_format(request, query) is ExportFormat.CSV:
            return csv_export.download(_csv(where), name="adjustments.csv")
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        rows = queries.list_adjustments(where, before=before, limit=page.fetch_limit)
        texts = queries.load_adjustment_texts([row.id for row in rows])
        return csv_export.json_response(
            request,
            paging.page(
                AdjustmentPage,
                page,
                rows,
                key=lambda row: (str(row.id),),
                item=lambda row: AdjustmentResponse.of(row, texts.get(row.id)),
            ),
        )

    @operation(
        "requestAdjustment",
        "Request an adjustment of a player's account; another person must approve it before money moves",
        request=AdjustmentRequest,
        parameters=[assertions.PARAMETER],
        example={
            "player": _PLAYER,
            "direction": "credit",
            "amount": "20.00",
            "currency": "EUR",
            "money_type": "real",
            "reason": "complaint",
            "note": _NOTE,
            "message": _MESSAGE,
        },
        returns=AdjustmentResponse,
        status=201,
        description=(
            "Nothing moves yet: another person approves or rejects the request. `reason` and `note` "
            "are kept with the entry."
        ),
        refusals=(
            AdjustmentNoteMissing,
            InsufficientFunds,
            PersonalDataErased,
            UnknownAccount,
            UnknownAdjustment,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(AdjustmentRequest, request)
        adjustment = services.request(
            operator=self.caller.operator, by=self.use_person(), metadata=metadata(request), **body
        )
        return Response(_load(self.caller.operator, adjustment), status=201)


class AdjustmentView(OperatorView):
    """One adjustment."""

    @operation(
        "getAdjustment",
        "Show one adjustment",
        returns=AdjustmentResponse,
        description=("Its status, who requested and decided it and when, and the notes."),
        refusals=(UnknownAdjustment,),
    )
    def get(self, request: Request, adjustment: UUID) -> Response:
        del request
        return Response(_load(self.caller.operator, adjustment))


class ApproveAdjustmentView(OperatorView):
    """The approval of an adjustment."""

    act = acts.APPROVE_ADJUSTMENT

    @operation(
        "approveAdjustment",
        "Approve an adjustment that another person requested; the money moves and the player is notified",
        request=AdjustmentApprovalRequest,
        parameters=[assertions.PARAMETER],
        example={"as_debt": False},
        returns=AdjustmentResponse,
        description=("The account is credited or debited at once. Whoever requested the adjustment can't approve it."),
        refusals=(
            AdjustmentDecided,
            AdjustmentNoteMissing,
            AdjustmentRequiresSecondPerson,
            FundingDiffers,
            InsufficientFunds,
            KeyLimitReached,
            NoDebtInPlayMoney,
            PersonalDataErased,
            UnknownAdjustment,
        ),
    )
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        body = parse_body(AdjustmentApprovalRequest, request)
        me, by = self.caller, self.use_person()
        services.approve(adjustment, operator=me.operator, by=by, metadata=metadata(request), key=me.key_id, **body)
        return Response(_load(self.caller.operator, adjustment))


class RejectAdjustmentView(OperatorView):
    """The rejection of an adjustment."""

    act = acts.APPROVE_ADJUSTMENT

    @operation(
        "rejectAdjustment",
        "Reject an adjustment that another person requested; no money moves",
        request=AdjustmentRejectionRequest,
        parameters=[assertions.PARAMETER],
        example={"answer": "Paid on Monday."},
        returns=AdjustmentResponse,
        description=(
            "The request stays in the list as `rejected`, with your note. Whoever requested the "
            "adjustment can't reject it."
        ),
        refusals=(
            AdjustmentDecided,
            AdjustmentNoteMissing,
            AdjustmentRequiresSecondPerson,
            PersonalDataErased,
            UnknownAdjustment,
        ),
    )
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        body = parse_body(AdjustmentRejectionRequest, request)
        services.reject(
            adjustment, operator=self.caller.operator, by=self.use_person(), metadata=metadata(request), **body
        )
        return Response(_load(self.caller.operator, adjustment))


class AdjustmentTotalsView(OperatorView):
    """Totals of approved adjustments, by reason."""

    renderer_classes = csv_export.RENDERERS

    @operation(
        "getAdjustmentTotals",
        "Add up the adjustments approved in a period, by reason",
        parameters=[AdjustmentTotalsQuery],
        returns=AdjustmentTotals,
        **csv_answer(_TOTAL_SHEET),
        description=(
            "Sums of approved adjustments by reason, direction and money type, for your own books. "
            "The period is that of the approval."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = parse_query(AdjustmentTotalsQuery, request)
        totals = queries.totals_by_reason(
            operator=self.caller.operator,
            money_type=query["money_type"],
            since=query["from"],
            until=query["to"],
        )
        if csv_export.requested_format(request, query) is ExportFormat.CSV:
            rows = csv_export.format_csv([TOTAL_COLUMNS, *(_total_row(total) for total in totals)])
            return csv_export.download(iter([rows]), name="adjustments-by-reason.csv")
        return csv_export.json_response(
            request, AdjustmentTotals.of(AdjustmentTotalResponse.of(total) for total in totals)
        )


def _load(operator: UUID, adjustment: UUID) -> AdjustmentResponse:
    row = queries.find(operator=operator, adjustment=adjustment)
    return AdjustmentResponse.of(row, queries.load_adjustment_texts([row.id]).get(row.id))


def _csv(where: AdjustmentFilter) -> Iterator[str]:
    yield csv_export.format_csv([COLUMNS])
    for rows in queries.iterate_adjustments(where):
        yield csv_export.format_csv([_row(row) for row in rows])


def _row(row: Adjustment) -> tuple[object, ...]:
    requested_at, decided_at = csv_export.format_time(row.requested_at), csv_export.format_time(row.decided_at)
    amount, taken, owed = (format_amount(minor, row.currency) for minor in (row.amount, row.taken, row.owed))
    return (
        row.id, requested_at, row.requested_by, row.player_id, row.direction, row.money_type, amount, row.currency,
        row.reason, row.status, row.decided_by or "", decided_at, taken, owed,
    )  # fmt: skip


def _total_row(total: AdjustmentTotal) -> tuple[object, ...]:
    amount, owed = format_amount(total.amount, total.currency), format_amount(total.owed, total.currency)
    return total.reason, total.direction, total.money_type, total.count, amount, owed, total.currency
