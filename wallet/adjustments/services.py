"""Request, approve and reject adjustments, each in one transaction."""

from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import key_limits
from casino.operators.key_limits import Movement
from wallet.adjustments import notices
from wallet.adjustments import state as lifecycle
from wallet.adjustments.events import (
    AdjustmentApproved,
    AdjustmentDirection,
    AdjustmentReason,
    AdjustmentRequested,
    adjustment_stream,
)
from wallet.adjustments.notices import Notice, NoticeKind
from wallet.adjustments.records import ADJUSTMENT_EVENTS, write
from wallet.adjustments.refusals import AdjustmentNoteMissing, UnknownAdjustment
from wallet.adjustments.state import AdjustmentState
from wallet.funding import services as funding
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, debt_account, player_account
from wallet.ledger.player_accounts import open_on_first_use
from wallet.payments import debts

MAX_NOTE_LENGTH: Final = 500
_OWNER: Final = "SELECT player_id, money_type, currency FROM wallet_adjustment WHERE id = %s AND operator_id = %s"
_SAVE_TEXTS: Final = "INSERT INTO wallet_adjustment_text (adjustment_id, note, message) VALUES (%s, %s, %s)"
_SAVE_ANSWER: Final = "UPDATE wallet_adjustment_text SET answer = %s WHERE adjustment_id = %s"
_MESSAGE: Final = "SELECT message FROM wallet_adjustment_text WHERE adjustment_id = %s"


def request(
    *,
    operator: UUID,
    player: UUID,
    money_type: MoneyType,
    currency: str,
    direction: AdjustmentDirection,
    amount: int,
    reason: AdjustmentReason,
    note: str,
    message: str = "",
    by: str,
    metadata: Metadata,
) -> UUID:
    """Request a credit or debit of minor units on a player's account and return the adjustment's id.

    `note` is for staff, `message` for the player once approved. Neither goes into events; both are encrypted under the
    player's key. Raises AmountNotPositive, AmountTooLarge, AdjustmentNoteMissing, UnknownAccount.
    """
    _require_amount(amount, currency)
    texts = _require_text(note), _require_text(message, empty=True)
    with transaction.atomic():
        open_on_first_use(operator=operator, player=player, currency=currency, metadata=metadata)
        at = database_now()
        adjustment = new_id(at)
        event = AdjustmentRequested(
            adjustment, operator, player, money_type, currency, direction, amount, reason, by, at
        )
        execute(_SAVE_TEXTS, [adjustment, *(crypto_shredding.encrypt_text(player, each) for each in texts)])
        write(None, event, version=0, metadata=metadata)
    return adjustment


def approve(
    adjustment: UUID,
    *,
    operator: UUID,
    by: str,
    metadata: Metadata,
    as_debt: bool = False,
    answer: str = "",
    key: str = "",
) -> AdjustmentState:
    """Approve an adjustment: move the money and notify the player.

    With `as_debt`, the part of a debit above the balance becomes a debt. `key` is the API key whose limits apply.
    Raises UnknownAdjustment, AdjustmentDecided, AdjustmentRequiresSecondPerson, InsufficientFunds, NoDebtInPlayMoney,
    KeyLimitReached, FundingDiffers.
    """
    with transaction.atomic():
        account, before, version, at = _lock_adjustment(adjustment, operator)
        if account.money_type is MoneyType.REAL:
            funding.require_money_here(operator)
        available = store.balances([account])[account]
        event = lifecycle.approve(before, by=by, available=available, as_debt=as_debt, at=at)
        if event.owed:
            store.lock((_debt_account(event),))
        after = write(before, event, version=version, metadata=metadata)
        execute(
            _SAVE_ANSWER, [crypto_shredding.encrypt_text(event.player, _require_text(answer, empty=True)), adjustment]
        )
        if event.direction is AdjustmentDirection.CREDIT and event.money_type is MoneyType.REAL:
            debts.collect(operator=operator, player=event.player, currency=event.currency, metadata=metadata)
        (message,) = crypto_shredding.decrypt_many(fetch(_MESSAGE, [adjustment])[0])
        notices.notify_player(_notice(event, before.requested.reason, message or ""))
        if event.money_type is MoneyType.REAL:
            key_limits.count(key, Movement(event.direction.value), event.amount, event.currency)
    return after


def reject(adjustment: UUID, *, operator: UUID, by: str, metadata: Metadata, answer: str) -> AdjustmentState:
    """Reject an adjustment with an answer; no money moves.

    Raises UnknownAdjustment, AdjustmentNoteMissing, AdjustmentDecided, AdjustmentRequiresSecondPerson.
    """
    answer = _require_text(answer)
    with transaction.atomic():
        _, before, version, at = _lock_adjustment(adjustment, operator)
        event = lifecycle.reject(before, by=by, at=at)
        after = write(before, event, version=version, metadata=metadata)
        execute(_SAVE_ANSWER, [crypto_shredding.encrypt_text(before.requested.player, answer), adjustment])
    return after


def _lock_adjustment(adjustment: UUID, operator: UUID) -> tuple[AccountName, AdjustmentState, int, Any]:
    """Lock the account, which serializes its adjustments; return account, adjustment, version and time."""
    rows = fetch(_OWNER, [adjustment, operator])
    if not rows:
        raise UnknownAdjustment
    player, money_type, currency = rows[0]
    account = player_account(operator=operator, player=player, money_type=MoneyType(money_type), currency=currency)
    store.lock((account,))
    at = database_now()
    events = ADJUSTMENT_EVENTS.history(adjustment_stream(adjustment))
    return account, lifecycle.fold(events), len(events), at


def _notice(event: AdjustmentApproved, reason: AdjustmentReason, message: str) -> Notice:
    details = {
        "amount": event.amount,
        "currency": event.currency,
        "money_type": event.money_type.value,
        "reason": reason.value,
    }
    kind = NoticeKind(f"adjustment_{event.direction}")
    return Notice(event.operator, event.player, kind, event.adjustment, {**details, "owed": event.owed}, message)


def _debt_account(event: AdjustmentApproved) -> AccountName:
    return debt_account(
        operator=event.operator, player=event.player, money_type=event.money_type, currency=event.currency
    )


def _require_amount(amount: int, currency: str) -> None:
    if amount <= 0:
        raise money.AmountNotPositive(f"Got {money.format_amount(amount, currency)}.")
    if amount >= money.MAX_AMOUNT:
        raise money.AmountTooLarge


def _require_text(text: str, *, empty: bool = False) -> str:
    text = text.strip()
    if len(text) > MAX_NOTE_LENGTH or not (text or empty):
        raise AdjustmentNoteMissing
    return text
