"""Compare the checkpoints in the database with their copies in the storage.

Rows are committed before their copies are written, so the snapshot of an audit includes the row of every copy that was
read before it: call `read_unknown_copies` first, then take the snapshot, then compare.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from casino.checkpoints import manifests, note_audit, notes, records, storage
from casino.checkpoints.note_audit import SignedRoot
from casino.checkpoints.records import Copy
from casino.kernel.findings import Finding, failure

BROKEN: Final = "copies of checkpoints not in order"
COPY_DIFFERS: Final = "replica differs"
COPY_MISSING: Final = "replica missing"
MISSING_IN_DATABASE: Final = "checkpoint is not in the database"
COPIES_UNREADABLE: Final = "copies can't be read"
STORAGE: Final = "storage of checkpoints"
GAP_LOOKAHEAD: Final = 4
"""How many numbers are tried after the last copy found, so that a removed copy does not hide the ones after it."""


@dataclass(frozen=True, slots=True)
class UnknownCopies:
    """Copies, by number, that the database had no row for, and the error that ended reading them, if any."""

    checkpoints: dict[int, bytes]
    manifests: dict[int, bytes]
    error: str = ""
    witnessed: dict[str, str] = field(default_factory=dict)
    """The newest checkpoint that each witness has cosigned, by its name; empty for one that did not answer."""


def read_unknown_copies() -> UnknownCopies:
    """Read the copies with numbers above the database's newest, even after a gap. Never raises."""
    last = records.latest_copy()
    copies = UnknownCopies({}, {})
    try:
        _read_above(0 if last is None else last.number, storage.object_name, copies.checkpoints)
        _read_above(manifests.latest_number(), manifests.object_name, copies.manifests)
    except Exception as error:  # noqa: BLE001  (`check` reports it)
        copies = replace(copies, error=str(error) or repr(error))
    return replace(copies, witnessed=note_audit.read_witnessed())


def _read_above(newest: int, name_of: Callable[[int], str], texts: dict[int, bytes]) -> None:
    """Add the copies with numbers above the newest one to `texts`. Raises StorageUnavailable."""
    source, number = storage.configured_storage(), newest
    while source is not None and number < max((newest, *texts)) + GAP_LOOKAHEAD:
        number += 1
        text = source.read(name_of(number))
        if text is not None:
            texts[number] = text


def check(copies: UnknownCopies, findings: list[Finding], *, since: int) -> list[SignedRoot]:
    """Compare the copies of checkpoints above `since`; return the roots of those that the database lacks."""
    number = records.count_copies(upto=since)
    while page := records.list_copies(after=number):
        for copy in page:
            if copy.number != number + 1:
                findings.append(Finding(BROKEN, f"copy {copy.number}", f"number {number + 1}", f"number {copy.number}"))
            number = copy.number
        compare(page, findings)
    if copies.error:
        findings.append(Finding(COPIES_UNREADABLE, STORAGE, "an answer", copies.error))
    unknown = {each: text for each, text in sorted(copies.checkpoints.items()) if each > number}
    return list(_unknown_roots(unknown, findings))


def _unknown_roots(unknown: dict[int, bytes], findings: list[Finding]) -> Iterator[SignedRoot]:
    """Yield the roots of copies that are not of a checkpoint which is waiting to be recorded as copied."""
    for number, text in unknown.items():
        where = f"copy {number}"
        try:
            head, _ = notes.read(text.decode())
        except Exception as error:  # noqa: BLE001  (one copy ends no audit)
            findings.append(Finding(COPY_DIFFERS, where, "a checkpoint of this log", str(error)))
            continue
        stored = records.find(head.size)
        if stored is None:
            newest = records.latest()
            actual = "none" if newest is None else f"the newest has size {newest.size}"
            findings.append(Finding(MISSING_IN_DATABASE, where, f"size {head.size}", actual))
        elif stored.note.encode() != text:
            findings.append(Finding(COPY_DIFFERS, where, _as_text(stored.note.encode()), _as_text(text)))
        yield SignedRoot(head.size, where, head.root)


def compare(copies: Sequence[Copy], findings: list[Finding]) -> None:
    """Compare recorded copies with the storage, if one is configured, and with what they are copies of."""
    source = storage.configured_storage()
    for copy in copies:
        if copy.note is None:
            findings.append(Finding(MISSING_IN_DATABASE, f"copy {copy.number}", f"size {copy.size}", "none"))
        if source is not None:
            try:
                _compare(copy, source.read(storage.object_name(copy.number)), findings)
            except storage.StorageUnavailable as error:
                findings.append(Finding(COPIES_UNREADABLE, STORAGE, "an answer", str(error)))
                source = None
            except Exception as error:  # noqa: BLE001  (as above)
                findings.append(failure(f"copy {copy.number}", error))


def _compare(copy: Copy, stored: bytes | None, findings: list[Finding]) -> None:
    where, text = f"copy {copy.number}", (copy.note or "").encode()
    if stored is None:
        findings.append(Finding(COPY_MISSING, where, "a copy", "none"))
    elif copy.note is not None and stored != text:
        findings.append(Finding(COPY_DIFFERS, where, _as_text(text), _as_text(stored)))


def _as_text(text: bytes) -> str:
    return text.decode(errors="replace").strip()
