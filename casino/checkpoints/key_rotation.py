"""Keys come and go: a new first key on the ring is registered when it signs first; those before may sign a while.

Processes that still run with the ring of before sign on with the old key meanwhile; both are published.
"""

from datetime import datetime, timedelta
from typing import Final

from casino.checkpoints.exceptions import KeyRefused
from casino.checkpoints.keyring import CheckpointKeyring
from casino.checkpoints.records import registered_keys
from casino.events.sql import execute
from casino.significant import recorder

OVERLAP: Final = timedelta(days=1)
"""For how long a key that was replaced may still sign."""

_ADD: Final = "INSERT INTO checkpoints_key (id, public, since) VALUES (%s, %s, %s)"
_RETIRE: Final = "INSERT INTO checkpoints_retirement (key_id, until) VALUES (%s, %s)"


def register(ring: CheckpointKeyring, *, now: datetime) -> None:
    """See to it that the active key may sign at `now`. Raises KeyRefused.

    Call it in the transaction that signs, under the signer's lock.
    """
    if not ring.active:
        raise KeyRefused("There is no private key: set CHECKPOINT_KEYS.")
    known = {key.id: key for key in registered_keys()}
    key, public = known.get(ring.active), ring.public[ring.active]
    if key is None:
        _begin(ring.active, public, [each.id for each in known.values() if each.until is None], now=now)
    elif key.public != public:
        raise KeyRefused(f"The key {key.id!r} was another one before: give each key an id of its own.")
    elif key.until is not None and key.until < now:
        raise KeyRefused(f"The key {key.id!r} was replaced and ended at {key.until.isoformat()}.")


def _begin(name: str, public: bytes, before: list[str], *, now: datetime) -> None:
    execute(_ADD, [name, public, now])
    for old in before:
        execute(_RETIRE, [old, now + OVERLAP])
    if before:
        recorder.record(
            kind=recorder.SignificantEventKind.KEY_ROTATED,
            operator=None,
            subject=f"checkpoint key:{name}",
            actor="system",
            before={"keys": before},
            after={"key": name, "public": public.hex()},
        )
