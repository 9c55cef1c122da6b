"""Rotate PERSONAL_KEYS: encrypt under the first key every EncryptedSecret that is under an older one.

Data that is encrypted under a player's own key does not change.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import transaction

from casino.crypto.encryption import DecryptionFailed, parse_keyring
from casino.crypto.models import EncryptedSecret
from casino.significant import recorder

BATCH: Final = 500
_END: Final = object()


@dataclass(frozen=True, slots=True)
class PersonalKeyRotation:
    """The number of re-encrypted secrets by their old key, and the names of those that no key decrypts."""

    key: str
    moved: Counter[str]
    unreadable: tuple[str, ...]


def rotate(*, actor: str, batch: int = BATCH) -> PersonalKeyRotation:
    """Encrypt everything under the first of PERSONAL_KEYS, in batches that are each recorded in their transaction.

    After an interruption, call it again to continue. Call it again, too, once every process has the new order of keys.
    """
    first = next(iter(parse_keyring(settings.PERSONAL_KEYS)))
    moved: Counter[str] = Counter()
    unreadable: list[str] = []
    for model in (model for model in apps.get_models() if issubclass(model, EncryptedSecret)):
        last: Any = None
        while last is not _END:
            with transaction.atomic():
                last, keys = _rotate_batch(model, first, last, batch, unreadable)
                _record(first, keys, actor)
            moved.update(keys)
    return PersonalKeyRotation(first, moved, tuple(unreadable))


def _rotate_batch(model: Any, first: str, last: Any, batch: int, unreadable: list[str]) -> tuple[Any, Counter[str]]:
    """Encrypt the rows after the key `last`; return the key to go on after, and the number of rows by their old key."""
    rows = model.objects.filter(wrapped__isnull=False).exclude(key_id=first).order_by("pk")
    locked = list((rows if last is None else rows.filter(pk__gt=last)).select_for_update()[:batch])
    moved: list[EncryptedSecret] = []
    keys: Counter[str] = Counter()
    for row in locked:
        before = row.key_id
        try:
            moved.append(row.sealed(row.opened()))
        except DecryptionFailed:
            unreadable.append(str(row))
        else:
            keys[before] += 1
    model.objects.bulk_update(moved, ["key_id", "wrapped"])
    return (locked[-1].pk if len(locked) == batch else _END), keys


def _record(first: str, moved: Counter[str], actor: str) -> None:
    if not moved:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.KEY_ROTATED,
        operator=None,
        subject="keys:personal",
        actor=actor,
        before={"secrets": dict(moved)},
        after={"key": first, "secrets": moved.total()},
    )
