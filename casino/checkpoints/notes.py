"""Checkpoints as C2SP signed notes: what a trusted key signed, and what a quorum of witnesses has cosigned.

A checkpoint counts as cosigned with WITNESS_QUORUM cosignatures of settings.WITNESSES.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings

from casino.checkpoints import records
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.records import SignedCheckpoint
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead, UntrustedNote
from casino.events.sql import fetch
from casino.kernel.merkle import EMPTY
from casino.witness.addresses import parse_addresses

_UNPROTECTED: Final = """
SELECT min(event.recorded_at), clock_timestamp() FROM (
    (SELECT event_id FROM events_seal WHERE position > %s ORDER BY position LIMIT 1)
    UNION ALL (SELECT event_id FROM events_unsealed ORDER BY event_id LIMIT 1)
) AS waiting JOIN events_event AS event ON event.id = waiting.event_id
"""


@dataclass(frozen=True, slots=True)
class ProtectionWindow:
    """How far back the oldest fact is that no quorum has cosigned yet; 0 seconds when all are."""

    witnesses: int
    quorum: int
    cosigned_size: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"cosigned by {self.quorum} of {self.witnesses} witnesses up to position {self.cosigned_size}; "
            f"the oldest fact above has waited {self.seconds:.1f} s"
        )


def log_keys() -> list[NoteKey]:
    """Return the trusted keys of this log's checkpoints."""
    return [NoteKey(settings.LOG_ORIGIN, SignatureType.NOTE, key) for key in checkpoint_keyring().public.values()]


def read(note: str) -> tuple[TreeHead, str]:
    """Return what a signed note of this log says, and the id of the trusted key that signed it.

    Raises MalformedNote, UntrustedNote.
    """
    signed = SignedNote.parse(note)
    head = TreeHead.parse(signed.text)
    if head.origin != settings.LOG_ORIGIN:
        raise UntrustedNote(f"It is a checkpoint of {head.origin}.")
    ((key, _), *_) = signed.verified_by(log_keys())
    return head, next(name for name, public in checkpoint_keyring().public.items() if public == key.public)


def signer(checkpoint: SignedCheckpoint) -> str:
    """Return the id of the trusted key that signed a stored checkpoint. Raises MalformedNote, UntrustedNote."""
    head, key = read(checkpoint.note)
    if (head.size, head.root) != (checkpoint.size, checkpoint.root):
        raise UntrustedNote(f"It says size {head.size}, root {head.root.hex()}.")
    return key


def quorum() -> int:
    """Return how many witnesses must cosign."""
    count = len(parse_addresses(settings.WITNESSES))
    return settings.WITNESS_QUORUM or count // 2 + 1


def latest_cosigned() -> TreeHead:
    """Return the newest head that a quorum of the configured witnesses has cosigned; the empty tree's without any."""
    newest = records.newest_cosigned(_witnesses(), quorum=quorum())
    return TreeHead(settings.LOG_ORIGIN, *((0, EMPTY) if newest is None else (newest.size, newest.root)))


def oldest_cosigned(size: int) -> SignedCheckpoint | None:
    """Return the oldest checkpoint of at least that size that a quorum of the configured witnesses has cosigned."""
    return records.oldest_cosigned(size, _witnesses(), quorum=quorum())


def _witnesses() -> list[str]:
    return [each.name for each in parse_addresses(settings.WITNESSES)]


def protection_window() -> ProtectionWindow:
    """Return how long the oldest fact has been waiting for its cosignature."""
    size = latest_cosigned().size
    oldest, now = _oldest_unprotected(size)
    seconds = 0.0 if oldest is None else (now - oldest).total_seconds()
    return ProtectionWindow(len(parse_addresses(settings.WITNESSES)), quorum(), size, max(seconds, 0.0))


def _oldest_unprotected(size: int) -> tuple[datetime | None, datetime]:
    oldest, now = fetch(_UNPROTECTED, [size])[0]
    return oldest, now
