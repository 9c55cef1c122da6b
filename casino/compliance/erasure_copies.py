"""Copies of erasures outside the database: an erasure made after a backup is still in force after its restore.

Each erasure has the next number in CHECKPOINT_STORAGE. A number that the storage has and this database lacks
is an erasure that a restore undid: it is made again. A copy names only the log and the player, by an id that leads to
nobody once the key is gone, and is signed by the key of checkpoints, so that who writes to the storage erases nobody.
"""

import json
import logging
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.checkpoints import storage
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.storage import AlreadyExists, CheckpointStorage
from casino.compliance import erasure
from casino.compliance.models import Erasure, ErasureCopy
from casino.significant import recorder

logger = logging.getLogger(__name__)

FORMAT: Final = "casino.erasure.v1"


class CopyRefused(Exception):
    """A copy in the storage that this log's keys did not sign; the message says which."""


def object_name(number: int) -> str:
    """Return the name of a copy in the storage."""
    return f"erasure-{number:012d}.json"


def synchronize() -> int:
    """Repeat the erasures that only the storage knows, copy those that it lacks; return how many were repeated.

    Idempotent, and safe beside another run. Raises StorageUnavailable, CopyRefused. Call it outside any transaction.
    """
    destination, repeated = storage.configured_storage(), 0
    if destination is None:
        return 0
    while True:
        newest = ErasureCopy.objects.order_by("-number").values_list("number", flat=True).first() or 0
        text = destination.read(object_name(newest + 1))
        if text is not None:
            repeated += _repeat(newest + 1, _parse(newest + 1, text))
        elif not _copy_next(newest + 1, destination):
            return repeated


def _copy_next(number: int, destination: CheckpointStorage) -> bool:
    """Copy the oldest erasure without a copy; return whether there was one."""
    copied = ErasureCopy.objects.values("player_id")
    waiting = Erasure.objects.exclude(player_id__in=copied).order_by("erased_at")
    player = waiting.values_list("player_id", flat=True).first()
    if player is None:
        return False
    try:
        destination.write(object_name(number), _serialize(number, player))
    except AlreadyExists:  # another run was faster; the next look reads what it wrote
        return True
    ErasureCopy.objects.bulk_create([ErasureCopy(number=number, player_id=player)], ignore_conflicts=True)
    return True


def _repeat(number: int, player: UUID) -> bool:
    """Record a copy, and erase its player unless that is still in force; return whether it had to be repeated."""
    with transaction.atomic():
        ErasureCopy.objects.bulk_create([ErasureCopy(number=number, player_id=player)], ignore_conflicts=True)
        operator = erasure.erase_again(player)
        if operator is None:
            return False
        recorder.record(
            kind=recorder.SignificantEventKind.DATA_ERASED,
            operator=operator,
            subject=f"player:{player}",
            actor="system",
            reason=f"copy {number} says that the player was erased before this database was restored",
        )
    logger.warning("Erased player %s again: a restore had undone erasure %d.", player, number)
    return True


def _signed_bytes(members: dict[str, object]) -> bytes:
    text = json.dumps(members, sort_keys=True, separators=(",", ":"))
    return f"{FORMAT}\n{text}".encode("ascii")


def _serialize(number: int, player: UUID) -> bytes:
    keyring = checkpoint_keyring()
    members: dict[str, object] = {
        "format": FORMAT,
        "log": settings.LOG_ORIGIN,
        "number": number,
        "player": str(player),
        "key": keyring.active,
    }
    signature = keyring.sign(_signed_bytes(members)).hex()
    return json.dumps(members | {"signature": signature}, sort_keys=True).encode("ascii") + b"\n"


def _parse(number: int, text: bytes) -> UUID:
    """Return the player of a copy. Raises CopyRefused."""
    try:
        members = json.loads(text)
        signature, player = bytes.fromhex(members.pop("signature")), UUID(members["player"])
        trusted = checkpoint_keyring().has_signed(members["key"], signature, _signed_bytes(members))
        belongs_here = (members["log"], members["number"]) == (settings.LOG_ORIGIN, number)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CopyRefused(f"{object_name(number)} is not a copy of an erasure: {error}") from error
    if not trusted or not belongs_here:
        raise CopyRefused(f"{object_name(number)} is not signed by a key of this log, for this number.")
    return player
