"""Use cases of closing a table permanently: announced at once, closed when running play has concluded.

Nothing new starts after the announcement. Players without a confirmed wager leave the round; confirmed wagers are dealt
and settled; then every seat is freed, its money is returned, and all commitments are revealed.
"""

import logging
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.tables.commands import AnnounceTableClosure, CloseTable
from baccarat.domain.tables.refusals import CloseReasonInvalid, SeedUnreadable
from baccarat.domain.tables.state import TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import absent_seats
from baccarat.services.seats import leave_round
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.significant import recorder

logger = logging.getLogger(__name__)

MAX_REASON_LENGTH: Final = 500
ACTOR: Final = "system:closing"

_DUE: Final = """
SELECT id, operator_id FROM baccarat_table WHERE due_at <= statement_timestamp() AND round_id IS NULL ORDER BY due_at
"""


def close_table(*, table: UUID, operator: UUID, reason: str, metadata: Metadata) -> bool:
    """Close a table permanently, once its current round has concluded. Returns whether it is closed now.

    Closing a closed table changes nothing. The seeds of its shoes, including one only committed to, are revealed and
    deleted; a seed whose row is missing is recorded as lost. Raises UnknownTable, CloseReasonInvalid, and
    SeedUnreadable if a seed exists but its key does not.
    """
    why = reason.strip()
    if not 1 <= len(why) <= MAX_REASON_LENGTH or not why.isprintable():
        raise CloseReasonInvalid
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        occupied = bool(journal.table.seats) or journal.table.round is not None
        _empty_the_round(journal, now)  # first: one transaction appends to each stream only once
        if occupied:
            journal.decide_on_table(AnnounceTableClosure(by=metadata.actor, reason=why, now=now))
        return _go_on(journal, by=metadata.actor, reason=why, metadata=metadata, now=now)


def close_due() -> int:
    """Close every table whose closure is pending and whose play has concluded, each in a transaction. Returns the
    number.
    """
    return sum(_close_announced(table, operator) for table, operator in fetch(_DUE))


def _close_announced(table: UUID, operator: UUID) -> bool:
    metadata = Metadata(operator=str(operator), actor=ACTOR, causation="due", correlation=f"table-{table}")
    try:
        with transaction.atomic():
            journal, now = repository.lock_table(table=table, operator=operator)
            announced = journal.table.pending_closure
            if announced is None or journal.table.closed:
                return False
            _empty_the_round(journal, now)
            return _go_on(journal, by=announced.by, reason=announced.reason, metadata=metadata, now=now)
    except (SeedUnreadable, repository.StateUnreadable) as error:
        logger.critical("ALERT table %s can't be closed: %s", table, type(error).__name__)
        return False


def _go_on(journal: UnitOfWork, *, by: str, reason: str, metadata: Metadata, now: datetime) -> bool:
    """Proceed with the closure as far as the current round allows. Returns whether the table is closed."""
    secret = _secret(journal.table)
    lost = 0
    if journal.table.round is None:
        for command in absent_seats.release_commands(journal, [seat.player for seat in journal.table.seats], now):
            journal.decide_on_table(command)
        seeds = _seeds(secret)
        lost = len(secret) - len(seeds)
        shown = {shoe: seed.hex() for shoe, seed in seeds.items()}
        journal.decide_on_table(CloseTable(by=by, reason=reason, seeds=shown, now=now))
        journal.revealed_shoes.extend(seeds)
    if journal.changes:
        repository.save([(journal, metadata)])
        _note(journal, by=by, reason=reason, revealed=len(secret) - lost, lost=lost)
    return journal.table.closed


def _empty_the_round(journal: UnitOfWork, now: datetime) -> None:
    """Take players without a confirmed wager out of the round, which then ends or becomes due.

    A suspended round still waits for a person.
    """
    for seat in journal.round.seats if journal.round.is_running() else ():
        if seat.status is not SeatStatus.CONFIRMED:
            leave_round(journal, seat.player, now)


def _secret(table: TableState) -> list[UUID]:
    return [shoe.shoe for shoe in (table.shoe, table.next_shoe) if shoe is not None]


def _seeds(secret: list[UUID]) -> dict[UUID, bytes]:
    seeds = dict(shoe_seeds.decrypt(secret))
    if shoe_seeds.find_stored(secret) - seeds.keys():
        raise SeedUnreadable
    return seeds


def _note(journal: UnitOfWork, *, by: str, reason: str, revealed: int, lost: int) -> None:
    facts, closed = journal.table.require_opened(), journal.table.closed
    after = {"closed": True, "seeds_revealed": revealed, "seeds_lost": lost} if closed else {"closing": True}
    recorder.record(
        kind=recorder.SignificantEventKind.TABLE_STOPPED,
        operator=facts.operator,
        subject=f"table:{facts.table}",
        actor=by,
        reason=reason,
        before={"closed": False},
        after=after,
    )
