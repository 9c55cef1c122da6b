"""What stands outside of the database, read before and compared with what stands in it.

Rows are committed before their copies are written. So a copy that was seen before a snapshot has its row in it: read
`beyond` first, then take the snapshot, then compare.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from casino.checkpoints import places, records
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


def beyond() -> Beyond:
    """This will read the copies with numbers above the database's newest, also behind a gap. Nothing is raised."""
    place, last, texts = places.configured(), records.latest(), dict[int, bytes]()
    known = number = 0 if last is None else last.number
    try:
        while place is not None and number < max((known, *texts)) + FURTHER:
            number += 1
            text = place.read(places.name_of(number))
            if text is not None:
                texts[number] = text
    except places.Away as trouble:
        return Beyond(texts, str(trouble))
    return Beyond(texts)


def unknown(seen: Beyond, *, latest: int, findings: list[Finding]) -> list[Checkpoint]:
    """This will return the copies of checkpoints that this database does not hold, whose newest is `latest`."""
    found: list[Checkpoint] = []
    if seen.trouble:
        findings.append(Finding(UNREADABLE, "the place of checkpoints", "an answer", seen.trouble))
    for number, text in sorted(seen.texts.items()):
        if number > latest:
            found.extend(_parsed(number, text, findings))
    return found


def compare(checkpoints: Iterator[Checkpoint], findings: list[Finding]) -> Iterator[Checkpoint]:
    """This will hand checkpoints on, each compared with its copy; without a place there is nothing to compare with."""
    place, copied = places.configured(), records.copied()
    for checkpoint in checkpoints:
        if place is not None:
            try:
                _compare(checkpoint, place.read(places.name_of(checkpoint.number)), copied, findings)
            except places.Away as trouble:
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
