"""Deliver credits, corrections and rollbacks to operators' wallets, under the same ids until each has an end.

PostgreSQL holds what is due: any number of processes may deliver. A transaction is leased by moving its next try into
the future before the call, outside of any transaction; the lease of a process that dies expires. Operators take turns,
each with as many transactions a second as its bucket has tokens for, so that a long queue delays nobody else's.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import Error, transaction

from casino.api.streaming.hub import run_in_thread
from casino.events.ids import new_id
from casino.events.outbox import Claim, Outbox, doubling
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata
from casino.feed.outbound import Sender
from casino.outbound.client import WebhookClient
from casino.significant import recorder
from wallet.remote import client, messages, records, unapplied
from wallet.remote import state as machine
from wallet.remote.client import Endpoint, NotAnswered, endpoint
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import MAX_ITEMS, WalletOrder, WalletReply
from wallet.remote.profiles.standard import NOT_IN_PROFILE
from wallet.remote.records import Decided
from wallet.remote.state import ENDED, NoAnswer, RefusedAnswer, RemoteStatus

logger = logging.getLogger(__name__)

PER_SECOND: Final = 50
"""Transactions a second of each operator, and process."""
IN_FLIGHT: Final = 8
"""Calls of each operator at a time."""
CALL_SECONDS: Final = 10.0
LEASE: Final = timedelta(seconds=30)
_NO_NEW_CALL: Final = LEASE.total_seconds() - CALL_SECONDS - 2.0
"""Seconds after which a batch begins no further call: its lease would end before the answer is recorded."""
ALERT_AFTER: Final = timedelta(minutes=15)
REPORT_AFTER: Final = timedelta(hours=24)
ACTOR: Final = "system:wallets"
Clock = Callable[[], datetime]

CREDITS: Final = Outbox(
    "wallet_remote_due",
    key="transaction_id",
    gaps=doubling(1.0, 200.0),
    leases=[LEASE.total_seconds()],
    free="""
        SELECT transaction_id FROM wallet_remote_due WHERE operator_id = %(operator)s AND due_at <= %(now)s
         ORDER BY due_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    """,
)
_OPERATORS: Final = "SELECT DISTINCT operator_id FROM wallet_remote_due WHERE due_at <= %s LIMIT %s"
_PAYMENTS: Final = """
    SELECT due.since, id, kind, player_id, wager_id, round_id, table_id, amount, currency, concerns_id, requested_at,
           status, rollback_id, reason
      FROM wallet_remote JOIN wallet_remote_due AS due ON due.transaction_id = id
     WHERE id = ANY (%s::uuid[]) ORDER BY requested_at, id
"""


@dataclass(slots=True)
class Leased:
    """A transaction that this process delivers: what is sent, after how many tries, and since when it waits."""

    payment: WalletOrder
    claim: Claim
    since: datetime

    @property
    def transaction(self) -> UUID:
        key: UUID = self.claim.key
        return key


@dataclass(slots=True)
class Batch:
    """What was leased of one operator: credits to send together, others one by one, and debits left behind.

    Where the wallet's profile has no message for several credits, they are among the others.
    """

    wallet: Endpoint
    credits: list[Leased]
    others: list[Leased]
    abandoned: list[Leased]

    def all(self) -> list[Leased]:
        return [*self.credits, *self.others, *self.abandoned]


class Bucket:
    """Tokens of one operator; each transaction takes one."""

    def __init__(self, now: datetime) -> None:
        self._tokens, self._at = float(MAX_ITEMS), now

    def available(self, now: datetime) -> int:
        """Return how many tokens there are now."""
        seconds = max(0.0, (now - self._at).total_seconds())
        self._tokens, self._at = min(float(MAX_ITEMS), self._tokens + PER_SECOND * seconds), now
        return int(self._tokens)

    def take(self, count: int) -> None:
        self._tokens -= count


class Courier(Sender[Batch]):
    """Delivers what is due of each operator, a batch at a time of each, with one client on one event loop."""

    def __init__(self, client_: WebhookClient, clock: Clock = database_now) -> None:
        super().__init__(client_, clock)
        self._buckets: dict[UUID, Bucket] = {}
        self._under_way: Counter[UUID] = Counter()

    def claim(self, limit: int) -> list[Batch]:
        now, batches = self.clock(), []
        for (operator,) in fetch(_OPERATORS, [now, limit]):
            bucket = self._buckets.setdefault(operator, Bucket(now))
            free = min(MAX_ITEMS, bucket.available(now)) if self._under_way[operator] < IN_FLIGHT else 0
            if free and (batch := _lease(operator, now, free)) is not None:
                bucket.take(len(batch.all()))
                self._under_way[operator] += 1
                batches.append(batch)
        return batches

    async def send(self, batch: Batch) -> None:
        end = asyncio.get_running_loop().time() + _NO_NEW_CALL
        try:
            told = await self._send_credits(batch) if batch.credits else {}
            for leased in batch.others:
                if asyncio.get_running_loop().time() > end:
                    told[leased.transaction] = WalletReply(NoAnswer("The wallet is slow: this was not sent yet."))
                else:
                    told[leased.transaction] = await self._send(batch.wallet, leased)
            await run_in_thread(self._record, batch=batch, told=told)
        except Error as error:
            logger.warning("What a wallet answered could not be recorded, it will be asked again: %s", error)
        finally:
            self._under_way[batch.wallet.operator] -= 1

    async def _send_credits(self, batch: Batch) -> dict[UUID, WalletReply]:
        request, payments = uuid4(), [leased.payment for leased in batch.credits]
        try:
            path = messages.PATHS[TransactionKind.CREDIT]
            document = await self._call(batch.wallet, path, messages.batch(payments, request))
        except NotAnswered as error:
            return {payment.transaction: WalletReply(NoAnswer(str(error))) for payment in payments}
        return messages.read_batch(document, payments, request)

    async def _send(self, wallet: Endpoint, leased: Leased) -> WalletReply:
        request, payment, vocabulary = uuid4(), leased.payment, wallet.vocabulary
        if not vocabulary.can_say(payment):
            return WalletReply(NOT_IN_PROFILE)
        message = vocabulary.single(payment, request)
        try:
            document = await self._call(wallet, message.path, message.document)
            return vocabulary.read_single(document, payment, request)
        except NotAnswered as error:
            return WalletReply(NoAnswer(str(error)))

    async def _call(self, wallet: Endpoint, path: str, document: dict[str, object]) -> object:
        return client.verified(await client.call(self.client, wallet, path, document, seconds=CALL_SECONDS), wallet)

    def _record(self, *, batch: Batch, told: dict[UUID, WalletReply]) -> None:
        record(batch, told, now=self.clock())


def _lease(operator: UUID, now: datetime, limit: int) -> Batch | None:
    claims = {claim.key: claim for claim in CREDITS.claim(now, limit=limit, operator=operator)}
    rows = fetch(_PAYMENTS, [list(claims)]) if claims else []
    if not rows:
        return None
    batch = Batch(endpoint(operator), [], [], [])
    for since, id_, kind, player, wager, round_, table, amount, currency, about, at, status, undo, reason in rows:
        takes_back = status == RemoteStatus.ROLLING_BACK
        payment = WalletOrder(
            undo if takes_back else id_,
            TransactionKind(kind),
            player,
            wager,
            round_,
            table,
            amount,
            currency,
            id_ if takes_back else about,
            at,
            RollbackReason(reason) if takes_back else None,
            repeated=claims[id_].attempt > 1,
        )
        each = Leased(payment, claims[id_], since)
        if payment.kind is TransactionKind.CREDIT and batch.wallet.vocabulary.batches:
            batch.credits.append(each)
        elif payment.kind is TransactionKind.DEBIT and not takes_back:
            batch.abandoned.append(each)
        else:
            batch.others.append(each)
    return batch


def record(batch: Batch, told: dict[UUID, WalletReply], *, now: datetime) -> None:
    """Record what a wallet said of a batch, in one transaction; plan another try of what has no end."""
    metadata = Metadata(operator=str(batch.wallet.operator), actor=ACTOR, causation="", correlation="")
    with transaction.atomic():
        loaded = records.load([leased.transaction for leased in batch.all()])
        decided, again = [], []
        for leased in batch.all():
            state, version = loaded[leased.transaction]
            reply = told.get(leased.transaction, WalletReply(NoAnswer("Its process died.")))
            answer = reply.answer
            events = machine.follow(state, answer, rollback=new_id(now), at=now)
            decided.append(Decided(state, version, events, metadata))
            if not events:
                if state.status not in ENDED:  # by another process, if the lease was too short for this one
                    again.append((leased, answer))
                    unapplied.keep(leased.payment, leased.transaction, reply)
            elif isinstance(answer, RefusedAnswer):
                _report(batch.wallet.operator, leased, f"The wallet refused a {leased.payment.kind}: {answer.code}.")
        balances = ((loaded[id_][0].requested.party, each.balance) for id_, each in told.items())
        records.write(decided, now=now, balances=[(party, each) for party, each in balances if each is not None])
        unapplied.end([each.after.requested.transaction for each in decided if each.after.status in ENDED])
        _plan(batch.wallet.operator, again, now)


def _plan(operator: UUID, again: Sequence[tuple[Leased, machine.Answer]], now: datetime) -> None:
    """Plan the next tries, each after a longer gap, and tell staff of what has waited for long."""
    errors = {}
    for leased, answer in again:
        why = answer.why if isinstance(answer, NoAnswer) else f"refused: {getattr(answer, 'code', '')}"
        waited = now - leased.since
        if waited >= REPORT_AFTER:
            _report(operator, leased, f"A {_name(leased)} has no end after a day: {why}")
        elif waited >= ALERT_AFTER or isinstance(answer, RefusedAnswer):
            logger.critical("ALERT the wallet of operator %s has not confirmed a %s: %s", operator, _name(leased), why)
        errors[leased.claim] = why
    CREDITS.failed(errors, now)


def _name(leased: Leased) -> str:
    return "rollback" if leased.payment.reason is not None else leased.payment.kind.value


def _report(operator: UUID, leased: Leased, reason: str) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.WALLET_UNSETTLED,
        operator=operator,
        subject=f"player:{leased.payment.player}",
        actor=ACTOR,
        reason=f"{reason} Transaction {leased.transaction}",
        dedup_key=f"remote {leased.transaction} {_name(leased)}",
    )


async def deliver_until(stop: asyncio.Event, *, clock: Clock = database_now) -> None:
    """Deliver until stopped, then finish what is being sent."""
    async with WebhookClient() as client_:
        await Courier(client_, clock).run(stop, work="delivery to wallets")
