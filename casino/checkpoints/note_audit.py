"""Audit of checkpoints and cosignatures: their signatures, and what the witnesses themselves have cosigned last.

A witness's own copy is what the holder of database, storage and signing key cannot change.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from django.conf import settings

from casino.checkpoints import notes, records
from casino.checkpoints.records import SignedCheckpoint
from casino.crypto.signed_note import NoteKey, SignedNote
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.witness.addresses import parse_addresses
from casino.witness.client import configured_client

logger = logging.getLogger(__name__)

FORGED: Final = "checkpoint is forged"
KEY_NOT_IN_USE: Final = "checkpoint key was not in use"
COSIGNATURE_FORGED: Final = "cosignature is forged"
WITNESS_DIFFERS: Final = "witness has cosigned another log"
NOT_WITNESSED: Final = "witness can't be asked"
_RECORDED: Final = """
SELECT recorded_at FROM events_event JOIN events_seal ON event_id = id WHERE position = %s
"""


class SignedRoot(NamedTuple):
    """A root that was signed over so many positions."""

    position: int
    location: str
    root: bytes


def read_witnessed() -> dict[str, str]:
    """Ask each witness for the newest checkpoint that it has cosigned; its text is empty if it does not answer.

    A witness that has cosigned none is left out. Never raises.
    """
    witnessed: dict[str, str] = {}
    for address in parse_addresses(settings.WITNESSES):
        try:
            note = configured_client().latest_checkpoint(address, settings.LOG_ORIGIN)
        except Exception:  # whatever it answers, the audit says that it can't be asked
            logger.exception("%s can't be asked", address.name)
            note = ""
        if note is not None:
            witnessed[address.name] = note
    return witnessed


def check(witnessed: Mapping[str, str], findings: list[Finding], *, since: int) -> list[SignedRoot]:
    """Return the roots above `since` in the database and at witnesses that are signed as they should be."""
    return [*_stored(findings, since), *_at_witnesses(witnessed, findings)]


def _stored(findings: list[Finding], since: int) -> Iterator[SignedRoot]:
    cosigners, newest = {each.name: each.cosigner for each in parse_addresses(settings.WITNESSES)}, dict[str, int]()
    while page := records.list_after(since):
        for stored in page:
            where = f"checkpoint {stored.size}"
            try:
                newest[notes.signer(stored)] = stored.size
            except Exception as error:  # noqa: BLE001  (one note ends no audit)
                findings.append(Finding(FORGED, where, "signed by a trusted key", str(error)))
                continue
            findings.extend(_forged_cosignatures(stored, cosigners))
            yield SignedRoot(stored.size, where, stored.root)
        since = page[-1].size
    findings.extend(_retired(newest))


def _retired(newest: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the keys that signed, by their newest checkpoint, what happened after their time, or were never in use."""
    keys = {key.id: key for key in records.registered_keys()}
    for name, size in newest.items():
        if name not in keys:
            yield Finding(KEY_NOT_IN_USE, f"checkpoint {size}", "a key that was registered", name)
            continue
        until, rows = keys[name].until, fetch(_RECORDED, [size])
        if until is not None and rows and rows[0][0] > until:
            expected = f"{name} until {until.isoformat()}"
            yield Finding(KEY_NOT_IN_USE, f"checkpoint {size}", expected, rows[0][0].isoformat())


def _forged_cosignatures(stored: SignedCheckpoint, cosigners: Mapping[str, NoteKey]) -> Iterator[Finding]:
    """Yield the cosignatures that name a configured witness and are not its own; others cannot be checked."""
    text = stored.note.rpartition("\n\n")[0]
    for line in stored.cosignatures:
        try:
            cosigned = SignedNote.parse(f"{text}\n\n{line}")
            key = cosigners.get(cosigned.signatures[0].name)
            if key is not None:
                cosigned.verified_by([key])
        except Exception as error:  # noqa: BLE001  (as above)
            yield Finding(COSIGNATURE_FORGED, f"checkpoint {stored.size}", "a cosignature of its witness", str(error))


def _at_witnesses(witnessed: Mapping[str, str], findings: list[Finding]) -> Iterator[SignedRoot]:
    cosigners = {each.name: each.cosigner for each in parse_addresses(settings.WITNESSES)}
    for name, text in witnessed.items():
        if not text:
            findings.append(Finding(NOT_WITNESSED, name, "an answer", "none"))
            continue
        try:
            head, _ = notes.read(text)
            SignedNote.parse(text).verified_by([cosigners[name]])
        except Exception as error:  # noqa: BLE001  (as above)
            findings.append(Finding(WITNESS_DIFFERS, name, "a checkpoint of this log, cosigned", str(error)))
            continue
        yield SignedRoot(head.size, f"checkpoint {head.size} at {name}", head.root)
