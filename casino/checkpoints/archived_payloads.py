"""Read the payloads of dropped events from the archives that the log names."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

from casino.checkpoints import archive_files, archives, storage
from casino.checkpoints.archives import ARCHIVE_EVENTS, ArchiveFile, ArchiveManifest
from casino.events.payloads import ArchiveUnavailable
from casino.events.sql import fetch

_POSITIONS: Final = "SELECT position, event_id FROM events_seal WHERE event_id = ANY (%s::bigint[])"
_ARCHIVED: Final = """
SELECT type, schema, data::text FROM events_event
 WHERE type = 'MonthArchived' AND version = 1 AND "left"(stream, 6) <> ALL ('{round-,table-}') ORDER BY id DESC
"""


def find(events: Sequence[int]) -> Mapping[int, str]:
    """Return the payloads of these events, by id, without those that no archive has. Raises ArchiveUnavailable."""
    waiting = dict(fetch(_POSITIONS, [list(events)]))
    found: dict[int, str] = {}
    for file in _files(waiting):
        held = _payloads(file.name, file.sha256)
        found.update((event, held[event]) for event in waiting.values() if event in held)
        waiting = {position: event for position, event in waiting.items() if event not in found}
        if not waiting:
            break
    return found


def _files(waiting: Mapping[int, int]) -> Iterator[ArchiveFile]:
    """Yield the files with a range that holds some of these positions, those of the newest month first."""
    for row in fetch(_ARCHIVED):
        manifest = _manifest(*(getattr(ARCHIVE_EVENTS.decode(*row), name) for name in ("month", "manifest")))
        for file in manifest.files:
            if any(file.first <= position <= file.last for position in waiting):
                yield file


@lru_cache(maxsize=256)
def _manifest(month: str, digest: str) -> ArchiveManifest:
    """Return the manifest that the log names."""
    try:
        return archives.parse(read(archives.object_name(month, digest), digest))
    except ValueError as error:
        raise ArchiveUnavailable(f"The manifest of {month}: {error}") from error


@lru_cache(maxsize=4)
def _payloads(name: str, digest: str) -> Mapping[int, str]:
    """Return the payloads by id in the file that a manifest names; those of the last four are kept."""
    return {event.id: event.data for event in archive_files.decode(read(name, digest))}


def read(name: str, digest: str) -> bytes:
    """Return what was archived under a name. Raises ArchiveUnavailable unless it has that SHA-256."""
    place = storage.archive_storage()
    if place is None:
        raise ArchiveUnavailable("ARCHIVE_STORAGE is not set.")
    try:
        content = place.read(name)
    except storage.StorageUnavailable as error:
        raise ArchiveUnavailable(str(error)) from error
    if content is None or sha256(content).hexdigest() != digest:
        raise ArchiveUnavailable(f"{name} in {place} is {'missing' if content is None else 'not what was archived'}.")
    return content
