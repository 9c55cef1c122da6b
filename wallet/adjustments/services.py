"""Request adjustments, each a change on which two persons agree, and post them in one transaction."""

from typing import Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import changes, key_limits
from casino.operators.changes import ChangeKind, Move
from casino.operators.key_limits import Movement
from casino.operators.models import Change, ChangeName
from wallet import acts, notices
from wallet.adjustments.events import AdjustmentDirection, AdjustmentPosted, AdjustmentReason, split_debit
from wallet.adjustments.records import write
from wallet.adjustments.refusals import AdjustmentNoteMissing
from wallet.funding import services as funding
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, debt_account, player_account
from wallet.ledger.player_accounts import open_on_first_use
from wallet.notices import Notice, NoticeKind
from wallet.payments import debts

KIND: Final = ChangeName.ADJUSTMENT
MAX_NOTE_LENGTH: Final = 500


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
    as_debt: bool = False,
    metadata: Metadata,
) -> Change:
    """Request a credit or debit of minor units on a player's account, as the person `metadata.actor`.

    `note` is for staff, `message` for the player; both are encrypted under the player's key. With `as_debt`, the part
    of a debit above the balance becomes a debt. Raises AmountNotPositive, AmountTooLarge, AdjustmentNoteMissing,
    UnknownAccount, ChangeNeedsSecondPerson, InsufficientFunds, NoDebtInPlayMoney, FundingDiffers.
    """
    _require_amount(amount, currency)
    texts = _require_text(note), _require_text(message, empty=True)
    with transaction.atomic():
        open_on_first_use(operator=operator, player=player, currency=currency, metadata=metadata)
        kept_note, kept_message = (crypto_shredding.encrypt_text(player, each) for each in texts)
        return changes.request(
            operator=operator,
            kind=KIND,
            subject=f"player:{player}",
            summary=f"{direction.capitalize()} {money.format_amount(amount, currency)} {currency} ({money_type} money)",
            details={
                "player": str(player),
                "money_type": money_type.value,
                "currency": currency,
                "direction": direction.value,
                "amount": amount,
                "reason": reason.value,
                "note": kept_note,
                "message": kept_message,
                "as_debt": as_debt,
            },
            by=metadata.actor,
        )


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(KIND, acts.APPROVE_ADJUSTMENT, _post, silent=True, shown=True, moves=_moves))


def _moves(change: Change) -> list[Move]:
    wish = change.details
    sign = 1 if wish["direction"] == AdjustmentDirection.CREDIT else -1
    return [Move(UUID(wish["player"]), sign * wish["amount"], wish["currency"])]


def _post(change: Change) -> None:
    """Move the money and notify the player; the limits of the confirming API key apply."""
    wish, operator = change.details, changes.operator_of(change)
    player, money_type, currency = UUID(wish["player"]), MoneyType(wish["money_type"]), wish["currency"]
    account = player_account(operator=operator, player=player, money_type=money_type, currency=currency)
    store.lock((account,))
    if money_type is MoneyType.REAL:
        funding.require_money_here(operator)
    direction, taken, owed = AdjustmentDirection(wish["direction"]), 0, 0
    if direction is AdjustmentDirection.DEBIT:
        available = store.balances([account])[account]
        taken, owed = split_debit(account, wish["amount"], available=available, as_debt=wish["as_debt"])
    event = AdjustmentPosted(
        adjustment=change.pk,
        operator=operator,
        player=player,
        money_type=money_type,
        currency=currency,
        direction=direction,
        amount=wish["amount"],
        taken=taken,
        owed=owed,
        reason=AdjustmentReason(wish["reason"]),
        note=wish["note"],
        message=wish["message"],
        requested_by=change.requested_by,
        approved_by=change.decided_by,
        at=database_now(),
    )
    if event.owed:
        store.lock((_debt_account(event),))
    metadata = changes.metadata(change)
    write(event, metadata=metadata)
    if direction is AdjustmentDirection.CREDIT and money_type is MoneyType.REAL:
        debts.collect(operator=operator, player=player, currency=currency, metadata=metadata)
    notices.notify_player(_notice(event, crypto_shredding.decrypt_text(event.message)))
    if money_type is MoneyType.REAL:
        key_limits.count(change.key, Movement(direction.value), event.amount, currency)


def _notice(event: AdjustmentPosted, message: str) -> Notice:
    details = {
        "amount": event.amount,
        "currency": event.currency,
        "money_type": event.money_type.value,
        "reason": event.reason.value,
    }
    kind = NoticeKind(f"adjustment_{event.direction}")
    return Notice(event.operator, event.player, kind, event.adjustment, {**details, "owed": event.owed}, message)


def _debt_account(event: AdjustmentPosted) -> AccountName:
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
