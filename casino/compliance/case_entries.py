"""What staff write down in a case: notes, evidence, documents, deadlines and exports. Nothing is ever changed.

The text of a case about a player is encrypted under the player's key, so destroying the key erases it.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.compliance.cases import is_resolved, player_of
from casino.compliance.models import AnswerKind, Case, CaseEntry, CaseEntryKind
from casino.compliance.refusals import CaseAlreadyResolved, CaseEntryInvalid, UnknownCase
from casino.crypto import crypto_shredding
from casino.events.sql import database_now
from casino.kernel.text import require

MAX_TEXT_LENGTH: Final = 4000
BY_THEMSELVES: Final = frozenset({CaseEntryKind.EXPORT, CaseEntryKind.REMINDER, *map(CaseEntryKind, AnswerKind)})
"""Kinds that nobody writes: they follow from what is done."""
CONFIDENTIAL: Final = (CaseEntryKind.REPORTED.value, CaseEntryKind.EXPORT.value)
"""Kinds for compliance alone: that a case was reported to an authority, and what may have been sent there."""
_SHA256: Final = re.compile("[0-9a-f]{64}")


def add_entry(
    case: UUID,
    *,
    operator: UUID,
    kind: CaseEntryKind,
    text: str,
    by: str,
    evidence: str = "",
    sha256: str = "",
    due_at: datetime | None = None,
    is_personal: bool = True,
) -> CaseEntry:
    """Write something down in a case, and return it decrypted.

    A document has its number as `evidence`, and its SHA-256. Resolved cases get no other deadline, but notes, evidence
    and exports. A text that is not personal is not encrypted, so that it can be written when the player's key is
    destroyed. Such deadlines may be over already: that of a complaint which was found late. Raises UnknownCase,
    CaseAlreadyResolved, CaseEntryInvalid.
    """
    row = Case.objects.filter(pk=case, operator_id=operator).first()
    if row is None:
        raise UnknownCase
    if kind is CaseEntryKind.DEADLINE and Case.objects.filter(is_resolved(), pk=case).exists():
        raise CaseAlreadyResolved
    words = require(text, limit=MAX_TEXT_LENGTH, refusal=CaseEntryInvalid)
    about = require(evidence, limit=MAX_TEXT_LENGTH, refusal=CaseEntryInvalid, empty=True)
    digest = sha256.strip().lower()
    if bool(digest) != (kind is CaseEntryKind.DOCUMENT) or (digest and not (about and _SHA256.fullmatch(digest))):
        raise CaseEntryInvalid("A document has a number and a SHA-256 of 64 hexadecimal digits; nothing else has one.")
    is_over = is_personal and due_at is not None and due_at <= database_now()
    if (kind is CaseEntryKind.DEADLINE) != (due_at is not None) or is_over:
        raise CaseEntryInvalid("A deadline is a time in the future.")
    entry = CaseEntry(case=row, kind=kind.value, text=words, evidence=about, sha256=digest, due_at=due_at, by=by)
    return store_entry(entry, is_personal=is_personal)


def store_entry(entry: CaseEntry, *, is_personal: bool = True) -> CaseEntry:
    """Store an entry that was checked, and return it decrypted."""
    player = player_of(entry.case.subject) if is_personal else None
    if player is not None:
        entry.text = crypto_shredding.encrypt_text(player, entry.text)
    entry.save()
    crypto_shredding.decrypt_rows([entry])
    return entry


def entries_of(case: UUID, *, operator: UUID, confidential: bool) -> list[CaseEntry]:
    """Return what was written down in an operator's case, as `list_entries` does. Raises UnknownCase."""
    if not Case.objects.filter(pk=case, operator_id=operator).exists():
        raise UnknownCase
    return list_entries(case, confidential=confidential)


def list_entries(case: UUID, *, confidential: bool = True) -> list[CaseEntry]:
    """Return what was written down in a case, decrypted, the oldest first.

    Unless it is for compliance, without what is CONFIDENTIAL.
    """
    entries = CaseEntry.objects.filter(case_id=case).order_by("pk")
    rows = list(entries if confidential else entries.exclude(kind__in=CONFIDENTIAL))
    crypto_shredding.decrypt_rows(rows)
    return rows


def texts_of(entries: Iterable[CaseEntry]) -> list[dict[str, object]]:
    """Return decrypted entries as JSON-ready rows, for exports."""
    return [
        {
            "kind": entry.kind,
            "text": entry.text,
            "evidence": entry.evidence,
            "sha256": entry.sha256,
            "due_at": entry.due_at and entry.due_at.isoformat(),
            "by": entry.by,
            "at": entry.at.isoformat(),
        }
        for entry in entries
    ]
