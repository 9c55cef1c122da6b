"""What a player is told about outside of the game."""

from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import EnumField, parse_body, present_money
from casino.api.idempotency import idempotent
from casino.operators.base_views import PlayerView
from wallet import notices
from wallet.api.payments_serializers import Nothing
from wallet.api.serializers import YesNo
from wallet.notices import StoredNotice

_AMOUNTS: Final = ("amount", "owed")
_SHOWN: Final = {
    "id": "0199f3a2-b041-7d04-9e44-6f8a0b2c4d5e",
    "kind": "adjustment_credit",
    "subject": "0199f3a2-af30-7c03-9d33-5e7f9a1b3c4d",
    "facts": {"money_type": "real", "reason": "complaint", "amount": {"amount": "20.00", "currency": "EUR"}},
    "message": "We are sorry for the trouble.",
    "created_at": "2026-11-21T09:10:00Z",
    "read_at": None,
}


class NoticeResponse(serializers.Serializer[Any]):
    """Something to tell a player: a stable kind, what it is about, facts to show, and a message in words, or none."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    subject = serializers.UUIDField()
    facts = serializers.DictField()
    message = serializers.CharField()
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class NoticePage(serializers.Serializer[Any]):
    """Notices, newest first, and how many in all are not read."""

    items = NoticeResponse(many=True)
    next = serializers.CharField(allow_null=True)
    unread = serializers.IntegerField()


class NoticesQuery(serializers.Serializer[Any]):
    """Which notices."""

    unread = EnumField(YesNo, required=False, default=YesNo.NO)


class NoticeListView(PlayerView):
    """The notices of the player who asks."""

    @extend_schema(
        operation_id="listNotices",
        summary="List what the player who asks has been told, newest first",
        parameters=[
            OpenApiParameter("unread", str, enum=[each.value for each in YesNo], description="Only what is not read."),
            *paging.PARAMETERS,
        ],
        responses=NoticePage,
        examples=[
            OpenApiExample("Answer", value={"items": [_SHOWN], "next": None, "unread": 1}, response_only=True),
        ],
    )
    def get(self, request: Request) -> Response:
        query = NoticesQuery(
            data={name: request.query_params[name] for name in request.query_params if name == "unread"}
        )
        query.is_valid(raise_exception=True)
        page = paging.parse_page_request(request, str)
        me = {"operator": self.caller.operator, "player": self.caller.player}
        unread = query.validated_data["unread"] is YesNo.YES
        before = None if page.after is None else _id(page.after[0])
        found = notices.list_notices(**me, unread=unread, before=before, limit=page.fetch_limit)
        shown = paging.present_page(page, found, key=lambda given: (str(given.id),), item=present_notice)
        return Response({**shown, "unread": notices.count_unread(**me)})


class ReadNoticeView(PlayerView):
    """A notice that was read."""

    @extend_schema(
        operation_id="markNoticeRead",
        summary="Mark a notice as read; the first time counts",
        request=Nothing,
        responses=NoticeResponse,
        examples=[
            OpenApiExample("Request", value={}, request_only=True),
            OpenApiExample("Answer", value={**_SHOWN, "read_at": "2026-11-21T09:12:00Z"}, response_only=True),
        ],
    )
    @idempotent
    def post(self, request: Request, notice: UUID) -> Response:
        parse_body(Nothing, request)
        me = self.caller
        return Response(present_notice(notices.mark_read(notice, operator=me.operator, player=me.player)))


def present_notice(given: StoredNotice) -> dict[str, Any]:
    """Shape a notice for an answer: amounts among its facts with their currency."""
    facts = dict(given.notice.details)
    currency = facts.pop("currency", None)
    amounts = {
        name: present_money(facts[name], currency) for name in _AMOUNTS if currency is not None and name in facts
    }
    return {
        "id": given.id,
        "kind": given.notice.kind,
        "subject": given.notice.subject,
        "facts": {**facts, **amounts},
        "message": given.notice.message,
        "created_at": given.created_at,
        "read_at": given.read_at,
    }


def _id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
