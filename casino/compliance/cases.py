"""What reports found that needs a person: who owns it, and what became of it. One open matter for each thing."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import execute, fetch
from casino.reports.models import Case, CaseAction
from casino.reports.refusals import CaseAlreadyResolved, ResolutionMissing, UnknownCase

MAX_RESOLUTION_LENGTH: Final = 500
ASSIGNED: Final = "assigned"
RESOLVED: Final = "resolved"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))"
_OPEN: Final = """
    SELECT matter.id FROM reports_case matter
     WHERE operator_id = %s AND subject = %s
       AND NOT EXISTS (SELECT FROM reports_caseaction act WHERE act.case_id = matter.id AND act.action = 'resolved')
     ORDER BY id DESC LIMIT 1
"""
_FOUND: Final = """
    INSERT INTO reports_case (id, operator_id, kind, subject, report_id, details) VALUES (%s, %s, %s, %s, %s, %s::jsonb)
"""
_DONE: Final = """
    INSERT INTO reports_caseaction (case_id, number, action, owner, resolution, by) VALUES (%s, %s, %s, %s, %s, %s)
"""
_REASONS: Final = """
    SELECT DISTINCT ON (matter.subject) matter.subject, act.resolution
      FROM reports_case matter JOIN reports_caseaction act ON act.case_id = matter.id AND act.action = 'resolved'
     WHERE matter.operator_id = %s AND matter.subject = ANY (%s::text[])
     ORDER BY matter.subject, matter.id DESC
"""


def open_case(
    *, operator: UUID, kind: str, subject: str, details: Mapping[str, Any], report: UUID | None = None
) -> UUID | None:
    """Open a matter in the caller's transaction and return its id; None where one about the same is open."""
    fetch(_LOCK, [f"{operator}|{subject}"])
    if fetch(_OPEN, [operator, subject]):
        return None
    identity = new_id()
    execute(_FOUND, [identity, operator, kind, subject, report, json.dumps(details, default=str)])
    return identity


def latest_resolutions(*, operator: UUID, subjects: Iterable[str]) -> dict[str, str]:
    """Return the words that the newest matter about each of these was resolved with, where one was."""
    return dict(fetch(_REASONS, [operator, list(subjects)]))


def assign_case(case: UUID, *, operator: UUID, owner: str, by: str) -> None:
    """Give a matter to an owner. Raises UnknownMatter, MatterResolved."""
    _act(case, operator, ASSIGNED, owner=owner, words="", by=by)


def resolve_case(case: UUID, *, operator: UUID, resolution: str, by: str) -> None:
    """Say what became of a matter. Raises UnknownMatter, MatterResolved, MatterWordsMissing."""
    told = resolution.strip()
    if not 1 <= len(told) <= MAX_RESOLUTION_LENGTH or "\0" in told:
        raise ResolutionMissing
    _act(case, operator, RESOLVED, owner=by, words=told, by=by)


def _act(matter: UUID, operator: UUID, act: str, *, owner: str, words: str, by: str) -> None:
    """Adds what is done; an owner stays one when somebody else resolves it."""
    if not Case.objects.filter(pk=matter, operator_id=operator).exists():
        raise UnknownCase
    with transaction.atomic():
        fetch(_LOCK, [str(matter)])
        last = CaseAction.objects.filter(case_id=matter).order_by("-number").first()
        if last is not None and last.action == RESOLVED:
            raise CaseAlreadyResolved
        number = 1 if last is None else last.number + 1
        keeps = owner if act == ASSIGNED or last is None else last.owner
        execute(_DONE, [matter, number, act, keeps, words, by])
