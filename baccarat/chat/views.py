"""A table's chat over HTTP, for players."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat import bodies, documents, queries, services
from baccarat.chat.paging import answer, page_after
from baccarat.services.table_actor import TableActor
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import PlayerView, metadata


class ChatView(PlayerView):
    """Base of the views of a table's chat."""

    def table_actor(self, request: Request, table: UUID) -> TableActor:
        return TableActor(table, self.caller.operator, self.caller.player, metadata(request))


class TableChatView(ChatView):
    @documents.history
    def get(self, request: Request, table: UUID) -> Response:
        page, after = page_after(request)
        shown = queries.chat_status(actor=self.table_actor(request, table))
        found = queries.history(table=table, viewer=self.caller.player, after=after, limit=page.fetch_limit)
        return Response({**shown, **answer(page, found)})

    @documents.say
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        said = services.say(
            actor=self.table_actor(request, table), text=parse_body(bodies.MessageRequest, request)["text"]
        )
        line = queries.present_message(
            message_id=said.id, seat=said.seat, mine=True, displayed_text=said.displayed_text, sent_at=said.sent_at
        )
        return Response(line, status=201)


class ChatOpenView(ChatView):
    @documents.set_open
    def put(self, request: Request, table: UUID) -> Response:
        is_open = parse_body(bodies.OpenRequest, request)["open"]
        services.set_open(actor=self.table_actor(request, table), is_open=is_open)
        return Response({"open": is_open})


class ReportMessageView(ChatView):
    @documents.report_message
    @idempotent
    def post(self, request: Request, table: UUID, message: UUID) -> Response:
        reason = parse_body(bodies.ReportRequest, request)["reason"]
        report = services.report_message(actor=self.table_actor(request, table), message=message, reason=reason)
        return Response({"report": report}, status=201)


class ReportPlayerView(ChatView):
    @documents.report_player
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        given = parse_body(bodies.PlayerReportRequest, request)
        report = services.report_player(
            actor=self.table_actor(request, table), seat=given["seat"], reason=given["reason"]
        )
        return Response({"report": report}, status=201)
