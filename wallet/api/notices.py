"""Notices to a player outside of the game."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import EmptyRequest, EnumField, parse_body, parse_query
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.kernel.money import MoneyType
from casino.operators.base_views import PlayerView
from wallet.adjustments import notices
from wallet.adjustments.events import AdjustmentReason
from wallet.adjustments.notices import NoticeKind, StoredNotice, UnknownNotice


class YesNo(StrEnum):
    """A flag in a query."""

    YES = "true"
    NO = "false"


class NoticeDetails(Shape):
    """The adjustment that a notice is about."""

    money_type: MoneyType
    reason: AdjustmentReason
    amount: Money
    owed: Annotated[Money, Meta(description="What the account could not pay, and the player owes.")]


class NoticeResponse(Shape):
    """A notice: a stable kind, its subject, details to show, and a message that may be empty."""

    id: UUID
    kind: NoticeKind
    subject: Annotated[UUID, Meta(description="The adjustment.")]
    details: NoticeDetails
    message: Annotated[str, Meta(examples=["We are sorry for the trouble."])]
    created_at: Timestamp
    read_at: Annotated[Timestamp | None, Meta(examples=[None])]

    @classmethod
    def of(cls, stored: StoredNotice) -> "NoticeResponse":
        """Present a notice."""
        details = stored.notice.details
        currency = details["currency"]
        return cls(
            id=stored.id,
            kind=stored.notice.kind,
            subject=stored.notice.subject,
            details=NoticeDetails(
                money_type=MoneyType(details["money_type"]),
                reason=AdjustmentReason(details["reason"]),
                amount=Money.of(details["amount"], currency),
                owed=Money.of(details["owed"], currency),
            ),
            message=stored.notice.message,
            created_at=stored.created_at,
            read_at=stored.read_at,
        )


class NoticePage(Page[NoticeResponse]):
    """Notices, newest first."""

    unread: Annotated[int, Meta(description="How many in all are unread.")]


class NoticesQuery(serializers.Serializer[Any]):
    """Filters of the list of notices."""

    unread = EnumField(YesNo, required=False, default=YesNo.NO, help_text="Only the unread ones.")


class NoticeListView(PlayerView):
    """The caller's notices."""

    @operation(
        "listNotices",
        "List your notices, newest first",
        parameters=[NoticesQuery, *paging.PARAMETERS],
        returns=NoticePage,
        description=("Notices tell you of money that moved without you, such as an adjustment or a reversed deposit."),
    )
    def get(self, request: Request) -> Response:
        unread = parse_query(NoticesQuery, request)["unread"] is YesNo.YES
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        owner = {"operator": self.caller.operator, "player": self.caller.player}
        stored = notices.list_notices(**owner, unread=unread, before=before, limit=page.fetch_limit)
        return Response(
            paging.page(
                NoticePage,
                page,
                stored,
                key=lambda notice: (str(notice.id),),
                item=NoticeResponse.of,
                unread=notices.count_unread(**owner),
            )
        )


class ReadNoticeView(PlayerView):
    """A notice that the caller has read."""

    @operation(
        "markNoticeRead",
        "Mark a notice as read; the first time counts",
        request=EmptyRequest,
        example={},
        returns=NoticeResponse,
        description=("The time of the first call is kept."),
        refusals=(UnknownNotice,),
    )
    @idempotent
    def post(self, request: Request, notice: UUID) -> Response:
        parse_body(EmptyRequest, request)
        caller = self.caller
        return Response(NoticeResponse.of(notices.mark_read(notice, operator=caller.operator, player=caller.player)))
