"""What people say about significant events: each remark is a row for good, with who and when.

Words about an event of a player are sealed under the player's key: when that is destroyed, nobody reads them again.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.significant.refusals import AlreadyAcknowledged, NoteIsEmpty

MAX_NOTE_LENGTH: Final = 4000
"""Characters of a note."""
MAX_BATCH: Final = 500
"""Events that are acknowledged by one call."""

# Who deletes the waiting row is the one who acknowledges: of two at once, one finds none.
_ACKNOWLEDGE: Final = """
WITH said AS (
    SELECT * FROM unnest(%s::uuid[], %s::text[]) AS given (event_id, text)
), taken AS (
    DELETE FROM significant_unacknowledged WHERE event_id IN (SELECT event_id FROM said) RETURNING event_id
)
INSERT INTO significant_note (event_id, acknowledges, text, by)
SELECT event_id, true, text, %s FROM taken JOIN said USING (event_id) RETURNING event_id
"""
_ABOUT: Final = r"""
SELECT id, coalesce(
    substring(subject FROM '^player:([0-9a-f-]{36})$'), substring(actor FROM '^player:([0-9a-f-]{36})$'),
    substring(after->>'player' FROM '^[0-9a-f-]{36}$')
) FROM significant_significantevent WHERE id = ANY (%s::uuid[])
"""
_NOTE: Final = """
INSERT INTO significant_note (event_id, acknowledges, text, by) VALUES (%s, false, %s, %s) RETURNING event_id
"""


def acknowledge(event: UUID, *, by: str, note: str = "") -> None:
    """Acknowledge a significant event. Raises AlreadyAcknowledged when it waits for nobody."""
    if not acknowledge_many([event], by=by, note=note):
        raise AlreadyAcknowledged


def acknowledge_many(events: Sequence[UUID], *, by: str, note: str = "") -> int:
    """Acknowledge those of the events that still wait, in one statement, and return how many they were."""
    wanted = list(dict.fromkeys(events))
    return len(fetch(_ACKNOWLEDGE, [wanted, _kept(wanted, note.strip()[:MAX_NOTE_LENGTH]), by]))


def add_note(event: UUID, *, by: str, note: str) -> None:
    """Add a note to a significant event. Raises NoteIsEmpty."""
    words = note.strip()[:MAX_NOTE_LENGTH]
    if not words:
        raise NoteIsEmpty
    fetch(_NOTE, [event, *_kept([event], words), by])


def _kept(events: Sequence[UUID], note: str) -> list[str]:
    """What is stored of a note about each event: sealed under the key of the player whom the event is about, if any."""
    if not note:
        return [note] * len(events)
    players: dict[UUID, str | None] = dict(fetch(_ABOUT, [list(events)]))
    sealed = {
        player: crypto_shredding.encrypt_text(UUID(player), note)
        for player in set(players.values())
        if player is not None
    }
    return [sealed.get(players.get(event) or "", note) for event in events]
