"""Audit of notes and cosignatures: their signatures, and what the witnesses themselves have cosigned last.

A witness's own copy is what the holder of database, storage and signing key cannot change.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from django.conf import settings

from casino.checkpoints import notes
from casino.crypto.signed_note import MalformedNote, NoteKey, SignedNote, TreeHead, UntrustedNote
from casino.kernel.findings import Finding
from casino.witness.addresses import parse_addresses
from casino.witness.client import configured_client
from casino.witness.transport import WitnessAway

FORGED: Final = "note is forged"
COSIGNATURE_FORGED: Final = "cosignature is forged"
WITNESS_DIFFERS: Final = "witness has cosigned another log"
NOT_WITNESSED: Final = "witness can't be asked"
_PAGE: Final = 1000


class SignedRoot(NamedTuple):
    """A root that was signed over so many positions, and the digest of the last one if that was signed, too."""

    position: int
    location: str
    root: bytes
    head: bytes | None = None


def read_witnessed() -> dict[str, str]:
    """Ask each witness for the newest note that it has cosigned; its text is empty if it does not answer.

    A witness that has cosigned none is left out. Never raises.
    """
    witnessed: dict[str, str] = {}
    for address in parse_addresses(settings.WITNESSES):
        try:
            note = configured_client().latest_checkpoint(address, settings.LOG_ORIGIN)
        except WitnessAway:
            note = ""
        if note is not None:
            witnessed[address.name] = note
    return witnessed


def check(witnessed: Mapping[str, str], findings: list[Finding], *, since: int) -> list[SignedRoot]:
    """Return the roots above `since` of notes in the database and at witnesses that are signed as they should be."""
    return [*_stored(findings, since), *_at_witnesses(witnessed, findings)]


def _stored(findings: list[Finding], since: int) -> Iterator[SignedRoot]:
    log_keys, cosigners = notes.log_keys(), {each.name: each.cosigner for each in parse_addresses(settings.WITNESSES)}
    while page := notes.list_after(since, limit=_PAGE):
        for stored in page:
            where = f"note {stored.size}"
            try:
                note = SignedNote.parse(stored.note)
                head = TreeHead.parse(note.text)
                note.verified_by(log_keys)
            except (MalformedNote, UntrustedNote) as error:
                findings.append(Finding(FORGED, where, "signed by a trusted key", str(error)))
                continue
            if (head.origin, head.size, head.root) != (settings.LOG_ORIGIN, stored.size, stored.root):
                expected = str(TreeHead(settings.LOG_ORIGIN, stored.size, stored.root))
                findings.append(Finding(FORGED, where, expected, str(head)))
                continue
            findings.extend(_forged_cosignatures(stored, cosigners))
            yield SignedRoot(head.size, where, head.root)
        since = page[-1].size


def _forged_cosignatures(stored: notes.StoredNote, cosigners: Mapping[str, NoteKey]) -> Iterator[Finding]:
    """Yield the cosignatures that name a configured witness and are not its own; others cannot be checked."""
    text = stored.note.rpartition("\n\n")[0]
    for line in stored.cosignatures:
        try:
            cosigned = SignedNote.parse(f"{text}\n\n{line}")
            key = cosigners.get(cosigned.signatures[0].name)
            if key is not None:
                cosigned.verified_by([key])
        except (MalformedNote, UntrustedNote) as error:
            yield Finding(COSIGNATURE_FORGED, f"note {stored.size}", "a cosignature of its witness", str(error))


def _at_witnesses(witnessed: Mapping[str, str], findings: list[Finding]) -> Iterator[SignedRoot]:
    cosigners = {each.name: each.cosigner for each in parse_addresses(settings.WITNESSES)}
    for name, text in witnessed.items():
        if not text:
            findings.append(Finding(NOT_WITNESSED, name, "an answer", "none"))
            continue
        try:
            note = SignedNote.parse(text)
            head = TreeHead.parse(note.text)
            note.verified_by(notes.log_keys())
            note.verified_by([cosigners[name]])
        except (MalformedNote, UntrustedNote) as error:
            findings.append(Finding(WITNESS_DIFFERS, name, "a note of this log, cosigned", str(error)))
            continue
        if head.origin != settings.LOG_ORIGIN:
            findings.append(Finding(WITNESS_DIFFERS, name, settings.LOG_ORIGIN, head.origin))
            continue
        yield SignedRoot(head.size, f"note {head.size} at {name}", head.root)
