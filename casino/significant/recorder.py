"""The door by which every part records a significant event: in the caller's transaction, in one statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.significant.kinds import DESCRIPTIONS, Severity, SignificantEventKind

__all__ = ["NewSignificantEvent", "Severity", "SignificantEventKind", "record", "record_many"]

MAX_REASON_LENGTH: Final = 4000
"""Characters of a reason that are kept: enough for the longest words when they are sealed."""

_RECORD: Final = """
WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%s::jsonb) AS told (
        id uuid, kind text, severity text, operator_id uuid, subject text, actor text, authorised_by text, reason text,
        before jsonb, after jsonb, amount bigint, currency text, address text, dedup_key text
    )
), added AS (
    INSERT INTO significant_significantevent (
        id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, amount, currency,
        address, dedup_key
    )
    SELECT id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, amount, currency,
           address, dedup_key
    FROM given ORDER BY id
    ON CONFLICT (dedup_key) WHERE NOT (dedup_key = '') DO NOTHING
    RETURNING id, severity, operator_id
), waiting AS (
    INSERT INTO significant_unacknowledged (event_id, operator_id)
    SELECT id, operator_id FROM added WHERE severity <> 'info'
)
SELECT id FROM added
"""
_encode: Final = msgspec.json.Encoder(enc_hook=str).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSignificantEvent:
    """One significant event. `money` is in minor units of `currency`; `before` and `after` are JSON-ready.

    `operator` is None for what is of the whole installation. `once` is a name under which it is recorded at most once,
    for readers that may look at the same thing twice.
    """

    kind: SignificantEventKind
    operator: UUID | None
    subject: str
    actor: str
    authorised_by: str = ""
    reason: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    amount: int | None = None
    currency: str = ""
    address: str = ""
    dedup_key: str = ""


def record(
    *,
    kind: SignificantEventKind,
    operator: UUID | None,
    subject: str,
    actor: str,
    authorised_by: str = "",
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    amount: int | None = None,
    currency: str = "",
    address: str = "",
    dedup_key: str = "",
) -> None:
    """Record one significant event, as `Significant` describes it, in the caller's transaction."""
    one = NewSignificantEvent(
        kind=kind,
        operator=operator,
        subject=subject,
        actor=actor,
        authorised_by=authorised_by,
        reason=reason,
        before=before,
        after=after,
        amount=amount,
        currency=currency,
        address=address,
        dedup_key=dedup_key,
    )
    record_many([one])


def record_many(events: Iterable[NewSignificantEvent]) -> int:
    """Record significant events in one statement, and return how many were new (see `once`)."""
    told = list(events)
    # Sorted, as ids of one millisecond are in no order, and lists go by id.
    rows = [_row(identity, event) for identity, event in zip(sorted(new_id() for _ in told), told, strict=True)]
    return len(fetch(_RECORD, [_encode(rows).decode()])) if rows else 0


def _row(identity: UUID, event: NewSignificantEvent) -> dict[str, Any]:
    return {
        "id": identity,
        "kind": event.kind,
        "severity": DESCRIPTIONS[event.kind].severity,
        "operator_id": event.operator,
        "subject": event.subject,
        "actor": event.actor,
        "authorised_by": event.authorised_by,
        "reason": event.reason[:MAX_REASON_LENGTH],
        "before": event.before,
        "after": event.after,
        "amount": event.amount,
        "currency": event.currency,
        "address": event.address,
        "dedup_key": event.dedup_key,
    }
