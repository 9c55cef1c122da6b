"""What staff write down in a case: notes, evidence, deadlines, decisions, and exports. Nothing is ever changed.

The text of a case about a player is encrypted under the player's key, so destroying the key erases it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.compliance.cases import is_resolved, player_of
from casino.compliance.models import Case, CaseEntry, CaseEntryKind
from casino.compliance.refusals import CaseAlreadyResolved, CaseEntryInvalid, UnknownCase
from casino.crypto import crypto_shredding
from casino.events.sql import database_now

MAX_TEXT_LENGTH: Final = 4000


def add_entry(
    case: UUID,
    *,
    operator: UUID,
    kind: CaseEntryKind,
    text: str,
    by: str,
    evidence: str = "",
    due_at: datetime | None = None,
    is_personal: bool = True,
) -> CaseEntry:
    """Write something down in a case, and return it decrypted.

    Resolved cases get no other deadline or decision, but notes, evidence and exports. A text that is not personal is
    not encrypted, so that it can be written when the player's key is destroyed. Such deadlines may be over already:
    that of a complaint which was found late. Raises UnknownCase, CaseAlreadyResolved, CaseEntryInvalid.
    """
    row = Case.objects.filter(pk=case, operator_id=operator).first()
    if row is None:
        raise UnknownCase
    needs_open = kind in {CaseEntryKind.DEADLINE, CaseEntryKind.DECISION}
    if needs_open and Case.objects.filter(is_resolved(), pk=case).exists():
        raise CaseAlreadyResolved
    words = text.strip()
    if not 1 <= len(words) <= MAX_TEXT_LENGTH or "\0" in words + evidence:
        raise CaseEntryInvalid
    is_over = is_personal and due_at is not None and due_at <= database_now()
    if (kind is CaseEntryKind.DEADLINE) != (due_at is not None) or is_over:
        raise CaseEntryInvalid("A deadline is a time in the future.")
    player = player_of(row.subject) if is_personal else None
    stored = words if player is None else crypto_shredding.encrypt_text(player, words)
    entry = CaseEntry.objects.create(
        case=row, kind=kind.value, text=stored, evidence=evidence.strip(), due_at=due_at, by=by
    )
    crypto_shredding.decrypt_rows([entry])
    return entry


def entries_of(case: UUID, *, operator: UUID, confidential: bool) -> list[CaseEntry]:
    """Return what was written down in an operator's case, as `list_entries` does. Raises UnknownCase."""
    if not Case.objects.filter(pk=case, operator_id=operator).exists():
        raise UnknownCase
    return list_entries(case, confidential=confidential)


def list_entries(case: UUID, *, confidential: bool = True) -> list[CaseEntry]:
    """Return what was written down in a case, decrypted, the oldest first.

    Unless it is for compliance, without what is `confidential`: that the case was reported to an authority.
    """
    entries = CaseEntry.objects.filter(case_id=case).order_by("pk")
    rows = list(entries if confidential else entries.exclude(kind=CaseEntryKind.REPORTED.value))
    crypto_shredding.decrypt_rows(rows)
    return rows


def texts_of(entries: Iterable[CaseEntry]) -> list[dict[str, object]]:
    """Return decrypted entries as JSON-ready rows, for exports."""
    return [
        {
            "kind": entry.kind,
            "text": entry.text,
            "evidence": entry.evidence,
            "due_at": entry.due_at and entry.due_at.isoformat(),
            "by": entry.by,
            "at": entry.at.isoformat(),
        }
        for entry in entries
    ]
