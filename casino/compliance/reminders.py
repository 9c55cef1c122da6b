"""E-mails to staff while the deadline of a case is near, once for each deadline; the case keeps that they were told.

Before that nobody has to look, and after it alerting says that the case is overdue.
"""

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from casino.compliance import acts, case_entries, cases
from casino.compliance.models import Case, CaseEntry, CaseEntryKind
from casino.events.sql import database_now
from casino.kernel.persons import STAFF
from casino.operators import notices

NEAR: Final = timedelta(hours=48)
BATCH: Final = 100
_BY: Final = "system"


def remind() -> int:
    """Tell who works on the cases whose deadlines are near, and return of how many cases they were told."""
    told = 0
    for case in list(_due().order_by("due_at").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            cases.lock_case(case)
            row = _due().filter(pk=case).first()
            if row is not None:
                _tell(row)
                told += 1
    return told


def _due() -> QuerySet[Any]:
    """Select the unresolved cases whose newest deadline is near, and of which nobody was told since it was set."""
    now = database_now()
    reminders = CaseEntry.objects.filter(
        case_id=OuterRef("case_id"), kind=CaseEntryKind.REMINDER, pk__gt=OuterRef("pk")
    )
    near = CaseEntry.objects.filter(
        ~Exists(reminders), kind=CaseEntryKind.DEADLINE, due_at__gt=now, due_at__lte=now + NEAR
    )
    rows = cases.with_deadline(cases.with_latest_action(Case.objects.filter(pk__in=near.values("case_id"))))
    return rows.filter(Q(~cases.is_resolved(), due_at__gt=now, due_at__lte=now + NEAR))


def _tell(case: Any) -> None:
    """Tell the owner and whoever opened a complaint, or all who may resolve it if neither is on the staff."""
    people = [each for each in (case.owner, case.opened_by) if each and each.startswith(f"{STAFF}:")]
    people = people or notices.members_with(acts.RESOLVE_CASE.name, operator=case.operator_id)
    due = f"{case.due_at:%Y-%m-%d %H:%M} UTC"
    what = case.kind.replace("_", " ")
    notices.tell(
        people,
        subject=f"A {what} is due at {due}",
        text=f"Case {case.pk} has to be resolved until {due}. You find it under Cases in the admin.",
        closing="",
    )
    told = f"Due at {due}; told: {', '.join(people) or 'nobody'}."
    entry = CaseEntry(case=case, kind=CaseEntryKind.REMINDER.value, text=told, by=_BY)
    case_entries.store_entry(entry, is_personal=False)
