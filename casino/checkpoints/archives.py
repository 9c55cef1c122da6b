"""Archives: a signed manifest of the files that hold a month's events outside of the database.

A manifest is a line of JSON: "format", "log" (its origin), "month", "rounds", "events", "first" and "last" (the lowest
and highest position), "files" (each with its name, SHA-256, rounds, events and positions), "checkpoint" (one that
covers them all, cosigned where there are witnesses), "key" and "signature" (hex Ed25519, over a line with the format
and the JSON of the other members). An event names it by its SHA-256: there is one for a month, for good.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec
from django.conf import settings
from django.db import transaction

from casino.checkpoints import notes, records, signed_lines
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.signing import LOCK, register_key
from casino.crypto.signed_note import MalformedNote, UntrustedNote
from casino.events import store
from casino.events.codec import EventRegistry, EventType
from casino.events.sql import LEADER_LIMIT, fetch
from casino.events.store import Append, Metadata, VersionConflict
from casino.kernel.findings import Finding

FORMAT: Final = "casino.archive.v1"
FORGED: Final = "archive's manifest is forged"
_LOCK: Final = f"SELECT pg_advisory_xact_lock(%s) IS NOT NULL, clock_timestamp(), {LEADER_LIMIT}"


@dataclass(frozen=True, slots=True)
class MonthArchived:
    """The rounds that ended in a month were archived; `manifest` is the SHA-256 of the manifest's text, in hex."""

    month: str
    manifest: str
    rounds: int
    events: int


ARCHIVE_EVENTS: Final = EventRegistry([EventType(MonthArchived)])


class ArchiveFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of an archive; `first` and `last` are its lowest and highest position."""

    name: str
    sha256: str
    rounds: int
    events: int
    first: int
    last: int


class ArchiveManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest, with the members of the document."""

    format: str
    log: str
    month: str
    rounds: int
    events: int
    first: int
    last: int
    files: tuple[ArchiveFile, ...]
    checkpoint: str
    key: str
    signature: str = ""


def stream_of(month: str) -> str:
    """Return the stream whose one event records that a month was archived."""
    return f"archive-{month}"


def object_name(month: str, digest: str) -> str:
    """Return the name of a manifest in the storage. Another attempt's has another name."""
    return f"{month}-manifest-{digest[:16]}.json"


def sign(*, month: str, files: tuple[ArchiveFile, ...], checkpoint: str) -> bytes:
    """Return the text of a signed manifest. Raises signing.KeyRefused."""
    with transaction.atomic():
        keyring, (_, now, _) = checkpoint_keyring(), fetch(_LOCK, [LOCK])[0]
        register_key(keyring, now=now)
    manifest = ArchiveManifest(
        format=FORMAT,
        log=settings.LOG_ORIGIN,
        month=month,
        rounds=sum(each.rounds for each in files),
        events=sum(each.events for each in files),
        first=min(each.first for each in files),
        last=max(each.last for each in files),
        files=files,
        checkpoint=checkpoint,
        key=keyring.active,
    )
    return _serialize(msgspec.structs.replace(manifest, signature=keyring.sign(_signed_bytes(manifest)).hex()))


def record(manifest: ArchiveManifest, text: bytes) -> bool:
    """Record a month's manifest in the log; return whether it is the month's first one."""
    event = MonthArchived(manifest.month, sha256(text).hexdigest(), manifest.rounds, manifest.events)
    metadata = Metadata(operator="", actor="system", causation="")
    archived = Append(stream_of(event.month), 0, (ARCHIVE_EVENTS.encode(event),), metadata)
    try:
        with transaction.atomic():
            store.append([archived])
    except VersionConflict:
        return False
    return True


def find(month: str) -> MonthArchived | None:
    """Return what was recorded of a month's archive, None if there is none."""
    events = store.read(stream_of(month))
    return ARCHIVE_EVENTS.decode(events[0].type, events[0].schema, events[0].data) if events else None


def parse(text: bytes) -> ArchiveManifest:
    """Parse the stored form. Raises ValueError for anything that `sign` does not return."""
    manifest = msgspec.json.decode(text, type=ArchiveManifest)
    if manifest.format != FORMAT or _serialize(manifest) != text:
        raise ValueError(f"not a text of the format {FORMAT}")
    return manifest


def check_signature(manifest: ArchiveManifest, *, month: str) -> list[Finding]:
    """Return how a manifest differs from one that a trusted key signed for this month, log and checkpoint."""
    where, findings = f"archive {month}", []
    if (manifest.month, manifest.log) != (month, settings.LOG_ORIGIN):
        expected = f"month {month} of log {settings.LOG_ORIGIN}"
        findings.append(Finding(FORGED, where, expected, f"month {manifest.month} of log {manifest.log}"))
    if not _is_signed(manifest):
        findings.append(Finding(FORGED, where, "signed by a trusted key", f"another signature of {manifest.key!r}"))
    if not _is_covered(manifest):
        findings.append(Finding(FORGED, where, "a checkpoint of this log that covers it", manifest.checkpoint.strip()))
    return findings


def _is_signed(manifest: ArchiveManifest) -> bool:
    try:
        signature = bytes.fromhex(manifest.signature)
    except ValueError:
        return False
    return checkpoint_keyring().has_signed(manifest.key, signature, _signed_bytes(manifest))


def _is_covered(manifest: ArchiveManifest) -> bool:
    try:
        head, _ = notes.read(manifest.checkpoint)
    except (MalformedNote, UntrustedNote):
        return False
    stored = records.find(head.size)
    return manifest.last <= head.size and stored is not None and stored.root == head.root


def _signed_bytes(manifest: ArchiveManifest) -> bytes:
    return signed_lines.signed_bytes(msgspec.to_builtins(manifest))


def _serialize(manifest: ArchiveManifest) -> bytes:
    return signed_lines.serialize(msgspec.to_builtins(manifest))
