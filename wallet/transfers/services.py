"""Move money between an operator's own wallet and a player's account, once for each of the operator's references."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators import daily_caps, key_limits
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.key_limits import Movement
from casino.operators.refusals import DailyCapReached
from casino.operators.services import require_player
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, player_account
from wallet.ledger.player_accounts import open_on_first_use
from wallet.ledger.refusals import InsufficientFunds
from wallet.models import Transfer
from wallet.payments import debts, deposits
from wallet.responsible_gaming.eligibility import require_money_in
from wallet.transfers import records
from wallet.transfers.events import MoneyTransferred, TransferDirection
from wallet.transfers.queries import find
from wallet.transfers.refusals import ReferenceDiffers, UnknownTransfer

_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 9))"
_MOVEMENTS: Final = {TransferDirection.IN: Movement.CREDIT, TransferDirection.OUT: Movement.DEBIT}


@dataclass(frozen=True, slots=True)
class TransferOrder:
    """What an operator wants moved, in minor units; `amount` is None for all that is on the account."""

    player: UUID
    reference: str
    direction: TransferDirection
    money_type: MoneyType
    currency: str
    amount: int | None

    def account(self, operator: UUID) -> AccountName:
        return player_account(operator=operator, player=self.player, money_type=self.money_type, currency=self.currency)

    def is_of(self, transfer: Transfer) -> bool:
        """Return whether a transfer is what this orders."""
        amount = None if transfer.everything else transfer.amount
        return self == TransferOrder(
            transfer.player_id,
            transfer.reference,
            TransferDirection(transfer.direction),
            MoneyType(transfer.money_type),
            transfer.currency,
            amount,
        )


def transfer(order: TransferOrder, *, operator: UUID, metadata: Metadata, key: str = "") -> Transfer:
    """Carry out an order and return the transfer; the same order again returns what it did the first time.

    Money that comes in pays a debt first. `key` is the API key whose limits apply. Raises UnknownPlayer,
    FundingDiffers, ReferenceDiffers, UnknownAccount, DepositsAreStopped, PlayerIsBlocked and PlayerExcluded (inwards),
    DebtOutstanding and InsufficientFunds (outwards), KeyLimitReached, DailyCapReached.
    """
    require_player(operator=operator, player=order.player)
    with transaction.atomic():
        fetch(_LOCK, [f"{operator}:{order.reference}"])  # a second request with the reference waits for the first
        done = _find_done(order, operator)
        if done is not None:
            return done
        if order.direction is TransferDirection.IN:
            deposits.require_not_stopped(operator)
        funding.require(operator, Funding.TRANSFER)
        open_on_first_use(operator=operator, player=order.player, currency=order.currency, metadata=metadata)
        event = _decide(order, operator)
        records.write(event, metadata=metadata)
        if order.money_type is MoneyType.REAL:
            if order.direction is TransferDirection.IN:
                debts.collect(operator=operator, player=order.player, currency=order.currency, metadata=metadata)
            key_limits.count(key, _MOVEMENTS[order.direction], event.amount, order.currency)
            _require_within_cap(event)
        return find(operator=operator, reference=order.reference)


def _require_within_cap(event: MoneyTransferred) -> None:
    """Count real money that came in; let none out while wins hold payouts. Raises DailyCapReached."""
    operator, currency = event.operator, event.currency
    if event.direction is TransferDirection.IN:
        kind = CapKind.TRANSFERS_IN
        allowed = daily_caps.count(kind, operator=operator, currency=currency, amount=event.amount, at=event.at)
    else:
        kind = CapKind.WINS
        allowed = not daily_caps.wins_exceeded(operator=operator, currency=currency, effect=CapEffect.HOLD_PAYOUTS)
    if not allowed:
        raise DailyCapReached(kind=kind.value, currency=currency)


def _find_done(order: TransferOrder, operator: UUID) -> Transfer | None:
    try:
        done = find(operator=operator, reference=order.reference)
    except UnknownTransfer:
        return None
    if not order.is_of(done):
        raise ReferenceDiffers
    return done


def _decide(order: TransferOrder, operator: UUID) -> MoneyTransferred:
    """Return the event under the locks of the accounts: in play money, too, a player's real account is locked.

    That is what an exclusion locks, so the transfer comes before it or is refused.
    """
    account = order.account(operator)
    real = player_account(operator=operator, player=order.player, money_type=MoneyType.REAL, currency=order.currency)
    store.lock((account, real))
    at = database_now()
    inwards = order.direction is TransferDirection.IN
    if inwards:
        require_money_in(operator=operator, player=order.player, now=at)
        balance = store.balances([account])[account]
    else:
        balance = debts.available(account)
    amount = balance if order.amount is None else order.amount
    if not inwards and amount > balance:
        raise InsufficientFunds(account=account, balance=balance, needed=amount)
    return MoneyTransferred(
        new_id(at),
        operator,
        order.player,
        order.reference,
        order.direction,
        order.money_type,
        order.currency,
        amount,
        order.amount is None,
        balance + amount if inwards else balance - amount,
        at,
    )
