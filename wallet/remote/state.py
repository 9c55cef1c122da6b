"""The state of one transaction with an operator's own wallet, and the decisions about it. Pure.

    debit       requested -> accepted | refused | rolling_back -> rolled_back
    credit      requested -> accepted, in the end
    correction  requested -> accepted | refused

Whoever commits a debit's request sends it, once; nobody else ever does. Whatever leaves its end open makes it unknown,
and an unknown debit is rolled back until that has an end: its wager is in no round. An answer that comes after that
changes nothing. Credits, corrections and rollbacks are sent again, under the same id, until there is a definite answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from wallet.remote.events import (
    DebitRolledBack,
    RemoteEvent,
    RollbackReason,
    RollbackRequested,
    TransactionAccepted,
    TransactionKind,
    TransactionRefused,
    TransactionRequested,
    WagerNotTaken,
)


class RemoteStatus(StrEnum):
    """The status of a transaction."""

    REQUESTED = "requested"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    ROLLING_BACK = "rolling_back"
    ROLLED_BACK = "rolled_back"


ENDED: Final = frozenset({RemoteStatus.ACCEPTED, RemoteStatus.REFUSED, RemoteStatus.ROLLED_BACK})


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """A definite answer: done. For a rollback, `found` says whether there was a debit to take back."""

    reference: str
    found: bool = True


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """A definite answer: not done."""

    code: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No definite answer: a time-out, a lost connection, a status other than 200, a body or signature that is wrong."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class UnclearAnswer(NoAnswer):
    """No definite answer, although the wallet said something about this very transaction."""


Answer = AcceptedAnswer | RefusedAnswer | NoAnswer


@dataclass(frozen=True, slots=True)
class RemoteState:
    """A transaction, with what the operator's wallet said of it."""

    requested: TransactionRequested
    status: RemoteStatus = RemoteStatus.REQUESTED
    reference: str = ""
    code: str = ""
    rollback: UUID | None = None
    reason: RollbackReason | None = None
    found: bool | None = None
    ended_at: datetime | None = None

    @property
    def is_debit(self) -> bool:
        return self.requested.kind is TransactionKind.DEBIT


def fold(events: Iterable[RemoteEvent], before: RemoteState | None = None) -> RemoteState:
    """Rebuild a transaction from its events, or from those after `before`. Raises TypeError without its request."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("A transaction begins with its request.")
    return state


def _begin(event: RemoteEvent) -> RemoteState:
    if not isinstance(event, TransactionRequested):
        raise TypeError(f"A transaction begins with its request, not with {type(event).__name__}.")
    return RemoteState(event)


def evolve(state: RemoteState, event: RemoteEvent) -> RemoteState:
    """Apply one event. Raises ValueError for a second request."""
    match event:
        case TransactionAccepted():
            return replace(state, status=RemoteStatus.ACCEPTED, reference=event.reference, ended_at=event.at)
        case TransactionRefused():
            return replace(state, status=RemoteStatus.REFUSED, code=event.code, ended_at=event.at)
        case RollbackRequested():
            reference = state.reference or event.reference
            return replace(
                state,
                status=RemoteStatus.ROLLING_BACK,
                reference=reference,
                rollback=event.rollback,
                reason=event.reason,
                ended_at=None,
            )
        case DebitRolledBack():
            return replace(state, status=RemoteStatus.ROLLED_BACK, found=event.found, ended_at=event.at)
        case WagerNotTaken():
            return state
        case TransactionRequested():
            raise ValueError("A transaction is requested once.")


def apply_answer(
    state: RemoteState, answer: Answer, *, in_time: bool, rollback: UUID, at: datetime
) -> tuple[RemoteEvent, ...]:
    """Return the events that follow from an answer to the message, none where it adds nothing.

    `in_time` says whether a debit's wager is in its round; a debit that was made too late is taken back, by a message
    with the id `rollback`.
    """
    if state.status is not RemoteStatus.REQUESTED:
        return ()
    asked = state.requested
    match answer:
        case AcceptedAnswer(reference) if in_time or not state.is_debit:
            party = asked.party
            return (
                TransactionAccepted(asked.transaction, asked.wager, asked.kind, party, asked.amount, reference, at),
            )
        case RefusedAnswer(code) if asked.kind is not TransactionKind.CREDIT:
            refused = TransactionRefused(asked.transaction, asked.wager, code, at)
            return (refused, _not_taken(asked, code, at)) if state.is_debit else (refused,)
        case AcceptedAnswer(reference):
            return _left_out(asked, rollback, RollbackReason.TOO_LATE, reference, at)
        case NoAnswer() if state.is_debit:
            return _left_out(asked, rollback, RollbackReason.NO_ANSWER, "", at)
        case _:
            return ()  # sent again: what a player won is owed, whatever the operator's wallet says


def undo(state: RemoteState, *, rollback: UUID, at: datetime) -> tuple[RemoteEvent, ...]:
    """Return the events that begin to take an accepted debit back because its round is void.

    None if that has begun already. Raises ValueError for any other transaction.
    """
    if state.is_debit and state.status in {RemoteStatus.ROLLING_BACK, RemoteStatus.ROLLED_BACK}:
        return ()
    if not state.is_debit or state.status is not RemoteStatus.ACCEPTED:
        raise ValueError(f"a {state.requested.kind} that is {state.status} is not taken back")
    return (_take_back(state.requested, rollback, RollbackReason.ROUND_VOID, state.reference, at),)


def apply_rollback_answer(state: RemoteState, answer: Answer, *, at: datetime) -> tuple[RemoteEvent, ...]:
    """Return the events that follow from an answer to the rollback; without a definite one it is sent again."""
    if state.status is not RemoteStatus.ROLLING_BACK or state.reason is None or not isinstance(answer, AcceptedAnswer):
        return ()
    asked = state.requested
    return (DebitRolledBack(asked.transaction, asked.wager, asked.party, asked.amount, state.reason, answer.found, at),)


def follow(state: RemoteState, answer: Answer, *, rollback: UUID, at: datetime) -> tuple[RemoteEvent, ...]:
    """Return the events that follow from an answer to the message or, once that has begun, to the rollback."""
    if state.status is RemoteStatus.ROLLING_BACK:
        return apply_rollback_answer(state, answer, at=at)
    return apply_answer(state, answer, in_time=False, rollback=rollback, at=at)


def _left_out(
    asked: TransactionRequested, rollback: UUID, reason: RollbackReason, reference: str, at: datetime
) -> tuple[RemoteEvent, ...]:
    return _take_back(asked, rollback, reason, reference, at), _not_taken(asked, reason.value, at)


def _not_taken(asked: TransactionRequested, code: str, at: datetime) -> WagerNotTaken:
    party = asked.party
    return WagerNotTaken(
        asked.transaction,
        party.operator,
        party.player,
        party.table,
        party.currency,
        asked.wager,
        asked.round,
        asked.amount,
        code,
        at,
    )


def _take_back(
    asked: TransactionRequested, rollback: UUID, reason: RollbackReason, reference: str, at: datetime
) -> RollbackRequested:
    return RollbackRequested(asked.transaction, asked.wager, asked.party, asked.amount, rollback, reason, reference, at)
