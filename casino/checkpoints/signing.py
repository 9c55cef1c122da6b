"""Sign checkpoints: one signer at a time, one checkpoint of a size, stored in the database first and then copied.

Where witnesses cosign, one is signed every second in which there is something new (`cosigning`). Beside it, and where
there are none, one is due after CHECKPOINT_SECONDS or CHECKPOINT_POSITIONS: that one is copied to the storage under the
next number. If a signer dies between the two, the next run makes the copy. Nothing is signed here while the storage is
unavailable, or when it already has the next number: a database restored from a backup must not sign a second history.
A new first key of the keyring is registered when it first signs; the keys that it replaces may sign for a day longer,
for processes that still run with the old keyring.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.checkpoints import notes, records, storage, tree
from casino.checkpoints.keyring import CheckpointKeyring, checkpoint_keyring
from casino.checkpoints.records import Copy, SignedCheckpoint
from casino.crypto import signed_note
from casino.crypto.signed_note import SignedNote, TreeHead, UntrustedNote
from casino.events.sql import LEADER_LIMIT, database_now, fetch
from casino.events.verification import current_head
from casino.significant import recorder

LOCK: Final = 0xC4EC
"""The signer's advisory lock, within this database."""
COPY_LOCK: Final = 0xC4ED
"""That of the copier, for whom no signer waits."""
MAX_POSITIONS: Final = 2**17
"""The most new positions in one checkpoint, so that transactions stay bounded in a long log without checkpoints."""
OVERLAP: Final = timedelta(days=1)
"""How long a replaced key may still sign."""

_TRY_LOCK: Final = f"SELECT pg_try_advisory_xact_lock(%s), clock_timestamp(), {LEADER_LIMIT}"
_LOCK: Final = f"SELECT pg_advisory_xact_lock(%s) IS NOT NULL, clock_timestamp(), {LEADER_LIMIT}"


class CannotSign(Exception):
    """No checkpoint was created and a person must find out why; the message says more."""


class HistoryDiffers(CannotSign):
    """The log below the last checkpoint is not the log that was signed."""


class NumberTaken(CannotSign):
    """The storage has a document of that number, and this database has another or none."""


class KeyRefused(CannotSign):
    """The active key may not sign."""


def sign_now() -> SignedCheckpoint | None:
    """Sign and copy checkpoints until one covers every sealed event, and return the last; None for an empty log.

    Call it outside any transaction. Raises CannotSign, StorageUnavailable, IncompleteTree.
    """
    copy_to_storage()
    while _sign(_LOCK):
        copy_to_storage()
    return records.latest()


def sign_if_due() -> int:
    """Sign and copy checkpoints while one is due; return how many were.

    Returns 0 while another process is signing. Raises as `sign_now` does.
    """
    signed = 0
    while _is_due():
        if not copy_to_storage():
            if not sign_new():
                break
            copy_to_storage()
        signed += 1
    return signed


def sign_new() -> bool:
    """Sign a checkpoint over all sealed positions if there are new ones; return whether it was signed.

    It happens in a transaction of its own, and not while another process signs. Raises CannotSign, IncompleteTree.
    """
    return _sign(_TRY_LOCK)


def kept_size() -> int:
    """Return how many positions the newest checkpoint covers that was copied, or was signed if there is no storage."""
    kept = _kept()
    return 0 if kept is None else kept.size


def _kept() -> SignedCheckpoint | Copy | None:
    return records.latest() if storage.configured_storage() is None else records.latest_copy()


def _is_due() -> bool:
    kept, position = _kept(), current_head().position
    if kept is None:
        return position > 0
    if position <= kept.size or kept.made_at is None:
        return False
    asked = records.asked_at()
    return (
        position - kept.size >= settings.CHECKPOINT_POSITIONS
        or database_now() - kept.made_at >= timedelta(seconds=settings.CHECKPOINT_SECONDS)
        or (asked is not None and asked > kept.made_at)
    )


def copy_to_storage() -> bool:
    """Copy the newest checkpoint under the next number; return False if it was copied before or there is no storage.

    A copy that was written and not recorded is recorded. Raises NumberTaken if the storage has a checkpoint that this
    database lacks, StorageUnavailable.
    """
    destination = storage.configured_storage()
    if destination is None:
        return False
    with transaction.atomic(durable=True):
        fetch(_LOCK, [COPY_LOCK])
        last = records.latest_copy()
        number = 1 if last is None else last.number + 1
        name = storage.object_name(number)
        stored = destination.read(name)  # first, as not every object store honours the condition of a PUT
        newest = records.latest()
        if stored is None and newest is not None and newest.size > (0 if last is None else last.size):
            stored = newest.note.encode()
            try:
                destination.write(name, stored)
            except storage.AlreadyExists:
                stored = destination.read(name)
        if stored is None:
            return False
        own = _find_own(stored)
        if own is None:
            raise NumberTaken(f"{destination} has a checkpoint {number} that this database does not have.")
        records.add_copy(number, own.size)
        return True


def _find_own(note: bytes) -> SignedCheckpoint | None:
    """Return the checkpoint with exactly that note, or None."""
    try:
        own = records.find(notes.read(note.decode())[0].size)
    except (ValueError, UntrustedNote):
        return None
    return own if own is not None and own.note.encode() == note else None


def _sign(lock: str) -> bool:
    with transaction.atomic(durable=True):
        locked, now, _ = fetch(lock, [LOCK])[0]
        if not locked:
            return False
        last = records.latest()
        size = min(current_head().position, tree.covered() + MAX_POSITIONS)
        if size <= (0 if last is None else last.size):
            return False
        if last is not None and tree.root_of(last.size) != last.root:
            raise HistoryDiffers(f"The log up to position {last.size} is not what its checkpoint says.")
        keyring = checkpoint_keyring()
        register_key(keyring, now=now)
        tree.grow_to(size)
        head = TreeHead(settings.LOG_ORIGIN, size, tree.root_of(size))
        private = keyring.private[keyring.active].private_bytes_raw()
        signature = signed_note.sign(str(head), name=head.origin, private=private)
        records.add(head, str(SignedNote(str(head), (signature,))))
        return True


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
