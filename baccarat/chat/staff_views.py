"""Moderation over HTTP, for the operator's server."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat import bodies, documents, moderation, queries, word_lists
from baccarat.chat.moderation import ModerationContext
from baccarat.chat.paging import answer, page_after
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, metadata


class ModerationActionView(OperatorView):
    """Base of the views that act about a player."""

    def moderation_context(self, request: Request, player: UUID, note: str) -> ModerationContext:
        """Tell who acts about whom."""
        return ModerationContext(self.caller.operator, player, note, metadata(request))


class MuteView(ModerationActionView):
    @documents.mute
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given = parse_body(bodies.BanRequest, request)
        by = self.moderation_context(request, player, given["note"])
        after = moderation.mute(context=by, reason=given["reason"], minutes=given["minutes"])
        return Response(queries.present_moderation(player, after))


class UnmuteView(ModerationActionView):
    @documents.unmute
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        by = self.moderation_context(request, player, parse_body(bodies.NoteRequest, request)["note"])
        return Response(queries.present_moderation(player, moderation.unmute(context=by)))


class BanView(ModerationActionView):
    @documents.remove
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given = parse_body(bodies.BanRequest, request)
        by = self.moderation_context(request, player, given["note"])
        after = moderation.ban(context=by, reason=given["reason"], minutes=given["minutes"])
        return Response(queries.present_moderation(player, after))


class UnbanView(ModerationActionView):
    @documents.readmit
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        by = self.moderation_context(request, player, parse_body(bodies.NoteRequest, request)["note"])
        return Response(queries.present_moderation(player, moderation.unban(context=by)))


class PlayerModerationView(OperatorView):
    @documents.conduct
    def get(self, request: Request, player: UUID) -> Response:
        (page, after), operator = page_after(request), self.caller.operator
        shown = queries.player_moderation(operator=operator, player=player)
        acts = queries.list_moderation_actions(operator=operator, player=player, after=after, limit=page.fetch_limit)
        return Response({**shown, **answer(page, acts)})


class PlayerMessageListView(OperatorView):
    @documents.messages
    def get(self, request: Request, player: UUID) -> Response:
        page, after = page_after(request)
        found = queries.list_player_messages(
            operator=self.caller.operator, player=player, after=after, limit=page.fetch_limit
        )
        return Response(answer(page, found))


class ChatReportListView(OperatorView):
    @documents.reports
    def get(self, request: Request) -> Response:
        page, after = page_after(request)
        query = bodies.ReportQuery(
            data={name: request.query_params[name] for name in request.query_params.keys() & {"status"}}
        )
        query.is_valid(raise_exception=True)
        closed = query.validated_data["status"] == "all"
        found = queries.reports(
            operator=self.caller.operator, include_closed=closed, after=after, limit=page.fetch_limit
        )
        return Response(answer(page, found))


class CloseReportView(OperatorView):
    @documents.close_report
    @idempotent
    def post(self, request: Request, report: UUID) -> Response:
        given = parse_body(bodies.CloseRequest, request)
        moderation.close_report(
            operator=self.caller.operator,
            report=report,
            outcome=given["outcome"],
            note=given["note"],
            metadata=metadata(request),
        )
        return Response(status=204)


class FilterWordListView(OperatorView):
    @documents.words
    def get(self, request: Request) -> Response:
        del request
        return Response({"items": queries.list_filter_words(operator=self.caller.operator)})

    @documents.add_word
    @idempotent
    def post(self, request: Request) -> Response:
        word = parse_body(bodies.WordRequest, request)["word"]
        added = word_lists.add(operator=self.caller.operator, word=word, metadata=metadata(request))
        shown = {"word": added.word, "folded": added.folded, "all_operators": False, "added_at": added.added_at}
        return Response(shown, status=201)


class RemoveFilterWordView(OperatorView):
    @documents.remove_word
    @idempotent
    def post(self, request: Request) -> Response:
        word = parse_body(bodies.WordRequest, request)["word"]
        word_lists.remove(operator=self.caller.operator, word=word, metadata=metadata(request))
        return Response(status=204)
