"""Use cases of giving a table up for good: announced at once, closed when what is in hand has concluded.

Nothing new starts from the announcement on. Who has not confirmed a wager is out of the round; what is confirmed is
dealt and settled; then every seat is freed, with the money going back, and all that was committed to is revealed.
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
    """Close a table for good, at once or, where a round is in hand, when that has concluded; returns whether
    it is closed now.

    Closing a closed one changes nothing. The seeds of its shoes, also of the one that was only committed to, are
    revealed and forgotten; one whose row is gone is recorded as lost. Raises UnknownTable, CloseReasonInvalid, and
    SeedUnreadable where a seed is there and its key is not.
    """
    why = reason.strip()
    if not 1 <= len(why) <= MAX_REASON_LENGTH or not why.isprintable():
        raise CloseReasonInvalid
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        occupied = bool(journal.table.seats) or journal.table.round is not None
        _empty_the_round(journal, now)  # first: what a transaction says of one stream, it says in one go
        if occupied:
            journal.decide_on_table(AnnounceTableClosure(by=metadata.actor, reason=why, now=now))
        return _go_on(journal, by=metadata.actor, reason=why, metadata=metadata, now=now)


def close_due() -> int:
    """Close every table that is to be closed and has concluded, each in a transaction; returns how many."""
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
    """Go as far towards the end as the round in hand allows; tells whether the table is closed."""
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
    """Whoever has not confirmed a wager is out of the round: it ends, or is due with what is confirmed in it.

    One that was set aside waits for a person all the same.
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
