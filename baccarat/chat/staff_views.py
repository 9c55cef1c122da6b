"""Moderation over HTTP, for the operator's server."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat import bodies, documents, moderation, queries, word_lists
from baccarat.chat.moderation import Moderator
from baccarat.chat.paging import answer, page_after
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, metadata


class ModeratorView(OperatorView):
    """Base of the views that act about a player."""

    def moderator(self, request: Request, player: UUID, note: str) -> Moderator:
        """Tell who acts about whom."""
        return Moderator(self.caller.operator, player, note, metadata(request))


class Mute(ModeratorView):
    @documents.mute
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given = read(bodies.BanRequest, request)
        by = self.moderator(request, player, given["note"])
        after = moderation.mute(moderator=by, reason=given["reason"], minutes=given["minutes"])
        return Response(queries.shown_conduct(player, after))


class Unmute(ModeratorView):
    @documents.unmute
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        by = self.moderator(request, player, read(bodies.NoteRequest, request)["note"])
        return Response(queries.shown_conduct(player, moderation.unmute(moderator=by)))


class Remove(ModeratorView):
    @documents.remove
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given = read(bodies.BanRequest, request)
        by = self.moderator(request, player, given["note"])
        after = moderation.remove(moderator=by, reason=given["reason"], minutes=given["minutes"])
        return Response(queries.shown_conduct(player, after))


class Readmit(ModeratorView):
    @documents.readmit
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        by = self.moderator(request, player, read(bodies.NoteRequest, request)["note"])
        return Response(queries.shown_conduct(player, moderation.readmit(moderator=by)))


class Conduct(OperatorView):
    @documents.conduct
    def get(self, request: Request, player: UUID) -> Response:
        (page, after), operator = page_after(request), self.caller.operator
        shown = queries.conduct(operator=operator, player=player)
        acts = queries.acts(operator=operator, player=player, after=after, limit=page.fetch)
        return Response({**shown, **answer(page, acts)})


class PlayerMessages(OperatorView):
    @documents.messages
    def get(self, request: Request, player: UUID) -> Response:
        page, after = page_after(request)
        found = queries.said_by(operator=self.caller.operator, player=player, after=after, limit=page.fetch)
        return Response(answer(page, found))


class Reports(OperatorView):
    @documents.reports
    def get(self, request: Request) -> Response:
        page, after = page_after(request)
        query = bodies.ReportQuery(
            data={name: request.query_params[name] for name in request.query_params.keys() & {"status"}}
        )
        query.is_valid(raise_exception=True)
        closed = query.validated_data["status"] == "all"
        found = queries.reports(operator=self.caller.operator, closed=closed, after=after, limit=page.fetch)
        return Response(answer(page, found))


class CloseReport(OperatorView):
    @documents.close_report
    @idempotent
    def post(self, request: Request, report: UUID) -> Response:
        given = read(bodies.CloseRequest, request)
        moderation.close_report(
            operator=self.caller.operator,
            report=report,
            outcome=given["outcome"],
            note=given["note"],
            metadata=metadata(request),
        )
        return Response(status=204)


class FilterWords(OperatorView):
    @documents.words
    def get(self, request: Request) -> Response:
        del request
        return Response({"items": queries.words(operator=self.caller.operator)})

    @documents.add_word
    @idempotent
    def post(self, request: Request) -> Response:
        word = read(bodies.WordRequest, request)["word"]
        added = word_lists.add(operator=self.caller.operator, word=word, metadata=metadata(request))
        shown = {"word": added.word, "folded": added.folded, "for_all": False, "added_at": added.added_at}
        return Response(shown, status=201)


class RemoveFilterWord(OperatorView):
    @documents.remove_word
    @idempotent
    def post(self, request: Request) -> Response:
        word = read(bodies.WordRequest, request)["word"]
        word_lists.remove(operator=self.caller.operator, word=word, metadata=metadata(request))
        return Response(status=204)
