"""Use cases of filter words, in a list for each operator and one for all: every change is an event."""

import unicodedata
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import projection
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import FilterEvent, FilterWordAdded, FilterWordRemoved, chat_filter_stream
from baccarat.chat.masking import is_listable_word, normalize_word
from baccarat.chat.models import FilterWord
from baccarat.chat.refusals import FilterWordExists, InvalidFilterWord, UnknownFilterWord
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append

STARTER_WORDS: Final = (
    "arschloch", "arsehole", "asshole", "bastard", "bitch", "bullshit", "cunt", "fick", "ficken", "fuck", "fucked",
    "fucker", "fucking", "hure", "hurensohn", "motherfucker", "scheisse", "schlampe", "shit", "slut", "twat", "wanker",
    "whore", "wichser",
)  # fmt: skip
"""A short English and German list to begin with; each operator edits its own."""
_VERSION: Final = "SELECT coalesce(max(version), 0), clock_timestamp() FROM events_event WHERE stream = %s"


def add(*, operator: UUID | None, word: str, metadata: Metadata) -> FilterWordAdded:
    """Mask a word and its look-alikes from now on, in an operator's chats or, with None, in all.

    Raises InvalidFilterWord, FilterWordExists, and VersionConflict where another change of the list came first.
    """
    word = unicodedata.normalize("NFC", word)
    if not is_listable_word(word):
        raise InvalidFilterWord
    normalized = normalize_word(word)
    with transaction.atomic():
        version, now = fetch(_VERSION, [chat_filter_stream(operator)])[0]
        if _is_listed(operator, normalized):
            raise FilterWordExists
        event = FilterWordAdded(operator, word, normalized, now)
        _append(event, version, metadata)
        projection.add_word(event)
    return event


def add_starter_words(*, operator: UUID | None, metadata: Metadata) -> int:
    """Add the starter words to a list, and return how many were not on it."""
    listed = set(FilterWord.objects.filter(operator_id=operator).values_list("normalized", flat=True))
    missing = [word for word in STARTER_WORDS if normalize_word(word) not in listed]
    for word in missing:
        add(operator=operator, word=word, metadata=metadata)
    return len(missing)


def remove(*, operator: UUID | None, word: str, metadata: Metadata) -> None:
    """Take a word off the list. Raises UnknownFilterWord, and VersionConflict as adding does."""
    normalized = normalize_word(unicodedata.normalize("NFC", word))
    with transaction.atomic():
        version, now = fetch(_VERSION, [chat_filter_stream(operator)])[0]
        if not _is_listed(operator, normalized):
            raise UnknownFilterWord
        _append(FilterWordRemoved(operator, normalized, now), version, metadata)
        projection.remove_word(operator, normalized)


def _is_listed(operator: UUID | None, normalized: str) -> bool:
    return FilterWord.objects.filter(id=projection.filter_word_id(operator, normalized)).exists()


def _append(event: FilterEvent, version: int, metadata: Metadata) -> None:
    append([Append(chat_filter_stream(event.operator), version, (CATALOGUE.encode(event),), metadata)])
