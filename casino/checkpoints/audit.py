"""The log against its checkpoints: those in the database, and those outside that nobody inside can rewrite.

Recomputing the chain shows that a log agrees with itself. That it is the log which was signed, and not one written anew
and chained again, cut, or set back to an old backup, only checkpoints show: each root is computed from the digests.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.checkpoints import keyring, manifest_audit, records, replicas, storage
from casino.checkpoints.document import CheckpointDocument, fingerprint
from casino.checkpoints.tree_check import TreeCheck
from casino.events.sql import fetch
from casino.kernel.findings import Finding

BROKEN: Final = "checkpoint chain broken"
FORGED: Final = "checkpoint signature is wrong"
FOREIGN: Final = "checkpoint of another log"
OVERDUE: Final = "checkpoint overdue"
MISSING_IN_DATABASE: Final = "checkpoint is not in the database"
UNTRUSTED: Final = "checkpoint key is not trusted"
KEY_NOT_IN_USE: Final = "checkpoint key was not in use"

MAX_UNSIGNED_AGE: Final = timedelta(hours=25)
"""A checkpoint is signed daily at least; an hour more is no finding."""
_PAGE: Final = 1000
_UNSIGNED: Final = """
SELECT event.recorded_at FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
WHERE seal.position > %s ORDER BY seal.position LIMIT 1
"""


def check(
    unknown_copies: replicas.UnknownCopies, *, now: datetime, since: CheckpointDocument | None = None
) -> list[Finding]:
    """Find what contradicts between log, tree, checkpoints and their copies, on the caller's snapshot.

    `seen` was read before the snapshot was taken. Checkpoints up to `since`, which is trusted, are compared with their
    copies and with one another, but no root is computed again for them: it goes on from the kept tree at that place.
    """
    findings: list[Finding] = []
    inside = list(replicas.compare_copies(_inside(), findings))
    latest = inside[-1] if inside else None
    unknown = replicas.parse_unknown_copies(
        unknown_copies, latest=0 if latest is None else latest.number, findings=findings
    )
    log = records.log_id()
    _judge_own(log, findings)
    claims = [each for each in (*inside, *unknown) if _is_signed(each, log, findings)]
    _judge_chain(inside, findings)
    findings.extend(_set_back(each, latest) for each in unknown)
    findings.extend(TreeCheck(since, covered=0 if latest is None else latest.position).check(claims))
    _judge_age(latest, now, findings)
    if since is None:
        findings.extend(manifest_audit.check(unknown_copies.manifests, now=now))
    return findings


def _judge_own(log: UUID, findings: list[Finding]) -> None:
    """What this database says of itself: whose log it is, and which keys, that are published, have signed it."""
    if log == records.NIL_LOG_ID:
        findings.append(Finding(FOREIGN, "the log", "the id that checkpoints name", "none"))
    trusted = keyring.checkpoint_keyring().public
    for key in records.registered_keys():
        if trusted.get(key.id) != key.public:
            expected = trusted.get(key.id, b"").hex() or "a key of our ring"
            findings.append(Finding(UNTRUSTED, f"key {key.id}", expected, key.public.hex()))


def _set_back(unknown: CheckpointDocument, latest: CheckpointDocument | None) -> Finding:
    newest = "none" if latest is None else f"the newest is number {latest.number}, {_place(latest)}"
    return Finding(
        MISSING_IN_DATABASE, f"checkpoint {unknown.number}", f"number {unknown.number}, {_place(unknown)}", newest
    )


def is_trusted(checkpoint: CheckpointDocument) -> bool:
    """Tell whether a checkpoint is this log's, by a trusted key, with the same copy outside, if any."""
    findings: list[Finding] = []
    list(replicas.compare_copies(iter([checkpoint]), findings))
    return _is_signed(checkpoint, records.log_id(), findings) and not findings


def latest_trusted(*, upto: int) -> CheckpointDocument | None:
    """Return the newest trusted checkpoint that speaks of no more than `upto` positions, or None."""
    newest = records.newest_within(upto)
    while newest is not None and not is_trusted(newest):
        newest = records.find_by_number(newest.number - 1)
    return newest


def _inside() -> Iterator[CheckpointDocument]:
    after = 0
    while page := records.list_after(after=after, limit=_PAGE):
        yield from page
        after = page[-1].number


def _is_signed(checkpoint: CheckpointDocument, log: UUID, findings: list[Finding]) -> bool:
    """Only what a trusted key has signed for this log is a claim to hold the log against."""
    where, own = f"checkpoint {checkpoint.number}", keyring.checkpoint_keyring()
    if checkpoint.log != log:
        findings.append(Finding(FOREIGN, where, str(log), str(checkpoint.log)))
    elif checkpoint.key not in own.public:
        findings.append(Finding(UNTRUSTED, where, ", ".join(own.public) or "a key", checkpoint.key))
    elif not own.verifies(checkpoint):
        findings.append(Finding(FORGED, where, f"a signature by {checkpoint.key}", checkpoint.signature.hex()))
    else:
        return True
    return False


def _judge_chain(checkpoints: Iterable[CheckpointDocument], findings: list[Finding]) -> None:
    keys, number, before = {key.id: key for key in records.registered_keys()}, 0, None
    for each in checkpoints:
        where = f"checkpoint {each.number}"
        named = b"" if before is None else fingerprint(before)
        if each.number != number + 1:
            findings.append(Finding(BROKEN, where, f"number {number + 1}", f"number {each.number}"))
        elif each.previous != named:
            findings.append(Finding(BROKEN, where, named.hex(), each.previous.hex()))
        elif before is not None and (each.position < before.position or each.made_at < before.made_at):
            findings.append(Finding(BROKEN, where, f"after {_place(before)}", _place(each)))
        key = keys.get(each.key)
        if key is None or each.made_at < key.since or (key.until is not None and each.made_at > key.until):
            findings.append(Finding(KEY_NOT_IN_USE, where, f"{each.key} in use", each.made_at.isoformat()))
        number, before = each.number, each


def _judge_age(latest: CheckpointDocument | None, now: datetime, findings: list[Finding]) -> None:
    if storage.configured_storage() is None:
        return
    rows = fetch(_UNSIGNED, [0 if latest is None else latest.position])
    if rows and now - rows[0][0] > MAX_UNSIGNED_AGE:
        findings.append(Finding(OVERDUE, "the log", f"signed within {MAX_UNSIGNED_AGE}", f"since {rows[0][0]}"))


def _place(checkpoint: CheckpointDocument) -> str:
    return f"position {checkpoint.position} at {checkpoint.made_at.isoformat()}"
