"""The exclusions of a player, with what staff said about them: kept beside the events, sealed
under the player's own key, so that it can be erased.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch
from casino.operators.queries import require_player
from wallet.responsible_gaming.events import responsible_gaming_stream
from wallet.responsible_gaming.exclusion_history import ExclusionRecord, exclusion_history
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.refusals import ExclusionNoteInvalid

MAX_NOTE_LENGTH: Final = 500
MAX_EXCLUSIONS: Final = 100

_SAY: Final = """
    INSERT INTO wallet_exclusion_note (player_id, since, operator_id, author, note) VALUES (%s, %s, %s, %s, %s)
"""
_SAID: Final = "SELECT since, note FROM wallet_exclusion_note WHERE player_id = %s AND operator_id = %s"
_EVENTS: Final = """
    SELECT type, schema, data::text, clock_timestamp() FROM events_event
     WHERE stream = %s AND type IN ('CoolingOffStarted', 'SelfExcluded', 'SelfExclusionEnded')
     ORDER BY version DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class AnnotatedExclusion:
    """An exclusion that holds or has ended, and why staff set it, in words that may be empty."""

    record: ExclusionRecord
    note: str


def save_note(*, operator: UUID, player: UUID, since: datetime, by: str, note: str) -> None:
    """Keep why somebody excluded a player, beside the exclusion's event of that time."""
    execute(_SAY, [player, since, operator, by, crypto_shredding.encrypt_text(player, note)])


def require_note(note: str) -> str:
    """Strip what staff say about an exclusion. Raises ExclusionNoteInvalid for nothing, or too much."""
    words = note.strip()
    if not words or len(words) > MAX_NOTE_LENGTH or "\0" in words:
        raise ExclusionNoteInvalid
    return words


def list_exclusions(*, operator: UUID, player: UUID) -> list[AnnotatedExclusion]:
    """List a player's latest exclusions, newest first, a hundred at most. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    rows = fetch(_EVENTS, [responsible_gaming_stream(player), MAX_EXCLUSIONS])
    if not rows:
        return []
    events: list[Any] = [
        RESPONSIBLE_GAMING_EVENTS.registry.decode(kind, schema, data) for kind, schema, data, _ in reversed(rows)
    ]
    said = fetch(_SAID, [player, operator])
    opened = crypto_shredding.decrypt_many([note for _, note in said])
    notes = {since: note or "" for (since, _), note in zip(said, opened, strict=True)}
    return [
        AnnotatedExclusion(each, notes.get(each.exclusion.since, ""))
        for each in exclusion_history(events, now=rows[0][3])
    ]
