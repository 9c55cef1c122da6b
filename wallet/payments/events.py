"""Events of payments. Streams: `deposit-{id}`, `withdrawal-{id}`, `hold-{id}`, `debt-{player}`.

Amounts are minor units of real money; `fee` is part of `amount`. `at` is the database's time. An event that moves
money names its accounts, so that its entry follows from it alone.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DepositRequested:
    """A player requested to pay `amount` by a version of a method; `amount - fee` will be credited."""

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
    """The provider accepted the deposit under its own `reference`."""

    deposit: UUID
    reference: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositCompleted:
    """The provider has the money; the player's account is credited with `amount - fee`."""

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
    """The provider reported that no money comes."""

    deposit: UUID
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositReversed:
    """The provider took the money back. Of what was credited, `taken` left the account and `owed` became a debt.

    Both are zero where nothing had been `credited`.
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
    """`amount` of a player's debt was taken from the account."""

    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalRequested:
    """A player requested `amount`, which is held from now on; `approvals_required` members of staff have to approve.

    The provider is to pay out `amount - fee`.
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
    fee: int


@dataclass(frozen=True, slots=True)
class WithdrawalApproved:
    """Staff approved: one, or the two who agreed on the change that caused it."""

    withdrawal: UUID
    approved_by: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalHeld:
    """A hold keeps it from being sent; or, `on_return`, keeps what the provider did not pay out from the player."""

    withdrawal: UUID
    hold: UUID
    on_return: bool
    reference: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalReleased:
    """Its hold was released: it goes on as if it had not been held."""

    withdrawal: UUID
    hold: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalAssigned:
    """Somebody handed it over to `owner`, who is to review it; others still may."""

    withdrawal: UUID
    owner: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalRejected:
    """A member of staff rejected it; the money is the player's again.

    The player reads `reason`. The `note` is for staff, encrypted under the player's key; it is empty where compliance
    rejected what was held, as the hold has it then.
    """

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    rejected_by: str
    reason: str
    note: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalCancelled:
    """The player cancelled it; the money is the player's again."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawalSent:
    """The provider may have it, so it can no longer be cancelled. Recorded before the provider is called."""

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
    fee: int


@dataclass(frozen=True, slots=True)
class WithdrawalReturned:
    """The provider could not pay it, or it came back (`was_paid`); the money is the player's again."""

    withdrawal: UUID
    operator: UUID
    player: UUID
    currency: str
    amount: int
    was_paid: bool
    reference: str
    reason: str
    at: datetime
    fee: int


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """The gate holds a withdrawal of `amount` for `causes`. Compliance decides before `due_at`; no money moves then.

    A cause is a word, with what it is about where there are several: `open_case:<id>`, `tag:<tag>`, `kyc_failed`.
    """

    hold: UUID
    operator: UUID
    player: UUID
    withdrawal: UUID
    currency: str
    amount: int
    causes: tuple[str, ...]
    due_at: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldCausesAdded:
    """There are more causes than when it was placed."""

    hold: UUID
    causes: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldAssigned:
    """Somebody works on it."""

    hold: UUID
    owner: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldReminded:
    """Compliance was told that it still waits: when half of its time was over, or, `overdue`, all of it."""

    hold: UUID
    overdue: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldReleased:
    """Compliance released the withdrawal, whatever of these causes remains: one, or the two who agreed."""

    hold: UUID
    causes: tuple[str, ...]
    by: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldRejected:
    """Compliance rejected the withdrawal. The `reason` is for staff, encrypted under the player's key."""

    hold: UUID
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class HoldClosed:
    """The withdrawal ended without a decision of compliance: its player cancelled it, or the provider had paid it."""

    hold: UUID
    outcome: str
    at: datetime


DepositEvent = DepositRequested | DepositSent | DepositCompleted | DepositFailed | DepositReversed
WithdrawalEvent = (
    WithdrawalRequested
    | WithdrawalApproved
    | WithdrawalHeld
    | WithdrawalReleased
    | WithdrawalAssigned
    | WithdrawalRejected
    | WithdrawalCancelled
    | WithdrawalSent
    | WithdrawalPaid
    | WithdrawalReturned
)
HoldEvent = HoldPlaced | HoldCausesAdded | HoldAssigned | HoldReminded | HoldReleased | HoldRejected | HoldClosed
PaymentEvent = DepositEvent | WithdrawalEvent | HoldEvent | DebtCollected


def stream_of(event: PaymentEvent) -> str:
    """Name the stream that an event belongs to."""
    match event:
        case DebtCollected():
            return debt_stream(event.player)
        case DepositRequested() | DepositSent() | DepositCompleted() | DepositFailed() | DepositReversed():
            return deposit_stream(event.deposit)
        case (
            HoldPlaced()
            | HoldCausesAdded()
            | HoldAssigned()
            | HoldReminded()
            | HoldReleased()
            | HoldRejected()
            | HoldClosed()
        ):
            return hold_stream(event.hold)
        case _:
            return withdrawal_stream(event.withdrawal)


def deposit_stream(deposit: UUID) -> str:
    return f"deposit-{deposit}"


def withdrawal_stream(withdrawal: UUID) -> str:
    return f"withdrawal-{withdrawal}"


def hold_stream(hold: UUID) -> str:
    return f"hold-{hold}"


def debt_stream(player: UUID) -> str:
    """Name the stream of a player's debt payments."""
    return f"debt-{player}"
