"""Chat moderation: messages, reports, moderators' actions and the word filter."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.text import capfirst

from baccarat.chat import moderation
from baccarat.chat.events import ChatReportOutcome, ModerationReason
from baccarat.chat.masking import normalize_word
from baccarat.chat.models import ChatMessage, ChatReport, ChatReportClosure, FilterWord, ModerationAction
from baccarat.chat.moderation import ModerationContext
from baccarat.chat.refusals import FilterWordNotYours
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, staff_metadata
from casino.backoffice.badges import closed_reports
from casino.backoffice.columns import (
    LabelledRowsAdmin,
    column,
    name_of_player,
    staff_column,
    table_link,
    time_column,
)
from casino.backoffice.filters import case_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, OptionalNoteForm, RowForm, line_field
from casino.backoffice.sections import Section
from casino.backoffice.subjects import nicknames, player_link
from casino.crypto import crypto_shredding

MODERATE: Final = "chat.moderate"
BAN: Final = "chat.ban_player"
EDIT_WORDS: Final = "chat.edit_filter_words"


class SanctionForm(RowForm):
    reason = EnumSelectField(ModerationReason, label="Reason")
    minutes = forms.IntegerField(label="Minutes (empty: no end)", min_value=1, max_value=999_999, required=False)
    note = line_field("Note for staff", required=False)


class CloseReportForm(RowForm):
    outcome = EnumSelectField(ChatReportOutcome, label="Outcome")
    note = line_field("Note for staff", required=False)


class WordForm(RowForm):
    word = line_field("Word", max_length=40)


class ModerationAdmin(LabelledRowsAdmin):
    """Base of the lists about players in chats: moderators mute and ban the player of a row."""

    names: ClassVar[tuple[str, ...]] = ("operator", "player", "table")
    search_fields: ClassVar[Any] = ("pk", "table_id", "player_id")
    search_help_text = "id, table's id or player's id"
    place = column("table", lambda row: html.with_note(table_link(row), f"seat {row.seat}"))

    def title_of(self, obj: Any) -> str:
        return f"{capfirst(str(self.opts.verbose_name))}: {name_of_player(obj)} at {obj.table_name}"

    @RowAction("Mute", title="Mute the player", permission=MODERATE, form=SanctionForm, tone="bad")
    def mute(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        context = _context(request, row, data)
        moderation.mute(context=context, reason=data["reason"], minutes=data["minutes"])
        return "Muted in all chats."

    @RowAction("Unmute", title="Unmute the player", permission=MODERATE, form=OptionalNoteForm)
    def unmute(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        moderation.unmute(context=_context(request, row, data))
        return "The player may write again."

    @RowAction(
        "Ban",
        title="Ban from the casino",
        permission=BAN,
        form=SanctionForm,
        tone="bad",
        help_text="The session ends and none can be opened. Confirmed wagers are settled; support pays out the rest.",
    )
    def ban(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        context = _context(request, row, data)
        moderation.ban(context=context, reason=data["reason"], minutes=data["minutes"])
        return "Banned from the casino; the session has ended."

    @RowAction("Unban", title="Lift the ban", permission=BAN, form=OptionalNoteForm)
    def unban(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        moderation.unban(context=_context(request, row, data))
        return "The player may come in again."

    def about(self, row: Any) -> Sequence[str | tuple[str, object]]:
        """List operator and player, with links to more about the player."""
        player = str(row.player_id)
        return (
            *("operator", "player"),
            ("Messages", html.listing("chat_chatmessage", "all of this player's", q=player)),
            ("Reports", html.listing("chat_chatreport", "all about this player", q=player)),
            ("Moderator actions", html.listing("chat_moderationaction", "all about this player", q=player)),
            ("Log", html.event_log(f"chat-{player}")),
            "pk",
        )


@admin.register(ChatMessage)
class ChatMessageAdmin(ModerationAdmin):
    """Messages as written, newest first. Found by id, table or player."""

    list_display = ("written", "place", "player", "operator", "sent")
    list_filter = (operator_filter(), since_by_uuid())
    written = column("message", lambda message: message.text)
    sent = time_column("sent_at", "sent")

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        texts = ("As written", obj.text), ("As players see it", obj.displayed_text)
        return [self.facts(obj, *texts, "place", "sent", *self.about(obj), title="Message")]


@admin.register(ChatReport)
class ChatReportAdmin(ModerationAdmin):
    """Reports, newest first; the filter `Waiting` is the queue."""

    list_display = ("short_id", "status", "reason", "player", "place", "operator", "reported")
    list_filter = (
        operator_filter(),
        case_filter("status", {"open": ("Waiting", Q(closed=False)), "closed": ("Closed", Q(closed=True))}),
        since_by_uuid(),
    )
    annotations = {"closed": closed_reports()}
    status = column(
        "status", lambda report: html.badge("closed", "good") if report.closed else html.badge("waiting", "warn")
    )
    reported = time_column("reported_at", "reported")

    @RowAction(
        "Close",
        title="Close this report",
        permission=MODERATE,
        form=CloseReportForm,
        applies=lambda _, report: not report.closed,
    )
    def close(self, request: HttpRequest, report: ChatReport, data: dict[str, Any]) -> str:
        moderation.close_report(
            operator=report.operator_id,
            report=report.pk,
            outcome=data["outcome"],
            note=data["note"],
            metadata=staff_metadata(request, report.operator_id),
        )
        return "The report is closed."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        message = ChatMessage.objects.filter(pk=obj.message_id).first() if obj.message_id else None
        closure = ChatReportClosure.objects.filter(pk=obj.pk).first()
        crypto_shredding.decrypt_rows([row for row in (message, closure) if row is not None])
        facts = self.facts(
            obj,
            *("status", "reason"),
            ("Message", message and html.page("message", message.pk, message.text)),
            "place",
            ("Reported by", player_link(obj.reporter_id, nicknames([obj.reporter_id]))),
            "reported",
            ("Outcome", closure and closure.outcome.replace("_", " ")),
            ("Note", closure and closure.note),
            ("Closed by", closure and closure.by),
            *self.about(obj),
        )
        return (facts,)


@admin.register(ModerationAction)
class ModerationActionAdmin(ModerationAdmin):
    """Moderators' actions, newest first."""

    names = ("operator", "player")
    list_display = ("kind_", "player", "reason", "until_", "operator", "by_", "acted")
    list_filter = (operator_filter(), since_by_uuid())
    search_help_text = "id or player's id"
    search_fields = ("pk", "player_id")
    kind_ = column("action", lambda action: action.kind.removeprefix("Player"))
    until_ = column(
        "until",
        lambda action: "no end" if action.reason and action.until is None else html.moment(action.until),
    )
    by_ = staff_column("by", "by")
    acted = time_column("acted_at", "time")

    def title_of(self, obj: Any) -> str:
        return f"{self.kind_(obj)}: {name_of_player(obj)}"

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        return [self.facts(obj, "kind_", "reason", "until_", "note", "by_", "acted", *self.about(obj))]


def _may_edit(request: HttpRequest, word: FilterWord) -> bool:
    """Return whether the user works for all operators that the word's list applies to."""
    return word.operator_id is not None or scope.operators(request) is None


@admin.register(FilterWord)
class FilterWordAdmin(LabelledRowsAdmin):
    """Masked words, of each operator and of all. The first word of a list comes by the API or a command."""

    names = ("operator",)
    list_display = ("word", "normalized", "list_of", "added")
    list_filter = (operator_filter(),)
    ordering = ("normalized", "id")
    shows_shared_rows = True
    search_help_text = "a word"
    list_of = column(
        "applies to",
        lambda word: (
            "all operators" if word.operator_id is None else html.page("operator", word.operator_id, word.slug)
        ),
    )
    added = time_column("added_at", "added")

    def search_condition(self, term: str) -> Q | None:
        return Q(normalized=normalize_word(term))

    @RowAction(
        "Add", name="list", title="Add a word to this list", permission=EDIT_WORDS, form=WordForm, applies=_may_edit
    )
    def add_word(self, request: HttpRequest, word: FilterWord, data: dict[str, Any]) -> str:
        """Add another word to the list of this one. Raises FilterWordNotYours."""
        _require_own(request, word)
        metadata = staff_metadata(request, word.operator_id)
        added = moderation.add_filter_word(operator=word.operator_id, word=data["word"], metadata=metadata)
        return f"{added.word} is masked from now on."

    @RowAction(
        "Remove from the list",
        title="Remove this word",
        permission=EDIT_WORDS,
        applies=_may_edit,
        tone="bad",
        question="Remove this word from the list? Messages that were sent stay as they were displayed.",
    )
    def drop(self, request: HttpRequest, word: FilterWord, _data: dict[str, Any]) -> str:
        """Remove the word from its list. Raises FilterWordNotYours."""
        _require_own(request, word)
        metadata = staff_metadata(request, word.operator_id)
        moderation.remove_filter_word(operator=word.operator_id, word=word.word, metadata=metadata)
        return f"{word.word} is no longer masked."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        compared = ("Compared as", html.code(obj.normalized))
        log = ("Log", html.event_log(f"chat-filter-{obj.operator_id or 'everyone'}", "all changes"))
        return [self.facts(obj, "word", compared, "list_of", "added", log)]


def _require_own(request: HttpRequest, word: FilterWord) -> None:
    if not _may_edit(request, word):
        raise FilterWordNotYours


def _context(request: HttpRequest, row: Any, data: dict[str, Any]) -> ModerationContext:
    metadata = staff_metadata(request, row.operator_id)
    return ModerationContext(row.operator_id, row.player_id, data["note"], metadata)
