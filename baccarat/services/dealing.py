"""Use case of the workers: deal and settle due rounds, and open the next after a show, in batches of one transaction.

At a table with witnesses there are two transactions: a closing is committed before it is sent, and links are stored
before a card leaves; between them no row is locked. Whoever asks a witness again gets the same link, so that a crash at
any step, or two workers at once, change nothing: the next one asks again, and the first that stores the links deals.

A round that cannot be dealt is suspended in its own transaction, with an alert in the log and an event in its stream; a
table that cannot open its next round becomes idle. The rest of the batch is dealt without it.
"""

import logging
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from baccarat.domain import dealer
from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.rounds.dealing import receive_links
from baccarat.domain.rounds.refusals import RoundIsNotDue, RoundNotSuspended
from baccarat.domain.rounds.voiding import resume_round, suspend_round
from baccarat.domain.tables import decisions, shoes
from baccarat.domain.tables.state import OpenClosing, TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import kill_switch, releasing, voiding, wagering
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.projections import is_ready
from baccarat.storage.shoe_seeds import SeedUnavailable
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.observability.logging import bind
from casino.witness.statements import ClosingKind

logger = logging.getLogger(__name__)

BATCH: Final = 100
"""Tables of one transaction."""
MOST: Final = 5 * BATCH
"""Tables that one call takes while witnesses are asked for links."""
PAUSE_SECONDS: Final = 0.25
"""Seconds between two looks for what is due while witnesses are asked for links."""
DEALER: Final = "dealer"
TRANSIENT_ERRORS: Final = (OperationalError, InterfaceError)
"""Errors of the database, not of the round: a lost connection, a deadlock, a full disk."""


def deal_due(*, limit: int = MOST) -> int:
    """Deal and settle one batch of rounds that are ready or overdue, and open rounds whose show is over.

    Returns how many tables advanced or were suspended.
    If the batch cannot be written, its rounds are dealt one by one to find the one at fault. While witnesses are asked
    for links, further batches follow, up to `limit` tables: the next one closes meanwhile, and none waits for a witness
    that is silent.
    """
    asked = releasing.PendingClosings()
    claimed = _deal_claimed(min(limit, BATCH), asked)
    return claimed + _deal_meanwhile(asked, limit=limit - claimed)


def _deal_meanwhile(asked: releasing.PendingClosings, *, limit: int) -> int:
    """Deal as witnesses answer, and meanwhile up to `limit` other tables that are due."""
    total, pause = 0, 0.0
    while asked.is_waiting():
        total += _deal_answered(asked.take(pause))
        if asked.is_waiting():
            claimed = _deal_claimed(min(limit, BATCH), asked) if limit > 0 else 0
            total, limit = total + claimed, limit - claimed
            pause = 0.0 if claimed else PAUSE_SECONDS
    return total


def _deal_claimed(limit: int, asked: releasing.PendingClosings) -> int:
    """Deal a batch, and ask witnesses for the links that its closings wait for."""
    try:
        with transaction.atomic():
            claimed = repository.claim_due(limit=limit)
            dealt = _deal_all(claimed)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  (any error: the rounds are then dealt one by one)
        logger.warning("A batch could not be settled together, dealing one by one: %s", describe(error))
        return _deal_one_by_one(limit)
    tables = [uow.table for uow in claimed.units_of_work if uow.changes]
    waiting = (table for table in tables if not all(each.is_late for each in table.open_closings))
    asked.ask({table.require_opened().table: table.open_closings for table in waiting})
    return dealt


def _deal_all(claimed: repository.LoadedTables) -> int:
    for table in claimed.unreadable:
        logger.critical("ALERT table %s is due but its stored state can't be read: rebuild it from its events", table)
    _deal_locked(claimed.units_of_work, now=claimed.now, sealed_head=claimed.sealed_head)
    decided = [(uow, _metadata(uow)) for uow in claimed.units_of_work]
    wagering.save_and_return(decided, now=claimed.now, capped=claimed.capped)
    return sum(bool(uow.changes) for uow in claimed.units_of_work)


def _deal_locked(units: Sequence[UnitOfWork], *, now: datetime, sealed_head: str = NO_DIGEST) -> None:
    """Deal the rounds of locked tables, without writing."""
    seeds = shoe_seeds.decrypt([shoe for uow in units for shoe in _shoes_of(uow)])
    cosigned = repository.read_cosigned() if any(repository.has_witnesses(uow) for uow in units) else None
    for uow in units:
        opened = uow.table.require_opened()
        bind(operator=opened.operator, table=opened.table, round=uow.table.round)
        entropy = repository.draw_entropy(uow, now=now, seeds=seeds, sealed_head=sealed_head, cosigned=cosigned)
        _deal(uow, seeds, entropy, now=now)
    if len(units) > 1:
        bind(operator=None, table=None, round=None)


def _shoes_of(uow: UnitOfWork) -> list[UUID]:
    """Return the shoe in play, if any, and the one that may come into play right after it."""
    in_play, committed = uow.round.opened or uow.table.shoe, uow.table.committed_shoes()
    shoes = [] if in_play is None else [in_play.shoe]
    if committed and dealer.next_shoe_starts_after_round(uow):
        shoes.append(committed[0].shoe)
    return shoes


def _deal(uow: UnitOfWork, seeds: Mapping[UUID, bytes], entropy: dealer.Entropy, *, now: datetime) -> None:
    try:
        if uow.round.opened is None:
            dealer.end_show(uow, entropy=entropy, now=now)
            return
        seed = seeds.get(uow.round.opened.shoe)
        if seed is None:
            raise SeedUnavailable(f"shoe {uow.round.opened.shoe} has no readable seed")
        dealer.deal_round(uow, seed=seed, entropy=entropy, now=now)
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
            uow.on_table(decisions.end_show, at=now)
        else:
            uow.on_round(suspend_round, reason=reason, at=now)
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


def release_due() -> int:
    """Get the links that closings have waited for longest, and deal; return how many tables advanced.

    Rounds whose witnesses have not answered within the limit are void. Meanwhile other tables are dealt.
    """
    return _release(repository.read_open_closings(), meanwhile=MOST) + voiding.void_unanswered()


def release(closings: Mapping[UUID, tuple[OpenClosing, ...]]) -> int:
    """Get the links that these closings wait for, by table, and deal; return how many tables advanced."""
    return _release(closings, meanwhile=0)


def _release(closings: Mapping[UUID, tuple[OpenClosing, ...]], *, meanwhile: int) -> int:
    asked = releasing.PendingClosings()
    asked.ask(closings)
    return _deal_meanwhile(asked, limit=meanwhile)


def _deal_answered(answers: releasing.Answers) -> int:
    """Deal the tables that have all links, and stop those that are behind their chains."""
    for table, used_links in answers.used_links.items():
        _stop_if_behind(table, used_links)
    if not answers.tables:
        return 0
    try:
        return _deal_with_links(answers.tables, answers.links, deals=True)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  (any error: the links are kept, and the rounds then dealt one by one)
        logger.warning("Rounds with links could not be dealt together: %s", describe(error))
    return _deal_with_links(answers.tables, answers.links, deals=False)


def _stop_if_behind(table: UUID, used_links: Sequence[releasing.UsedLink]) -> None:
    """Stop a table whose chain is further at its witness than here, because this database was restored.

    Links of that chain may be known, so it is retired; staff replace the witness and resume play.
    """
    if kill_switch.stop_table_behind(table, reason=str(used_links[0])):
        for each in used_links:
            releasing.retire(each)


@transaction.atomic
def _deal_with_links(tables: Sequence[UUID], links: releasing.Links, *, deals: bool) -> int:
    """Store the links of tables, in the order of their closings, and deal the rounds that waited for them."""
    locked = repository.lock_tables(sorted(tables))
    for uow in locked.units_of_work:
        _receive(uow, links)
    if deals:
        changed = [uow for uow in locked.units_of_work if uow.changes]
        ready = [uow for uow in changed if is_ready(uow.round)]
        closes_shoe = any(uow.table.has_long_shoe() and dealer.next_shoe_starts_after_round(uow) for uow in ready)
        head = repository.read_sealed_head() if closes_shoe else NO_DIGEST
        _deal_locked(ready, now=locked.now, sealed_head=head)
        _start_shoes([uow for uow in changed if uow.table.coming_shoe is not None], now=locked.now)
    decided = [(uow, _metadata(uow)) for uow in locked.units_of_work]
    wagering.save_and_return(decided, now=locked.now, capped=locked.capped)
    return sum(bool(uow.changes) for uow in locked.units_of_work)


def _receive(uow: UnitOfWork, links: releasing.Links) -> None:
    for waiting in uow.table.open_closings:
        if waiting.drawing not in links:
            if waiting.is_late:
                continue
            return
        command = partial(receive_links, releases=links[waiting.drawing])
        if waiting.kind is ClosingKind.SHOE:
            uow.on_table(shoes.receive_links, shoe=waiting.drawing, releases=links[waiting.drawing])
        elif waiting.drawing == uow.table.round:
            uow.on_round(command)
        else:
            uow.on_ended_round(*repository.load_round(waiting.drawing), command)


def _start_shoes(units: Sequence[UnitOfWork], *, now: datetime) -> None:
    """Start the long shoes of locked tables whose links have come, and open their next rounds, without writing."""
    waiting = [uow for uow in units if uow.table.has_long_shoe() and uow.table.round is None]
    seeds = shoe_seeds.decrypt([shoe.shoe for uow in waiting for shoe in uow.table.committed_shoes()])
    for uow in waiting:
        dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=now, seeds=seeds), now=now)


def resume(*, round_: UUID, operator: UUID, metadata: Metadata) -> None:
    """Return a suspended round to dealing. Raises UnknownRound, RoundNotSuspended."""
    with transaction.atomic():
        uow, now = repository.lock_table_of_round(round_=round_, operator=operator)
        if uow.table.round != round_:
            raise RoundNotSuspended
        uow.on_round(resume_round, by=metadata.actor, at=now)
        repository.save([(uow, metadata)])


def _metadata(uow: UnitOfWork) -> Metadata:
    return Metadata(operator=str(uow.table.require_opened().operator), actor=DEALER, causation="")
