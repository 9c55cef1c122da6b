"""Use cases of the lists of bad words, one for each operator and one for all: every change is an event."""

import unicodedata
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import default_words, projection
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import FilterEvent, FilterWordAdded, FilterWordRemoved, words_stream
from baccarat.chat.masking import fold, is_word
from baccarat.chat.refusals import InvalidWord, UnknownWord, WordIsListed
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append

_VERSION: Final = "SELECT coalesce(max(version), 0), clock_timestamp() FROM events_event WHERE stream = %s"
_FOLDED: Final = "SELECT folded FROM chat_word WHERE operator_id IS NOT DISTINCT FROM %s"
_KNOWN: Final = "SELECT FROM chat_word WHERE id = %s"


def add(*, operator: UUID | None, word: str, metadata: Metadata) -> FilterWordAdded:
    """Mask a word and its look-alikes from now on, in an operator's chats or, with None, in all.

    Raises InvalidWord, WordIsListed, and VersionConflict where another change of the list came first.
    """
    given = unicodedata.normalize("NFC", word)
    if not is_word(given):
        raise InvalidWord
    folded = fold(given)
    with transaction.atomic():
        version, now = fetch(_VERSION, [words_stream(operator)])[0]
        if fetch(_KNOWN, [projection.word_id(operator, folded)]):
            raise WordIsListed
        event = FilterWordAdded(operator, given, folded, now)
        _append(event, version, metadata)
        projection.add_word(event)
    return event


def begin(*, operator: UUID | None, metadata: Metadata) -> int:
    """Put the first words on a list, and return how many of them were not on it."""
    there = {folded for (folded,) in fetch(_FOLDED, [operator])}
    missing = [word for word in default_words.WORDS if fold(word) not in there]
    for word in missing:
        add(operator=operator, word=word, metadata=metadata)
    return len(missing)


def remove(*, operator: UUID | None, word: str, metadata: Metadata) -> None:
    """Take a word off the list. Raises UnknownWord, and VersionConflict as adding does."""
    folded = fold(unicodedata.normalize("NFC", word))
    with transaction.atomic():
        version, now = fetch(_VERSION, [words_stream(operator)])[0]
        if not fetch(_KNOWN, [projection.word_id(operator, folded)]):
            raise UnknownWord
        _append(FilterWordRemoved(operator, folded, now), version, metadata)
        projection.drop_word(operator, folded)


def _append(event: FilterEvent, version: int, metadata: Metadata) -> None:
    append([Append(words_stream(event.operator), version, (CATALOGUE.encode(event),), metadata)])
