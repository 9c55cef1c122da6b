"""The exclusions of a player with staff's notes, which are encrypted under the player's key and not in events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch
from casino.kernel.text import require
from casino.operators.services import require_player
from wallet.responsible_gaming.events import responsible_gaming_stream
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.refusals import ExclusionNoteInvalid
from wallet.responsible_gaming.state import ExclusionRecord, exclusion_history

MAX_NOTE_LENGTH: Final = 500
MAX_EXCLUSIONS: Final = 100

_SAVE: Final = """
    INSERT INTO wallet_exclusion_note (player_id, since, operator_id, author, note) VALUES (%s, %s, %s, %s, %s)
"""
_NOTES: Final = "SELECT since, note FROM wallet_exclusion_note WHERE player_id = %s AND operator_id = %s"
_EVENTS: Final = """
    SELECT type, schema, data::text, clock_timestamp() FROM events_event
     WHERE stream = %s AND type IN ('CoolingOffStarted', 'SelfExcluded', 'SelfExclusionEnded')
     ORDER BY version DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class AnnotatedExclusion:
    """An active or past exclusion with the note of the staff who set it, which may be empty."""

    record: ExclusionRecord
    note: str


def save_note(*, operator: UUID, player: UUID, since: datetime, by: str, note: str) -> None:
    """Save the note about the exclusion that began at `since`."""
    execute(_SAVE, [player, since, operator, by, crypto_shredding.encrypt_text(player, note)])


def require_note(note: str) -> str:
    """Return a note as it is stored. Raises ExclusionNoteInvalid."""
    return require(note, limit=MAX_NOTE_LENGTH, refusal=ExclusionNoteInvalid)


def list_exclusions(*, operator: UUID, player: UUID) -> list[AnnotatedExclusion]:
    """List a player's latest exclusions, newest first, a hundred at most. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    rows = fetch(_EVENTS, [responsible_gaming_stream(player), MAX_EXCLUSIONS])
    if not rows:
        return []
    decode = RESPONSIBLE_GAMING_EVENTS.registry.decode
    events: list[Any] = [decode(kind, schema, data) for kind, schema, data, _ in reversed(rows)]
    stored = fetch(_NOTES, [player, operator])
    decrypted = crypto_shredding.decrypt_many([note for _, note in stored])
    notes = {since: note or "" for (since, _), note in zip(stored, decrypted, strict=True)}
    return [
        AnnotatedExclusion(record, notes.get(record.exclusion.since, ""))
        for record in exclusion_history(events, now=rows[0][3])
    ]
