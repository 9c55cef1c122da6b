"""The log of acts: who changed what gives power, by whose agreement, and which rows that were.

An act is an event, in the transaction that does it, on a stream of its own: `act-{id}`. It names the digest of each row
that this transaction has changed and that only acts change (`HeldTable.own`). So the audit finds a row that no act
changed, however that was done, and an act by too few persons (`casino.staff.act_audit`).
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Model

from casino.events import store
from casino.events.codec import EventRegistry, EventType
from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.events.store import Append, Metadata
from casino.significant import recorder
from casino.significant.recorder import SignificantEventKind


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row as a digest of it says; `digest` is None for a removed one. `number` is that of the digest."""

    number: int
    table: str
    key: str
    digest: str | None


@dataclass(frozen=True, slots=True)
class ActDone:
    """Somebody did an act of the policy of duties.

    `persons` are the authenticated persons who agreed, in their order, and `change` the change by which they did. For
    one that only `tightens`, one person is always enough.
    `before` and `after` say what matters of the subject, for people; `rows` is what was written.
    """

    act: str
    subject: str
    operator: UUID | None
    actor: str
    persons: tuple[str, ...]
    change: UUID | None
    tightens: bool
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    rows: tuple[ChangedRow, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Agreement:
    """The persons who agreed on a change, if there was one."""

    change: UUID | None
    persons: tuple[str, ...]


@dataclass(slots=True)
class _Told:
    """What the parts of an act tell of its subject."""

    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)


ACT_EVENTS: Final = EventRegistry([EventType(ActDone)])
_whole: ContextVar[_Told | None] = ContextVar("whole", default=None)
_CHANGED: Final = """
    WITH changed AS MATERIALIZED (
        SELECT number::bigint FROM unnest(
            string_to_array(nullif(current_setting('casino.changed', true), ''), ',')) AS number
    ), named AS (
        SELECT set_config('casino.changed', '', true) FROM (SELECT count(*) FROM changed) AS counted
    )
    SELECT number, table_name, row_key, encode(digest, 'hex') FROM events_rowdigest
      JOIN changed USING (number) CROSS JOIN named ORDER BY number
"""


@contextmanager
def as_one(
    act: str, *, operator: UUID | None, subject: str, actor: str, agreement: Agreement | None = None
) -> Generator[None]:
    """Let all that the block does be one act: that of persons who agreed on a change, or of the actor."""
    told = _Told()
    token = _whole.set(told)
    try:
        yield
    finally:
        _whole.reset(token)
    by = Agreement(None, (actor,)) if agreement is None else agreement
    _append(act, operator, subject, actor, by, before=told.before or None, after=told.after or None)


def done(
    act: str,
    *,
    operator: UUID | None,
    subject: str,
    actor: str,
    kind: SignificantEventKind | None = SignificantEventKind.CONFIG_CHANGED,
    authorised_by: str = "",
    tightens: bool = False,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    **significant: Any,
) -> None:
    """Record an act after its rows are written, in their transaction, as an event and as a significant event.

    Part of another act (`as_one`), it is no event of its own. Without a `kind`, a change tells of it. Further arguments
    are those of `recorder.record`.
    """
    by = Agreement(None, tuple(dict.fromkeys(filter(None, (actor, authorised_by)))))
    with transaction.atomic():
        if (told := _whole.get()) is None:
            _append(act, operator, subject, actor, by, tightens=tightens, before=before, after=after)
        else:
            told.before |= before or {}
            told.after |= after or {}
        if kind is not None:
            recorder.record(
                kind=kind,
                operator=operator,
                subject=subject,
                actor=actor,
                authorised_by=authorised_by,
                before=before,
                after=after,
                **significant,
            )


def changed(
    row: Model,
    act: str,
    *,
    by: str,
    reason: str,
    kind: SignificantEventKind = SignificantEventKind.CONFIG_CHANGED,
    subject: str = "",
    authorised_by: str = "",
    tightens: bool = False,
    **values: Any,
) -> None:
    """Change fields of a row that belongs to an operator, or is one, and record what they were and are.

    The row in hand gets the values, too. Lock it before, where they depend on what it was. The subject is the row.
    """
    with transaction.atomic():
        rows = type(row)._default_manager.filter(pk=row.pk)  # noqa: SLF001  (a public name of Django's)
        before = rows.select_for_update(no_key=True).values(*values).get()
        rows.update(**values)
        for name, value in values.items():
            setattr(row, name, value)
        done(
            act,
            kind=kind,
            operator=getattr(row, "operator_id", row.pk),
            subject=subject or f"{row._meta.model_name}:{row.pk}",  # noqa: SLF001  (as above)
            actor=by,
            authorised_by=authorised_by,
            reason=reason,
            tightens=tightens,
            before=before,
            after=values,
        )


def _append(
    act: str,
    operator: UUID | None,
    subject: str,
    actor: str,
    by: Agreement,
    *,
    tightens: bool = False,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An act is recorded in the transaction that does it.")
    now = database_now()
    event = ActDone(
        act=act,
        subject=subject,
        operator=operator,
        actor=actor,
        persons=by.persons,
        change=by.change,
        tightens=tightens,
        before=recorder.as_json(before),
        after=recorder.as_json(after),
        rows=tuple(ChangedRow(*row) for row in fetch(_CHANGED)),
        at=now,
    )
    metadata = Metadata(str(operator or ""), actor=actor, causation="")
    store.append([Append(f"act-{new_id(now)}", 0, (ACT_EVENTS.encode(event),), metadata)])
