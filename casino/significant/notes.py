"""Acknowledgements of significant events, notes on them, and who they are handed over to.

A note on an event of a player is encrypted under the player's key, so destroying the key erases the note.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.significant.models import Note, SignificantEvent
from casino.significant.refusals import AlreadyAcknowledged, NoteIsEmpty, OwnSignificantEvent

MAX_NOTE_LENGTH: Final = 4000
"""Characters of a note."""
QUEUE_DIFFERS: Final = "unacknowledged events differ"
MAX_BATCH: Final = 500
"""The most events that one call acknowledges."""

# Deleting the unacknowledged row decides between two people at once: the second finds none.
_ACKNOWLEDGE: Final = """
WITH new AS (
    SELECT * FROM unnest(%s::uuid[], %s::text[]) AS note (event_id, text)
), deleted AS (
    DELETE FROM significant_unacknowledged AS waiting USING significant_significantevent AS event
     WHERE event.id = waiting.event_id AND event.id IN (SELECT event_id FROM new)
       AND %s NOT IN (event.actor, event.authorised_by) RETURNING waiting.event_id
)
INSERT INTO significant_note (event_id, acknowledges, text, by)
SELECT event_id, true, text, %s FROM deleted JOIN new USING (event_id) RETURNING event_id
"""
_PLAYERS: Final = r"""
SELECT id, coalesce(
    substring(subject FROM '^player:([0-9a-f-]{36})$'), substring(actor FROM '^player:([0-9a-f-]{36})$'),
    substring(after->>'player' FROM '^[0-9a-f-]{36}$')
) FROM significant_significantevent WHERE id = ANY (%s::uuid[])
"""
_QUEUE: Final = """
WITH due AS (
    SELECT id, operator_id FROM significant_significantevent AS event
     WHERE severity <> 'info'
       AND NOT EXISTS (SELECT FROM significant_note WHERE event_id = event.id AND acknowledges)
)
SELECT coalesce(due.id, event_id), coalesce(due.operator_id::text, 'none'), coalesce(waiting.operator_id::text, 'none'),
       due.id IS NULL, event_id IS NULL
  FROM due FULL JOIN significant_unacknowledged AS waiting ON event_id = due.id
 WHERE due.id IS NULL OR event_id IS NULL OR due.operator_id IS DISTINCT FROM waiting.operator_id ORDER BY 1 LIMIT 1000
"""
_OWN: Final = """
SELECT event.id, note.by
  FROM significant_note AS note JOIN significant_significantevent AS event ON event.id = note.event_id
 WHERE note.acknowledges AND note.by IN (event.actor, event.authorised_by) ORDER BY 1 LIMIT 1000
"""
_NOTE: Final = """
INSERT INTO significant_note (event_id, acknowledges, text, by) VALUES (%s, false, %s, %s) RETURNING event_id
"""
_ASSIGN: Final = """
INSERT INTO significant_note (event_id, acknowledges, owner, text, by)
SELECT event_id, false, %s, '', %s FROM significant_unacknowledged WHERE event_id = %s RETURNING event_id
"""


def acknowledge(event: UUID, *, by: str, note: str = "") -> None:
    """Acknowledge a significant event. Raises OwnSignificantEvent, and AlreadyAcknowledged if it does not wait."""
    if acknowledge_many([event], by=by, note=note):
        return
    own = SignificantEvent.objects.filter(Q(actor=by) | Q(authorised_by=by), pk=event)
    raise OwnSignificantEvent if own.exists() else AlreadyAcknowledged


def acknowledge_many(events: Sequence[UUID], *, by: str, note: str = "") -> int:
    """Acknowledge the events that still wait, in one statement, and return their number.

    Leaves out those that `by` did or authorised.
    """
    unique = list(dict.fromkeys(events))
    return len(fetch(_ACKNOWLEDGE, [unique, _encrypt(unique, note.strip()[:MAX_NOTE_LENGTH]), by, by]))


def assign(event: UUID, *, owner: str, by: str) -> None:
    """Hand an event over to who is to acknowledge it; others still may.

    Raises AlreadyAcknowledged, and OwnSignificantEvent where the new owner did or authorised it.
    """
    if SignificantEvent.objects.filter(Q(actor=owner) | Q(authorised_by=owner), pk=event).exists():
        raise OwnSignificantEvent
    if not fetch(_ASSIGN, [owner, by, event]):
        raise AlreadyAcknowledged


def owner() -> Subquery:
    """Return the expression for who an event was handed over to last; null for nobody."""
    given = Note.objects.filter(event_id=OuterRef("pk")).exclude(owner="").order_by("-pk")
    return Subquery(given.values("owner")[:1])


def add_note(event: UUID, *, by: str, note: str) -> None:
    """Add a note to a significant event. Raises NoteIsEmpty."""
    text = note.strip()[:MAX_NOTE_LENGTH]
    if not text:
        raise NoteIsEmpty
    fetch(_NOTE, [event, *_encrypt([event], text), by])


def check_queue() -> list[Finding]:
    """Return where the events that wait for an acknowledgement are not those that have none."""
    return [
        Finding(
            QUEUE_DIFFERS,
            f"significant event {event}",
            "no row" if not_due else f"a row of operator {operator}",
            "no row" if missing else f"a row of operator {stored}",
        )
        for event, operator, stored, not_due, missing in fetch(_QUEUE)
    ]


def check_own() -> list[Finding]:
    """Return the events that were acknowledged by who did or authorised them."""
    return [
        Finding("acknowledged by who did it", f"significant event {event}", "another person", by)
        for event, by in fetch(_OWN)
    ]


def _encrypt(events: Sequence[UUID], note: str) -> list[str]:
    """Return the stored form of a note for each event: encrypted under the key of the event's player, if any."""
    if not note:
        return [note] * len(events)
    players: dict[UUID, str | None] = dict(fetch(_PLAYERS, [list(events)]))
    encrypted = {
        player: crypto_shredding.encrypt_text(UUID(player), note)
        for player in set(players.values())
        if player is not None
    }
    return [encrypted.get(players.get(event) or "", note) for event in events]
