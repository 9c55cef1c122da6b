"""Cases: findings that a person must resolve. At most one is open per operator and subject."""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from casino.compliance.models import Case, CaseAction, CaseKind
from casino.compliance.refusals import CaseAlreadyResolved, ResolutionMissing, UnknownCase
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch

MAX_RESOLUTION_LENGTH: Final = 500
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))"
_ACTIONS: Final = Prefetch("actions", CaseAction.objects.order_by("number"))
_OPEN: Final = """
    INSERT INTO compliance_case (id, operator_id, kind, subject, report_id, details)
    VALUES (%s, %s, %s, %s, %s, %s::jsonb)
"""
_ACT: Final = """
    INSERT INTO compliance_caseaction (case_id, number, action, owner, resolution, by) VALUES (%s, %s, %s, %s, %s, %s)
"""


class CaseStatus(StrEnum):
    """Whether somebody works on a case, or has resolved it."""

    OPEN = "open"
    ASSIGNED = "assigned"
    RESOLVED = "resolved"


ASSIGNED: Final = CaseStatus.ASSIGNED.value
RESOLVED: Final = CaseStatus.RESOLVED.value


def is_resolved() -> Exists:
    """Return the condition that a case is resolved, for querysets of cases."""
    return Exists(CaseAction.objects.filter(case_id=OuterRef("pk"), action=RESOLVED))


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


def list_cases(*, operator: UUID, status: CaseStatus | None, before: UUID | None, limit: int) -> list[Case]:
    """List an operator's cases with their actions, newest first: all, or those in one status."""
    rows = Case.objects.filter(operator_id=operator)
    if status is not None:
        rows = rows.filter(_BY_STATUS[status])
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return list(rows.order_by("-pk").prefetch_related(_ACTIONS)[:limit])


def find_case(case: UUID, *, operator: UUID) -> Case:
    """Return an operator's case with its actions. Raises UnknownCase, also for another operator's."""
    row = Case.objects.filter(pk=case, operator_id=operator).prefetch_related(_ACTIONS).first()
    if row is None:
        raise UnknownCase
    return row


def open_case(
    *, operator: UUID, kind: CaseKind, subject: str, details: Mapping[str, Any], report: UUID | None = None
) -> UUID | None:
    """Open a case in the caller's transaction and return its id, None if one about the same subject is open."""
    fetch(_LOCK, [f"{operator}|{subject}"])
    if Case.objects.filter(~is_resolved(), operator_id=operator, subject=subject).exists():
        return None
    case = new_id(database_now())
    execute(_OPEN, [case, operator, kind, subject, report, json.dumps(details, default=str)])
    return case


def latest_resolutions(*, operator: UUID, subjects: Iterable[str]) -> dict[str, str]:
    """Return, by subject, the resolution of the newest resolved case."""
    rows = CaseAction.objects.filter(case__operator_id=operator, case__subject__in=list(subjects), action=RESOLVED)
    return dict(rows.order_by("case_id").values_list("case__subject", "resolution"))


def assign_case(case: UUID, *, operator: UUID, owner: str, by: str) -> None:
    """Assign a case to an owner. Raises UnknownCase, CaseAlreadyResolved."""
    _add_action(case, operator, ASSIGNED, owner=owner, resolution="", by=by)


def resolve_case(case: UUID, *, operator: UUID, resolution: str, by: str) -> None:
    """Resolve a case. Raises UnknownCase, CaseAlreadyResolved, ResolutionMissing."""
    text = resolution.strip()
    if not 1 <= len(text) <= MAX_RESOLUTION_LENGTH or "\0" in text:
        raise ResolutionMissing
    _add_action(case, operator, RESOLVED, owner=by, resolution=text, by=by)


def _add_action(case: UUID, operator: UUID, action: str, *, owner: str, resolution: str, by: str) -> None:
    """Add an action. Another person who resolves a case does not become its owner."""
    if not Case.objects.filter(pk=case, operator_id=operator).exists():
        raise UnknownCase
    with transaction.atomic():
        fetch(_LOCK, [str(case)])
        last = CaseAction.objects.filter(case_id=case).order_by("-number").first()
        if last is not None and last.action == RESOLVED:
            raise CaseAlreadyResolved
        number = 1 if last is None else last.number + 1
        new_owner = owner if action == ASSIGNED or last is None else last.owner
        execute(_ACT, [case, number, action, new_owner, resolution, by])
