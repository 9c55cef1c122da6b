"""The filter's words as staff see them."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.chat import word_lists
from baccarat.chat.masking import normalize_word
from baccarat.chat.models import FilterWord
from baccarat.chat.refusals import FilterWordNotYours
from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.pages.chat_forms import LIST, remembered
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Deed, Facts, Field, Form, Grid, Section
from casino.operators.models import Operator


@admin.register(FilterWord)
class WordAdmin(ReadOnlyAdmin):
    """The filter's words, of each operator and of all. New ones come by a word's page, HTTP or command."""

    list_display = ("word", "normalized", "whose", "when")
    list_filter = (operator_filter(),)
    ordering = ("normalized", "id")
    search_help_text = "a word"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Let the words of all be seen by everyone."""
        return Q(operator_id__in=operators) | Q(operator_id__isnull=True)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the operator's slug, in the same query."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        rows: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug))
        return rows

    def found_by(self, term: str) -> Q | None:
        """Look for a word, whatever it is dressed as."""
        return Q(normalized=normalize_word(term))

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `add` and `drop`."""
        return [
            self.perform_path("list", LIST, self.enlist),
            self.perform_path("drop", LIST, self.drop),
            *super().get_urls(),
        ]

    def enlist(self, request: HttpRequest, word: FilterWord) -> str:
        """Put another word on the list of this one. Raises the refusals of `listing.add`."""
        _require_own(request, word)
        added = word_lists.add(
            operator=word.operator_id,
            word=request.POST.get("word", "").strip(),
            metadata=remembered(request, word.operator_id),
        )
        return f"{added.word} is masked from now on."

    def drop(self, request: HttpRequest, word: FilterWord) -> str:
        """Take the word off its list. Raises the refusals of `listing.remove`."""
        _require_own(request, word)
        word_lists.remove(operator=word.operator_id, word=word.word, metadata=remembered(request, word.operator_id))
        return f"{word.word} is masked no longer."

    @admin.display(description="holds for")
    def whose(self, word: Any) -> SafeString | str:
        """Whose chats it is masked in."""
        return "all operators" if word.operator_id is None else html.page("operator", word.operator_id, word.slug)

    @admin.display(description="added (UTC)")
    def when(self, word: FilterWord) -> SafeString | str:
        """When it was added."""
        return html.moment(word.added_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a word, with what can be done for those who may."""
        facts = (
            ("Word", obj.word),
            ("Compared as", html.code(obj.normalized)),
            ("Holds for", self.whose(obj)),
            ("Added (UTC)", self.when(obj)),
            ("Log", html.listing("events_event", "all changes", q=f"words-{obj.operator_id or 'everyone'}")),
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


def _require_own(request: HttpRequest, word: FilterWord) -> None:
    """The words of all are changed by those who work for all."""
    if word.operator_id is None and scope.operators(request) is not None:
        raise FilterWordNotYours
