"""The use case of rotating PERSONAL_KEYS: all that is sealed under an older key of the ring is sealed under the first.

That is every player's own key, the key by which references are found, and the secrets of staff's authenticators. What
is sealed under a player's own key stays as it is.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.crypto import blind_index, rewrapping
from casino.crypto.encryption import DecryptionFailed, parse_keyring
from casino.significant import recorder
from casino.staff import authenticators

BATCH: Final = 500
_FIRST: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class PersonalKeyRotation:
    """How many secrets went from which key to the first one, and what no key of the ring opens, by name."""

    key: str
    moved: Counter[str]
    unreadable: tuple[str, ...]


def rotate(*, actor: str, batch: int = BATCH) -> PersonalKeyRotation:
    """Seal everything under the first of PERSONAL_KEYS. Each batch is a transaction that says what it did.

    Broken off, it has done whole batches: call it again and it does the rest. What a process that still has the old
    order of keys sealed meanwhile is left for another call.
    """
    first = next(iter(parse_keyring(settings.PERSONAL_KEYS)))
    moved, unreadable = _shared(first, actor)
    last: UUID | None = _FIRST
    while last is not None:
        with transaction.atomic():
            found = rewrapping.rewrap(first, after=last, limit=batch)
            _note(first, Counter(found.keys), actor)
        moved.update(found.keys)
        unreadable.extend(f"player {player}" for player in found.unreadable)
        last = found.last
    return PersonalKeyRotation(first, moved, tuple(unreadable))


def _shared(first: str, actor: str) -> tuple[Counter[str], list[str]]:
    """What is of no player: the key of the marks, and second factors of staff."""
    with transaction.atomic():
        found, users = authenticators.rewrap(first)
        moved, unreadable = Counter(found), [f"authenticator of staff {user}" for user in users]
        try:
            before = blind_index.rewrap(first)
        except DecryptionFailed:
            unreadable.append("the key of the references' marks")
        else:
            moved.update([] if before is None else [before])
        _note(first, moved, actor)
    return moved, unreadable


def _note(first: str, moved: Counter[str], actor: str) -> None:
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
