"""Make checkpoints: one signer at a time, one checkpoint for a number, each in the database first and then outside.

A signer that dies between the two leaves a row whose copy the next look makes. Nothing is signed while a copy is
missing, while the place outside does not answer, or when it knows the number already: a database that was set back must
not sign a second history.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.checkpoints import key_rotation, records, storage, tree
from casino.checkpoints.document import CheckpointDocument, fingerprint, serialize, signed_bytes
from casino.checkpoints.exceptions import HistoryDiffers, NumberTaken
from casino.checkpoints.keyring import CheckpointKeyring, checkpoint_keyring
from casino.events.sql import fetch
from casino.events.verification import Head, current_head

LOCK: Final = 0xC4EC
"""The advisory lock of the signer, in this database."""
MAX_POSITIONS: Final = 2**17
"""Positions in one checkpoint at most, so that a long log without any is caught up with in bounded transactions."""
DAILY: Final = timedelta(hours=24)
_COPIES: Final = 100

_TRY: Final = "SELECT pg_try_advisory_xact_lock(%s)"
_WAIT: Final = "SELECT pg_advisory_xact_lock(%s) IS NOT NULL"


@dataclass(frozen=True, slots=True)
class SigningContext:
    """What a signer looks at: the last checkpoint, the head of the log, and the database's clock."""

    last: CheckpointDocument | None
    head: Head
    now: datetime

    @property
    def covered(self) -> int:
        """The positions that the last checkpoint holds."""
        return 0 if self.last is None else self.last.position


def latest() -> CheckpointDocument | None:
    return records.latest()


def sign_now() -> CheckpointDocument | None:
    """Make checkpoints until one holds everything that is sealed, copy them outside, and return the last.

    None while nothing is sealed. Call it outside of any transaction.
    Raises CannotSign, StorageUnavailable, IncompleteTree.
    """
    copy_to_storage()
    while _sign(_anything_new, lock=_WAIT):
        copy_to_storage()
    return records.latest()


def sign_if_due() -> int:
    """Do the same if CHECKPOINT_SECONDS or CHECKPOINT_POSITIONS are over, or a day; returns how many it made.

    0 also while another process is signing. Raises as `sign_now`.
    """
    made = 0
    copy_to_storage()
    while _sign(_is_due, lock=_TRY):
        copy_to_storage()
        made += 1
    return made


def copy_to_storage() -> None:
    """Copy outside what is not noted to stand there; repeating it does nothing. Raises NumberTaken, Away."""
    place = storage.configured_storage()
    if place is None:
        return
    for checkpoint in records.list_uncopied(limit=_COPIES):
        _copy(checkpoint, place)
        records.record_copy(checkpoint.number, storage=str(place))


def _copy(checkpoint: CheckpointDocument, place: storage.CheckpointStorage) -> None:
    name, text = storage.object_name(checkpoint.number), serialize(checkpoint)
    found = place.read(name)  # first, as not every store heeds the condition of a PUT
    if found is None:
        try:
            place.write(name, text)
        except storage.AlreadyExists:
            found = place.read(name)
    if found not in {None, text}:
        raise NumberTaken(f"{place} keeps another checkpoint {checkpoint.number} than this database.")


def _sign(is_wanted: Callable[[SigningContext], bool], *, lock: str) -> bool:
    """Make the next checkpoint if it is wanted, in a transaction of its own."""
    with transaction.atomic(durable=True):
        if not fetch(lock, [LOCK])[0][0]:
            return False
        standing = SigningContext(records.latest(), current_head(), fetch("SELECT clock_timestamp()")[0][0])
        if not standing.head.position or not is_wanted(standing):
            return False
        _judge(standing)
        own = checkpoint_keyring()
        key_rotation.register(own, now=standing.now)
        records.add(_made(standing, own))
        return True


def _made(standing: SigningContext, own: CheckpointKeyring) -> CheckpointDocument:
    last, position = standing.last, min(standing.head.position, standing.covered + MAX_POSITIONS)
    tree.grow(standing.covered, position)
    made = CheckpointDocument(
        log=records.log_id(),
        number=1 if last is None else last.number + 1,
        position=position,
        head=_digest_at(position),
        root=tree.root_of(position),
        previous=b"" if last is None else fingerprint(last),
        made_at=standing.now if last is None else max(standing.now, last.made_at),
        key=own.active,
    )
    return replace(made, signature=own.sign(signed_bytes(made)))


def _judge(standing: SigningContext) -> None:
    """What was signed last must still be there, and nothing may have been signed since. Raises CannotSign, Away."""
    last, place = standing.last, storage.configured_storage()
    if last is not None and (_digest_at(last.position), tree.root_of(last.position)) != (last.head, last.root):
        raise HistoryDiffers(f"The log up to position {last.position} is not what checkpoint {last.number} signed.")
    number = 1 if last is None else last.number + 1
    if place is not None and place.read(storage.object_name(number)) is not None:
        raise NumberTaken(f"{place} keeps a checkpoint {number}, which this database does not know.")


def _digest_at(position: int) -> bytes:
    rows = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    return bytes(rows[0][0]) if rows else b""


def _anything_new(standing: SigningContext) -> bool:
    return standing.head.position > standing.covered


def _is_due(standing: SigningContext) -> bool:
    if standing.last is None:
        return True
    new, age = standing.head.position - standing.covered, standing.now - standing.last.made_at
    over = age >= timedelta(seconds=settings.CHECKPOINT_SECONDS)
    return new >= settings.CHECKPOINT_POSITIONS or (new > 0 and over) or age >= DAILY
