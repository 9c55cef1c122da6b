"""Audit of the log against its checkpoints in the database and their copies in the storage.

Recomputing the hash chain only shows that a log is consistent with itself. Checkpoints show that it is the log that was
signed, and was not rewritten, cut off or replaced with an old backup: each root is computed again from the digests.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from casino.checkpoints import keyring, manifest_audit, note_audit, notes, records, replicas, signing, storage, tree
from casino.checkpoints.note_audit import SignedRoot
from casino.checkpoints.records import SignedCheckpoint
from casino.crypto.signed_note import MalformedNote, UntrustedNote
from casino.events import row_digests
from casino.events.netting import net, run_checks
from casino.events.sql import fetch
from casino.kernel.findings import Finding, Findings
from casino.kernel.merkle import CompactRange, Subtree
from casino.significant import notes as significant_notes

OVERDUE: Final = "checkpoint overdue"
UNTRUSTED: Final = "checkpoint key is not trusted"
TAIL_CUT: Final = "tail cut"
DIFFERS: Final = "log differs from its checkpoint"
NODE_DIFFERS: Final = "tree node differs"

MAX_UNSIGNED_AGE: Final = timedelta(hours=25)
"""How long what was sealed may be in no checkpoint that was copied."""
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
    unknown_copies: replicas.UnknownCopies, *, now: datetime, since: SignedCheckpoint | None = None
) -> list[Finding]:
    """Return the contradictions between log, tree, checkpoints and copies, on the caller's snapshot.

    `unknown_copies` were read before the snapshot was taken. Checkpoints before `since`, which is trusted, are not
    read, nor what it covers: the stored tree is used instead. Of the manifests that it covers, rows are not digested
    again either. Rows of working tables are always compared. That takes as long as there are days in the log.
    """
    findings, start = Findings(), 0 if since is None else since.size
    before = max(start - 1, 0)
    signed: list[SignedRoot] = []
    with net(findings, "keys of checkpoints"):
        _check_keys(findings)
    with net(findings, "notes of checkpoints"):
        signed += note_audit.check(unknown_copies.witnessed, findings, since=before)
    with net(findings, "copies of checkpoints"):
        signed += replicas.check(unknown_copies, findings, since=before)
    with net(findings, "age of checkpoints"):
        _check_age(now, findings)
    findings.extend(
        run_checks(
            ("tree of checkpoints", lambda: TreeCheck(since, covered=tree.covered()).check(signed)),
            ("manifests", lambda: manifest_audit.check(unknown_copies.manifests, now=now, audited=start)),
            ("digests of rows", row_digests.check),
            ("queue of significant events", significant_notes.check_queue),
            ("notes of significant events", significant_notes.check_own),
        )
    )
    return findings


def is_trusted(checkpoint: SignedCheckpoint) -> bool:
    """Return whether a trusted key signed the checkpoint, and its copy, if any, is the same."""
    try:
        notes.signer(checkpoint)
    except (MalformedNote, UntrustedNote):
        return False
    copy, findings = records.find_copy(checkpoint.size), list[Finding]()
    if copy is not None:
        replicas.compare([copy], findings)
    return not findings


def latest_trusted(*, upto: int) -> SignedCheckpoint | None:
    """Return the newest trusted checkpoint that covers no more than `upto` positions, or None."""
    newest = records.newest_within(upto)
    while newest is not None and not is_trusted(newest):
        newest = records.newest_within(newest.size - 1)
    return newest


def _check_keys(findings: list[Finding]) -> None:
    """Check that the database publishes trusted keys only."""
    trusted = keyring.checkpoint_keyring().public
    for key in records.registered_keys():
        if trusted.get(key.id) != key.public:
            expected = trusted.get(key.id, b"").hex() or "a trusted key"
            findings.append(Finding(UNTRUSTED, f"key {key.id}", expected, key.public.hex()))


def _check_age(now: datetime, findings: list[Finding]) -> None:
    if storage.configured_storage() is None:
        return
    rows = fetch(_UNSIGNED, [signing.kept_size()])
    if rows and now - rows[0][0] > MAX_UNSIGNED_AGE:
        findings.append(Finding(OVERDUE, "the log", f"signed within {MAX_UNSIGNED_AGE}", f"since {rows[0][0]}"))


class TreeCheck:
    """Computes the tree again from the digests and compares it with signed roots and stored nodes.

    It starts at `since`, if the stored tree has that root, or at the first event. The stored tree covers `covered`
    positions.
    """

    def __init__(self, since: SignedCheckpoint | None, *, covered: int) -> None:
        self.findings: list[Finding] = []
        self._covered = covered
        self._start = 0
        peaks: Sequence[bytes] = ()
        if since is not None and self._is_stored(since):
            self._start, peaks = since.size, tree.peaks_of(since.size)
        rows = fetch(_NODES, [self._start])
        self._stored = {Subtree(level, place): bytes(node) for level, place, node in rows}
        self._tree = CompactRange(size=self._start, peaks=peaks, level=tree.STORED_LEVEL, on_subtree=self._compare_node)

    def check(self, signed: Sequence[SignedRoot]) -> list[Finding]:
        """Compute the tree over all positions that signed roots cover, and return the contradictions.

        They may come in any order; those at or before the start are skipped.
        """
        pending = sorted((each for each in signed if each.position > self._start), reverse=True)
        last = max(self._covered, pending[0].position if pending else 0)
        for digest in self._digests(last):
            self._tree.add(digest)
            while pending and pending[-1].position == self._tree.size:
                self._compare_root(pending.pop())
        if pending:
            first, end = pending[-1], f"the log ends at {self._tree.size}"
            self.findings.append(Finding(TAIL_CUT, first.location, f"position {first.position}", end))
        self._report_extra_nodes()
        return self.findings

    def _is_stored(self, since: SignedCheckpoint) -> bool:
        """Return whether the stored tree has the signed root; if not, report it and compute everything again."""
        try:
            root = tree.root_of(since.size)
        except tree.IncompleteTree as error:
            self.findings.append(Finding(NODE_DIFFERS, f"checkpoint {since.size}", since.root.hex(), str(error)))
            return False
        if root != since.root:
            self.findings.append(Finding(NODE_DIFFERS, f"checkpoint {since.size}", since.root.hex(), root.hex()))
        return root == since.root

    def _compare_root(self, signed: SignedRoot) -> None:
        root = self._tree.root()
        if root != signed.root:
            self.findings.append(Finding(DIFFERS, signed.location, f"root {signed.root.hex()}", f"root {root.hex()}"))

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


def _end(subtree: Subtree) -> int:
    return (subtree.place + 1) << subtree.level
