"""What the player of a complaint is told, how a case is resolved and reopened.

Each answer is an entry of the case and an event, from which streams and webhooks follow; the apps above, which write
notices to players, are called in its transaction. Nobody is told anything of other cases.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.compliance import case_entries, cases
from casino.compliance.models import AnswerKind, Case, CaseEntry, CaseEntryKind, CaseKind
from casino.compliance.refusals import CaseAlreadyResolved, CaseEntryInvalid, CaseOutcomeInvalid
from casino.events import store
from casino.events.codec import EventRegistry, EventType
from casino.events.sql import database_now
from casino.events.store import Append, Metadata
from casino.kernel.text import require

OUTCOMES: Final = (AnswerKind.UPHELD, AnswerKind.REJECTED, AnswerKind.CLOSED)
MAX_MESSAGE_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class ComplaintAnswered:
    """The player of a complaint was answered. `due_at` is until when the answer that resolves it is due."""

    case: UUID
    operator: UUID
    player: UUID
    answer: AnswerKind
    due_at: datetime | None
    at: datetime


COMPLAINT_EVENTS: Final = EventRegistry([EventType(ComplaintAnswered)])
Teller = Callable[[ComplaintAnswered, str], None]
"""Takes an answer and what staff add to it for the player, maybe nothing."""
_tellers: Final[list[Teller]] = []


def register_teller(tell: Teller) -> None:
    """Have answers told to players; call it in AppConfig.ready()."""
    _tellers.append(tell)


def stream_of(case: UUID) -> str:
    """Return the stream of a complaint's answers."""
    return f"case-{case}"


def receive(case: UUID, *, operator: UUID, by: str) -> None:
    """Tell the player that a complaint was received. Call it once the complaint has its deadline."""
    _tell(cases.find_case(case, operator=operator), AnswerKind.RECEIVED, "", by=by)


def ask(case: UUID, *, operator: UUID, text: str, by: str) -> CaseEntry:
    """Ask the player of a complaint for more, and return the entry, decrypted.

    Raises UnknownCase, CaseAlreadyResolved, CaseEntryInvalid: also for other cases, whose players are told nothing.
    """
    with transaction.atomic():
        cases.lock_case(case)
        row = cases.find_case(case, operator=operator)
        if row.kind != CaseKind.COMPLAINT or not text.strip():
            raise CaseEntryInvalid("Only the player of a complaint is asked for more, with a text.")
        if cases.status_of(_latest(row)) is cases.CaseStatus.RESOLVED:
            raise CaseAlreadyResolved
        return _tell(row, AnswerKind.MORE_NEEDED, text, by=by)


def resolve(
    case: UUID, *, operator: UUID, resolution: str, by: str, outcome: AnswerKind | None = None, message: str = ""
) -> None:
    """Resolve a case with an explanation for staff; a complaint with an outcome, which its player is told.

    `message` is what the player reads besides. Raises UnknownCase, CaseAlreadyResolved, ResolutionMissing,
    CaseOutcomeInvalid, CaseEntryInvalid.
    """
    with transaction.atomic():
        row = cases.find_case(case, operator=operator)
        is_complaint = row.kind == CaseKind.COMPLAINT
        if is_complaint != (outcome in OUTCOMES) or (not is_complaint and (outcome is not None or message)):
            raise CaseOutcomeInvalid
        cases.resolve_case(case, operator=operator, resolution=resolution, by=by)
        if outcome is not None:
            _tell(row, outcome, message, by=by)


def reopen(case: UUID, *, operator: UUID, reason: str, by: str) -> None:
    """Reopen a resolved case, with a reason for staff; the player of a complaint reads again that it was received.

    Its deadline stays, as the law counts from the receipt. Raises UnknownCase, CaseNotResolved, CaseSubjectOpen,
    CaseEntryInvalid.
    """
    with transaction.atomic():
        cases.reopen_case(case, operator=operator, by=by)
        case_entries.add_entry(case, operator=operator, kind=CaseEntryKind.NOTE, text=reason, by=by)
        row = cases.find_case(case, operator=operator)
        if row.kind == CaseKind.COMPLAINT:
            _tell(row, AnswerKind.RECEIVED, "", by=by)


def _latest(row: Case) -> str | None:
    actions = list(row.actions.all())
    return actions[-1].action if actions else None


def _tell(row: Any, answer: AnswerKind, message: str, *, by: str) -> CaseEntry:
    """Write an answer down, append its event, and have the player told. Raises CaseEntryInvalid."""
    words = require(message, limit=MAX_MESSAGE_LENGTH, refusal=CaseEntryInvalid, empty=True)
    player = cases.player_of(row.subject)
    if player is None:
        raise CaseEntryInvalid("Nobody is told of this case.")
    told = CaseEntry.objects.filter(case=row, kind__in=list(AnswerKind)).count()
    entry = case_entries.store_entry(CaseEntry(case=row, kind=answer.value, text=words, by=by))
    event = ComplaintAnswered(
        case=row.pk,
        operator=row.operator_id,
        player=player,
        answer=answer,
        due_at=None if answer in OUTCOMES else row.due_at,
        at=database_now(),
    )
    metadata = Metadata(operator=str(row.operator_id), actor=by, causation="", correlation="")
    store.append([Append(stream_of(row.pk), told, (COMPLAINT_EVENTS.encode(event),), metadata)])
    for tell in _tellers:
        tell(event, words)
    return entry
