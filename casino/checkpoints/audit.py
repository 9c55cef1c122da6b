"""Audit of the log against its checkpoints in the database and their copies in the storage.

Recomputing the hash chain only shows that a log is consistent with itself. Checkpoints show that it is the log that was
signed, and was not rewritten, cut off or replaced with an old backup: each root is computed again from the digests.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from casino.checkpoints import keyring, manifest_audit, note_audit, records, replicas, storage, tree
from casino.checkpoints.document import CheckpointDocument, fingerprint
from casino.checkpoints.note_audit import SignedRoot
from casino.events import row_digests
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.kernel.merkle import CompactRange, Subtree
from casino.significant import notes

BROKEN: Final = "checkpoint chain broken"
FORGED: Final = "checkpoint signature is wrong"
FOREIGN: Final = "checkpoint of another log"
OVERDUE: Final = "checkpoint overdue"
MISSING_IN_DATABASE: Final = "checkpoint is not in the database"
UNTRUSTED: Final = "checkpoint key is not trusted"
KEY_NOT_IN_USE: Final = "checkpoint key was not in use"
TAIL_CUT: Final = "tail cut"
DIFFERS: Final = "log differs from its checkpoint"
NODE_DIFFERS: Final = "tree node differs"

MAX_UNSIGNED_AGE: Final = timedelta(hours=25)
"""A checkpoint is signed at least daily; an hour more is tolerated."""
_PAGE: Final = 1000
_DIGESTS_PER_QUERY: Final = 20_000
_UNSIGNED: Final = """
SELECT event.recorded_at FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
WHERE seal.position > %s ORDER BY seal.position LIMIT 1
"""
_DIGESTS: Final = """
SELECT position, digest FROM events_seal WHERE position > %s AND position <= %s ORDER BY position LIMIT %s
"""
_NODES: Final = "SELECT level, place, hash FROM checkpoints_node WHERE ((place + 1) << level::integer) > %s"


def check(
    unknown_copies: replicas.UnknownCopies,
    *,
    now: datetime,
    since: CheckpointDocument | None = None,
    newer_only: bool = False,
) -> list[Finding]:
    """Return the contradictions between log, tree, checkpoints and copies, on the caller's snapshot.

    `unknown_copies` were read before the snapshot was taken. Checkpoints up to `since`, which is trusted, are compared
    with their copies and with one another, but their roots are not computed again: the stored tree is used instead. Of
    the manifests made before it, rows are not digested again either. Rows of working tables are always compared. With
    `newer_only`, checkpoints before `since` are not read at all: that takes as long as there are days in the log.
    """
    findings: list[Finding] = []
    skipped = since.number - 1 if since is not None and newer_only else 0
    stored = list(replicas.compare_copies(_stored_checkpoints(after=skipped), findings))
    latest = stored[-1] if stored else None
    unknown = replicas.parse_unknown_copies(
        unknown_copies, latest=0 if latest is None else latest.number, findings=findings
    )
    log = records.log_id()
    _check_log_and_keys(log, findings)
    signed = [each for each in (*stored, *unknown) if _check_signature(each, log, findings)]
    _check_chain(stored, findings, skipped=skipped)
    findings.extend(_missing_in_database(each, latest) for each in unknown)
    heads = note_audit.check(unknown_copies.witnessed, findings, since=0 if since is None else since.position)
    findings.extend(TreeCheck(since, covered=tree.covered()).check([*map(_signed_root, signed), *heads]))
    _check_age(latest, now, findings)
    made_after = datetime.min.replace(tzinfo=UTC) if since is None else since.made_at
    findings.extend(manifest_audit.check(unknown_copies.manifests, now=now, made_after=made_after))
    findings.extend(row_digests.check())
    findings.extend(notes.check_queue())
    findings.extend(notes.check_own())
    return findings


def is_trusted(checkpoint: CheckpointDocument) -> bool:
    """Return whether a trusted key signed the checkpoint for this log, and its copy, if any, is the same."""
    findings: list[Finding] = []
    list(replicas.compare_copies(iter([checkpoint]), findings))
    return _check_signature(checkpoint, records.log_id(), findings) and not findings


def latest_trusted(*, upto: int) -> CheckpointDocument | None:
    """Return the newest trusted checkpoint that covers no more than `upto` positions, or None."""
    newest = records.newest_within(upto)
    while newest is not None and not is_trusted(newest):
        newest = records.find_by_number(newest.number - 1)
    return newest


def _stored_checkpoints(*, after: int) -> Iterator[CheckpointDocument]:
    while page := records.list_after(after=after, limit=_PAGE):
        yield from page
        after = page[-1].number


def _check_log_and_keys(log: UUID, findings: list[Finding]) -> None:
    """Check that the database has the id of its log and publishes trusted keys only."""
    if log == records.NIL_LOG_ID:
        findings.append(Finding(FOREIGN, "the log", "the id that checkpoints name", "none"))
    trusted = keyring.checkpoint_keyring().public
    for key in records.registered_keys():
        if trusted.get(key.id) != key.public:
            expected = trusted.get(key.id, b"").hex() or "a trusted key"
            findings.append(Finding(UNTRUSTED, f"key {key.id}", expected, key.public.hex()))


def _check_signature(checkpoint: CheckpointDocument, log: UUID, findings: list[Finding]) -> bool:
    """Return whether a trusted key signed the checkpoint for this log: the log is compared with no other."""
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


def _check_chain(checkpoints: Iterable[CheckpointDocument], findings: list[Finding], *, skipped: int) -> None:
    keys = {key.id: key for key in records.registered_keys()}
    number, previous = skipped, None if not skipped else records.find_by_number(skipped)
    for checkpoint in checkpoints:
        where = f"checkpoint {checkpoint.number}"
        expected = b"" if previous is None else fingerprint(previous)
        if checkpoint.number != number + 1:
            findings.append(Finding(BROKEN, where, f"number {number + 1}", f"number {checkpoint.number}"))
        elif checkpoint.previous != expected:
            findings.append(Finding(BROKEN, where, expected.hex(), checkpoint.previous.hex()))
        elif previous is not None and (
            checkpoint.position < previous.position or checkpoint.made_at < previous.made_at
        ):
            findings.append(Finding(BROKEN, where, f"after {_describe(previous)}", _describe(checkpoint)))
        key = keys.get(checkpoint.key)
        if key is None or checkpoint.made_at < key.since or (key.until is not None and checkpoint.made_at > key.until):
            findings.append(Finding(KEY_NOT_IN_USE, where, f"{checkpoint.key} in use", checkpoint.made_at.isoformat()))
        number, previous = checkpoint.number, checkpoint


def _missing_in_database(copy: CheckpointDocument, latest: CheckpointDocument | None) -> Finding:
    newest = "none" if latest is None else f"the newest is number {latest.number}, {_describe(latest)}"
    return Finding(MISSING_IN_DATABASE, f"checkpoint {copy.number}", f"number {copy.number}, {_describe(copy)}", newest)


def _check_age(latest: CheckpointDocument | None, now: datetime, findings: list[Finding]) -> None:
    if storage.configured_storage() is None:
        return
    rows = fetch(_UNSIGNED, [0 if latest is None else latest.position])
    if rows and now - rows[0][0] > MAX_UNSIGNED_AGE:
        findings.append(Finding(OVERDUE, "the log", f"signed within {MAX_UNSIGNED_AGE}", f"since {rows[0][0]}"))


def _describe(checkpoint: CheckpointDocument) -> str:
    return f"position {checkpoint.position} at {checkpoint.made_at.isoformat()}"


def _signed_root(checkpoint: CheckpointDocument) -> SignedRoot:
    return SignedRoot(checkpoint.position, f"checkpoint {checkpoint.number}", checkpoint.root, checkpoint.head)


class TreeCheck:
    """Computes the tree again from the digests and compares it with signed roots and stored nodes.

    It starts at `since`, if the stored tree has that root, or at the first event. The stored tree covers `covered`
    positions.
    """

    def __init__(self, since: CheckpointDocument | None, *, covered: int) -> None:
        self.findings: list[Finding] = []
        self._covered = covered
        self._start = 0
        peaks: Sequence[bytes] = ()
        if since is not None and self._is_stored(since):
            self._start, peaks = since.position, tree.peaks_of(since.position)
        rows = fetch(_NODES, [self._start])
        self._stored = {Subtree(level, place): bytes(node) for level, place, node in rows}
        self._tree = CompactRange(size=self._start, peaks=peaks, level=tree.STORED_LEVEL, on_subtree=self._compare_node)

    def check(self, signed: Sequence[SignedRoot]) -> list[Finding]:
        """Compute the tree over all positions that signed roots cover, and return the contradictions.

        They may come in any order; those at or before the start are skipped.
        """
        pending = sorted((each for each in signed if each.position > self._start), key=_order, reverse=True)
        last = max(self._covered, pending[0].position if pending else 0)
        for digest in self._digests(last):
            self._tree.add(digest)
            while pending and pending[-1].position == self._tree.size:
                self._compare_root(pending.pop(), digest)
        if pending:
            first, end = pending[-1], f"the log ends at {self._tree.size}"
            self.findings.append(Finding(TAIL_CUT, first.location, f"position {first.position}", end))
        self._report_extra_nodes()
        return self.findings

    def _is_stored(self, since: CheckpointDocument) -> bool:
        """Return whether the stored tree has the signed root; if not, report it and compute everything again."""
        try:
            root = tree.root_of(since.position)
        except tree.IncompleteTree as error:
            self.findings.append(Finding(NODE_DIFFERS, f"checkpoint {since.number}", since.root.hex(), str(error)))
            return False
        if root != since.root:
            self.findings.append(Finding(NODE_DIFFERS, f"checkpoint {since.number}", since.root.hex(), root.hex()))
        return root == since.root

    def _compare_root(self, signed: SignedRoot, digest: bytes) -> None:
        root, head = self._tree.root(), signed.head or digest
        if (root, digest) != (signed.root, head):
            expected = f"root {signed.root.hex()}, head {head.hex()}"
            actual = f"root {root.hex()}, head {digest.hex()}"
            self.findings.append(Finding(DIFFERS, signed.location, expected, actual))

    def _compare_node(self, subtree: Subtree, computed: bytes) -> None:
        stored = self._stored.pop(subtree, None)
        if stored == computed or (stored is None and _end(subtree) > self._covered):
            return
        self._report_node(subtree, computed.hex(), "none" if stored is None else stored.hex())

    def _report_extra_nodes(self) -> None:
        """Report stored nodes that no checkpoint covers."""
        for subtree, stored in sorted(self._stored.items()):
            if _end(subtree) > self._covered:
                self._report_node(subtree, "none", stored.hex())

    def _report_node(self, subtree: Subtree, expected: str, actual: str) -> None:
        where = f"level {subtree.level} place {subtree.place}"
        self.findings.append(Finding(NODE_DIFFERS, where, expected, actual))

    def _digests(self, last: int) -> Iterator[bytes]:
        """Yield the digests by position, up to the first missing one, which verification reports."""
        position = self._start
        while rows := fetch(_DIGESTS, [position, last, _DIGESTS_PER_QUERY]):
            for next_position, digest in rows:
                if next_position != position + 1:
                    return
                position = next_position
                yield digest


def _order(signed: SignedRoot) -> tuple[int, bool, str]:
    """Order by position, checkpoints before notes: they say more when the log ends before."""
    return signed.position, signed.head is None, signed.location


def _end(subtree: Subtree) -> int:
    return (subtree.place + 1) << subtree.level
