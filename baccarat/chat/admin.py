"""Chats as staff see them: messages as written, reports with what can be done, acts, and the filter's words."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.chat import listing, moderating
from baccarat.chat.admin_forms import (
    LIST,
    MODERATE,
    REMOVE,
    forms_about,
    minutes_of,
    moderator_of,
    outcome_of,
    reason_of,
    remembered,
)
from baccarat.chat.masking import fold
from baccarat.chat.models import Act, Closing, Message, Report, Word
from baccarat.chat.refusals import NotYourList
from casino.admin import marks, scope
from casino.admin.filters import chosen, since_by_uuid
from casino.admin.readonly import ReadOnlyAdmin, as_uuid
from casino.admin.sections import Deed, Facts, Field, Form, Grid, Section
from casino.operators.admin import operator_filter
from casino.operators.models import Operator, Player

_STATES: Final = {"open": "Waiting", "closed": "Dealt with"}


class ChatAdmin(ReadOnlyAdmin):
    """Base of the lists about players: their names are read with them, and moderators act on their pages."""

    ordering = ("-id",)
    search_help_text = "id, table's id or player's id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """This will add the player's nickname and the operator's slug."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        named: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug), nickname=Subquery(nickname))
        return named

    def found_by(self, term: str) -> Q | None:
        """This will look for an id, a table or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(table_id=identity) | Q(player_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """This will add the addresses of what moderators do about the player of a row."""
        return [
            self.perform_path("mute", MODERATE, self.mute),
            self.perform_path("unmute", MODERATE, self.unmute),
            self.perform_path("remove", REMOVE, self.remove),
            self.perform_path("readmit", REMOVE, self.readmit),
            *super().get_urls(),
        ]

    def mute(self, request: HttpRequest, row: Any) -> str:
        """This will mute the player. Raises the refusals of `moderating.mute`."""
        moderating.mute(moderator=moderator_of(request, row), reason=reason_of(request), minutes=minutes_of(request))
        return "Muted in all chats."

    def unmute(self, request: HttpRequest, row: Any) -> str:
        """This will let the player write again. Raises the refusals of `moderating.unmute`."""
        moderating.unmute(moderator=moderator_of(request, row))
        return "The player may write again."

    def remove(self, request: HttpRequest, row: Any) -> str:
        """This will remove the player from the casino. Raises the refusals of `moderating.remove`."""
        moderating.remove(moderator=moderator_of(request, row), reason=reason_of(request), minutes=minutes_of(request))
        return "Removed from the casino; the session has ended."

    def readmit(self, request: HttpRequest, row: Any) -> str:
        """This will let the player in again. Raises the refusals of `moderating.readmit`."""
        moderating.readmit(moderator=moderator_of(request, row))
        return "The player may come in again."

    @admin.display(description="operator")
    def operator(self, row: Any) -> SafeString | str:
        """Whose house it is in."""
        return marks.page("operator", row.operator_id, row.slug or marks.short(row.operator_id))

    @admin.display(description="player")
    def player(self, row: Any) -> SafeString | str:
        """Whom it is about."""
        return marks.page("player", row.player_id, row.nickname or marks.short(row.player_id))

    def about(self, row: Any) -> Sequence[tuple[str, object]]:
        """This will name operator and player, and where more is to be found about the player."""
        player = str(row.player_id)
        return (
            ("Operator", self.operator(row)),
            ("Player", self.player(row)),
            ("Messages", marks.listing("chat_message", "all of this player's", q=player)),
            ("Reports", marks.listing("chat_report", "all about this player", q=player)),
            ("Acts", marks.listing("chat_act", "all about this player", q=player)),
            ("Log", marks.listing("events_event", "all events", q=f"chat-{player}")),
        )


@admin.register(Message)
class MessageAdmin(ChatAdmin):
    """What was said, newest first, as it was written. Found by id, table or player."""

    list_display = ("written", "place", "player", "operator", "when")
    list_filter = (operator_filter(), since_by_uuid())

    @admin.display(description="message")
    def written(self, message: Message) -> str:
        """As it was written."""
        return message.text

    @admin.display(description="table")
    def place(self, message: Message) -> SafeString:
        """Where it was said."""
        return marks.both(marks.page("table", message.table_id, marks.short(message.table_id)), f"seat {message.seat}")

    @admin.display(description="sent (UTC)")
    def when(self, message: Message) -> SafeString | str:
        """When it was said."""
        return marks.moment(message.sent_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """This will show a message, and what can be done about its writer."""
        facts = (
            ("As written", obj.text),
            ("As players see it", obj.shown),
            ("Table", self.place(obj)),
            ("Sent (UTC)", self.when(obj)),
            *self.about(obj),
            ("Id", marks.code(obj.pk)),
        )
        return (Facts("Message", facts), *forms_about(request, self, obj))


@admin.register(Report)
class ReportAdmin(ChatAdmin):
    """Reports, newest first: a queue of those that wait, by the filter `Waiting`."""

    list_display = ("title", "standing", "why", "player", "place", "operator", "when")
    list_filter = (
        operator_filter(),
        chosen(title="status", parameter="status", choices=_STATES, where=lambda value: Q(closed=value == "closed")),
        since_by_uuid(),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """This will add whether it was dealt with."""
        closed = Exists(Closing.objects.filter(report_id=OuterRef("pk")))
        marked: QuerySet[Any] = super().get_queryset(request).annotate(closed=closed)
        return marked

    def get_urls(self) -> list[URLPattern]:
        """This will add the address of `close`."""
        return [self.perform_path("close", MODERATE, self.close), *super().get_urls()]

    def close(self, request: HttpRequest, report: Report) -> str:
        """This will note what came of a report. Raises the refusals of `moderating.close_report`."""
        moderating.close_report(
            operator=report.operator_id,
            report=report.pk,
            outcome=outcome_of(request),
            note=request.POST.get("note", ""),
            metadata=remembered(request, report.operator_id),
        )
        return "Noted; the report is closed."

    @admin.display(description="id")
    def title(self, report: Report) -> str:
        """The end of its id."""
        return marks.short(report.pk)

    @admin.display(description="status")
    def standing(self, report: Any) -> SafeString:
        """Whether it waits."""
        return marks.badge("dealt with", "good") if report.closed else marks.badge("waiting", "warn")

    @admin.display(description="reason")
    def why(self, report: Report) -> str:
        """What the reporter says."""
        return report.reason or marks.NOTHING

    @admin.display(description="table")
    def place(self, report: Report) -> SafeString:
        """Where it was."""
        return marks.both(marks.page("table", report.table_id, marks.short(report.table_id)), f"seat {report.seat}")

    @admin.display(description="reported (UTC)")
    def when(self, report: Report) -> SafeString | str:
        """When it was made."""
        return marks.moment(report.reported_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """This will show a report with the message, and what can be done."""
        message = Message.objects.filter(pk=obj.message_id).first() if obj.message_id else None
        closing = Closing.objects.filter(pk=obj.pk).first()
        facts = (
            ("Status", self.standing(obj)),
            ("Reason", self.why(obj)),
            ("Message", marks.NOTHING if message is None else marks.page("message", message.pk, message.text)),
            ("Table", self.place(obj)),
            ("Reported by", marks.page("player", obj.reporter_id)),
            ("Reported (UTC)", self.when(obj)),
            ("Outcome", marks.NOTHING if closing is None else closing.outcome.replace("_", " ")),
            ("Remark", marks.NOTHING if closing is None else closing.note or marks.NOTHING),
            ("Closed by", marks.NOTHING if closing is None else closing.by),
            *self.about(obj),
            ("Id", marks.code(obj.pk)),
        )
        return (Facts("Report", facts), *self._closing(request, obj), *forms_about(request, self, obj))

    def _closing(self, request: HttpRequest, report: Any) -> Sequence[Section]:
        if report.closed or not request.user.has_perm(MODERATE):
            return ()
        fields = (
            Field("outcome", "Outcome", choices=[("acted_on", "Acted on"), ("dismissed", "Dismissed")]),
            Field("note", "Remark for staff", required=False),
        )
        return (Form("Close this report", "Close", self.perform_url("close", report), fields),)


@admin.register(Act)
class ActAdmin(ChatAdmin):
    """What moderators did about players, newest first."""

    list_display = ("deed", "player", "why", "until_when", "operator", "by", "when")
    list_filter = (operator_filter(), since_by_uuid())
    search_help_text = "id or player's id"

    def found_by(self, term: str) -> Q | None:
        """This will look for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    @admin.display(description="act")
    def deed(self, act: Act) -> str:
        """What was done."""
        return act.kind.removeprefix("Player")

    @admin.display(description="reason")
    def why(self, act: Act) -> str:
        """The reason's code."""
        return act.reason or marks.NOTHING

    @admin.display(description="until (UTC)")
    def until_when(self, act: Act) -> SafeString | str:
        """Until when it holds."""
        return "for good" if act.reason and act.until is None else marks.moment(act.until)

    @admin.display(description="done (UTC)")
    def when(self, act: Act) -> SafeString | str:
        """When it was done."""
        return marks.moment(act.done_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """This will show an act, and what can be done now."""
        facts = (
            ("Act", self.deed(obj)),
            ("Reason", self.why(obj)),
            ("Until (UTC)", self.until_when(obj)),
            ("Remark", obj.note or marks.NOTHING),
            ("By", obj.by),
            ("Done (UTC)", self.when(obj)),
            *self.about(obj),
            ("Id", marks.code(obj.pk)),
        )
        return (Facts("Act", facts), *forms_about(request, self, obj))


@admin.register(Word)
class WordAdmin(ReadOnlyAdmin):
    """The filter's words, of each operator and of all. New ones are added on the page of any word or over HTTP."""

    list_display = ("word", "folded", "whose", "when")
    list_filter = (operator_filter(),)
    ordering = ("folded", "id")
    search_help_text = "a word"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """This will let the words of all be seen by everyone."""
        return Q(operator_id__in=operators) | Q(operator_id__isnull=True)

    def found_by(self, term: str) -> Q | None:
        """This will look for a word, whatever it is dressed as."""
        return Q(folded=fold(term))

    def get_urls(self) -> list[URLPattern]:
        """This will add the addresses of `add` and `drop`."""
        return [
            self.perform_path("list", LIST, self.enlist),
            self.perform_path("drop", LIST, self.drop),
            *super().get_urls(),
        ]

    def enlist(self, request: HttpRequest, word: Word) -> str:
        """This will put another word on the list of this one. Raises the refusals of `listing.add`."""
        _require_own(request, word)
        added = listing.add(
            operator=word.operator_id,
            word=request.POST.get("word", "").strip(),
            metadata=remembered(request, word.operator_id),
        )
        return f"{added.word} is masked from now on."

    def drop(self, request: HttpRequest, word: Word) -> str:
        """This will take the word off its list. Raises the refusals of `listing.remove`."""
        _require_own(request, word)
        listing.remove(operator=word.operator_id, word=word.word, metadata=remembered(request, word.operator_id))
        return f"{word.word} is masked no longer."

    @admin.display(description="holds for")
    def whose(self, word: Word) -> SafeString | str:
        """Whose chats it is masked in."""
        return "all operators" if word.operator_id is None else marks.page("operator", word.operator_id)

    @admin.display(description="added (UTC)")
    def when(self, word: Word) -> SafeString | str:
        """When it was added."""
        return marks.moment(word.added_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """This will show a word, with what can be done for those who may."""
        facts = (
            ("Word", obj.word),
            ("Compared as", marks.code(obj.folded)),
            ("Holds for", self.whose(obj)),
            ("Added (UTC)", self.when(obj)),
            ("Log", marks.listing("events_event", "all changes", q=f"words-{obj.operator_id or 'everyone'}")),
        )
        if not request.user.has_perm(LIST) or (obj.operator_id is None and scope.operators(request) is not None):
            return (Facts("Word", facts),)
        deed = Deed("Mask it no longer", self.perform_url("drop", obj), f"Take “{obj.word}” off the list?", tone="bad")
        fields = (Field("word", "Word", longest=40),)
        return (
            Facts("Word", facts),
            Form("Another word for this list", "Mask it", self.perform_url("list", obj), fields),
            Grid("Actions", ("What was said stays as it was shown",), [(deed,)]),
        )


def _require_own(request: HttpRequest, word: Word) -> None:
    """The words of all are changed by those who work for all."""
    if word.operator_id is None and scope.operators(request) is not None:
        raise NotYourList
