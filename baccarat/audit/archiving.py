"""Archive a month: the events of the rounds that ended in it, as signed files outside of the database.

A file is named by its content, and the manifest by its own; the log's event, which names the manifest, is last. So a
command that dies leaves files that the next one finds or does not need, two commands at once make the same, and what is
recorded was read back and verified.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from itertools import chain
from typing import Final

from django.conf import settings

from baccarat.audit import nightly
from baccarat.audit.log_replay import ROUND_END_TYPES
from casino.checkpoints import archive_files, archives, notes, storage
from casino.checkpoints.archive_files import ArchivedEvent
from casino.checkpoints.archives import ArchiveFile, ArchiveManifest
from casino.checkpoints.records import SignedCheckpoint
from casino.checkpoints.refusals import (
    ArchiveNotConfigured,
    InvalidMonth,
    MonthEmpty,
    MonthNotCovered,
    MonthTooYoung,
    MonthUnderLegalHold,
)
from casino.checkpoints.storage import CheckpointStorage
from casino.events.sql import database_now, fetch
from casino.kernel.findings import Finding

FILE_ROUNDS: Final = 2000
"""The most rounds in one file: some megabytes."""
_MONTH: Final = re.compile(r"\d{4}-\d{2}", re.ASCII)
_FIRST_AT: Final = "SELECT recorded_at FROM events_event ORDER BY id LIMIT 1"
_UNSEALED: Final = """
SELECT EXISTS (SELECT FROM events_unsealed JOIN events_event ON id = event_id WHERE recorded_at < %s)
"""
_IDS: Final = "SELECT min(id), max(id) FROM events_event WHERE recorded_at >= %s AND recorded_at < %s"
# By ids, as the index of times has no order. A round that is voided later has ended before.
_ENDED: Final = """
SELECT id, stream FROM events_event AS ended
 WHERE id > %s AND id <= %s AND type = ANY (%s::text[]) AND recorded_at >= %s AND recorded_at < %s
   AND NOT EXISTS (SELECT FROM events_event AS earlier WHERE earlier.stream = ended.stream
                      AND earlier.version < ended.version AND earlier.type = ANY (%s::text[]))
 ORDER BY id LIMIT %s
"""
_EVENTS: Final = f"""
SELECT {archive_files.COLUMNS}
  FROM unnest(%s::text[]) WITH ORDINALITY AS round (stream, place)
  JOIN events_event AS event ON event.stream = round.stream
  LEFT JOIN events_seal AS seal ON seal.event_id = event.id
  LEFT JOIN events_seal AS before ON before.position = seal.position - 1
 ORDER BY round.place, event.version
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """A month's archive as it was read back. `is_new`: it was recorded by this call."""

    manifest: ArchiveManifest | None
    findings: tuple[Finding, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class Month:
    """A month of UTC; `until` is the beginning of the next."""

    name: str
    since: datetime
    until: datetime

    @classmethod
    def parse(cls, name: str) -> "Month":
        """Parse a month such as 2026-01. Raises InvalidMonth."""
        try:
            since = datetime.strptime(name if _MONTH.fullmatch(name) else "", "%Y-%m").replace(tzinfo=UTC)
            until = (since + timedelta(days=31)).replace(day=1)
        except (ValueError, OverflowError):
            raise InvalidMonth(f"{name[:60]!r} is not a month.") from None
        return cls(name, since, until)

    def following(self) -> "Month":
        """Return the next month."""
        return Month.parse(f"{self.until:%Y-%m}")


def old_months() -> list[str]:
    """Return the months since the first event that are old enough and not under legal hold, oldest first."""
    rows, names = fetch(_FIRST_AT), []
    end = database_now() - timedelta(days=settings.ARCHIVE_AFTER_DAYS)
    if settings.LEGAL_HOLD is not None:
        end = min(end, datetime.combine(settings.LEGAL_HOLD, time.min, UTC))
    month = Month.parse(f"{rows[0][0] if rows else end:%Y-%m}")
    while month.until <= end:
        names.append(month.name)
        month = month.following()
    return names


def due_months() -> list[str]:
    """Return the months that `archive_month` would archive, oldest first; some may be empty."""
    return [name for name in old_months() if archives.find(name) is None]


def archive_month(name: str) -> ArchiveResult:
    """Archive a month, or verify its archive if it has one: all of its files, and each event against its seal.

    Call it outside any transaction. Raises InvalidMonth, ArchiveNotConfigured, MonthTooYoung, MonthUnderLegalHold,
    MonthNotCovered, MonthEmpty, signing.KeyRefused, storage.StorageUnavailable.
    """
    month, destination = Month.parse(name), storage.archive_storage()
    if destination is None:
        raise ArchiveNotConfigured
    if archives.find(month.name) is not None:
        return verify_recorded(month, destination)
    checkpoint = require_archivable(month)
    signed = _cosigned(checkpoint)
    files = tuple(_write_files(month, checkpoint.size, destination))
    if not files:
        raise MonthEmpty
    text = archives.sign(month=month.name, files=files, checkpoint=signed)
    digest = sha256(text).hexdigest()
    _write(archives.object_name(month.name, digest), text, destination)
    result = _verify(month, digest, destination)
    if result.manifest is None or result.findings:
        return result
    if archives.record(result.manifest, text):
        return ArchiveResult(result.manifest, (), is_new=True)
    return verify_recorded(month, destination)


def require_archivable(month: Month) -> SignedCheckpoint:
    """Return the newest checkpoint that an audit without findings has covered, if the month may be archived."""
    if month.until + timedelta(days=settings.ARCHIVE_AFTER_DAYS) > database_now():
        raise MonthTooYoung(f"{month.name} must have been over for {settings.ARCHIVE_AFTER_DAYS} days.")
    hold = settings.LEGAL_HOLD
    if hold is not None and month.until > datetime.combine(hold, time.min, UTC):
        raise MonthUnderLegalHold(f"Nothing since {hold} may leave.")
    if fetch(_UNSEALED, [month.until])[0][0]:
        raise MonthNotCovered(f"Events of {month.name} are not sealed yet.")
    start = nightly.newest_start()
    if start is None:
        raise MonthNotCovered("No audit has ended without findings and with a signed state.")
    return start.checkpoint


def _cosigned(checkpoint: SignedCheckpoint) -> str:
    """Return a checkpoint, or the oldest cosigned one that covers it where there are witnesses, as a note."""
    if not settings.WITNESSES:
        return checkpoint.note
    covering = notes.oldest_cosigned(checkpoint.size)
    if covering is None:
        raise MonthNotCovered(f"Witnesses have not cosigned position {checkpoint.size} yet.")
    return covering.cosigned


def _write_files(month: Month, covered: int, destination: CheckpointStorage) -> Iterator[ArchiveFile]:
    for number, streams in enumerate(_ended_rounds(month), 1):
        events = list(_events_of(streams, month, covered))
        content = archive_files.encode(events)
        name = f"{month.name}-rounds-{number:05d}-{sha256(content).hexdigest()[:16]}.gz"
        _write(name, content, destination)
        yield archive_files.describe(name, content, events)


def _ended_rounds(month: Month) -> Iterator[list[str]]:
    """Yield the streams of the rounds that ended in a month, in the order in which they ended."""
    ends, period = sorted(ROUND_END_TYPES), [month.since, month.until]
    first, last = fetch(_IDS, period)[0]
    after = 0 if first is None else first - 1
    while page := fetch(_ENDED, [after, last or 0, ends, *period, ends, FILE_ROUNDS]):
        yield [stream for _, stream in page]
        after = page[-1][0]


def _events_of(streams: list[str], month: Month, covered: int) -> Iterator[ArchivedEvent]:
    """Yield the events of streams that a checkpoint covers; a void after the month may be above it.

    Raises MonthNotCovered for an event of the month above it.
    """
    for row in fetch(_EVENTS, [streams]):
        position, event, *_ = row
        if position is not None and position <= covered:
            yield archive_files.event_of(row)
        elif row[5] < month.until:
            raise MonthNotCovered(f"Event {event} of {month.name} is not among the {covered} audited positions.")


def _write(name: str, content: bytes, destination: CheckpointStorage) -> None:
    """Write what an earlier command has not; its name says its content, which is verified later."""
    try:
        destination.write(name, content)
    except storage.AlreadyExists:
        return


def verify_recorded(month: Month, destination: CheckpointStorage) -> ArchiveResult:
    """Verify the archive that the log names."""
    recorded = archives.find(month.name)
    return _verify(month, "" if recorded is None else recorded.manifest, destination)


def _verify(month: Month, digest: str, destination: CheckpointStorage) -> ArchiveResult:
    """Read an archive back, and compare all of it with the manifest of that digest and with the seals."""
    name = archives.object_name(month.name, digest)
    text = destination.read(name)
    if text is None:
        return ArchiveResult(None, (Finding(archive_files.MISSING, name, "a manifest", "none"),), is_new=False)
    actual = sha256(text).hexdigest()
    try:
        manifest = archives.parse(text)
    except ValueError as error:
        return ArchiveResult(None, (Finding(archives.FORGED, name, "a manifest", str(error)),), is_new=False)
    named = [] if actual == digest else [Finding(archives.FORGED, name, digest, actual)]
    signed = archives.check_signature(manifest, month=month.name)
    files = chain.from_iterable(archive_files.check(each, destination.read(each.name)) for each in manifest.files)
    return ArchiveResult(manifest, (*named, *signed, *files), is_new=False)
