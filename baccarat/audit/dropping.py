"""Drop the payloads of an archived month from the database, and restore them.

A dropped event keeps its row: stream, version, type, time and seal. Its payload is read from the archive, which was
verified before. Openings and events of voids keep theirs, because lookups and voids need them. The log says first what
is done, so a command that dies is continued by the next; the database itself refuses what the log does not say, and
restores only what fits the seals.
"""

import contextlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from baccarat.audit import archiving
from baccarat.audit.archiving import Month
from baccarat.audit.log_replay import ROUND_VOIDED
from casino.checkpoints import archive_files, archived_payloads, archives, storage
from casino.checkpoints.archive_files import ArchivedEvent
from casino.checkpoints.archives import ArchiveManifest, MonthDropped, MonthRestored
from casino.checkpoints.refusals import (
    ArchiveNotConfigured,
    MonthBusy,
    MonthDisputed,
    MonthHasCases,
    MonthNotArchived,
    MonthNotDropped,
    MonthStillRead,
    OwnerNeeded,
)
from casino.compliance.cases import is_resolved
from casino.compliance.models import Case
from casino.events.payloads import as_json
from casino.events.sql import execute, fetch
from casino.kernel.findings import Finding

CHUNK: Final = 2000
"""Events that are changed in one transaction."""
LOCK: Final = 0x5EA7
"""The advisory lock, within this database, of the session that drops or restores."""
_MAY_UPDATE: Final = "SELECT has_column_privilege('events_event', 'data', 'UPDATE')"
_BEHIND: Final = "SELECT name, position FROM events_subscription WHERE position < %s ORDER BY position LIMIT 1"
_DISPUTED: Final = """
SELECT id FROM baccarat_round
 WHERE (flag = 'suspended' OR id::text IN (
            SELECT substr(subject, 7) FROM operators_change WHERE kind = 'void' AND status = 'requested'))
   AND opened_at < %s ORDER BY id LIMIT 1
"""
_DROP: Final = "UPDATE events_event SET data = 'null' WHERE id = ANY (%s::bigint[]) AND data::text <> 'null'"
_RESTORE: Final = """
UPDATE events_event AS event SET data = given.data
  FROM json_to_recordset(%s::json) AS given (id bigint, data json)
 WHERE event.id = given.id AND event.data::text = 'null'
"""


@dataclass(frozen=True, slots=True)
class DropResult:
    """How many payloads were dropped or restored by this call; nothing was if the archive has `findings`."""

    events: int
    findings: tuple[Finding, ...] = ()


def due_months() -> list[str]:
    """Return the archived months that were never dropped, oldest first, after the last that was: it may be half done.

    What was restored stays.
    """
    histories = {name: archives.history(name) for name in archiving.old_months()}
    dropped = [name for name, history in histories.items() if history and isinstance(history[-1], MonthDropped)]
    return dropped[-1:] + [name for name, history in histories.items() if len(history) == 1]


def drop_month(name: str) -> DropResult:
    """Drop the payloads of an archived month, or those that an earlier call left. Call it outside any transaction.

    Raises InvalidMonth, ArchiveNotConfigured, OwnerNeeded, MonthBusy, MonthNotArchived, MonthTooYoung,
    MonthUnderLegalHold, MonthNotCovered, MonthStillRead, MonthDisputed, MonthHasCases, storage.StorageUnavailable,
    payloads.ArchiveUnavailable.
    """
    month = Month.parse(name)
    with _alone():
        manifest, findings = _verified(month)
        if manifest is None or findings:
            return DropResult(0, findings)
        _require_droppable(month, manifest)
        history = archives.history(name)
        if not isinstance(history[-1], MonthDropped):
            archives.append(MonthDropped(name, manifest.events), version=len(history))
        return DropResult(_change(month, manifest, _drop))


def restore_month(name: str) -> DropResult:
    """Write the payloads of a dropped month back, or those that an earlier call left. Call it outside any transaction.

    Raises InvalidMonth, ArchiveNotConfigured, OwnerNeeded, MonthBusy, MonthNotArchived, MonthNotDropped,
    storage.StorageUnavailable, payloads.ArchiveUnavailable.
    """
    month = Month.parse(name)
    with _alone():
        manifest, findings = _verified(month)
        if manifest is None or findings:
            return DropResult(0, findings)
        history = archives.history(name)
        if len(history) == 1:
            raise MonthNotDropped
        if not isinstance(history[-1], MonthRestored):
            archives.append(MonthRestored(name, manifest.events), version=len(history))
        return DropResult(_change(month, manifest, _restore))


@contextlib.contextmanager
def _alone() -> Generator[None]:
    if not fetch(_MAY_UPDATE)[0][0]:
        raise OwnerNeeded
    if not fetch("SELECT pg_try_advisory_lock(%s)", [LOCK])[0][0]:
        raise MonthBusy
    try:
        yield
    finally:
        fetch("SELECT pg_advisory_unlock(%s)", [LOCK])


def _verified(month: Month) -> tuple[ArchiveManifest | None, tuple[Finding, ...]]:
    destination = storage.archive_storage()
    if destination is None:
        raise ArchiveNotConfigured
    if archives.find(month.name) is None:
        raise MonthNotArchived
    result = archiving.verify_recorded(month, destination)
    return result.manifest, result.findings


def _require_droppable(month: Month, manifest: ArchiveManifest) -> None:
    archiving.require_archivable(month)
    behind = fetch(_BEHIND, [manifest.last])
    if behind:
        raise MonthStillRead(f"{behind[0][0]} has read up to position {behind[0][1]} of {manifest.last}.")
    disputed = fetch(_DISPUTED, [month.until])
    if disputed:
        raise MonthDisputed(f"Round {disputed[0][0]} is suspended, or somebody asked to void it.")
    about = month.until + timedelta(days=settings.ARCHIVE_AFTER_DAYS)
    case = Case.objects.filter(~is_resolved(), opened_at__lt=about).order_by("opened_at").first()
    if case is not None:
        raise MonthHasCases(f"Case {case.id} was opened before {about:%Y-%m-%d}.")


def _change(month: Month, manifest: ArchiveManifest, change: Callable[[Sequence[ArchivedEvent]], int]) -> int:
    """Change the events of each file, some in a transaction, and return how many were."""
    changed = 0
    for file in manifest.files:
        events = [
            each for each in archive_files.decode(archived_payloads.read(file.name, file.sha256)) if _leaves(each)
        ]
        for start in range(0, len(events), CHUNK):
            with transaction.atomic(durable=True):
                fetch("SELECT set_config('casino.archived_month', %s, true)", [month.name])
                changed += change(events[start : start + CHUNK])
    return changed


def _leaves(event: ArchivedEvent) -> bool:
    return event.version > 1 and event.type != ROUND_VOIDED


def _drop(events: Sequence[ArchivedEvent]) -> int:
    return execute(_DROP, [[event.id for event in events]])


def _restore(events: Sequence[ArchivedEvent]) -> int:
    return execute(_RESTORE, [as_json((event.id, event.data) for event in events)])
