"""What stands outside of the database, read before and compared with what stands in it.

Rows are committed before their copies are written. So a copy that was seen before a snapshot has its row in it: read
`beyond` first, then take the snapshot, then compare.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from casino.checkpoints import manifests, records, storage
from casino.checkpoints.document import Checkpoint, Malformed, parse, text_of
from casino.kernel.findings import Finding

COPY_DIFFERS: Final = "outside copy differs"
COPY_MISSING: Final = "outside copy missing"
UNREADABLE: Final = "outside copies can't be read"
FURTHER: Final = 4
"""Numbers that are looked for behind the last one found: who removes one copy must not hide those after it."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """The texts outside whose numbers the database did not know, and why no more could be read, if so."""

    texts: dict[int, bytes]
    trouble: str = ""
    inventories: dict[int, bytes] = field(default_factory=dict)


def beyond() -> Beyond:
    """Read the copies with numbers above the database's newest, also behind a gap. Nothing is raised."""
    last, texts, others = records.latest(), dict[int, bytes](), dict[int, bytes]()
    try:
        _look(storage.name_of, 0 if last is None else last.number, texts)
        _look(manifests.name_of, manifests.newest(), others)
    except storage.Away as trouble:
        return Beyond(texts, str(trouble), others)
    return Beyond(texts, inventories=others)


def _look(name_of: Callable[[int], str], number: int, texts: dict[int, bytes]) -> None:
    """Fill in the copies of numbers above this one. Raises Away."""
    place, known = storage.configured(), number
    while place is not None and number < max((known, *texts)) + FURTHER:
        number += 1
        text = place.read(name_of(number))
        if text is not None:
            texts[number] = text


def unknown(seen: Beyond, *, latest: int, findings: list[Finding]) -> list[Checkpoint]:
    """Return the copies of checkpoints that this database does not hold, whose newest is `latest`."""
    found: list[Checkpoint] = []
    if seen.trouble:
        findings.append(Finding(UNREADABLE, "the place of checkpoints", "an answer", seen.trouble))
    for number, text in sorted(seen.texts.items()):
        if number > latest:
            found.extend(_parsed(number, text, findings))
    return found


def compare(checkpoints: Iterator[Checkpoint], findings: list[Finding]) -> Iterator[Checkpoint]:
    """Hand checkpoints on, each compared with its copy; without a place there is nothing to compare with."""
    place, copied = storage.configured(), records.copied()
    for checkpoint in checkpoints:
        if place is not None:
            try:
                _compare(checkpoint, place.read(storage.name_of(checkpoint.number)), copied, findings)
            except storage.Away as trouble:
                findings.append(Finding(UNREADABLE, "the place of checkpoints", "an answer", str(trouble)))
                place = None
        yield checkpoint


def _compare(checkpoint: Checkpoint, text: bytes | None, copied: frozenset[int], findings: list[Finding]) -> None:
    where = f"checkpoint {checkpoint.number}"
    if text is None:
        if checkpoint.number <= max(copied, default=0):  # none is signed, so none is copied, before the last one is
            findings.append(Finding(COPY_MISSING, where, "a copy outside", "none"))
    elif text != text_of(checkpoint):
        findings.append(Finding(COPY_DIFFERS, where, _words(text_of(checkpoint)), _words(text)))


def _parsed(number: int, text: bytes, findings: list[Finding]) -> Iterator[Checkpoint]:
    try:
        yield parse(text)
    except Malformed as trouble:
        findings.append(Finding(COPY_DIFFERS, f"checkpoint {number}", "a checkpoint", str(trouble)))


def _words(text: bytes) -> str:
    return text.decode(errors="replace").strip()
