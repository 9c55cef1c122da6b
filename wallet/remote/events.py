"""What the service asks of an operator's own wallet, and what came of it. Stream: `remote-{transaction}`.

Each transaction is one message to that wallet, known to both sides by its id; a rollback is another, about a debit.
Amounts are minor units, and below zero only in a correction; `at` is the database's time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, AccountName, debt_account, game_account, operator_account
from wallet.ledger.accounts import returning_account as returning
from wallet.ledger.entries import EntryKind, NewEntry, transfer


class TransactionKind(StrEnum):
    """What the operator's wallet is asked to do."""

    DEBIT = "debit"
    """Take a wager's stakes from the player. Sent once; rolled back unless the answer is definite and in time."""
    CREDIT = "credit"
    """Pay what a settled wager returned, zero included. Repeated until it is accepted."""
    CORRECTION = "correction"
    """Change what a credit paid, after a void. Repeated until it is accepted or refused."""


class RollbackReason(StrEnum):
    """Why a debit is taken back."""

    NO_ANSWER = "no_answer"
    TOO_LATE = "too_late"
    ROUND_VOID = "round_void"


@dataclass(frozen=True, slots=True)
class Party:
    """Whose money it is, and at which table it is played with."""

    operator: UUID
    player: UUID
    table: UUID
    currency: str

    def game(self) -> AccountName:
        return game_account(
            operator=self.operator,
            player=self.player,
            table=self.table,
            money_type=MoneyType.REAL,
            currency=self.currency,
        )

    def returning(self) -> AccountName:
        return returning(operator=self.operator, player=self.player, currency=self.currency)

    def debt(self) -> AccountName:
        return debt_account(
            operator=self.operator, player=self.player, money_type=MoneyType.REAL, currency=self.currency
        )

    def wallet(self) -> AccountName:
        return operator_account(
            kind=AccountKind.WALLET, operator=self.operator, money_type=MoneyType.REAL, currency=self.currency
        )


@dataclass(frozen=True, slots=True)
class TransactionRequested:
    """A transaction was decided; the operator's wallet may know of it from now on.

    `concerns` is the debit of a credit or a correction. A debit counts if its answer is applied before `answer_by`;
    `request` tells repeats of the player's request from others.
    """

    transaction: UUID
    kind: TransactionKind
    party: Party
    wager: UUID
    round: UUID
    amount: int
    concerns: UUID | None
    request: UUID | None
    answer_by: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True)
class TransactionAccepted:
    """The operator's wallet did it, under a `reference` of its own."""

    transaction: UUID
    wager: UUID
    kind: TransactionKind
    party: Party
    amount: int
    reference: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TransactionRefused:
    """The operator's wallet definitely did not do it."""

    transaction: UUID
    wager: UUID
    code: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RollbackRequested:
    """A debit is to be taken back, by a message of its own that is repeated until it is accepted.

    With `no_answer` nobody here knows whether the debit was made; with `too_late` it was, and its wager is in no round.
    """

    transaction: UUID
    wager: UUID
    party: Party
    amount: int
    rollback: UUID
    reason: RollbackReason
    reference: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WagerNotTaken:
    """A debit has ended without its wager, which is in no round: nothing is at stake. Recorded as soon as that is sure.

    `code` is the wallet's refusal, or the reason why the debit is taken back.
    """

    transaction: UUID
    operator: UUID
    player: UUID
    table: UUID
    currency: str
    wager: UUID
    round: UUID
    amount: int
    code: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DebitRolledBack:
    """The operator's wallet took the debit back, or will never make it: `found` says whether it had been made."""

    transaction: UUID
    wager: UUID
    party: Party
    amount: int
    reason: RollbackReason
    found: bool
    at: datetime


RemoteEvent = (
    TransactionRequested
    | TransactionAccepted
    | TransactionRefused
    | RollbackRequested
    | WagerNotTaken
    | DebitRolledBack
)


def remote_stream(transaction: UUID) -> str:
    """Name the stream of one transaction, with its rollback."""
    return f"remote-{transaction}"


def entry_for(event: RemoteEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves."""
    movement = None if isinstance(event, TransactionRefused | WagerNotTaken) or not event.amount else _movement(event)
    if movement is None:
        return None
    kind, source, target, amount = movement
    return transfer(kind=kind, cause=cause, source=source, target=target, amount=amount)


_Movement = tuple[EntryKind, AccountName, AccountName, int]


def _movement(event: RemoteEvent) -> _Movement | None:
    match event:
        case TransactionRequested(kind=TransactionKind.CREDIT | TransactionKind.CORRECTION) if event.amount > 0:
            return "remote_owed", event.party.game(), event.party.returning(), event.amount
        case TransactionAccepted():
            return _accepted(event)
        case RollbackRequested(reason=RollbackReason.ROUND_VOID):
            return "remote_owed", event.party.game(), event.party.returning(), event.amount
        case RollbackRequested(reason=RollbackReason.TOO_LATE):
            return "remote_owed", event.party.wallet(), event.party.returning(), event.amount
        case DebitRolledBack(reason=RollbackReason.ROUND_VOID | RollbackReason.TOO_LATE):
            return "remote_paid", event.party.returning(), event.party.wallet(), event.amount
        case _:
            return None


def _accepted(event: TransactionAccepted) -> _Movement:
    if event.kind is TransactionKind.DEBIT:
        return "remote_debit", event.party.wallet(), event.party.game(), event.amount
    if event.amount < 0:  # what a void left as a debt
        return "remote_debit", event.party.wallet(), event.party.debt(), -event.amount
    return "remote_paid", event.party.returning(), event.party.wallet(), event.amount
