"""Manifests: signed digests of append-only tables that are not part of the event log, such as significant events.

A manifest is a line of JSON: "format", "log" (its origin), "number" (from 1, without gaps), "previous" (hex
SHA-256 of the previous line, "" for the first), "made_at" (RFC 3339, UTC), "ranges" (each the digest of the rows of one
table between two numbers), "covered" (the last number of each table that manifests cover by now), "key" and "signature"
(hex Ed25519 over a line with the format and the JSON of the other members). It is stored in the database first and then
copied to the storage, as checkpoints are. An event names it by its SHA-256, so that checkpoints and those who cosign
them cover it, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final

import msgspec
from django.conf import settings
from django.db import transaction

from casino.checkpoints import signed_lines, storage, table_digests
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.signing import LOCK, HistoryDiffers, NumberTaken, register_key
from casino.checkpoints.table_digests import TableRange
from casino.events import store
from casino.events.codec import EventRegistry, EventType
from casino.events.sql import LEADER_LIMIT, execute, fetch
from casino.events.store import Append, Metadata

FORMAT: Final = "casino.manifest.v1"
STREAM: Final = "manifests"
"""Its event of version n is that of manifest n."""

_TRY_LOCK: Final = f"SELECT pg_try_advisory_xact_lock(%s), clock_timestamp(), {LEADER_LIMIT}"
_LATEST: Final = "SELECT text FROM checkpoints_manifest ORDER BY number DESC LIMIT 1"
_LATEST_NUMBER: Final = "SELECT coalesce(max(number), 0) FROM checkpoints_manifest"
_LIST: Final = "SELECT number, text FROM checkpoints_manifest WHERE number > %s ORDER BY number LIMIT 1000"
_NEWEST_FIRST: Final = "SELECT number, text FROM checkpoints_manifest ORDER BY number DESC"
_ADD: Final = "INSERT INTO checkpoints_manifest (number, text) VALUES (%s, %s)"


@dataclass(frozen=True, slots=True)
class ManifestMade:
    """A manifest was made; `digest` is the SHA-256 of its text, in hex."""

    number: int
    digest: str


MANIFEST_EVENTS: Final = EventRegistry([EventType(ManifestMade)])


class TableManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest, with the members of the document."""

    format: str
    log: str
    number: int
    previous: str
    made_at: str
    ranges: tuple[TableRange, ...]
    covered: dict[str, int]
    key: str
    signature: str = ""


def signed_bytes(manifest: TableManifest) -> bytes:
    """Return the bytes that a manifest's signature is over."""
    return signed_lines.signed_bytes(msgspec.to_builtins(manifest))


def serialize(manifest: TableManifest) -> bytes:
    """Return the stored form of a manifest: a line of JSON."""
    return signed_lines.serialize(msgspec.to_builtins(manifest))


def parse(text: bytes) -> TableManifest:
    """Parse the stored form. Raises ValueError for anything that `serialize` does not return."""
    manifest = msgspec.json.decode(text, type=TableManifest)
    if manifest.format != FORMAT or serialize(manifest) != text:
        raise ValueError(f"not a text of the format {FORMAT}")
    return manifest


def fingerprint(text: bytes) -> str:
    """Return the SHA-256 in hex by which the next manifest refers to this one."""
    return sha256(text).hexdigest()


def object_name(number: int) -> str:
    """Return the name of a manifest in the storage."""
    return f"manifest-{number:012d}.json"


def latest() -> TableManifest | None:
    """Return the newest manifest, or None. Raises HistoryDiffers if it is malformed."""
    rows = fetch(_LATEST)
    try:
        return parse(rows[0][0].encode()) if rows else None
    except ValueError as error:
        raise HistoryDiffers(f"The newest manifest is malformed: {error}") from error


def latest_number() -> int:
    """Return the number of the newest manifest, 0 if there is none."""
    return int(fetch(_LATEST_NUMBER)[0][0])


def list_after(number: int) -> list[tuple[int, bytes]]:
    """Return up to a thousand manifests above a number, each as its number and stored form."""
    return [(number, text.encode()) for number, text in fetch(_LIST, [number])]


def create_manifests() -> int:
    """Create manifests until they cover every row, and copy them to the storage; return how many were created.

    Tables that are being written to wait for the next call. Call it outside any transaction. Raises CannotSign,
    storage.StorageUnavailable.
    """
    created = 0
    copy_to_storage()
    while _create_next():
        copy_to_storage()
        created += 1
    return created


def create_manifests_if_due() -> int:
    """Create manifests as `create_manifests` does, if the newest one is older than CHECKPOINT_SECONDS."""
    last = latest()
    interval = timedelta(seconds=settings.CHECKPOINT_SECONDS)
    if last is not None and datetime.now(UTC) - datetime.fromisoformat(last.made_at) < interval:
        return 0
    return create_manifests()


def copy_to_storage() -> None:
    """Copy the manifests after the newest one in the storage. Idempotent."""
    destination = storage.configured_storage()
    if destination is None:
        return
    missing: list[tuple[int, bytes]] = []
    for number, text in fetch(_NEWEST_FIRST):
        stored = destination.read(object_name(number))
        if stored is not None:
            _require_same(number, stored, text.encode(), destination)
            break
        missing.append((number, text.encode()))
    for number, text in reversed(missing):
        try:
            destination.write(object_name(number), text)
        except storage.AlreadyExists:
            _require_same(number, destination.read(object_name(number)), text, destination)


def _require_same(number: int, stored: bytes | None, text: bytes, destination: storage.CheckpointStorage) -> None:
    if stored != text:
        raise NumberTaken(f"{destination} has another manifest {number} than this database.")


def _create_next() -> bool:
    """Create the next manifest if there are new rows, in its own transaction; one signer at a time."""
    with transaction.atomic(durable=True):
        locked, now, _ = fetch(_TRY_LOCK, [LOCK])[0]
        last = latest()
        covered = {} if last is None else last.covered
        ranges = _new_ranges(covered) if locked else ()
        if not ranges:
            return False
        keyring, destination = checkpoint_keyring(), storage.configured_storage()
        number = 1 if last is None else last.number + 1
        if destination is not None and destination.read(object_name(number)) is not None:
            raise NumberTaken(f"{destination} has a manifest {number} that this database does not know.")
        register_key(keyring, now=now)
        manifest = TableManifest(
            format=FORMAT,
            log=settings.LOG_ORIGIN,
            number=number,
            previous="" if last is None else fingerprint(serialize(last)),
            made_at=now.astimezone(UTC).isoformat(),
            ranges=ranges,
            covered={**covered, **{each.table: each.upto for each in ranges}},
            key=keyring.active,
        )
        signed = msgspec.structs.replace(manifest, signature=keyring.sign(signed_bytes(manifest)).hex())
        text = serialize(signed)
        execute(_ADD, [number, text.decode()])
        made = MANIFEST_EVENTS.encode(ManifestMade(number, fingerprint(text)))
        store.append([Append(STREAM, number - 1, (made,), Metadata(operator="", actor="system", causation=""))])
        return True


def _new_ranges(covered: Mapping[str, int]) -> tuple[TableRange, ...]:
    """Digest the next range of each table that has rows above the covered number."""
    ends, types = table_digests.settled_numbers(), table_digests.column_types()
    due = [(table, covered.get(table, 0), upto) for table, upto in sorted(ends.items())]
    return tuple(
        table_digests.digest_range(table, types[table], after=after, upto=min(upto, after + table_digests.MAX_RANGE))
        for table, after, upto in due
        if upto > after
    )
