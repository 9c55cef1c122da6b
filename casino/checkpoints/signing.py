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
from casino.checkpoints.document import Checkpoint, fingerprint, signed_bytes, text_of
from casino.checkpoints.exceptions import HistoryDiffers, NumberTaken
from casino.checkpoints.keyring import Ring, ring
from casino.events.sql import fetch
from casino.events.verification import Head, head_mark

LOCK: Final = 0xC4EC
"""The advisory lock of the signer, in this database."""
STEP: Final = 2**17
"""Positions in one checkpoint at most, so that a long log without any is caught up with in bounded transactions."""
DAILY: Final = timedelta(hours=24)
_COPIES: Final = 100

_TRY: Final = "SELECT pg_try_advisory_xact_lock(%s)"
_WAIT: Final = "SELECT pg_advisory_xact_lock(%s) IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a signer looks at: the last checkpoint, the head of the log, and the database's clock."""

    last: Checkpoint | None
    head: Head
    now: datetime

    @property
    def covered(self) -> int:
        """The positions that the last checkpoint holds."""
        return 0 if self.last is None else self.last.position


def latest() -> Checkpoint | None:
    return records.latest()


def sign_now() -> Checkpoint | None:
    """Make checkpoints until one holds everything that is sealed, copy them outside, and return the last.

    None while nothing is sealed. Call it outside of any transaction. Raises CannotSign, places.Away, tree.NotWhole.
    """
    copy_outside()
    while _sign(_anything_new, lock=_WAIT):
        copy_outside()
    return records.latest()


def sign_if_due() -> int:
    """Do the same if CHECKPOINT_SECONDS or CHECKPOINT_POSITIONS are over, or a day; returns how many it made.

    0 also while another process is signing. Raises as `sign_now`.
    """
    made = 0
    copy_outside()
    while _sign(_is_due, lock=_TRY):
        copy_outside()
        made += 1
    return made


def copy_outside() -> None:
    """Copy outside what is not noted to stand there; repeating it does nothing. Raises NumberTaken, Away."""
    place = storage.configured()
    if place is None:
        return
    for checkpoint in records.uncopied(limit=_COPIES):
        _copy(checkpoint, place)
        records.note_copy(checkpoint.number, place=str(place))


def _copy(checkpoint: Checkpoint, place: storage.Place) -> None:
    name, text = storage.name_of(checkpoint.number), text_of(checkpoint)
    found = place.read(name)  # first, as not every store heeds the condition of a PUT
    if found is None:
        try:
            place.write(name, text)
        except storage.Taken:
            found = place.read(name)
    if found not in {None, text}:
        raise NumberTaken(f"{place} keeps another checkpoint {checkpoint.number} than this database.")


def _sign(is_wanted: Callable[[Standing], bool], *, lock: str) -> bool:
    """Make the next checkpoint if it is wanted, in a transaction of its own."""
    with transaction.atomic(durable=True):
        if not fetch(lock, [LOCK])[0][0]:
            return False
        standing = Standing(records.latest(), head_mark(), fetch("SELECT clock_timestamp()")[0][0])
        if not standing.head.position or not is_wanted(standing):
            return False
        _judge(standing)
        own = ring()
        key_rotation.register(own, now=standing.now)
        records.add(_made(standing, own))
        return True


def _made(standing: Standing, own: Ring) -> Checkpoint:
    last, position = standing.last, min(standing.head.position, standing.covered + STEP)
    tree.grow(standing.covered, position)
    made = Checkpoint(
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


def _judge(standing: Standing) -> None:
    """What was signed last must still be there, and nothing may have been signed since. Raises CannotSign, Away."""
    last, place = standing.last, storage.configured()
    if last is not None and (_digest_at(last.position), tree.root_of(last.position)) != (last.head, last.root):
        raise HistoryDiffers(f"The log up to position {last.position} is not what checkpoint {last.number} signed.")
    number = 1 if last is None else last.number + 1
    if place is not None and place.read(storage.name_of(number)) is not None:
        raise NumberTaken(f"{place} keeps a checkpoint {number}, which this database does not know.")


def _digest_at(position: int) -> bytes:
    rows = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    return bytes(rows[0][0]) if rows else b""


def _anything_new(standing: Standing) -> bool:
    return standing.head.position > standing.covered


def _is_due(standing: Standing) -> bool:
    if standing.last is None:
        return True
    new, age = standing.head.position - standing.covered, standing.now - standing.last.made_at
    over = age >= timedelta(seconds=settings.CHECKPOINT_SECONDS)
    return new >= settings.CHECKPOINT_POSITIONS or (new > 0 and over) or age >= DAILY
