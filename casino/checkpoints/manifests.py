"""Make inventories: signed, each naming the one before, in the database first and then outside; beside checkpoints."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from django.conf import settings
from django.db import transaction

from casino.checkpoints import key_rotation, records, storage, table_digests
from casino.checkpoints.exceptions import HistoryDiffers, NumberTaken
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.manifest import FORMAT, TableManifest, TableRange, fingerprint, parse, serialize, signed_bytes
from casino.checkpoints.signing import LOCK
from casino.events.sql import execute, fetch

_TRY: Final = "SELECT pg_try_advisory_xact_lock(%s), clock_timestamp()"
_LATEST: Final = "SELECT text FROM checkpoints_inventory ORDER BY number DESC LIMIT 1"
_NEWEST: Final = "SELECT coalesce(max(number), 0) FROM checkpoints_inventory"
_AFTER: Final = "SELECT number, text FROM checkpoints_inventory WHERE number > %s ORDER BY number LIMIT 1000"
_BELOW: Final = "SELECT number, text FROM checkpoints_inventory ORDER BY number DESC"
_ADD: Final = "INSERT INTO checkpoints_inventory (number, text) VALUES (%s, %s)"


def object_name(number: int) -> str:
    """Return the name that the inventory of that number is kept under."""
    return f"inventory-{number:012d}.json"


def latest() -> TableManifest | None:
    """Return the newest inventory, or None. Raises HistoryDiffers where it can't be read."""
    rows = fetch(_LATEST)
    try:
        return parse(rows[0][0].encode()) if rows else None
    except ValueError as trouble:
        raise HistoryDiffers(f"The newest inventory is none: {trouble}") from trouble


def latest_number() -> int:
    """Return the number of the newest inventory, 0 where there is none."""
    return int(fetch(_NEWEST)[0][0])


def create_manifests() -> int:
    """Make inventories until every row is in one that nobody was writing beside, and copy them outside.

    Return the number made. Call it outside of any transaction. Raises CannotSign, storage.StorageUnavailable.
    """
    made = 0
    copy_to_storage()
    while _sign():
        copy_to_storage()
        made += 1
    return made


def create_manifests_if_due() -> int:
    """Do the same if the newest is older than CHECKPOINT_SECONDS."""
    last = latest()
    age = timedelta(seconds=settings.CHECKPOINT_SECONDS)
    if last is not None and datetime.now(UTC) - datetime.fromisoformat(last.made_at) < age:
        return 0
    return create_manifests()


def copy_to_storage() -> None:
    """Copy outside all after the newest that stands there; repeating it does nothing."""
    place = storage.configured_storage()
    if place is None:
        return
    missing = []
    for number, text in fetch(_BELOW):
        found = place.read(object_name(number))
        if found is not None:
            _require_same(number, found, text.encode(), place)
            break
        missing.append((number, text.encode()))
    for number, text in reversed(missing):
        try:
            place.write(object_name(number), text)
        except storage.AlreadyExists:
            _require_same(number, place.read(object_name(number)), text, place)


def _require_same(number: int, found: bytes | None, text: bytes, place: storage.CheckpointStorage) -> None:
    if found != text:
        raise NumberTaken(f"{place} keeps another inventory {number} than this database.")


def _sign() -> bool:
    """Make the next inventory if there is anything new, in a transaction of its own; one signer at a time."""
    with transaction.atomic(durable=True):
        mine, now = fetch(_TRY, [LOCK])[0]
        last = latest()
        covered = {} if last is None else last.covered
        lots = _lots(covered) if mine else ()
        if not lots:
            return False
        own, place = checkpoint_keyring(), storage.configured_storage()
        number = 1 if last is None else last.number + 1
        if place is not None and place.read(object_name(number)) is not None:
            raise NumberTaken(f"{place} keeps an inventory {number}, which this database does not know.")
        key_rotation.register(own, now=now)
        made = TableManifest(
            format=FORMAT,
            log=records.log_id(),
            number=number,
            previous="" if last is None else fingerprint(serialize(last)),
            made_at=now.astimezone(UTC).isoformat(),
            lots=lots,
            covered={**covered, **{each.table: each.upto for each in lots}},
            key=own.active,
        )
        signed = msgspec.structs.replace(made, signature=own.sign(signed_bytes(made)).hex())
        execute(_ADD, [number, serialize(signed).decode()])
        return True


def _lots(covered: Mapping[str, int]) -> tuple[TableRange, ...]:
    """A lot of each table that has rows above the number up to which it is covered."""
    ends, kinds = table_digests.settled_numbers(), table_digests.columns()
    due = [(table, covered.get(table, 0), upto) for table, upto in sorted(ends.items())]
    return tuple(
        table_digests.digest_range(table, kinds[table], after=after, upto=min(upto, after + table_digests.MAX_RANGE))
        for table, after, upto in due
        if upto > after
    )


def list_since(number: int) -> list[tuple[int, bytes]]:
    """Return up to a thousand inventories above a number, as their texts."""
    return [(found, text.encode()) for found, text in fetch(_AFTER, [number])]
