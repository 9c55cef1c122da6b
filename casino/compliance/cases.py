"""Cases: findings that a person must resolve. At most one is open per operator and subject."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, Func, OuterRef, Prefetch, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Now
from django.db.models.lookups import Exact

from casino.compliance.models import AnswerKind, Case, CaseAction, CaseEntry, CaseEntryKind, CaseKind
from casino.compliance.refusals import (
    CaseAlreadyResolved,
    CaseNotResolved,
    CaseSubjectOpen,
    ResolutionMissing,
    UnknownCase,
)
from casino.events import wakeups
from casino.events.ids import new_id
from casino.events.periods import period_conditions
from casino.events.sql import database_now, execute, fetch
from casino.kernel.text import require

MAX_RESOLUTION_LENGTH: Final = 500
HOLDS: Final = "watch-holds"
"""In settings.CELERY_BEAT_SCHEDULE: an open case holds payments that were requested before it."""
_PLAYER: Final = re.compile(r"player:([0-9a-f-]{36})\b")
IS_OPEN: Final = """(
    SELECT action FROM compliance_caseaction WHERE case_id = opened.id ORDER BY number DESC LIMIT 1
) IS DISTINCT FROM 'resolved'"""
"""SQL: the case `opened` is not resolved, or was reopened since."""
_concerns: Final[list[Callable[[UUID], Q]]] = []
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))"
_ACTIONS: Final = Prefetch("actions", CaseAction.objects.order_by("number"))
_OPEN: Final = """
    INSERT INTO compliance_case (id, operator_id, kind, subject, report_id, details, opened_by)
    VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s)
"""
_ACT: Final = """
    INSERT INTO compliance_caseaction (case_id, number, action, owner, resolution, by) VALUES (%s, %s, %s, %s, %s, %s)
"""


class CaseStatus(StrEnum):
    """Whether somebody works on a case, or has resolved it."""

    OPEN = "open"
    ASSIGNED = "assigned"
    RESOLVED = "resolved"


class CaseStep(StrEnum):
    """What is done to a case. A reopened one is its owner's again."""

    ASSIGNED = "assigned"
    RESOLVED = "resolved"
    REOPENED = "reopened"


RESOLVED: Final = CaseStep.RESOLVED.value


def is_resolved() -> Exists:
    """Return the condition that a case is resolved, and was not reopened since, for querysets of cases."""
    later = CaseAction.objects.filter(case_id=OuterRef("case_id"), number__gt=OuterRef("number"))
    return Exists(CaseAction.objects.filter(~Exists(later), case_id=OuterRef("pk"), action=RESOLVED))


_BY_STATUS: Final = {
    CaseStatus.OPEN: Q(actions=None),
    CaseStatus.ASSIGNED: Exists(CaseAction.objects.filter(case_id=OuterRef("pk"))) & ~is_resolved(),
    CaseStatus.RESOLVED: is_resolved(),
}


def with_latest_action(rows: QuerySet[Case]) -> QuerySet[Case]:
    """Annotate cases with their latest `action`, `owner` and `resolution`; null for untouched cases."""
    last = CaseAction.objects.filter(case_id=OuterRef("pk")).order_by("-number")
    return rows.annotate(
        action=Subquery(last.values("action")[:1]),
        owner=Subquery(last.values("owner")[:1]),
        resolution=Subquery(last.values("resolution")[:1]),
    )


def status_of(latest: str | None) -> CaseStatus:
    """Return the status of a case whose latest action is this one; None for an untouched case."""
    if latest is None:
        return CaseStatus.OPEN
    return CaseStatus.RESOLVED if latest == RESOLVED else CaseStatus.ASSIGNED


def with_deadline(rows: QuerySet[Case]) -> QuerySet[Case]:
    """Annotate cases with `due_at`, their newest deadline, and `answer`, what their players were told last; or null."""
    entries = CaseEntry.objects.filter(case_id=OuterRef("pk")).order_by("-pk")
    due = entries.filter(kind=CaseEntryKind.DEADLINE.value).values("due_at")[:1]
    answer = entries.filter(kind__in=list(AnswerKind)).values("kind")[:1]
    return rows.annotate(due_at=Subquery(due), answer=Subquery(answer))


def overdue() -> Q:
    """Return the condition that a case, annotated by `with_deadline`, is unresolved after its deadline."""
    return Q(~is_resolved(), due_at__lt=Now())


def player_of(subject: str) -> UUID | None:
    """Return the player whom a case is about, None if it is about something else."""
    match = _PLAYER.match(subject)
    return None if match is None else UUID(match[1])


def register_concern(concern: Callable[[UUID], Q]) -> None:
    """Add a condition that a case concerns a player whom its subject does not name; call it in AppConfig.ready()."""
    _concerns.append(concern)


def about_player(rows: QuerySet[Case], player: UUID) -> QuerySet[Case]:
    """Select the cases about a player, complaints included, and those about another that concern this one, too."""
    first_word = Func(F("subject"), Value(" "), Value(1), function="split_part", output_field=TextField())
    return rows.filter(Q(Exact(first_word, f"player:{player}"), *(each(player) for each in _concerns), _connector=Q.OR))


def opened_by(rows: QuerySet[Case], actor: str) -> QuerySet[Case]:
    """Select the complaints that somebody opened: who only follows those sees no other case."""
    return rows.filter(kind=CaseKind.COMPLAINT.value, opened_by=actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """Selects cases. `due_before` selects unresolved ones whose deadline is before this time."""

    status: CaseStatus | None = None
    kind: CaseKind | None = None
    player: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    due_before: datetime | None = None

    def select(self, rows: QuerySet[Case], *, before: UUID | None) -> QuerySet[Case]:
        """Select such cases, opened before the one with this id. Cases have their deadlines. Raises PeriodReversed."""
        conditions = period_conditions("opened_at", since=self.since, until=self.until, before=before)
        conditions.pop("id__gte", None)  # an id is drawn a moment before `opened_at`
        rows = rows.filter(**conditions)
        if self.status is not None:
            rows = rows.filter(_BY_STATUS[self.status])
        if self.kind is not None:
            rows = rows.filter(kind=self.kind.value)
        if self.player is not None:
            rows = about_player(rows, self.player)
        if self.due_before is not None:
            rows = rows.filter(Q(~is_resolved(), due_at__lt=self.due_before))
        return rows


def list_cases(*, operator: UUID, among: CaseFilter, before: UUID | None, limit: int) -> list[Case]:
    """List an operator's cases with actions and deadlines, newest first. Raises PeriodReversed."""
    rows = among.select(with_deadline(Case.objects.filter(operator_id=operator)), before=before)
    return list(rows.order_by("-pk").prefetch_related(_ACTIONS)[:limit])


def find_case(case: UUID, *, operator: UUID) -> Case:
    """Return an operator's case with actions and deadline. Raises UnknownCase, also for another operator's."""
    row = with_deadline(Case.objects.filter(pk=case, operator_id=operator)).prefetch_related(_ACTIONS).first()
    if row is None:
        raise UnknownCase
    return row


def open_case(
    *,
    operator: UUID,
    kind: CaseKind,
    subject: str,
    details: Mapping[str, Any],
    report: UUID | None = None,
    by: str = "",
) -> UUID | None:
    """Open a case in the caller's transaction and return its id, None if one about the same subject is open."""
    lock_subject(operator=operator, subject=subject)
    if find_open_case(operator=operator, subject=subject) is not None:
        return None
    case = new_id(database_now())
    execute(_OPEN, [case, operator, kind, subject, report, json.dumps(details, default=str), by])
    wakeups.wake_on_commit(HOLDS)
    return case


def lock_subject(*, operator: UUID, subject: str) -> None:
    """Let nobody open a case about a subject until the caller's transaction ends; wait for one that is being opened."""
    fetch(_LOCK, [f"{operator}|{subject}"])


def open_about(*, operator: UUID, player: UUID) -> tuple[str, ...]:
    """Return the ids of the unresolved cases about a player, without complaints: they are under no suspicion."""
    rows = Case.objects.filter(~is_resolved(), operator_id=operator, subject=f"player:{player}")
    return tuple(str(key) for key in rows.order_by("pk").values_list("pk", flat=True))


def find_open_case(*, operator: UUID, subject: str) -> UUID | None:
    """Return the id of the unresolved case about a subject, None if there is none."""
    rows = Case.objects.filter(~is_resolved(), operator_id=operator, subject=subject)
    return rows.values_list("pk", flat=True).first()


def latest_resolutions(*, operator: UUID, subjects: Iterable[str]) -> dict[str, str]:
    """Return, by subject, the resolution of the newest resolved case."""
    rows = CaseAction.objects.filter(case__operator_id=operator, case__subject__in=list(subjects), action=RESOLVED)
    return dict(rows.order_by("case_id", "number").values_list("case__subject", "resolution"))


def assign_case(case: UUID, *, operator: UUID, owner: str, by: str) -> None:
    """Assign a case to an owner. Raises UnknownCase, CaseAlreadyResolved."""
    _add_action(case, operator, CaseStep.ASSIGNED, owner=owner, by=by)


def resolve_case(case: UUID, *, operator: UUID, resolution: str, by: str) -> None:
    """Resolve a case. Raises UnknownCase, CaseAlreadyResolved, ResolutionMissing."""
    text = require(resolution, limit=MAX_RESOLUTION_LENGTH, refusal=ResolutionMissing)
    _add_action(case, operator, CaseStep.RESOLVED, owner=by, resolution=text, by=by)


def reopen_case(case: UUID, *, operator: UUID, by: str) -> None:
    """Reopen a resolved case, for its last owner. Raises UnknownCase, CaseNotResolved, CaseSubjectOpen."""
    _add_action(case, operator, CaseStep.REOPENED, owner=by, by=by)


def _add_action(case: UUID, operator: UUID, step: CaseStep, *, owner: str, by: str, resolution: str = "") -> None:
    """Add an action. Another person who resolves a case does not become its owner."""
    row = Case.objects.filter(pk=case, operator_id=operator).first()
    if row is None:
        raise UnknownCase
    with transaction.atomic():
        if step is CaseStep.REOPENED:
            lock_subject(operator=operator, subject=row.subject)
        lock_case(case)
        last = CaseAction.objects.filter(case_id=case).order_by("-number").first()
        is_done = last is not None and last.action == RESOLVED
        if step is CaseStep.REOPENED and not is_done:
            raise CaseNotResolved
        if step is CaseStep.REOPENED and find_open_case(operator=operator, subject=row.subject) is not None:
            raise CaseSubjectOpen
        if step is not CaseStep.REOPENED and is_done:
            raise CaseAlreadyResolved
        number = 1 if last is None else last.number + 1
        new_owner = owner if step is CaseStep.ASSIGNED or last is None else last.owner
        execute(_ACT, [case, number, step, new_owner, resolution, by])
        if step is CaseStep.REOPENED:
            wakeups.wake_on_commit(HOLDS)


def lock_case(case: UUID) -> None:
    """Let nobody else do or tell anything in a case until the caller's transaction ends."""
    fetch(_LOCK, [str(case)])
