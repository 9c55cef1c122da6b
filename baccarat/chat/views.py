"""A table's chat over HTTP, for players."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat import bodies, documents, queries, services
from baccarat.chat.paging import answer, page_after
from baccarat.services.table_actor import Guest
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.operators.base_views import PlayerView, metadata


class ChatView(PlayerView):
    """Base of the views of a table's chat."""

    def guest(self, request: Request, table: UUID) -> Guest:
        return Guest(table, self.caller.operator, self.caller.player, metadata(request))


class TableChat(ChatView):
    @documents.history
    def get(self, request: Request, table: UUID) -> Response:
        page, after = page_after(request)
        shown = queries.standing(guest=self.guest(request, table))
        found = queries.history(table=table, viewer=self.caller.player, after=after, limit=page.fetch)
        return Response({**shown, **answer(page, found)})

    @documents.say
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        said = services.say(guest=self.guest(request, table), text=read(bodies.MessageRequest, request)["text"])
        line = queries.message_line(identity=said.id, seat=said.seat, mine=True, shown=said.shown, sent_at=said.sent_at)
        return Response(line, status=201)


class ChatOpen(ChatView):
    @documents.set_open
    def put(self, request: Request, table: UUID) -> Response:
        is_open = read(bodies.OpenRequest, request)["open"]
        services.set_open(guest=self.guest(request, table), is_open=is_open)
        return Response({"open": is_open})


class ReportMessage(ChatView):
    @documents.report_message
    @idempotent
    def post(self, request: Request, table: UUID, message: UUID) -> Response:
        reason = read(bodies.ReportRequest, request)["reason"]
        report = services.report_message(guest=self.guest(request, table), message=message, reason=reason)
        return Response({"report": report}, status=201)


class ReportPlayer(ChatView):
    @documents.report_player
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        given = read(bodies.PlayerReportRequest, request)
        report = services.report_player(guest=self.guest(request, table), seat=given["seat"], reason=given["reason"])
        return Response({"report": report}, status=201)
