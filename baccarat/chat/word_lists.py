"""Use cases of the lists of bad words, one for each operator and one for all: every change is an event."""

import unicodedata
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import default_words, projection
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import FilterEvent, FilterWordAdded, FilterWordRemoved, chat_filter_stream
from baccarat.chat.masking import is_listable_word, normalize_word
from baccarat.chat.refusals import FilterWordExists, InvalidFilterWord, UnknownFilterWord
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append

_VERSION: Final = "SELECT coalesce(max(version), 0), clock_timestamp() FROM events_event WHERE stream = %s"
_FOLDED: Final = "SELECT normalized FROM chat_filterword WHERE operator_id IS NOT DISTINCT FROM %s"
_KNOWN: Final = "SELECT FROM chat_filterword WHERE id = %s"


def add(*, operator: UUID | None, word: str, metadata: Metadata) -> FilterWordAdded:
    """Mask a word and its look-alikes from now on, in an operator's chats or, with None, in all.

    Raises InvalidWord, WordIsListed, and VersionConflict where another change of the list came first.
    """
    given = unicodedata.normalize("NFC", word)
    if not is_listable_word(given):
        raise InvalidFilterWord
    folded = normalize_word(given)
    with transaction.atomic():
        version, now = fetch(_VERSION, [chat_filter_stream(operator)])[0]
        if fetch(_KNOWN, [projection.filter_word_id(operator, folded)]):
            raise FilterWordExists
        event = FilterWordAdded(operator, given, folded, now)
        _append(event, version, metadata)
        projection.add_word(event)
    return event


def add_starter_words(*, operator: UUID | None, metadata: Metadata) -> int:
    """Put the first words on a list, and return how many of them were not on it."""
    there = {folded for (folded,) in fetch(_FOLDED, [operator])}
    missing = [word for word in default_words.STARTER_WORDS if normalize_word(word) not in there]
    for word in missing:
        add(operator=operator, word=word, metadata=metadata)
    return len(missing)


def remove(*, operator: UUID | None, word: str, metadata: Metadata) -> None:
    """Take a word off the list. Raises UnknownWord, and VersionConflict as adding does."""
    folded = normalize_word(unicodedata.normalize("NFC", word))
    with transaction.atomic():
        version, now = fetch(_VERSION, [chat_filter_stream(operator)])[0]
        if not fetch(_KNOWN, [projection.filter_word_id(operator, folded)]):
            raise UnknownFilterWord
        _append(FilterWordRemoved(operator, folded, now), version, metadata)
        projection.remove_word(operator, folded)


def _append(event: FilterEvent, version: int, metadata: Metadata) -> None:
    append([Append(chat_filter_stream(event.operator), version, (CATALOGUE.encode(event),), metadata)])
