"""Changes that need several persons: one requests, others confirm, and some take effect only after a delay.

Apps register the kinds of changes that they can apply. A change is checked when it is requested and applied once, in
the transaction of the last confirmation or, after the delay, of `apply_due`. Each step is an event; the row follows.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import Any, Final, get_args
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction

from casino.crypto.crypto_shredding import decrypt_text
from casino.events import store
from casino.events.codec import EventRegistry, EventType
from casino.events.ids import new_id
from casino.events.projections import ProjectionTable, Row, encode, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import database_now, execute
from casino.events.store import Append, Metadata
from casino.kernel.errors import Refusal
from casino.kernel.event_amounts import format_amounts
from casino.kernel.persons import is_person
from casino.operators import change as lifecycle
from casino.operators import memberships, notices
from casino.operators.change import (
    ChangeEvent,
    ChangeFailed,
    ChangeRequested,
    ChangeState,
    ChangeStatus,
    ChangeTookEffect,
    change_stream,
)
from casino.operators.models import Change, ChangeName, ChangeSecret, Operator
from casino.operators.refusals import (
    ChangeAlreadyRequested,
    ChangeIsForTheAdmin,
    ChangeNeedsSecondPerson,
    UnknownChange,
)
from casino.significant import act_log, recorder
from casino.significant.act_log import Agreement
from casino.significant.recorder import SignificantEventKind
from casino.staff.duties import Act

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Move:
    """What a change does to a player's money, in minor units."""

    player: UUID
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """What a kind of change does. `apply` may refuse; what it refuses at once can't be requested.

    Its act says who confirms it, in the admin or by keys of which scope, how many persons agree, and whether it takes
    effect after CHANGE_DELAY_HOURS. Over HTTP the details of one that is `shown` can be read. Of one that is `alone`,
    only one waits for a subject at a time. The steps of a `silent` one are in the log alone, as its effect is recorded
    itself. `more` persons agree than its act says. No event holds the details of a `secret` one, and they are forgotten
    when it ends. `concerns` names who is told of it, beside those who agree. `drop` follows where it ends without
    effect. `moves` says whose money it moves, as of now.
    """

    name: ChangeName
    act: Act
    apply: Callable[[Change], None]
    _: KW_ONLY
    alone: bool = False
    more: int = 0
    silent: bool = False
    secret: bool = False
    shown: bool = False
    concerns: Callable[[Change], Iterable[str]] = lambda change: (change.subject,)
    drop: Callable[[Change], None] = lambda change: None
    moves: Callable[[Change], Sequence[Move]] = lambda change: ()

    @property
    def persons(self) -> int:
        """Return how many have to agree, the one who requests included."""
        return self.act.persons + bool(self.act.one_more) + self.more

    @property
    def event(self) -> SignificantEventKind | None:
        """Return what its steps are recorded as."""
        return None if self.silent else SignificantEventKind(self.act.event)


CHANGE_EVENTS: Final = EventRegistry(EventType(event) for event in get_args(ChangeEvent))
CHANGES: Final = ProjectionTable.of(Change)
_EXPIRED: Final = "system:changes"
_LOCK_SUBJECT: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_kinds: Final[dict[str, ChangeKind]] = {}
_person_rules: Final[list[Callable[[Change, str], bool]]] = []


def register(kind: ChangeKind) -> None:
    _kinds[kind.name] = kind


def register_person_rule(rule: Callable[[Change, str], bool]) -> None:
    """Add a rule of which persons may agree on a change, beside those who agreed; call it in AppConfig.ready()."""
    _person_rules.append(rule)


def kinds() -> tuple[str, ...]:
    """List the kinds of changes that need two persons."""
    return tuple(_kinds)


def persons_for(kind: str) -> int:
    """Return how many persons have to agree on a change of a kind."""
    return _kinds[kind].persons


def act_of(kind: str) -> Act:
    """Return the act that changes of a kind are, whose permission staff need to confirm them."""
    return _kinds[kind].act


def moves_of(change: Change) -> Sequence[Move]:
    """Return whose money a change moves, as of now."""
    return _kinds[change.kind].moves(change)


def operator_of(change: Change) -> UUID:
    """Return the operator of a change of a kind that always has one."""
    if change.operator_id is None:
        raise AssertionError(f"a change of {change.kind} belongs to an operator")
    return change.operator_id


def metadata(change: Change) -> Metadata:
    """Return the metadata of events that a change causes."""
    return Metadata(str(change.operator_id or ""), actor=change.requested_by, causation=change_stream(change.pk))


def is_secret(change: Change) -> bool:
    return _kinds[change.kind].secret


def waiting(kind: ChangeName, subject: str) -> Change | None:
    """Return the newest request of a kind about a subject that nobody has decided; its time may be over."""
    rows = Change.objects.filter(kind=kind, subject=subject, status=ChangeStatus.REQUESTED)
    return rows.order_by("-pk").first()


def request(
    *, operator: UUID | None, kind: ChangeName, subject: str, summary: str, details: Mapping[str, Any], by: str
) -> Change:
    """Request a change as a person.

    Raises ChangeNeedsSecondPerson for any other actor, ChangeAlreadyRequested, and what `apply` refuses.
    """
    now = database_now()
    event = lifecycle.request(
        new_id(now),
        operator=operator,
        kind=kind,
        subject=subject,
        summary=summary,
        details={} if _kinds[kind].secret else dict(details),
        persons=_kinds[kind].persons,
        by=by,
        at=now,
    )
    with transaction.atomic():
        if _kinds[kind].alone:
            execute(_LOCK_SUBJECT, [f"{kind} {subject}"])
            before = waiting(kind, subject)
            if before is not None and before.expires_at > now:
                raise ChangeAlreadyRequested
        if _kinds[kind].secret:
            ChangeSecret.objects.create(change_id=event.change, details=dict(details))
        change = _write(None, event, by=by)
        _rehearse(change)
        _note(change, "Requested", by=by)
    return change


def make(
    operator: Operator | None, kind: ChangeName, *, subject: str, summary: str, details: Mapping[str, Any], by: str
) -> Change | None:
    """Make a change at once where nobody plays for real money, or as a person where one is enough; else request it.

    Return what waits for others, if anything does. `operator` is None for what concerns all. Raises what `request`
    does.
    """
    is_live = memberships.has_live_operators() if operator is None else not operator.sandbox
    if is_live and not (_kinds[kind].persons == 1 and is_person(by)):
        owner = None if operator is None else operator.pk
        return request(operator=owner, kind=kind, subject=subject, summary=summary, details=details, by=by)
    with transaction.atomic():
        _do(Change(operator=operator, kind=kind, subject=subject, details=dict(details), requested_by=by), None)
    return None


def confirm(change: UUID, *, operator: UUID | None = None, by: str, key: str = "") -> Change:
    """Confirm a change as another person; with the last of them it takes effect, at once or after its delay.

    `operator` and `key` are those of a request over HTTP. Raises UnknownChange, ChangeDecided, ChangeNeedsSecondPerson,
    ChangeIsForTheAdmin, and what its kind refuses.
    """
    with transaction.atomic():
        row, state = _lock(change, operator)
        if operator is not None and act_of(row.kind).scope is None:
            raise ChangeIsForTheAdmin
        if not all(rule(row, by) for rule in _person_rules):
            raise ChangeNeedsSecondPerson
        now = database_now()
        row = _write(state, lifecycle.confirm(state, by=by, at=now, delay=_delay(row)), by=by)
        row.key = key
        if row.status == ChangeStatus.CONFIRMED and row.effective_at == now:
            return _apply(row)
        _note(row, "Confirmed", by=row.requested_by, authorised_by=by)
    return row


def assign(change: UUID, *, owner: str, by: str) -> Change:
    """Hand a request over to the person who is to decide it; others still may.

    Raises UnknownChange, ChangeDecided, ChangeNeedsSecondPerson.
    """
    with transaction.atomic():
        row, state = _lock(change, None)
        event = lifecycle.assign(state, owner=owner, by=by, at=database_now())
        return row if owner == row.owner else _write(state, event, by=by)


def decline(change: UUID, *, operator: UUID | None = None, by: str) -> Change:
    """Decline a requested change. Raises UnknownChange, ChangeDecided."""
    return _end(change, operator, by, lifecycle.decline)


def cancel(change: UUID, *, operator: UUID | None = None, by: str) -> Change:
    """Cancel a change before it takes effect, for which one is enough. Raises UnknownChange, ChangeDecided."""
    return _end(change, operator, by, lifecycle.cancel)


def find(change: UUID, *, operator: UUID) -> Change:
    """Find an operator's change. Raises UnknownChange, also for another operator's."""
    row = Change.objects.filter(pk=change, operator_id=operator).first()
    if row is None:
        raise UnknownChange
    return row


def list_changes(*, operator: UUID, before: UUID | None, limit: int, **where: str | None) -> list[Change]:
    """List an operator's changes, newest first, before this id; `where` are kind, status and subject."""
    conditions = {name: value for name, value in where.items() if value is not None}
    rows = Change.objects.filter(operator_id=operator, **conditions).order_by("-id")
    return list((rows if before is None else rows.filter(pk__lt=before))[:limit])


def details_of(change: Change) -> Mapping[str, Any]:
    """Return what a change applies, the secret of one that has not ended included."""
    secret = ChangeSecret.objects.filter(change_id=change.pk).first()
    kept: Change | ChangeSecret = change if secret is None else secret
    return dict(kept.details)


def shown_details(change: Change) -> dict[str, Any]:
    """Return what a change applies, decrypted, for those who decide it over HTTP, where its kind shows it."""
    details = readable_details(change) if _kinds[change.kind].shown else {}
    return {name: decrypt_text(value) if isinstance(value, str) else value for name, value in details.items()}


def readable_details(change: Change) -> dict[str, Any]:
    """Return what a change applies, amounts in units of its currency."""
    return format_amounts(change.details)


def apply_due() -> int:
    """Apply confirmed changes whose time has come, in their order, and end requests that nobody confirmed in time.

    Return how many ended. Each has a transaction of its own: one that fails stays due, raises an alert, and does not
    block the others.
    """
    now = database_now()
    due = Change.objects.filter(status=ChangeStatus.CONFIRMED, effective_at__lte=now).order_by("effective_at", "id")
    late = Change.objects.filter(status=ChangeStatus.REQUESTED, expires_at__lte=now).order_by("expires_at", "id")
    ended = 0
    for change in [*due.values_list("pk", flat=True), *late.values_list("pk", flat=True)]:
        try:
            ended += _end_if_due(change)
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            logger.critical("ALERT the change %s can't take effect: %s", change, type(error).__name__, exc_info=error)
    return ended


def _end_if_due(change: UUID) -> bool:
    with transaction.atomic():
        row = Change.objects.select_for_update(skip_locked=True, of=("self",)).filter(pk=change).first()
        if row is None:
            return False
        state, now = _load(change), database_now()
        if expired := lifecycle.expire(state, at=now):
            row = _write(state, expired, by=_EXPIRED)
            _kinds[row.kind].drop(row)
            _note(row, "Expired", by=_EXPIRED)
            return True
        if not lifecycle.is_due(state, now):
            return False
        try:
            with transaction.atomic():
                _apply(row)
        except Refusal as refusal:
            failed = _write(state, ChangeFailed(change, refusal.code, now), by=_EXPIRED)
            _kinds[row.kind].drop(failed)
            _note(failed, "Could not take effect", by=_EXPIRED, detail=refusal.message())
    return True


def _apply(change: Change) -> Change:
    state = _load(change.pk)
    _do(change, Agreement(change.pk, lifecycle.agreed_by(state)))
    applied = _write(state, ChangeTookEffect(change.pk, database_now()), by=change.decided_by)
    _note(applied, "Took effect", by=applied.requested_by, authorised_by=applied.decided_by)
    return applied


def _do(change: Change, agreement: Agreement | None) -> None:
    """Apply a change as one act."""
    kind = _kinds[change.kind]
    with act_log.as_one(
        kind.act.name,
        operator=change.operator_id,
        subject=change.subject,
        actor=change.requested_by,
        agreement=agreement,
    ):
        kind.apply(change)


def _rehearse(change: Change) -> None:
    """Apply a change and undo that, so that what could not be applied is refused when it is requested."""
    with transaction.atomic():
        _kinds[change.kind].apply(change)
        transaction.set_rollback(True)


def _end(change: UUID, operator: UUID | None, by: str, decide: Callable[..., ChangeEvent]) -> Change:
    with transaction.atomic():
        _, state = _lock(change, operator)
        row = _write(state, decide(state, by=by, at=database_now()), by=by)
        _kinds[row.kind].drop(row)
        _note(row, ChangeStatus(row.status).capitalize(), by=by)
    return row


def _lock(change: UUID, operator: UUID | None) -> tuple[Change, ChangeState]:
    """Lock a change of this operator, or of any. Raises UnknownChange."""
    rows = Change.objects.select_for_update(of=("self",)).filter(pk=change)
    row = (rows if operator is None else rows.filter(operator_id=operator)).first()
    if row is None:
        raise UnknownChange
    return row, _load(change)


def _load(change: UUID) -> ChangeState:
    return lifecycle.fold(
        CHANGE_EVENTS.decode(event.type, event.schema, event.data) for event in store.read(change_stream(change))
    )


def _write(before: ChangeState | None, event: ChangeEvent, *, by: str) -> Change:
    """Record an event of a change and the row that results."""
    if isinstance(event, ChangeRequested):
        after, version = lifecycle.fold([event]), 0
    elif before is None:
        raise AssertionError("a change begins with its request")
    else:
        after, version = lifecycle.evolve(before, event), before.version
    operator = after.requested.operator
    metadata = Metadata(operator=str(operator or ""), actor=by, causation=change_stream(event.change))
    store.append([Append(change_stream(event.change), version, (CHANGE_EVENTS.encode(event),), metadata)])
    CHANGES.upsert([change_row(after)])
    if after.status not in {ChangeStatus.REQUESTED, ChangeStatus.CONFIRMED}:
        ChangeSecret.objects.filter(change_id=event.change).delete()
    return Change.objects.select_related("operator").get(pk=event.change)


def change_row(state: ChangeState) -> Row:
    """Return the row of a change."""
    requested = state.requested
    return CHANGES.row(
        id=requested.change,
        operator_id=requested.operator,
        kind=requested.kind,
        subject=requested.subject,
        summary=requested.summary,
        details=encode(requested.details).decode(),
        persons=requested.persons,
        status=state.status.value,
        requested_by=requested.requested_by,
        requested_at=requested.at,
        expires_at=requested.expires_at,
        owner=state.owner,
        confirmed_by=encode(state.confirmed_by).decode(),
        decided_by=state.decided_by,
        decided_at=state.decided_at,
        effective_at=state.effective_at,
        version=state.version,
    )


def _project(events: Events) -> None:
    histories = stream_histories(CHANGE_EVENTS, events, ChangeRequested.__name__)
    CHANGES.upsert([change_row(lifecycle.fold(history)) for history in histories])


PROJECTOR: Final = Projector({CHANGES.table: "id"}, _project)
"""Derives the rows of changes from their events."""


def _delay(change: Change) -> timedelta:
    if not act_of(change.kind).delayed or change.operator_id is None:
        return timedelta()
    operator: Operator | None = change.operator
    return timedelta(hours=0 if operator is None or operator.sandbox else settings.CHANGE_DELAY_HOURS)


def _note(change: Change, step: str, *, by: str, authorised_by: str = "", detail: str = "") -> None:
    """Record a step of a change, and tell the people concerned."""
    kind = _kinds[change.kind]
    notices.tell_of_change(change, step, concerned=kind.concerns(change), by=authorised_by or by)
    if kind.event is None:
        return
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
