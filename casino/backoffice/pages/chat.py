"""Chats as staff see them: messages as written, reports with what can be done, acts, and the filter's words."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.chat import moderation
from baccarat.chat.models import ModerationAction, ChatReportClosure, ChatMessage, ChatReport
from casino.backoffice import html
from casino.backoffice.base import as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages.chat_base import ChatAdmin
from casino.backoffice.pages.chat_forms import MODERATE, forms_about, outcome_of, remembered
from casino.backoffice.pages.chat_words import WordAdmin
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Facts, Field, Form, Section
from casino.crypto import crypto_shredding

__all__ = ["ActAdmin", "MessageAdmin", "ReportAdmin", "WordAdmin"]

_STATES: Final = {"open": "Waiting", "closed": "Dealt with"}


@admin.register(ChatMessage)
class MessageAdmin(ChatAdmin):
    """What was said, newest first, as it was written. Found by id, table or player."""

    list_display = ("written", "place", "player", "operator", "when")
    list_filter = (operator_filter(), since_by_uuid())

    @admin.display(description="message")
    def written(self, message: ChatMessage) -> str:
        return message.text

    @admin.display(description="table")
    def place(self, message: ChatMessage) -> SafeString:
        """Where it was said."""
        return html.both(html.page("table", message.table_id, html.short(message.table_id)), f"seat {message.seat}")

    @admin.display(description="sent (UTC)")
    def when(self, message: ChatMessage) -> SafeString | str:
        """When it was said."""
        return html.moment(message.sent_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a message, and what can be done about its writer."""
        facts = (
            ("As written", obj.text),
            ("As players see it", obj.displayed_text),
            ("Table", self.place(obj)),
            ("Sent (UTC)", self.when(obj)),
            *self.about(obj),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Message", facts), *forms_about(request, self, obj))


@admin.register(ChatReport)
class ReportAdmin(ChatAdmin):
    """Reports, newest first: a queue of those that wait, by the filter `Waiting`."""

    list_display = ("title", "standing", "why", "player", "place", "operator", "when")
    list_filter = (
        operator_filter(),
        chosen(title="status", parameter="status", choices=_STATES, where=lambda value: Q(closed=value == "closed")),
        since_by_uuid(),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add whether it was dealt with."""
        closed = Exists(ChatReportClosure.objects.filter(report_id=OuterRef("pk")))
        marked: QuerySet[Any] = super().get_queryset(request).annotate(closed=closed)
        return marked

    def get_urls(self) -> list[URLPattern]:
        """Add the address of `close`."""
        return [self.perform_path("close", MODERATE, self.close), *super().get_urls()]

    def close(self, request: HttpRequest, report: ChatReport) -> str:
        """Note what came of a report. Raises the refusals of `moderating.close_report`."""
        moderation.close_report(
            operator=report.operator_id,
            report=report.pk,
            outcome=outcome_of(request),
            note=request.POST.get("note", ""),
            metadata=remembered(request, report.operator_id),
        )
        return "Noted; the report is closed."

    @admin.display(description="id")
    def title(self, report: ChatReport) -> str:
        """The end of its id."""
        return html.short(report.pk)

    @admin.display(description="status")
    def standing(self, report: Any) -> SafeString:
        """Whether it waits."""
        return html.badge("dealt with", "good") if report.closed else html.badge("waiting", "warn")

    @admin.display(description="reason")
    def why(self, report: ChatReport) -> str:
        return report.reason or html.NOTHING

    @admin.display(description="table")
    def place(self, report: ChatReport) -> SafeString:
        return html.both(html.page("table", report.table_id, html.short(report.table_id)), f"seat {report.seat}")

    @admin.display(description="reported (UTC)")
    def when(self, report: ChatReport) -> SafeString | str:
        """When it was made."""
        return html.moment(report.reported_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a report with the message, and what can be done."""
        message = ChatMessage.objects.filter(pk=obj.message_id).first() if obj.message_id else None
        closing = ChatReportClosure.objects.filter(pk=obj.pk).first()
        crypto_shredding.decrypt_rows([row for row in (message, closing) if row is not None])
        facts = (
            ("Status", self.standing(obj)),
            ("Reason", self.why(obj)),
            ("Message", html.NOTHING if message is None else html.page("message", message.pk, message.text)),
            ("Table", self.place(obj)),
            ("Reported by", html.page("player", obj.reporter_id)),
            ("Reported (UTC)", self.when(obj)),
            ("Outcome", html.NOTHING if closing is None else closing.outcome.replace("_", " ")),
            ("Remark", html.NOTHING if closing is None else closing.note or html.NOTHING),
            ("Closed by", html.NOTHING if closing is None else closing.by),
            *self.about(obj),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Report", facts), *self._closing(request, obj), *forms_about(request, self, obj))

    def _closing(self, request: HttpRequest, report: Any) -> Sequence[Section]:
        if report.closed or not request.user.has_perm(MODERATE):
            return ()
        fields = (
            Field("outcome", "Outcome", choices=[("action_taken", "Acted on"), ("dismissed", "Dismissed")]),
            Field("note", "Remark for staff", required=False),
        )
        return (Form("Close this report", "Close", self.perform_url("close", report), fields),)


@admin.register(ModerationAction)
class ActAdmin(ChatAdmin):
    """What moderators did about players, newest first."""

    list_display = ("deed", "player", "why", "until_when", "operator", "by", "when")
    list_filter = (operator_filter(), since_by_uuid())
    search_help_text = "id or player's id"

    def found_by(self, term: str) -> Q | None:
        """Look for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    @admin.display(description="act")
    def deed(self, act: ModerationAction) -> str:
        """What was done."""
        return act.kind.removeprefix("Player")

    @admin.display(description="reason")
    def why(self, act: ModerationAction) -> str:
        """The reason's code."""
        return act.reason or html.NOTHING

    @admin.display(description="until (UTC)")
    def until_when(self, act: ModerationAction) -> SafeString | str:
        return "for good" if act.reason and act.until is None else html.moment(act.until)

    @admin.display(description="done (UTC)")
    def when(self, act: ModerationAction) -> SafeString | str:
        """When it was done."""
        return html.moment(act.acted_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show an act, and what can be done now."""
        facts = (
            ("Act", self.deed(obj)),
            ("Reason", self.why(obj)),
            ("Until (UTC)", self.until_when(obj)),
            ("Remark", obj.note or html.NOTHING),
            ("By", obj.by),
            ("Done (UTC)", self.when(obj)),
            *self.about(obj),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Act", facts), *forms_about(request, self, obj))
