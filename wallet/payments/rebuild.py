"""Throw the rows of deposits and withdrawals away and make them again from their events, with the queue they imply."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.ledger.event_registry import CATALOGUE
from wallet.payments import deposit_state, withdrawal_state
from wallet.payments.projections import DEPOSITS, RELATIONS, WITHDRAWALS, deposit_row, upsert_rows, withdrawal_row

CHUNK: Final = 500
_STREAMS: Final = """
    SELECT stream FROM events_event
     WHERE type = %s AND version = 1 AND stream > %s ORDER BY stream LIMIT %s
"""
_EVENTS: Final = """
    SELECT stream, type, schema, data::text FROM events_event
     WHERE stream = ANY (%s::text[]) ORDER BY stream, version
"""
_FORGET: Final = """
    DELETE FROM wallet_payment_due
     WHERE payment_id NOT IN (SELECT id FROM wallet_deposit WHERE status = 'pending'
                              UNION ALL SELECT id FROM wallet_withdrawal WHERE status IN ('approved', 'sent'))
"""
_QUEUE: Final = """
    INSERT INTO wallet_payment_due (payment_id, kind)
    SELECT id, 'deposit' FROM wallet_deposit WHERE status = 'pending'
    UNION ALL SELECT id, 'payout' FROM wallet_withdrawal WHERE status IN ('approved', 'sent')
    ON CONFLICT (payment_id) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """How many rows each projection has now; `changed` names those that came out otherwise, where compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def rebuild_payments(*, compare: bool = False) -> RebuildResult:
    """Make both projections and the queue again in one transaction, holding writers out."""
    with transaction.atomic():
        execute("LOCK TABLE wallet_deposit, wallet_withdrawal, wallet_payment_due IN EXCLUSIVE MODE")
        if compare:
            _keep()
        for relation in RELATIONS:
            execute(f"DELETE FROM {relation.table}")  # noqa: S608  (names are constants)
        for some in _payments("DepositRequested"):
            upsert_rows(DEPOSITS, [deposit_row(deposit_state.fold(events), len(events)) for events in some])
        for some in _payments("WithdrawalRequested"):
            upsert_rows(WITHDRAWALS, [withdrawal_row(withdrawal_state.fold(events), len(events)) for events in some])
        execute(_FORGET)
        execute(_QUEUE)
        changed = tuple(_changed()) if compare else ()
        rows = {
            relation.table: int(fetch(f"SELECT count(*) FROM {relation.table}")[0][0])  # noqa: S608
            for relation in RELATIONS
        }
        return RebuildResult(rows, changed)


def _payments(first: str) -> Iterator[list[list[Any]]]:
    """The events of payments whose stream begins with an event of this type, some payments at a time."""
    last = ""
    while streams := [row[0] for row in fetch(_STREAMS, [first, last, CHUNK])]:
        last = streams[-1]
        found: dict[str, list[Any]] = {stream: [] for stream in streams}
        for stream, kind, schema, data in fetch(_EVENTS, [streams]):
            found[stream].append(CATALOGUE.decode(kind, schema, data))
        yield list(found.values())


def _keep() -> None:
    for relation in RELATIONS:
        execute(
            f"CREATE TEMPORARY TABLE before_{relation.table} ON COMMIT DROP AS "  # noqa: S608  (names are constants)
            f"SELECT id::text AS key, md5(kept::text) AS content FROM {relation.table} AS kept"
        )


def _changed() -> Iterator[str]:
    for relation in RELATIONS:
        rows = fetch(
            f"SELECT coalesce(was.key, now.key) FROM before_{relation.table} AS was "  # noqa: S608  (names are constants)
            f"FULL JOIN (SELECT id::text AS key, md5(kept::text) AS content FROM {relation.table} AS kept) AS now "
            "ON now.key = was.key WHERE was.content IS DISTINCT FROM now.content ORDER BY 1"
        )
        yield from (f"{relation.table} {row[0]}" for row in rows)
