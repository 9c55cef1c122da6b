"""Adjustments of players' accounts, on which two persons agree, and their totals."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpResponseBase
from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import downloads, paging
from casino.api.downloads import ExportFormat, ExportQuery, file_answers
from casino.api.idempotency import idempotent
from casino.api.json_format import ShapeRenderer
from casino.api.openapi import operation
from casino.api.requests import Amount, Body, NoteText, OfferedCurrency, OptionalNoteText, parse_body, parse_query
from casino.api.shapes import ItemList, Money, Page, Shape, Timestamp
from casino.api.sheets import ColumnType, Sheet
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.events.periods import PeriodReversed
from casino.kernel.money import MoneyType, format_amount
from casino.operators.api.changes import ChangeResponse
from casino.operators.base_views import OperatorView, metadata
from wallet import acts
from wallet.adjustments import queries, services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.adjustments.queries import Adjustment, AdjustmentFilter, AdjustmentTotal
from wallet.adjustments.refusals import (
    AdjustmentNoteMissing,
    NoDebtInPlayMoney,
    UnknownAdjustment,
)
from wallet.funding.refusals import FundingDiffers
from wallet.ledger.refusals import InsufficientFunds, UnknownAccount

_TYPES: Final = {
    "posted_at": ColumnType.TIMESTAMP,
    "count": ColumnType.INTEGER,
    **dict.fromkeys(("amount", "taken", "owed"), ColumnType.MONEY),
}
COLUMNS: Final = {
    name: _TYPES.get(name, ColumnType.TEXT)
    for name in (
        "id", "posted_at", "requested_by", "approved_by", "player", "direction", "money_type", "amount", "currency",
        "reason", "taken", "owed",
    )
}  # fmt: skip
TOTAL_COLUMNS: Final = {
    name: _TYPES.get(name, ColumnType.TEXT)
    for name in ("reason", "direction", "money_type", "count", "amount", "owed", "currency")
}
_PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"
_SHEET: Final = (
    f"{','.join(COLUMNS)}\r\n0199f3a2-af30-7c03-9d33-5e7f9a1b3c4d,2026-11-21T09:00:00Z,desk:agent-17,desk:agent-3,"
    f"{_PLAYER},credit,real,20.00,EUR,complaint,0.00,0.00\r\n"
)
_TOTAL_SHEET: Final = f"{','.join(TOTAL_COLUMNS)}\r\ncomplaint,credit,real,3,60.00,0.00,EUR\r\n"
_NOTE: Final = "Ticket 4411: the bonus round was shown twice."
_MESSAGE: Final = "We are sorry for the trouble."


class AdjustmentRequest(Body, kw_only=True):
    """An adjustment of a player's account; `note` is for staff, `message` for the player.

    With `as_debt` the player owes what a debit takes beyond the balance.
    """

    player: UUID
    direction: AdjustmentDirection
    amount: Amount
    currency: OfferedCurrency
    money_type: MoneyType = MoneyType.REAL
    reason: AdjustmentReason
    note: NoteText
    message: OptionalNoteText = OptionalNoteText()
    as_debt: bool = False


class AdjustmentResponse(Shape):
    """An adjustment, with the id of the change on which two persons agreed.

    Of a debit, `taken` came from the account and `owed` became a debt.
    """

    id: UUID
    player: UUID
    direction: Annotated[AdjustmentDirection, Meta(description="As the player sees it.")]
    money_type: MoneyType
    amount: Money
    reason: AdjustmentReason
    requested_by: Annotated[str, Meta(examples=["desk:agent-17"])]
    approved_by: Annotated[str, Meta(examples=["desk:agent-3"])]
    posted_at: Timestamp
    taken: Money
    owed: Money
    note: Annotated[str, Meta(examples=[_NOTE])]
    message: Annotated[str, Meta(examples=[_MESSAGE])]

    @classmethod
    def of(cls, adjustment: Adjustment) -> "AdjustmentResponse":
        """Present an adjustment."""
        currency = adjustment.currency
        return cls(
            id=adjustment.id,
            player=adjustment.player_id,
            direction=AdjustmentDirection(adjustment.direction),
            money_type=MoneyType(adjustment.money_type),
            amount=Money.of(adjustment.amount, currency),
            reason=AdjustmentReason(adjustment.reason),
            requested_by=adjustment.requested_by,
            approved_by=adjustment.approved_by,
            posted_at=adjustment.posted_at,
            taken=Money.of(adjustment.taken, currency),
            owed=Money.of(adjustment.owed, currency),
            note=adjustment.note,
            message=adjustment.message,
        )


class AdjustmentPage(Page[AdjustmentResponse]):
    """Adjustments, newest first."""


class AdjustmentTotalResponse(Shape):
    """The adjustments of one reason, added up."""

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
    """Adjustments of a period, by reason."""


class AdjustmentTotalsQuery(ExportQuery):
    """Filters of the totals of adjustments."""

    money_type: MoneyType = MoneyType.REAL


class AdjustmentsQuery(ExportQuery):
    """Filters of the list of adjustments."""

    player: Annotated[UUID | None, Meta(description="Only those of this player.")] = None
    reason: Annotated[AdjustmentReason | None, Meta(description="Only those for this reason.")] = None


class AdjustmentListView(OperatorView):
    """Adjustments of the accounts of the caller's players."""

    act = acts.REQUEST_ADJUSTMENT

    renderer_classes = downloads.RENDERERS

    def get_renderers(self) -> list[BaseRenderer]:
        """Answer a POST only in JSON."""
        return [ShapeRenderer()] if getattr(self.request, "method", None) == "POST" else super().get_renderers()

    @operation(
        "listAdjustments",
        "List adjustments of your players' accounts, newest first, in pages or as one file",
        parameters=[AdjustmentsQuery, *paging.PARAMETERS],
        returns=AdjustmentPage,
        **file_answers(_SHEET),
        description=(
            "Those that wait are in `GET /changes?kind=adjustment`. As CSV or XLSX the whole list comes at once; pages "
            "are for JSON."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = parse_query(AdjustmentsQuery, request)
        where = AdjustmentFilter(self.caller.operator, query.player, query.reason, query.since, query.until)
        # Raises PeriodReversed before a stream begins.
        where.filters()
        file_format = downloads.requested_format(request, query)
        if file_format is not ExportFormat.JSON:
            stem = downloads.file_stem(self.caller.slug, "adjustments", since=query.since, until=query.until)
            return downloads.download(Sheet("Adjustments", COLUMNS, _rows(where)), file_format, stem)
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        rows = queries.list_adjustments(where, before=before, limit=page.fetch_limit)
        return downloads.json_response(
            request,
            paging.page(
                AdjustmentPage,
                page,
                rows,
                key=lambda row: (str(row.id),),
                item=AdjustmentResponse.of,
            ),
        )

    @operation(
        "requestAdjustment",
        "Request an adjustment of a player's account; another person must confirm it before money moves",
        request=AdjustmentRequest,
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
        returns=ChangeResponse,
        status=202,
        description=(
            "Nothing moves yet: another person confirms the change (`POST /changes/{change}/confirm`). Then the "
            "account is credited or debited at once, within the limits of the key that confirms, and the player is "
            "notified."
        ),
        refusals=(
            AdjustmentNoteMissing,
            FundingDiffers,
            InsufficientFunds,
            NoDebtInPlayMoney,
            PersonalDataErased,
            UnknownAccount,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = parse_body(AdjustmentRequest, request)
        by = replace(metadata(request), actor=self.use_person())
        change = services.request(operator=self.caller.operator, metadata=by, **asdict(body))
        return Response(ChangeResponse.of(change), status=202)


class AdjustmentView(OperatorView):
    """One adjustment."""

    @operation(
        "getAdjustment",
        "Show one adjustment",
        returns=AdjustmentResponse,
        description="Who agreed on it and when, and the notes.",
        refusals=(UnknownAdjustment,),
    )
    def get(self, _request: Request, adjustment: UUID) -> Response:
        row = queries.find(operator=self.caller.operator, adjustment=adjustment)
        return Response(AdjustmentResponse.of(row))


class AdjustmentTotalsView(OperatorView):
    """Totals of adjustments, by reason."""

    renderer_classes = downloads.RENDERERS

    @operation(
        "getAdjustmentTotals",
        "Add up the adjustments of a period, by reason",
        parameters=[AdjustmentTotalsQuery],
        returns=AdjustmentTotals,
        **file_answers(_TOTAL_SHEET),
        description=(
            "Sums of adjustments by reason, direction and money type, for your own books. The period is that in which "
            "the money moved."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = parse_query(AdjustmentTotalsQuery, request)
        totals = queries.totals_by_reason(
            operator=self.caller.operator,
            money_type=query.money_type,
            since=query.since,
            until=query.until,
        )
        file_format = downloads.requested_format(request, query)
        if file_format is not ExportFormat.JSON:
            sheet = Sheet("Adjustments by reason", TOTAL_COLUMNS, map(_total_row, totals))
            parts = self.caller.slug, "adjustments-by-reason", query.money_type.value
            stem = downloads.file_stem(*parts, since=query.since, until=query.until)
            return downloads.download(sheet, file_format, stem)
        return downloads.json_response(
            request, AdjustmentTotals.of(AdjustmentTotalResponse.of(total) for total in totals)
        )


def _rows(where: AdjustmentFilter) -> Iterator[Sequence[object]]:
    for rows in queries.iterate_adjustments(where):
        yield from map(_row, rows)


def _row(row: Adjustment) -> tuple[object, ...]:
    amount, taken, owed = (format_amount(minor, row.currency) for minor in (row.amount, row.taken, row.owed))
    return (
        row.id, row.posted_at, row.requested_by, row.approved_by, row.player_id, row.direction,
        row.money_type, amount, row.currency, row.reason, taken, owed,
    )  # fmt: skip


def _total_row(total: AdjustmentTotal) -> tuple[object, ...]:
    amount, owed = format_amount(total.amount, total.currency), format_amount(total.owed, total.currency)
    return total.reason, total.direction, total.money_type, total.count, amount, owed, total.currency
