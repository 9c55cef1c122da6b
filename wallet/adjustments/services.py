"""Request adjustments, each a change on which two persons agree, and post them in one transaction.

A credit beyond the operator's cap of the day is held: another change asks two persons of compliance to release it.
"""

from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.kernel.persons import is_another_person
from casino.kernel.text import require
from casino.operators import changes, daily_caps, key_limits
from casino.operators.changes import ChangeKind, Move
from casino.operators.daily_caps import CapKind
from casino.operators.key_limits import Movement
from casino.operators.models import Change, ChangeName
from casino.operators.notices import members_with
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
HELD: Final = ChangeName.RELEASE_CREDIT
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
    """Register what two persons may change here, and what two of compliance release: neither of the first two."""
    changes.register(ChangeKind(KIND, acts.APPROVE_ADJUSTMENT, _post, silent=True, shown=True, moves=_moves))
    changes.register(
        ChangeKind(HELD, acts.DECIDE_HOLD, _release, shown=True, more=1, concerns=_compliance, moves=_moves)
    )
    changes.register_person_rule(
        lambda change, by: change.kind != HELD or is_another_person(by, change.details["approved_by"])
    )


def _moves(change: Change) -> list[Move]:
    wish = change.details
    sign = 1 if wish["direction"] == AdjustmentDirection.CREDIT else -1
    return [Move(UUID(wish["player"]), sign * wish["amount"], wish["currency"])]


def _post(change: Change) -> None:
    """Move the money and notify the player, or hold a credit; the limits of the confirming API key apply."""
    wish, operator = change.details, changes.operator_of(change)
    event = _decide(change, approved_by=change.decided_by)
    if event.money_type is MoneyType.REAL:
        funding.require_money_here(operator)
        key_limits.count(change.key, Movement(event.direction.value), event.amount, event.currency)
    if _is_counted(event) and not _count(event):
        _hold(change)
    else:
        _record(event, as_debt=wish["as_debt"], metadata=changes.metadata(change))


def _hold(change: Change) -> None:
    """Keep a credit beyond the cap of the day from being posted until two persons of compliance release it."""
    wish, operator = change.details, changes.operator_of(change)
    amount, currency = money.format_amount(wish["amount"], wish["currency"]), wish["currency"]
    changes.request(
        operator=operator,
        kind=HELD,
        subject=change.subject,
        summary=f"Release a held credit of {amount} {currency}, beyond the cap of the day",
        details={**wish, "approved_by": change.decided_by},
        by=change.requested_by,
    )
    daily_caps.tell(CapKind.CREDITS, operator=operator, currency=currency)


def _release(change: Change) -> None:
    """Post a held credit."""
    event = _decide(change, approved_by=change.details["approved_by"], released_by=tuple(change.confirmed_by))
    funding.require_money_here(event.operator)
    _count(event, anyway=True)
    _record(event, as_debt=False, metadata=changes.metadata(change))


def _compliance(change: Change) -> list[str]:
    return members_with(acts.DECIDE_HOLD.name, operator=changes.operator_of(change))


def _decide(change: Change, *, approved_by: str, released_by: tuple[str, ...] = ()) -> AdjustmentPosted:
    """Return what a change posts, under the lock of the player's account."""
    wish, operator, player = change.details, changes.operator_of(change), UUID(change.details["player"])
    money_type, currency = MoneyType(wish["money_type"]), wish["currency"]
    store.lock((player_account(operator=operator, player=player, money_type=money_type, currency=currency),))
    return AdjustmentPosted(
        adjustment=change.pk,
        operator=operator,
        player=player,
        money_type=money_type,
        currency=currency,
        direction=AdjustmentDirection(wish["direction"]),
        amount=wish["amount"],
        taken=0,
        owed=0,
        reason=AdjustmentReason(wish["reason"]),
        note=wish["note"],
        message=wish["message"],
        requested_by=change.requested_by,
        approved_by=approved_by,
        at=database_now(),
        released_by=released_by,
    )


def _is_counted(event: AdjustmentPosted) -> bool:
    return event.direction is AdjustmentDirection.CREDIT and event.money_type is MoneyType.REAL


def _count(event: AdjustmentPosted, *, anyway: bool = False) -> bool:
    """Count a credit, and return whether the cap of the day allows it."""
    return daily_caps.count(
        CapKind.CREDITS,
        operator=event.operator,
        currency=event.currency,
        amount=event.amount,
        at=event.at,
        anyway=anyway,
    )


def _record(event: AdjustmentPosted, *, as_debt: bool, metadata: Metadata) -> None:
    """Record an adjustment, collect debts, and notify the player. Raises InsufficientFunds, NoDebtInPlayMoney."""
    if event.direction is AdjustmentDirection.DEBIT:
        account = player_account(
            operator=event.operator, player=event.player, money_type=event.money_type, currency=event.currency
        )
        available = store.balances([account])[account]
        taken, owed = split_debit(account, event.amount, available=available, as_debt=as_debt)
        event = replace(event, taken=taken, owed=owed)
    if event.owed:
        store.lock((_debt_account(event),))
    write(event, metadata=metadata)
    if _is_counted(event):
        debts.collect(operator=event.operator, player=event.player, currency=event.currency, metadata=metadata)
    notices.notify_player(_notice(event, crypto_shredding.decrypt_text(event.message)))


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
    return require(text, limit=MAX_NOTE_LENGTH, refusal=AdjustmentNoteMissing, empty=empty)
