"""Sign checkpoints: one signer at a time, one checkpoint per number, stored in the database first and then copied.

If a signer dies between the two, the next run makes the copy. Nothing is signed while a copy is missing, while the
storage is unavailable, or when the storage already has the next number: a database restored from a backup must not sign
a second history. A new first key of the keyring is registered when it first signs; the keys that it replaces may sign
for a day longer, for processes that still run with the old keyring.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.checkpoints import records, storage, tree
from casino.checkpoints.document import CheckpointDocument, fingerprint, serialize, signed_bytes
from casino.checkpoints.keyring import CheckpointKeyring, checkpoint_keyring
from casino.events.sql import LEADER_LIMIT, fetch
from casino.events.verification import Head, current_head
from casino.significant import recorder

LOCK: Final = 0xC4EC
"""The signer's advisory lock, within this database."""
MAX_POSITIONS: Final = 2**17
"""The most new positions in one checkpoint, so that transactions stay bounded in a long log without checkpoints."""
DAILY: Final = timedelta(hours=24)
OVERLAP: Final = timedelta(days=1)
"""How long a replaced key may still sign."""
_COPY_BATCH: Final = 100

_TRY_LOCK: Final = f"SELECT pg_try_advisory_xact_lock(%s), {LEADER_LIMIT}"
_LOCK: Final = f"SELECT pg_advisory_xact_lock(%s) IS NOT NULL, {LEADER_LIMIT}"


class CannotSign(Exception):
    """No checkpoint was created and a person must find out why; the message says more."""


class HistoryDiffers(CannotSign):
    """The log below the last checkpoint is not the log that was signed."""


class NumberTaken(CannotSign):
    """The storage has a document of that number, and this database has another or none."""


class KeyRefused(CannotSign):
    """The active key may not sign."""


@dataclass(frozen=True, slots=True)
class SigningContext:
    """The last checkpoint, the head of the log, and the database's time."""

    last: CheckpointDocument | None
    head: Head
    now: datetime

    @property
    def covered(self) -> int:
        """The number of positions that the last checkpoint covers."""
        return 0 if self.last is None else self.last.position


def sign_now() -> CheckpointDocument | None:
    """Sign and copy checkpoints until one covers every sealed event, and return the last; None for an empty log.

    Call it outside any transaction. Raises CannotSign, StorageUnavailable, IncompleteTree.
    """
    copy_to_storage()
    while _sign(_has_new_positions, lock=_LOCK):
        copy_to_storage()
    return records.latest()


def sign_if_due() -> int:
    """Sign and copy checkpoints while one is due; return how many were signed.

    One is due after CHECKPOINT_SECONDS or CHECKPOINT_POSITIONS, when somebody has asked for one since the last, and
    daily even without new events. Returns 0 while another process is signing. Raises as `sign_now` does.
    """
    signed = 0
    copy_to_storage()
    while _sign(_is_due, lock=_TRY_LOCK):
        copy_to_storage()
        signed += 1
    return signed


def copy_to_storage() -> None:
    """Copy the checkpoints without a recorded copy. Idempotent. Raises NumberTaken, StorageUnavailable."""
    destination = storage.configured_storage()
    if destination is None:
        return
    for checkpoint in records.list_uncopied(limit=_COPY_BATCH):
        _copy(checkpoint, destination)
        records.record_copy(checkpoint.number, storage=str(destination))


def _copy(checkpoint: CheckpointDocument, destination: storage.CheckpointStorage) -> None:
    name, text = storage.object_name(checkpoint.number), serialize(checkpoint)
    stored = destination.read(name)  # first, as not every object store honours the condition of a PUT
    if stored is None:
        try:
            destination.write(name, text)
        except storage.AlreadyExists:
            stored = destination.read(name)
    if stored not in {None, text}:
        raise NumberTaken(f"{destination} has another checkpoint {checkpoint.number} than this database.")


def _sign(is_wanted: Callable[[SigningContext], bool], *, lock: str) -> bool:
    """Sign the next checkpoint if it is wanted, in its own transaction; return whether it was signed."""
    with transaction.atomic(durable=True):
        if not fetch(lock, [LOCK])[0][0]:
            return False
        context = SigningContext(records.latest(), current_head(), fetch("SELECT clock_timestamp()")[0][0])
        if not context.head.position or not is_wanted(context):
            return False
        _require_same_history(context)
        keyring = checkpoint_keyring()
        register_key(keyring, now=context.now)
        records.add(_next_checkpoint(context, keyring))
        return True


def _next_checkpoint(context: SigningContext, keyring: CheckpointKeyring) -> CheckpointDocument:
    last, position = context.last, min(context.head.position, context.covered + MAX_POSITIONS)
    tree.grow_to(position)
    checkpoint = CheckpointDocument(
        log=records.log_id(),
        number=1 if last is None else last.number + 1,
        position=position,
        head=records.digest_at(position) or b"",
        root=tree.root_of(position),
        previous=b"" if last is None else fingerprint(last),
        made_at=context.now if last is None else max(context.now, last.made_at),
        key=keyring.active,
    )
    return replace(checkpoint, signature=keyring.sign(signed_bytes(checkpoint)))


def _require_same_history(context: SigningContext) -> None:
    """Raise CannotSign if the log differs from the last checkpoint, or if the storage has a later one."""
    last, destination = context.last, storage.configured_storage()
    if last is not None and (records.digest_at(last.position), tree.root_of(last.position)) != (last.head, last.root):
        raise HistoryDiffers(f"The log up to position {last.position} is not what checkpoint {last.number} signed.")
    number = 1 if last is None else last.number + 1
    if destination is not None and destination.read(storage.object_name(number)) is not None:
        raise NumberTaken(f"{destination} has a checkpoint {number} that this database does not know.")


def _has_new_positions(context: SigningContext) -> bool:
    return context.head.position > context.covered


def _is_due(context: SigningContext) -> bool:
    if context.last is None:
        return True
    new, age = context.head.position - context.covered, context.now - context.last.made_at
    asked = records.asked_at()
    wanted = age >= timedelta(seconds=settings.CHECKPOINT_SECONDS) or (
        asked is not None and asked > context.last.made_at
    )
    return new >= settings.CHECKPOINT_POSITIONS or (new > 0 and wanted) or age >= DAILY


def register_key(keyring: CheckpointKeyring, *, now: datetime) -> None:
    """Register the active key if it is new, and check that it may sign at `now`. Raises KeyRefused.

    Call it in the transaction that signs, under LOCK.
    """
    if not keyring.active:
        raise KeyRefused("There is no private key: set CHECKPOINT_KEYS.")
    registered = {key.id: key for key in records.registered_keys()}
    key, public = registered.get(keyring.active), keyring.public[keyring.active]
    if key is None:
        _add_key(keyring.active, public, [each.id for each in registered.values() if each.until is None], now=now)
    elif key.public != public:
        raise KeyRefused(f"The id {key.id!r} belongs to another key: give each key its own id.")
    elif key.until is not None and key.until < now:
        raise KeyRefused(f"The key {key.id!r} was replaced and expired at {key.until.isoformat()}.")


def _add_key(name: str, public: bytes, replaced: list[str], *, now: datetime) -> None:
    records.add_key(name, public, since=now)
    for old in replaced:
        records.retire_key(old, until=now + OVERLAP)
    if replaced:
        recorder.record(
            kind=recorder.SignificantEventKind.KEY_ROTATED,
            operator=None,
            subject=f"checkpoint key:{name}",
            actor="system",
            before={"keys": replaced},
            after={"key": name, "public": public.hex()},
        )
