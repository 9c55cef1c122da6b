"""What stands outside of the database, read before and compared with what stands in it.

Rows are committed before their copies are written. So a copy that was seen before a snapshot has its row in it: read
`beyond` first, then take the snapshot, then compare.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from casino.checkpoints import manifests, records, storage
from casino.checkpoints.document import CheckpointDocument, MalformedCheckpoint, parse, serialize
from casino.kernel.findings import Finding

COPY_DIFFERS: Final = "replica differs"
COPY_MISSING: Final = "replica missing"
COPIES_UNREADABLE: Final = "outside copies can't be read"
GAP_LOOKAHEAD: Final = 4
"""Numbers that are looked for behind the last one found: who removes one copy must not hide those after it."""


@dataclass(frozen=True, slots=True)
class UnknownCopies:
    """The texts outside whose numbers the database did not know, and why no more could be read, if so."""

    checkpoints: dict[int, bytes]
    error: str = ""
    manifests: dict[int, bytes] = field(default_factory=dict)


def read_unknown_copies() -> UnknownCopies:
    """Read the copies with numbers above the database's newest, also behind a gap. Nothing is raised."""
    last, texts, others = records.latest(), dict[int, bytes](), dict[int, bytes]()
    try:
        _look(storage.object_name, 0 if last is None else last.number, texts)
        _look(manifests.object_name, manifests.latest_number(), others)
    except storage.StorageUnavailable as trouble:
        return UnknownCopies(texts, str(trouble), others)
    return UnknownCopies(texts, manifests=others)


def _look(name_of: Callable[[int], str], number: int, texts: dict[int, bytes]) -> None:
    """Fill in the copies of numbers above this one. Raises Away."""
    place, known = storage.configured_storage(), number
    while place is not None and number < max((known, *texts)) + GAP_LOOKAHEAD:
        number += 1
        text = place.read(name_of(number))
        if text is not None:
            texts[number] = text


def parse_unknown_copies(copies: UnknownCopies, *, latest: int, findings: list[Finding]) -> list[CheckpointDocument]:
    """Return the copies of checkpoints that this database does not hold, whose newest is `latest`."""
    found: list[CheckpointDocument] = []
    if copies.error:
        findings.append(Finding(COPIES_UNREADABLE, "the place of checkpoints", "an answer", copies.error))
    for number, text in sorted(copies.checkpoints.items()):
        if number > latest:
            found.extend(_parsed(number, text, findings))
    return found


def compare_copies(checkpoints: Iterator[CheckpointDocument], findings: list[Finding]) -> Iterator[CheckpointDocument]:
    """Hand checkpoints on, each compared with its copy; without a place there is nothing to compare with."""
    place, copied = storage.configured_storage(), records.copied_numbers()
    for checkpoint in checkpoints:
        if place is not None:
            try:
                _compare(checkpoint, place.read(storage.object_name(checkpoint.number)), copied, findings)
            except storage.StorageUnavailable as trouble:
                findings.append(Finding(COPIES_UNREADABLE, "the place of checkpoints", "an answer", str(trouble)))
                place = None
        yield checkpoint


def _compare(
    checkpoint: CheckpointDocument, text: bytes | None, copied: frozenset[int], findings: list[Finding]
) -> None:
    where = f"checkpoint {checkpoint.number}"
    if text is None:
        if checkpoint.number <= max(copied, default=0):  # none is signed, so none is copied, before the last one is
            findings.append(Finding(COPY_MISSING, where, "a copy outside", "none"))
    elif text != serialize(checkpoint):
        findings.append(Finding(COPY_DIFFERS, where, _words(serialize(checkpoint)), _words(text)))


def _parsed(number: int, text: bytes, findings: list[Finding]) -> Iterator[CheckpointDocument]:
    try:
        yield parse(text)
    except MalformedCheckpoint as trouble:
        findings.append(Finding(COPY_DIFFERS, f"checkpoint {number}", "a checkpoint", str(trouble)))


def _words(text: bytes) -> str:
    return text.decode(errors="replace").strip()
