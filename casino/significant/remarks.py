"""What people say about significant events: each remark is a row for good, with who and when."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from casino.events.rows import fetch
from casino.significant.refusals import AlreadyAcknowledged, NoteIsEmpty

LONGEST: Final = 4000
"""Characters of a note."""
MOST: Final = 500
"""Events that are acknowledged by one call."""

# Who deletes the waiting row is the one who acknowledges: of two at once, one finds none.
_ACKNOWLEDGE: Final = """
WITH taken AS (
    DELETE FROM significant_unacknowledged WHERE event_id = ANY (%s::uuid[]) RETURNING event_id
)
INSERT INTO significant_remark (event_id, acknowledges, note, by)
SELECT event_id, true, %s, %s FROM taken RETURNING event_id
"""
_NOTE: Final = """
INSERT INTO significant_remark (event_id, acknowledges, note, by) VALUES (%s, false, %s, %s) RETURNING event_id
"""


def acknowledge(event: UUID, *, by: str, note: str = "") -> None:
    """This will acknowledge a significant event. Raises AlreadyAcknowledged when it waits for nobody."""
    if not acknowledge_many([event], by=by, note=note):
        raise AlreadyAcknowledged


def acknowledge_many(events: Sequence[UUID], *, by: str, note: str = "") -> int:
    """This will acknowledge those of the events that still wait, in one statement, and return how many they were."""
    return len(fetch(_ACKNOWLEDGE, [list(events), note.strip()[:LONGEST], by]))


def add_note(event: UUID, *, by: str, note: str) -> None:
    """This will add a note to a significant event. Raises NoteIsEmpty."""
    words = note.strip()[:LONGEST]
    if not words:
        raise NoteIsEmpty
    fetch(_NOTE, [event, words, by])
