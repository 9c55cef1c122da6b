"""Entries of the ledger: balanced postings that follow from one event. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, AccountName, game_account, operator_account, player_account

EntryKind = Literal[
    "deposit", "deposit_reversed", "debt_collected", "withdrawal_held", "withdrawal_rejected", "withdrawal_cancelled",
    "withdrawal_paid", "withdrawal_returned", "transfer_in", "transfer_out", "adjustment_credit", "adjustment_debit",
    "sandbox_credit", "play_money", "buy_in", "rebuy", "cash_out", "wager", "settlement", "commission_collected",
    "void", "remote_debit", "remote_owed", "remote_paid",
]  # fmt: skip
"""Why an entry was made."""


class UnbalancedEntry(Exception):
    """An entry would create or lose money. A bug of the caller, not a refusal."""


@dataclass(frozen=True, slots=True)
class NewPosting:
    """A change of one account's balance by `amount` minor units, which may be negative."""

    account: AccountName
    amount: int


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Postings made together. `cause` is the id of the event they follow from; an event has at most one entry."""

    kind: EntryKind
    cause: int
    postings: tuple[NewPosting, ...]


def build_entry(*, kind: EntryKind, cause: int, postings: Iterable[NewPosting]) -> NewEntry:
    """Build an entry with one posting per account and none of zero.

    Raises UnbalancedEntry unless two or more postings are left that sum to zero per currency and money type.
    """
    merged = _merge(tuple(postings))
    totals: defaultdict[tuple[str, MoneyType], int] = defaultdict(int)
    for posting in merged:
        totals[posting.account.currency, posting.account.money_type] += posting.amount
    if len(merged) < 2:
        raise UnbalancedEntry(f"{kind} of event {cause} moves nothing from one account to another.")
    if any(totals.values()):
        raise UnbalancedEntry(f"{kind} of event {cause} does not sum to zero: {dict(totals)}.")
    return NewEntry(kind, cause, merged)


def _merge(postings: tuple[NewPosting, ...]) -> tuple[NewPosting, ...]:
    """Merge postings of one account and drop those of zero; most entries need neither."""
    amounts: defaultdict[AccountName, int] = defaultdict(int)
    for posting in postings:
        amounts[posting.account] += posting.amount
    if len(amounts) == len(postings) and all(amounts.values()):
        return postings
    return tuple(NewPosting(account, amount) for account, amount in amounts.items() if amount)


def transfer(*, kind: EntryKind, cause: int, source: AccountName, target: AccountName, amount: int) -> NewEntry:
    """Build the entry that moves `amount` minor units from source to target. Raises UnbalancedEntry."""
    return build_entry(kind=kind, cause=cause, postings=(NewPosting(source, -amount), NewPosting(target, amount)))


def sandbox_credit(
    *, cause: int, operator: UUID, player: UUID, money_type: MoneyType, currency: str, amount: int
) -> NewEntry:
    """Build the entry of a sandbox credit to a player's account."""
    return transfer(
        kind="sandbox_credit",
        cause=cause,
        source=operator_account(kind=AccountKind.SANDBOX, operator=operator, money_type=money_type, currency=currency),
        target=player_account(operator=operator, player=player, money_type=money_type, currency=currency),
        amount=amount,
    )


def buy_in(
    *, cause: int, operator: UUID, player: UUID, table: UUID, money_type: MoneyType, currency: str, amount: int
) -> NewEntry:
    """Build the entry that moves money from a player's account to the game balance when sitting down."""
    return transfer(
        kind="buy_in",
        cause=cause,
        source=player_account(operator=operator, player=player, money_type=money_type, currency=currency),
        target=game_account(operator=operator, player=player, table=table, money_type=money_type, currency=currency),
        amount=amount,
    )


def rebuy(
    *, cause: int, operator: UUID, player: UUID, table: UUID, money_type: MoneyType, currency: str, amount: int
) -> NewEntry:
    """Build the entry that adds money from a player's account to the game balance."""
    return transfer(
        kind="rebuy",
        cause=cause,
        source=player_account(operator=operator, player=player, money_type=money_type, currency=currency),
        target=game_account(operator=operator, player=player, table=table, money_type=money_type, currency=currency),
        amount=amount,
    )


def cash_out(
    *, cause: int, operator: UUID, player: UUID, table: UUID, money_type: MoneyType, currency: str, amount: int
) -> NewEntry:
    """Build the entry that returns a game balance to the player's account."""
    return transfer(
        kind="cash_out",
        cause=cause,
        source=game_account(operator=operator, player=player, table=table, money_type=money_type, currency=currency),
        target=player_account(operator=operator, player=player, money_type=money_type, currency=currency),
        amount=amount,
    )
