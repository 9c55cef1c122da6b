"""Compare the checkpoints in the database with their copies in the storage.

Rows are committed before their copies are written, so the snapshot of an audit includes the row of every copy that was
read before it: call `read_unknown_copies` first, then take the snapshot, then compare.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from casino.checkpoints import manifests, note_audit, records, storage
from casino.checkpoints.document import CheckpointDocument, MalformedCheckpoint, parse, serialize
from casino.kernel.findings import Finding

COPY_DIFFERS: Final = "replica differs"
COPY_MISSING: Final = "replica missing"
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
    """The newest note that each witness has cosigned, by the witness's name; empty for one that did not answer."""


def read_unknown_copies() -> UnknownCopies:
    """Read the copies with numbers above the database's newest, even after a gap. Never raises."""
    last = records.latest()
    copies = UnknownCopies({}, {})
    try:
        _read_above(0 if last is None else last.number, storage.object_name, copies.checkpoints)
        _read_above(manifests.latest_number(), manifests.object_name, copies.manifests)
    except storage.StorageUnavailable as error:
        copies = replace(copies, error=str(error))
    return replace(copies, witnessed=note_audit.read_witnessed())


def _read_above(newest: int, name_of: Callable[[int], str], texts: dict[int, bytes]) -> None:
    """Add the copies with numbers above the newest one to `texts`. Raises StorageUnavailable."""
    source, number = storage.configured_storage(), newest
    while source is not None and number < max((newest, *texts)) + GAP_LOOKAHEAD:
        number += 1
        text = source.read(name_of(number))
        if text is not None:
            texts[number] = text


def parse_unknown_copies(copies: UnknownCopies, *, latest: int, findings: list[Finding]) -> list[CheckpointDocument]:
    """Return the copies of checkpoints with numbers above `latest`, the newest in the database."""
    checkpoints: list[CheckpointDocument] = []
    if copies.error:
        findings.append(Finding(COPIES_UNREADABLE, STORAGE, "an answer", copies.error))
    for number, text in sorted(copies.checkpoints.items()):
        if number > latest:
            try:
                checkpoints.append(parse(text))
            except MalformedCheckpoint as error:
                findings.append(Finding(COPY_DIFFERS, f"checkpoint {number}", "a checkpoint", str(error)))
    return checkpoints


def compare_copies(checkpoints: Iterator[CheckpointDocument], findings: list[Finding]) -> Iterator[CheckpointDocument]:
    """Yield the checkpoints, each compared with its copy if a storage is configured."""
    source, last_copied = storage.configured_storage(), max(records.copied_numbers(), default=0)
    for checkpoint in checkpoints:
        if source is not None:
            try:
                _compare(checkpoint, source.read(storage.object_name(checkpoint.number)), last_copied, findings)
            except storage.StorageUnavailable as error:
                findings.append(Finding(COPIES_UNREADABLE, STORAGE, "an answer", str(error)))
                source = None
        yield checkpoint


def _compare(checkpoint: CheckpointDocument, copy: bytes | None, last_copied: int, findings: list[Finding]) -> None:
    where, text = f"checkpoint {checkpoint.number}", serialize(checkpoint)
    if copy is None:
        if checkpoint.number <= last_copied:  # copies are made in order
            findings.append(Finding(COPY_MISSING, where, "a copy", "none"))
    elif copy != text:
        findings.append(Finding(COPY_DIFFERS, where, _as_text(text), _as_text(copy)))


def _as_text(text: bytes) -> str:
    return text.decode(errors="replace").strip()
