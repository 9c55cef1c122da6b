"""Use case of the workers: deal and settle due rounds, in batches of one transaction each.

A round that cannot be dealt is suspended in its own transaction, with an alert in the log and an event in its stream.
The rest of its batch is dealt without it.
"""

import logging
import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.commands import ResumeRound, SuspendRound
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.refusals import RoundIsNotDue
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
    """Deal and settle one batch of rounds that are ready or overdue. Returns how many were dealt or suspended.

    If the batch cannot be written, its rounds are dealt one by one to find the one at fault.
    """
    try:
        with transaction.atomic():
            return _deal_all(repository.claim_due(limit=limit))
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it was, the rounds are tried one by one)
        logger.warning("A batch could not be settled together, dealing one by one: %s", describe(error))
    return _deal_one_by_one(limit)


def _deal_all(claimed: repository.LoadedTables) -> int:
    for table in claimed.unreadable:
        logger.critical("ALERT table %s is due but its stored state can't be read: rebuild it from its events", table)
    seeds = shoe_seeds.decrypt([shoe for journal in claimed.units_of_work for shoe in _shoes_of(journal)])
    for journal in claimed.units_of_work:
        _deal(journal, seeds, claimed.now)
    repository.save([(journal, _metadata(journal)) for journal in claimed.units_of_work])
    return sum(bool(journal.changes) for journal in claimed.units_of_work)


def _shoes_of(journal: UnitOfWork) -> list[UUID]:
    """Return the shoe of the round, and the one that may come into play right after it."""
    coming = journal.table.next_shoe
    shoe = journal.round.require_opened().shoe
    return [shoe, coming.shoe] if coming is not None and dealer.next_shoe_starts_after_round(journal) else [shoe]


def _deal(journal: UnitOfWork, seeds: Mapping[UUID, bytes], now: datetime) -> None:
    seed = seeds.get(journal.round.require_opened().shoe)
    if seed is None:
        raise SeedUnavailable(f"shoe {journal.round.require_opened().shoe} has no readable seed")
    try:
        dealer.deal_round(journal, seed=seed, entropy=repository.draw_entropy(journal, seeds=seeds), now=now)
    except RoundIsNotDue:
        logger.warning("round %s was not due after all", journal.round.require_opened().round)


def _deal_one_by_one(limit: int) -> int:
    tried: list[UUID] = []
    done = 0
    while len(tried) < limit and (moved := _deal_next(tried)) is not None:
        done += moved
    return done


def _deal_next(tried: list[UUID]) -> int | None:
    """Deal the next due table alone, or suspend its round: 1 if it advanced, 0 if not, None if no other is due."""
    round_ = None
    try:
        with transaction.atomic():
            claimed = repository.claim_due(limit=1, excluding=tried)
            if not claimed.units_of_work and not claimed.unreadable:
                return None
            tried.extend(claimed.unreadable)
            for journal in claimed.units_of_work:
                round_ = journal.round.require_opened()
                tried.append(round_.table)
            return _deal_all(claimed)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # a poisoned round must not block others
        if round_ is None:
            raise
        return _put_by(round_, error)


def _put_by(round_: RoundOpened, error: Exception) -> int:
    """Suspend a round that cannot be dealt. After a transient database error it stays due."""
    reason = describe(error)
    if isinstance(error, TRANSIENT_ERRORS):
        logger.warning("round %s stays due: %s", round_.round, reason)
        return 0
    try:
        moved = _set_aside(round_, reason)
    except (DatabaseError, Refusal) as again:
        logger.critical("ALERT round %s can't be dealt (%s) nor set aside (%s)", round_.round, reason, describe(again))
        return 0
    if moved:
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.critical("ALERT round %s was set aside: %s\n%s", round_.round, reason, where)
    return moved


def _set_aside(round_: RoundOpened, reason: str) -> int:
    with transaction.atomic():
        journal, now = repository.lock_table(table=round_.table, operator=round_.operator)
        if journal.table.round != round_.round:  # another dealer dealt it in the meantime
            return 0
        events = journal.decide_on_round(SuspendRound(reason=reason, now=now))
        repository.save([(journal, _metadata(journal))])
    return len(events)


def describe(error: Exception) -> str:
    """Describe an error by type names only: messages may quote secret cards or seeds."""
    cause = error.__cause__
    if isinstance(error, (DatabaseError, InterfaceError)) and isinstance(cause, psycopg.Error):
        place = cause.diag.constraint_name or cause.diag.table_name
        return type(cause).__name__ + (f" at {place}" if place else "")
    if isinstance(error, (SeedUnavailable, Refusal)):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def resume(*, table: UUID, operator: UUID, metadata: Metadata) -> None:
    """Return a suspended round to dealing. Raises UnknownTable, RoundNotSuspended."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        journal.decide_on_round(ResumeRound(by=metadata.actor, now=now))
        repository.save([(journal, metadata)])


def _metadata(journal: UnitOfWork) -> Metadata:
    facts = journal.round.require_opened()
    return Metadata(operator=str(facts.operator), actor=DEALER, causation="due", correlation=f"round-{facts.round}")
