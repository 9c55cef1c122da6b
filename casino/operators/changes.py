"""Changes that need two persons: one requests, another confirms, and some take effect only after a delay.

Apps register the kinds of changes that they can apply. A change is checked when it is requested and applied once, in
the transaction of its confirmation or, after the delay, of `apply_due`.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.kernel.persons import is_another_person, is_person
from casino.operators import notices
from casino.operators.models import Change, ChangeName, ChangeStatus, Operator
from casino.operators.refusals import ChangeDecided, ChangeIsForTheAdmin, ChangeNeedsSecondPerson, UnknownChange
from casino.significant import recorder
from casino.significant.recorder import SignificantEventKind

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """What a kind of change does. `apply` may refuse; what it refuses at once can't be requested.

    `permission` is what staff need to confirm it; one that is `in_admin` is not confirmed over HTTP. A delayed change
    takes effect after CHANGE_DELAY_HOURS, at once for a sandbox operator. The details of a `secret` one are forgotten
    when it ends. `concerns` names who is told of it, beside the two persons.
    """

    name: ChangeName
    permission: str
    apply: Callable[[Change], None]
    event: SignificantEventKind = SignificantEventKind.CONFIG_CHANGED
    delayed: bool = False
    secret: bool = False
    in_admin: bool = False
    concerns: Callable[[Change], Iterable[str]] = lambda change: (change.subject,)


_kinds: Final[dict[str, ChangeKind]] = {}


def register(kind: ChangeKind) -> None:
    _kinds[kind.name] = kind


def kinds() -> tuple[str, ...]:
    """List the kinds of changes that need two persons."""
    return tuple(_kinds)


def permission_for(change: Change) -> str:
    """Return the permission that staff need to confirm a change."""
    return permission_of(change.kind)


def permission_of(kind: str) -> str:
    """Return the permission that staff need to confirm changes of a kind."""
    return _kinds[kind].permission


def operator_of(change: Change) -> UUID:
    """Return the operator of a change of a kind that always has one."""
    if change.operator_id is None:
        raise AssertionError(f"a change of {change.kind} belongs to an operator")
    return change.operator_id


def metadata(change: Change) -> Metadata:
    """Return the metadata of events that a change causes."""
    return Metadata(operator=str(change.operator_id or ""), actor=change.requested_by, causation=str(change.pk))


def is_secret(change: Change) -> bool:
    return _kinds[change.kind].secret


def request(
    *, operator: UUID | None, kind: ChangeName, subject: str, summary: str, details: Mapping[str, Any], by: str
) -> Change:
    """Request a change as a person. Raises ChangeNeedsSecondPerson for any other actor, and what `apply` refuses."""
    if not is_person(by):
        raise ChangeNeedsSecondPerson
    now = database_now()
    change = Change(
        id=new_id(now),
        operator_id=operator,
        kind=kind,
        subject=subject,
        summary=summary,
        details=dict(details),
        requested_by=by,
        requested_at=now,
    )
    with transaction.atomic():
        _rehearse(change)
        change.save(force_insert=True)
        _note(change, "Requested", by=by)
    return change


def confirm(change: UUID, *, operator: UUID | None = None, by: str) -> Change:
    """Confirm a change as another person; it takes effect at once, or after its delay.

    `operator` is that of a request over HTTP. Raises UnknownChange, ChangeDecided, ChangeNeedsSecondPerson,
    ChangeIsForTheAdmin, and what its kind refuses.
    """
    with transaction.atomic():
        row = _lock(change, operator, ChangeStatus.REQUESTED)
        if operator is not None and _kinds[row.kind].in_admin:
            raise ChangeIsForTheAdmin
        if not is_another_person(by, row.requested_by) or by == row.subject:
            raise ChangeNeedsSecondPerson
        row.status, row.decided_by, row.decided_at = ChangeStatus.CONFIRMED, by, database_now()
        row.effective_at = row.decided_at + _delay(row)
        row.save()
        if row.effective_at > row.decided_at:
            _note(row, "Confirmed", by=row.requested_by, authorised_by=by)
        else:
            _apply(row)
    return row


def decline(change: UUID, *, operator: UUID | None = None, by: str) -> Change:
    """Decline a requested change. Raises UnknownChange, ChangeDecided."""
    return _end(change, operator, by, ChangeStatus.DECLINED, (ChangeStatus.REQUESTED,))


def cancel(change: UUID, *, operator: UUID | None = None, by: str) -> Change:
    """Cancel a change before it takes effect, for which one is enough. Raises UnknownChange, ChangeDecided."""
    waiting = ChangeStatus.REQUESTED, ChangeStatus.CONFIRMED
    return _end(change, operator, by, ChangeStatus.CANCELLED, waiting)


def find(change: UUID, *, operator: UUID) -> Change:
    """Find an operator's change. Raises UnknownChange, also for another operator's."""
    row = Change.objects.filter(pk=change, operator_id=operator).first()
    if row is None:
        raise UnknownChange
    return row


def list_changes(*, operator: UUID, status: str | None, before: UUID | None, limit: int) -> list[Change]:
    """List an operator's changes, newest first, before this id."""
    rows = Change.objects.filter(operator_id=operator).order_by("-id")
    if status is not None:
        rows = rows.filter(status=status)
    return list((rows if before is None else rows.filter(pk__lt=before))[:limit])


def apply_due() -> int:
    """Apply confirmed changes whose time has come, in their order, and return how many ended.

    Each has a transaction of its own: one that fails stays due, raises an alert, and does not block the others.
    """
    due = Change.objects.filter(status=ChangeStatus.CONFIRMED, effective_at__lte=database_now())
    ended = 0
    for change in due.order_by("effective_at", "id").values_list("pk", flat=True):
        try:
            ended += _apply_if_due(change)
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            logger.critical("ALERT the change %s can't take effect: %s", change, type(error).__name__, exc_info=error)
    return ended


def _apply_if_due(change: UUID) -> bool:
    with transaction.atomic():
        waiting = Change.objects.select_for_update(skip_locked=True, of=("self",))
        row = waiting.filter(pk=change, status=ChangeStatus.CONFIRMED, effective_at__lte=database_now()).first()
        if row is None:
            return False
        try:
            with transaction.atomic():
                _apply(row)
        except Refusal as refusal:
            row.status = ChangeStatus.CANCELLED
            _forget_secret(row)
            row.save(update_fields=["status", "details"])
            _note(row, "Could not take effect", by="system:changes", detail=refusal.message())
    return True


def _apply(change: Change) -> None:
    _kinds[change.kind].apply(change)
    change.status = ChangeStatus.EFFECTIVE
    _forget_secret(change)
    change.save(update_fields=["status", "details"])
    _note(change, "Took effect", by=change.requested_by, authorised_by=change.decided_by)


def _forget_secret(change: Change) -> None:
    if _kinds[change.kind].secret:
        change.details = {}


def _rehearse(change: Change) -> None:
    """Apply a change and undo that, so that what could not be applied is refused when it is requested."""
    with transaction.atomic():
        _kinds[change.kind].apply(change)
        transaction.set_rollback(True)


def _end(change: UUID, operator: UUID | None, by: str, status: ChangeStatus, waiting: tuple[str, ...]) -> Change:
    with transaction.atomic():
        row = _lock(change, operator, *waiting)
        row.status, row.decided_by, row.decided_at, row.effective_at = status, by, database_now(), None
        _forget_secret(row)
        row.save()
        _note(row, status.value.capitalize(), by=by)
    return row


def _lock(change: UUID, operator: UUID | None, *waiting: str) -> Change:
    """Lock a change of this operator, or of any, if it is in one of these states."""
    rows = Change.objects.select_for_update(of=("self",)).filter(pk=change)
    row = (rows if operator is None else rows.filter(operator_id=operator)).first()
    if row is None:
        raise UnknownChange
    if row.status not in waiting:
        raise ChangeDecided(f"The change is {row.status}.", current_status=row.status)
    return row


def _delay(change: Change) -> timedelta:
    operator: Operator | None = change.operator
    if not _kinds[change.kind].delayed or operator is None or operator.sandbox:
        return timedelta()
    return timedelta(hours=settings.CHANGE_DELAY_HOURS)


def _note(change: Change, step: str, *, by: str, authorised_by: str = "", detail: str = "") -> None:
    """Record a step of a change, and tell the people concerned."""
    kind = _kinds[change.kind]
    notices.tell_of_change(change, step, concerned=kind.concerns(change), by=authorised_by or by)
    recorder.record(
        kind=kind.event,
        operator=change.operator_id,
        subject=change.subject,
        actor=by,
        authorised_by=authorised_by,
        reason=f"{step}: {detail or change.summary}",
        after={
            "change": change.pk,
            "status": change.status,
            "requested_by": change.requested_by,
            "decided_by": change.decided_by,
            "effective_at": None if change.effective_at is None else change.effective_at.isoformat(),
        },
    )
