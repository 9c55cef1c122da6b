"""Transfers between an operator's own wallet and its players' accounts. Stream: `transfer-{id}`.

Amounts are minor units, `at` is the database's time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.entries import NewEntry, transfer


class TransferDirection(StrEnum):
    """Direction of a transfer, as the player's account sees it."""

    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class MoneyTransferred:
    """Money moved from or to the operator's own wallet, under the operator's `reference`.

    With `everything` the operator asked for the whole account, so that `amount` may be zero. `balance` is that of the
    account right afterwards.
    """

    transfer: UUID
    operator: UUID
    player: UUID
    reference: str
    direction: TransferDirection
    money_type: MoneyType
    currency: str
    amount: int
    everything: bool
    balance: int
    at: datetime


def transfer_stream(identity: UUID) -> str:
    return f"transfer-{identity}"


def entry_for(event: MoneyTransferred, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where there was nothing to move."""
    if not event.amount:
        return None
    wallet = operator_account(
        kind=AccountKind.WALLET, operator=event.operator, money_type=event.money_type, currency=event.currency
    )
    account = player_account(
        operator=event.operator, player=event.player, money_type=event.money_type, currency=event.currency
    )
    if event.direction is TransferDirection.IN:
        return transfer(kind="transfer_in", cause=cause, source=wallet, target=account, amount=event.amount)
    return transfer(kind="transfer_out", cause=cause, source=account, target=wallet, amount=event.amount)
