"""The workers' use case: deal and settle what is due, in batches, each batch one transaction.

A round that can't be dealt is set aside in a transaction of its own, with an alert in the log and an event in its
stream; the others of its batch are dealt as if it were not there.
"""

import logging
import traceback
from datetime import datetime
from typing import Final
from uuid import UUID

import psycopg
from django.db import DatabaseError, transaction

from baccarat import dealer, repository, shoe_secrets
from baccarat.journal import Journal
from baccarat.rounds.commands import ResumeRound, SetRoundAside
from baccarat.rounds.refusals import RoundIsNotDue
from baccarat.shoe_secrets import SecretLost
from casino.events.store import Metadata
from casino.kernel.refusals import Refusal

logger = logging.getLogger(__name__)

BATCH: Final = 50
DEALER: Final = "dealer"


def deal_due(*, limit: int = BATCH) -> int:
    """This will deal and settle one batch of rounds that are ready or overdue, and return how many tables it handled.

    If the batch as a whole can't be written, its rounds are dealt one by one, so that the one at fault is found.
    """
    try:
        with transaction.atomic():
            claimed = repository.claim_due(limit=limit)
            _deal_all(claimed.journals, claimed.now)
            return len(claimed.journals)
    except Exception as trouble:  # noqa: BLE001  (whatever it was, the rounds are tried one by one)
        logger.warning("A batch could not be settled together, dealing one by one: %s", describe(trouble))
    return _deal_one_by_one(limit)


def _deal_all(journals: list[Journal], now: datetime) -> None:
    seeds = shoe_secrets.read([journal.round.facts().shoe for journal in journals])
    for journal in journals:
        _deal(journal, seeds.get(journal.round.facts().shoe), now)
    repository.write([(journal, _metadata(journal)) for journal in journals])


def _deal(journal: Journal, seed: bytes | None, now: datetime) -> None:
    if seed is None:
        raise SecretLost(f"shoe {journal.round.facts().shoe} has no readable seed")
    try:
        dealer.deal_round(journal, seed=seed, fresh=repository.fresh(), now=now)
    except RoundIsNotDue:
        logger.info("round %s was not due after all", journal.round.facts().round)


def _deal_one_by_one(limit: int) -> int:
    done: list[UUID] = []
    while len(done) < limit:
        table = _deal_next(done)
        if table is None:
            break
        done.append(table)
    return len(done)


def _deal_next(done: list[UUID]) -> UUID | None:
    """The next due table alone; its round is set aside if it can't be dealt. None when no other is due."""
    table = None
    try:
        with transaction.atomic():
            claimed = repository.claim_due(limit=1, but=done)
            if not claimed.journals:
                return None
            table = claimed.journals[0].table.facts().table
            _deal_all(claimed.journals, claimed.now)
    except Exception as trouble:  # a poisoned round must block no other
        if table is None:
            raise
        _set_aside(table, claimed.journals[0].table.facts().operator, trouble)
    return table


def _set_aside(table: UUID, operator: UUID, trouble: Exception) -> None:
    reason = describe(trouble)
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        journal.on_round(SetRoundAside(reason=reason, now=now))
        repository.write([(journal, _metadata(journal))])
    where = "".join(traceback.format_tb(trouble.__traceback__))
    logger.critical("ALERT round %s was set aside: %s\n%s", journal.round.facts().round, reason, where)


def describe(trouble: Exception) -> str:
    """This will say what went wrong without any row's content, which may hold cards or seeds not yet shown."""
    cause = trouble.__cause__
    if isinstance(trouble, DatabaseError) and isinstance(cause, psycopg.Error):
        return f"{type(cause).__name__}: {cause.diag.message_primary}"
    if isinstance(trouble, (SecretLost, Refusal)):
        return f"{type(trouble).__name__}: {trouble}"
    return type(trouble).__name__


def resume(*, table: UUID, operator: UUID, metadata: Metadata) -> None:
    """This will send a round that was set aside back to be dealt. Raises UnknownTable, RoundNotSetAside."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        journal.on_round(ResumeRound(by=metadata.actor, now=now))
        repository.write([(journal, metadata)])


def _metadata(journal: Journal) -> Metadata:
    facts = journal.round.facts()
    return Metadata(operator=str(facts.operator), actor=DEALER, causation="due", correlation=f"round-{facts.round}")
