"""Notices to a player outside of the game."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Query, parse_query
from casino.api.shapes import LimitText, LimitUnit, Money, Page, Shape, Timestamp
from casino.kernel.money import MoneyType
from casino.operators.base_views import PlayerView
from wallet import notices
from wallet.adjustments.events import AdjustmentReason
from wallet.notices import NoticeKind, StoredNotice, UnknownNotice
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.refusals import MINUTES, format_limit


class NoticeLimit(Shape):
    """A limit that the operator set for the player."""

    limit_type: LimitType
    period: LimitPeriod
    unit: LimitUnit
    limit: LimitText

    @classmethod
    def of(cls, details: dict[str, Any]) -> "NoticeLimit":
        """Present the limit in the details of a notice."""
        limit_type, currency = LimitType(details["limit_type"]), details["currency"]
        text = format_limit(details["limit"], limit_type, currency)
        return cls(limit_type, LimitPeriod(details["period"]), currency or MINUTES, text)


class DisputeBody(Shape):
    """The body for alternative dispute resolution, to whom a player may turn who does not agree."""

    name: Annotated[str, Meta(examples=["Baccarat Ombudsman"])]
    url: Annotated[str, Meta(description="Empty without one.", examples=["https://ombudsman.example/"])]


class NoticeComplaint(Shape):
    """A complaint of the player's that was answered."""

    case: UUID
    texts: Annotated[
        dict[str, str],
        Meta(
            description="The operator's own words for this kind, by language; show them instead of yours.",
            examples=[{"en": "We are looking into it."}],
        ),
    ]
    dispute_body: Annotated[DisputeBody | None, Meta(description="With the answer that resolves it.")]

    @classmethod
    def of(cls, details: dict[str, Any]) -> "NoticeComplaint":
        """Present the complaint in the details of a notice."""
        body = details.get("dispute_body")
        return cls(UUID(details["case"]), details["texts"], body and DisputeBody(body["name"], body["url"]))


class NoticeDetails(Shape):
    """What a notice is about; what does not belong to its kind is null."""

    money_type: MoneyType | None
    reason: Annotated[AdjustmentReason | None, Meta(description="Why the account was adjusted.")]
    amount: Annotated[Money | None, Meta(description="What came to the account, or was taken from it.")]
    owed: Annotated[Money | None, Meta(description="What the account could not pay, and the player owes.")]
    round: Annotated[int | None, Meta(description="The number of the void round at its table.", examples=[None])]
    limit: NoticeLimit | None
    until: Annotated[
        Timestamp | None,
        Meta(description="When an exclusion may end, or until when a complaint is answered.", examples=[None]),
    ]
    complaint: NoticeComplaint | None

    @classmethod
    def of(cls, details: dict[str, Any]) -> "NoticeDetails":
        """Present the details of a stored notice."""
        money_type, reason, until = (details.get(name) for name in ("money_type", "reason", "until"))
        return cls(
            money_type=money_type and MoneyType(money_type),
            reason=reason and AdjustmentReason(reason),
            amount=_money(details, "amount"),
            owed=_money(details, "owed"),
            round=details.get("round"),
            limit=NoticeLimit.of(details) if "limit" in details else None,
            until=until and datetime.fromisoformat(until),
            complaint=NoticeComplaint.of(details) if "case" in details else None,
        )


class NoticeResponse(Shape):
    """A notice: a stable kind, its subject, details to show, and a message that may be empty."""

    id: UUID
    kind: NoticeKind
    subject: Annotated[UUID | None, Meta(description="The adjustment, round, deposit or withdrawal; else null.")]
    details: NoticeDetails
    message: Annotated[str, Meta(examples=["We are sorry for the trouble."])]
    created_at: Timestamp
    read_at: Annotated[Timestamp | None, Meta(examples=[None])]

    @classmethod
    def of(cls, stored: StoredNotice) -> "NoticeResponse":
        """Present a notice."""
        return cls(
            id=stored.id,
            kind=stored.notice.kind,
            subject=stored.notice.subject,
            details=NoticeDetails.of(stored.notice.details),
            message=stored.notice.message,
            created_at=stored.created_at,
            read_at=stored.read_at,
        )


class NoticePage(Page[NoticeResponse]):
    """Notices, newest first."""

    unread: Annotated[int, Meta(description="How many in all are unread.")]


class NoticesQuery(Query):
    """Filters of the list of notices."""

    unread: Annotated[bool, Meta(description="Only the unread ones.")] = False


class NoticeListView(PlayerView):
    """The caller's notices."""

    @operation(
        "listNotices",
        "List your notices, newest first",
        parameters=[NoticesQuery, *paging.PARAMETERS],
        returns=NoticePage,
        description=(
            "Notices tell you what the house did with your money or play: an adjustment, a void round, a reversed "
            "deposit, a withdrawal that is not paid, a limit, an exclusion, or how a complaint stands. `kind` and "
            "`details` are for your page to word in the player's language; `message` is what staff wrote."
        ),
    )
    def get(self, request: Request) -> Response:
        unread = parse_query(NoticesQuery, request).unread
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
        returns=NoticeResponse,
        description=("The time of the first call is kept."),
        refusals=(UnknownNotice,),
    )
    @idempotent
    def post(self, _request: Request, notice: UUID) -> Response:
        caller = self.caller
        return Response(NoticeResponse.of(notices.mark_read(notice, operator=caller.operator, player=caller.player)))


def _money(details: dict[str, Any], name: str) -> Money | None:
    return Money.of(details[name], details["currency"]) if name in details else None
