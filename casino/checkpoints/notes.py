"""Checkpoints as C2SP signed notes, cosigned by witnesses within seconds.

A note is signed over all sealed positions while there are new ones, and sent to every witness of settings.WITNESSES;
it counts as cosigned with WITNESS_QUORUM cosignatures. A note is committed before it is sent, and a cosignature when it
has come: whoever dies in between leaves what the next one continues.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.checkpoints import signing, tree
from casino.checkpoints.keyring import checkpoint_keyring
from casino.crypto import signed_note
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.events.sql import LEADER_LIMIT, execute, fetch
from casino.events.verification import current_head
from casino.kernel.merkle import EMPTY
from casino.witness.addresses import parse_addresses

_TRY_LOCK: Final = f"SELECT pg_try_advisory_xact_lock(%s), clock_timestamp(), {LEADER_LIMIT}"
_LATEST: Final = "SELECT note FROM checkpoints_note ORDER BY size DESC LIMIT 1"
_ADD: Final = "INSERT INTO checkpoints_note (size, root, note) VALUES (%s, %s, %s)"
_ADD_COSIGNATURE: Final = """
INSERT INTO checkpoints_cosignature (size, witness, line) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING
"""
_COSIGNED_BY: Final = "SELECT coalesce(max(size), 0) FROM checkpoints_cosignature WHERE witness = %s"
_COSIGNED: Final = """
SELECT note.note, array_agg(cosignature.line ORDER BY cosignature.witness)
FROM (
    SELECT size FROM checkpoints_cosignature WHERE witness = ANY (%s::text[]) AND size >= %s
    GROUP BY size HAVING count(*) >= %s ORDER BY size {} LIMIT 1
) AS chosen
JOIN checkpoints_note AS note USING (size)
JOIN checkpoints_cosignature AS cosignature USING (size)
GROUP BY note.size
"""
_NEWEST, _OLDEST = _COSIGNED.format("DESC"), _COSIGNED.format("ASC")
_LIST: Final = """
SELECT note.size, note.root, note.note, coalesce(array_agg(cosignature.line) FILTER (WHERE line IS NOT NULL), '{}')
FROM checkpoints_note AS note LEFT JOIN checkpoints_cosignature AS cosignature USING (size)
WHERE note.size > %s GROUP BY note.size ORDER BY note.size LIMIT %s
"""
_UNPROTECTED: Final = """
SELECT min(event.recorded_at), clock_timestamp() FROM (
    (SELECT event_id FROM events_seal WHERE position > %s ORDER BY position LIMIT 1)
    UNION ALL (SELECT event_id FROM events_unsealed ORDER BY event_id LIMIT 1)
) AS waiting JOIN events_event AS event ON event.id = waiting.event_id
"""


@dataclass(frozen=True, slots=True)
class CosignedHead:
    """The newest head that a quorum has cosigned, and the whole note; without any, size 0 and the empty tree's root."""

    head: TreeHead
    note: SignedNote | None


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


@dataclass(frozen=True, slots=True)
class StoredNote:
    """A row: a note with its cosignatures as they came."""

    size: int
    root: bytes
    note: str
    cosignatures: tuple[str, ...]


def log_keys() -> list[NoteKey]:
    """Return the trusted keys of this log's notes."""
    public = checkpoint_keyring().public
    return [NoteKey(settings.LOG_ORIGIN, SignatureType.NOTE, key) for key in public.values()]


def quorum() -> int:
    """Return how many witnesses must cosign."""
    count = len(parse_addresses(settings.WITNESSES))
    return settings.WITNESS_QUORUM or count // 2 + 1


def sign_note() -> bool:
    """Sign a note over all sealed positions if there are new ones; return whether it was signed.

    It happens in a transaction of its own, and not while another process signs. Raises CannotSign, IncompleteTree.
    """
    with transaction.atomic(durable=True):
        locked, now, _ = fetch(_TRY_LOCK, [signing.LOCK])[0]
        if not locked:
            return False
        last = latest_note()
        size = min(current_head().position, tree.covered() + signing.MAX_POSITIONS)
        if size <= (0 if last is None else last[1].size):
            return False
        if last is not None and tree.root_of(last[1].size) != last[1].root:
            raise signing.HistoryDiffers(f"The log up to position {last[1].size} is not what its note says.")
        keyring = checkpoint_keyring()
        signing.register_key(keyring, now=now)
        tree.grow_to(size)
        head = TreeHead(settings.LOG_ORIGIN, size, tree.root_of(size))
        private = keyring.private[keyring.active].private_bytes_raw()
        note = SignedNote(str(head), (signed_note.sign(str(head), name=head.origin, private=private),))
        execute(_ADD, [size, head.root, str(note)])
        return True


def latest_note() -> tuple[SignedNote, TreeHead] | None:
    """Return the newest note. Raises MalformedNote if it was tampered with."""
    rows = fetch(_LATEST)
    if not rows:
        return None
    note = SignedNote.parse(rows[0][0])
    return note, TreeHead.parse(note.text)


def cosigned_size(witness: str) -> int:
    """Return the size of the newest note that a witness has cosigned, as far as is known here."""
    return int(fetch(_COSIGNED_BY, [witness])[0][0])


def add_cosignature(size: int, witness: str, line: str) -> None:
    """Store a cosignature. Idempotent: the first one stays."""
    execute(_ADD_COSIGNATURE, [size, witness, line])


def latest_cosigned() -> CosignedHead:
    """Return the newest head that a quorum of the configured witnesses has cosigned."""
    return _cosigned(_NEWEST, 0) or CosignedHead(TreeHead(settings.LOG_ORIGIN, 0, EMPTY), None)


def oldest_cosigned(size: int) -> CosignedHead | None:
    """Return the oldest head of at least that size that a quorum of the configured witnesses has cosigned."""
    return _cosigned(_OLDEST, size)


def _cosigned(statement: str, size: int) -> CosignedHead | None:
    names = [each.name for each in parse_addresses(settings.WITNESSES)]
    rows = fetch(statement, [names, size, quorum()])
    if not rows:
        return None
    note = SignedNote.parse(rows[0][0] + "".join(rows[0][1]))
    return CosignedHead(TreeHead.parse(note.text), note)


def list_after(size: int, *, limit: int = 1000) -> Sequence[StoredNote]:
    """Return notes above a size, in order."""
    return [
        StoredNote(size, bytes(root), note, tuple(lines)) for size, root, note, lines in fetch(_LIST, [size, limit])
    ]


def protection_window() -> ProtectionWindow:
    """Return how long the oldest fact has been waiting for its cosignature."""
    size = latest_cosigned().head.size
    oldest, now = _oldest_unprotected(size)
    seconds = 0.0 if oldest is None else (now - oldest).total_seconds()
    return ProtectionWindow(len(parse_addresses(settings.WITNESSES)), quorum(), size, max(seconds, 0.0))


def _oldest_unprotected(size: int) -> tuple[datetime | None, datetime]:
    oldest, now = fetch(_UNPROTECTED, [size])[0]
    return oldest, now
