"""What happens to money on its way in and out. Streams: `deposit-{id}`, `withdrawal-{id}`, `debt-{player}`.

Amounts are minor units of real money; `fee` is part of `amount`. `at` is the database's clock. An event that moves
money names the accounts by itself, so that its entry follows from it alone.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DepositRequested:
    """A player asked to pay `amount` by a method, as that version of it offered; `amount - fee` will arrive."""

    deposit: UUID
    operator: UUID
    player: UUID
    method: UUID
    method_version: int
    provider: str
    currency: str
    amount: int
    fee: int
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositSent:
    """The provider took the deposit on, under its own `reference`."""

    deposit: UUID
    reference: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositCompleted:
    """The provider has the money; the player's account gets what is left of it after the fee."""

    deposit: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    fee: int
    reference: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositFailed:
    """The provider says that no money comes."""

    deposit: UUID
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositReversed:
    """The provider took the money back. Of what had arrived, `taken` was there and `owed` is a debt from now on.

    Both are zero where nothing had arrived (`credited` is false).
    """

    deposit: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    fee: int
    credited: bool
    taken: int
    owed: int
    reference: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DebtCollected:
    """`amount` of what a player owes was taken from the account."""

    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalRequested:
    """A player asked for `amount`, which is held from now on; `approvals_required` members of staff have to agree.

    The provider is to pay out `amount - fee`; before there were fees, there was none.
    """

    withdrawal: UUID
    operator: UUID
    player: UUID
    method: UUID
    method_version: int
    provider: str
    currency: str
    amount: int
    approvals_required: int
    at: datetime
    fee: int = 0


@dataclass(frozen=True, slots=True)
class WithdrawalApproved:
    """A member of staff agreed."""

    withdrawal: UUID
    approved_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalRejected:
    """A member of staff refused; the money is the player's again."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    rejected_by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalCancelled:
    """The player no longer wants it; the money is the player's again."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalSent:
    """From now on the provider may have it, so it can't be cancelled. Recorded before the provider is asked."""

    withdrawal: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalPaid:
    """The provider paid it out."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    reference: str
    at: datetime
    fee: int = 0


@dataclass(frozen=True, slots=True)
class WithdrawalReturned:
    """The provider could not pay it, or got it back (`was_paid`); the money is the player's again."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    was_paid: bool
    reference: str
    reason: str
    at: datetime
    fee: int = 0


DepositEvent = DepositRequested | DepositSent | DepositCompleted | DepositFailed | DepositReversed
WithdrawalEvent = (
    WithdrawalRequested
    | WithdrawalApproved
    | WithdrawalRejected
    | WithdrawalCancelled
    | WithdrawalSent
    | WithdrawalPaid
    | WithdrawalReturned
)
PaymentEvent = DepositEvent | WithdrawalEvent | DebtCollected


def stream_of(event: PaymentEvent) -> str:
    """Name the stream that an event belongs to."""
    match event:
        case DebtCollected():
            return debt_stream(event.player)
        case DepositRequested() | DepositSent() | DepositCompleted() | DepositFailed() | DepositReversed():
            return deposit_stream(event.deposit)
        case _:
            return withdrawal_stream(event.withdrawal)


def deposit_stream(deposit: UUID) -> str:
    return f"deposit-{deposit}"


def withdrawal_stream(withdrawal: UUID) -> str:
    return f"withdrawal-{withdrawal}"


def debt_stream(player: UUID) -> str:
    """Name the stream of what a player pays off."""
    return f"debt-{player}"
