"""Use case of the workers: deal and settle due rounds, and open the next after a show, in batches of one transaction.

A round that cannot be dealt is suspended in its own transaction, with an alert in the log and an event in its stream; a
table that cannot open its next round becomes idle. The rest of the batch is dealt without it.
"""

import logging
import traceback
from collections.abc import Mapping
from typing import Final
from uuid import UUID

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.commands import ResumeRound, SuspendRound
from baccarat.domain.rounds.refusals import RoundIsNotDue, RoundNotSuspended
from baccarat.domain.tables.commands import EndShow
from baccarat.domain.tables.state import TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.shoe_seeds import SeedUnavailable
from casino.events.store import Metadata
from casino.kernel.errors import Refusal

logger = logging.getLogger(__name__)

BATCH: Final = 50
DEALER: Final = "dealer"
TRANSIENT_ERRORS: Final = (OperationalError, InterfaceError)
"""Errors of the database, not of the round: a lost connection, a deadlock, a full disk."""


def deal_due(*, limit: int = BATCH) -> int:
    """Deal and settle one batch of rounds that are ready or overdue, and open rounds whose show is over.

    Returns how many tables advanced or were suspended.
    If the batch cannot be written, its rounds are dealt one by one to find the one at fault.
    """
    try:
        with transaction.atomic():
            return _deal_all(repository.claim_due(limit=limit))
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  (any error: the rounds are then dealt one by one)
        logger.warning("A batch could not be settled together, dealing one by one: %s", describe(error))
    return _deal_one_by_one(limit)


def _deal_all(claimed: repository.LoadedTables) -> int:
    for table in claimed.unreadable:
        logger.critical("ALERT table %s is due but its stored state can't be read: rebuild it from its events", table)
    seeds = shoe_seeds.decrypt([shoe for uow in claimed.units_of_work for shoe in _shoes_of(uow)])
    for uow in claimed.units_of_work:
        _deal(uow, seeds, claimed)
    repository.save([(uow, _metadata(uow)) for uow in claimed.units_of_work])
    return sum(bool(uow.changes) for uow in claimed.units_of_work)


def _shoes_of(uow: UnitOfWork) -> list[UUID]:
    """Return the shoe of the round, if any, and the one that may come into play right after it."""
    opened, committed = uow.round.opened, uow.table.committed_shoes()
    shoes = [] if opened is None else [opened.shoe]
    if committed and dealer.next_shoe_starts_after_round(uow):
        shoes.append(committed[0].shoe)
    return shoes


def _deal(uow: UnitOfWork, seeds: Mapping[UUID, bytes], claimed: repository.LoadedTables) -> None:
    now = claimed.now
    entropy = repository.draw_entropy(uow, now=now, seeds=seeds)
    try:
        if uow.round.opened is None:
            dealer.end_show(uow, entropy=entropy, now=now)
            return
        seed = seeds.get(uow.round.opened.shoe)
        if seed is None:
            raise SeedUnavailable(f"shoe {uow.round.opened.shoe} has no readable seed")
        dealer.deal_round(uow, seed=seed, entropy=entropy, now=now, sealed_head=claimed.sealed_head)
    except RoundIsNotDue:
        logger.warning("table %s was not due", uow.table.require_opened().table)


def _deal_one_by_one(limit: int) -> int:
    tried_tables: list[UUID] = []
    total = 0
    while len(tried_tables) < limit and (count := _deal_next(tried_tables)) is not None:
        total += count
    return total


def _deal_next(tried_tables: list[UUID]) -> int | None:
    """Deal the next due table alone, or set it aside: 1 if it advanced, 0 if not, None if no other is due."""
    table = None
    try:
        with transaction.atomic():
            claimed = repository.claim_due(limit=1, excluding=tried_tables)
            if not claimed.units_of_work and not claimed.unreadable:
                return None
            tried_tables.extend(claimed.unreadable)
            for uow in claimed.units_of_work:
                table = uow.table
                tried_tables.append(table.require_opened().table)
            return _deal_all(claimed)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # a round that cannot be dealt must not block others
        if table is None:
            raise
        return _set_aside_after(error, table)


def _set_aside_after(error: Exception, table: TableState) -> int:
    """Suspend a round that cannot be dealt, or end a show after which none can open.

    After a transient database error the table stays due.
    """
    reason, subject = describe(error), _describe_due(table)
    if isinstance(error, TRANSIENT_ERRORS):
        logger.warning("%s stays due: %s", subject, reason)
        return 0
    try:
        set_aside = _set_aside(table, reason)
    except (DatabaseError, Refusal) as second_error:
        logger.critical("ALERT %s can't be dealt (%s) nor suspended (%s)", subject, reason, describe(second_error))
        return 0
    if set_aside:
        trace = "".join(traceback.format_tb(error.__traceback__))
        logger.critical("ALERT %s was suspended: %s\n%s", subject, reason, trace)
    return set_aside


def _describe_due(table: TableState) -> str:
    opened = table.require_opened()
    return f"the next round of table {opened.table}" if table.round is None else f"round {table.round}"


def _set_aside(table: TableState, reason: str) -> int:
    opened = table.require_opened()
    with transaction.atomic():
        uow, now = repository.lock_table(table=opened.table, operator=opened.operator)
        if (uow.table.round, uow.table.rounds) != (table.round, table.rounds):  # another dealer dealt in the meantime
            return 0
        if table.round is None:
            uow.decide_on_table(EndShow(now=now))
        else:
            uow.decide_on_round(SuspendRound(reason=reason, now=now))
        repository.save([(uow, _metadata(uow))])
    return len(uow.new_events())


def describe(error: Exception) -> str:
    """Describe an error by type names only: messages may quote secret cards or seeds."""
    cause = error.__cause__
    if isinstance(error, (DatabaseError, InterfaceError)) and isinstance(cause, psycopg.Error):
        location = cause.diag.constraint_name or cause.diag.table_name
        return type(cause).__name__ + (f" at {location}" if location else "")
    if isinstance(error, (SeedUnavailable, Refusal)):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def resume(*, round_: UUID, operator: UUID, metadata: Metadata) -> None:
    """Return a suspended round to dealing. Raises UnknownRound, RoundNotSuspended."""
    with transaction.atomic():
        uow, now = repository.lock_table_of_round(round_=round_, operator=operator)
        if uow.table.round != round_:
            raise RoundNotSuspended
        uow.decide_on_round(ResumeRound(by=metadata.actor, now=now))
        repository.save([(uow, metadata)])


def _metadata(uow: UnitOfWork) -> Metadata:
    return Metadata(operator=str(uow.table.require_opened().operator), actor=DEALER, causation="due")
