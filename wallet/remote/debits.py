"""A wager's debit in an operator's own wallet: asked between two transactions, never inside one.

The first transaction records what is asked for. Its process alone then asks, once. The second confirms the wager with
the answer; or the debit is refused, or taken back. A process that dies in between leaves a debit that the queue takes
back. Knows no game: a wager and its round are ids.
"""

import contextlib
import logging
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata, VersionConflict
from casino.kernel.errors import Refusal
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger.store import Recording
from wallet.remote import client, records, unapplied
from wallet.remote import state as machine
from wallet.remote.client import Endpoint, NotAnswered
from wallet.remote.events import Party, TransactionKind, TransactionRequested
from wallet.remote.messages import WalletReply, order_of
from wallet.remote.profiles.standard import NOT_IN_PROFILE
from wallet.remote.protection import PROTECTION
from wallet.remote.records import Decided, ReportedBalance
from wallet.remote.refusals import (
    WagerBeingConfirmed,
    WalletCode,
    WalletDidNotAnswer,
    WalletRefused,
    WalletUnavailable,
)
from wallet.remote.state import AcceptedAnswer, Answer, NoAnswer, RefusedAnswer, RemoteState, RemoteStatus

logger = logging.getLogger(__name__)

CALL_SECONDS: Final = 2.5
GRACE: Final = timedelta(seconds=2)
"""How long after the end of betting a debit may still be confirmed; cards wait for it."""
LONGEST: Final = timedelta(seconds=4)
"""How long after it was asked for a debit may be confirmed."""
_MARGIN: Final = 0.2
"""Seconds left for confirming after the last moment of an answer."""
# The statement after this one sees a funding that does not change any more.
_EARLIER: Final = f"""
    SELECT earlier.* FROM (SELECT {funding.HOLD}) AS held LEFT JOIN LATERAL (
        SELECT request_id = %s AS is_equal, status, code FROM wallet_remote
         WHERE request_id = %s OR (wager_id = %s AND kind = 'debit' AND status = 'requested')) AS earlier ON true
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class Debit:
    """A debit that was asked of a wallet, and the wallet's reference once it is made. Kept in memory only.

    `ask_until` is the last moment of an answer, by this process's monotonic clock.
    """

    asked: TransactionRequested
    wallet: Endpoint
    ask_until: float
    reference: str = ""
    balance: int | None = None


def find(request: UUID, wager: UUID | None, *, operator: UUID) -> tuple[RemoteStatus, str] | None:
    """Return the status of the debit that a player's request has led to, and the code of a refusal.

    The operator's funding then stays as it is until the transaction ends. Raises WagerBeingConfirmed if there is none,
    and the wager waits for that of another request.
    """
    rows = fetch(_EARLIER, [str(operator), request, request, wager])
    for is_equal, status, code in rows:
        if is_equal:
            return RemoteStatus(status), code
    if rows[0][1] is not None:
        raise WagerBeingConfirmed
    return None


def request(
    *,
    party: Party,
    wager: UUID,
    round_: UUID,
    amount: int,
    request_: UUID,
    closes_at: datetime | None,
    metadata: Metadata,
    now: datetime,
) -> tuple[Debit, list[Recording]]:
    """Request a debit at `now` in the transaction of `find`; `closes_at` is the end of betting, if it has one.

    Returns the events too, which the caller records. Raises FundingDiffers.
    """
    wallet = client.endpoint(party.operator)
    if not wallet.url:
        funding.require(party.operator, Funding.SEAMLESS)
    answer_by = now + LONGEST if closes_at is None else min(now + LONGEST, closes_at + GRACE)
    asked = TransactionRequested(
        new_id(now), TransactionKind.DEBIT, party, wager, round_, amount, None, request_, answer_by, now
    )
    recordings = records.project([Decided(None, 0, [asked], metadata)], now=now)
    return Debit(asked, wallet, time.monotonic() + (answer_by - now).total_seconds() - _MARGIN), recordings


def ask_balance(wallet: Endpoint, *, player: UUID, currency: str) -> int | None:
    """Ask for a player's balance outside of any transaction, note it and return it; None without an answer."""
    request_, circuit = uuid4(), PROTECTION.circuit(wallet.operator)
    message = wallet.vocabulary.balance(player, currency, request_)
    try:
        answer = client.call_and_wait(wallet, message.path, message.document, seconds=CALL_SECONDS)
        balance = wallet.vocabulary.read_balance(client.verified(answer, wallet), request_, currency)
    except NotAnswered as error:
        logger.warning("The wallet of operator %s told no balance: %s", wallet.operator, error)
        balance = None
    circuit.record(answered=balance is not None)
    if balance is not None:
        records.tell([(Party(wallet.operator, player, player, currency), balance)], now=database_now())
    return balance


def ask(debit: Debit) -> WalletReply:
    """Ask for a debit, once, outside of any transaction. Raises WalletUnavailable if no place is free."""
    asked, wallet = debit.asked, debit.wallet
    payment = order_of(machine.fold([asked]), repeated=False)
    if not wallet.vocabulary.can_say(payment):
        return WalletReply(NOT_IN_PROFILE)
    request_ = uuid4()
    message = wallet.vocabulary.single(payment, request_)
    try:
        with PROTECTION.place(wallet.operator):
            seconds = min(CALL_SECONDS, debit.ask_until - time.monotonic())
            if seconds <= 0:
                return WalletReply(NoAnswer("Nothing was asked: it is too late."))
            answer = client.call_and_wait(wallet, message.path, message.document, seconds=seconds)
        told = wallet.vocabulary.read_single(client.verified(answer, wallet), payment, request_)
    except NotAnswered as error:
        logger.warning("The wallet of operator %s did not answer to a debit: %s", wallet.operator, error)
        told = WalletReply(NoAnswer(str(error)))
    PROTECTION.circuit(wallet.operator).record(answered=not isinstance(told.answer, NoAnswer))
    return told


def take(debit: Debit, *, metadata: Metadata) -> Debit:
    """Ask for a debit and return it as it was made; otherwise record what came of it.

    The debit is not accepted here: whoever confirms the wager does both in one transaction. Raises WalletRefused,
    WalletDidNotAnswer, and WalletUnavailable if nobody was asked.
    """
    try:
        told = ask(debit)
    except WalletUnavailable:
        conclude(debit, WalletReply(NoAnswer("Nothing was asked: no place was free.")), metadata=metadata)
        raise
    match told.answer:
        case AcceptedAnswer(reference):
            return replace(debit, reference=reference, balance=told.balance)
        case answer:
            conclude(debit, told, metadata=metadata)
            raise refusal_of(answer)


def accept(debit: Debit, *, metadata: Metadata, now: datetime) -> list[Recording]:
    """Accept a debit that was made in the transaction that confirms its wager; the money is at the table then.

    Returns the events, which the caller records: a VersionConflict says then that it is taken back already.
    """
    state = machine.fold([debit.asked])
    decided = _decide(state, 1, AcceptedAnswer(debit.reference), in_time=True, metadata=metadata, now=now)
    return records.project([decided], now=now, balances=_reported(debit, debit.balance))


def give_up(debit: Debit, *, metadata: Metadata) -> None:
    """Take back a debit that was made, but whose wager could not be confirmed."""
    conclude(debit, WalletReply(AcceptedAnswer(debit.reference), debit.balance), metadata=metadata)


def conclude(debit: Debit, told: WalletReply, *, metadata: Metadata) -> None:
    """Record the end of a debit whose wager is in no round; the queue does it if that fails."""
    with contextlib.suppress(VersionConflict), transaction.atomic():
        now = database_now()
        state, version = records.load([debit.asked.transaction])[debit.asked.transaction]
        decided = _decide(state, version, told.answer, in_time=False, metadata=metadata, now=now)
        records.write([decided], now=now, balances=_reported(debit, told.balance))
        if isinstance(told.answer, NoAnswer):
            unapplied.keep(order_of(machine.fold([debit.asked]), repeated=False), debit.asked.transaction, told)


def refusal_of(answer: Answer) -> Refusal:
    """Return what the player is told of an answer that confirms nothing."""
    if isinstance(answer, RefusedAnswer):
        reason = WalletCode(answer.code)
        return WalletRefused(f"Not taken: {reason.value.replace('_', ' ')}.", reason=reason.value)
    return WalletDidNotAnswer()


def raise_end(status: RemoteStatus, code: str) -> None:
    """Raise what the player was told of a debit that has ended otherwise than by a wager."""
    if status is RemoteStatus.REFUSED:
        raise refusal_of(RefusedAnswer(code))
    if status in {RemoteStatus.ROLLING_BACK, RemoteStatus.ROLLED_BACK}:
        raise WalletDidNotAnswer


def _decide(
    state: RemoteState, version: int, answer: Answer, *, in_time: bool, metadata: Metadata, now: datetime
) -> Decided:
    events = machine.apply_answer(state, answer, in_time=in_time, rollback=new_id(now), at=now)
    return Decided(state, version, events, metadata)


def _reported(debit: Debit, balance: int | None) -> list[ReportedBalance]:
    return [] if balance is None else [(debit.asked.party, balance)]
