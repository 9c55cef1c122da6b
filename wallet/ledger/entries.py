"""Entries of the ledger: what an event moves between accounts, always from somewhere to somewhere else."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, AccountName, game_account, operator_account, player_account


class UnbalancedEntry(Exception):
    """An entry would make or lose money. A bug in whoever built it, not a refusal."""


@dataclass(frozen=True, slots=True)
class NewPosting:
    """`amount` minor units on one account: above zero raises its balance, below zero lowers it."""

    account: AccountName
    amount: int


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Postings that happen together. `cause` is the id of the event they follow from; an event has one entry."""

    kind: str
    cause: int
    postings: tuple[NewPosting, ...]


def build_entry(*, kind: str, cause: int, postings: Iterable[NewPosting]) -> NewEntry:
    """Build an entry: one posting per account, none of zero, in the order first named.

    Raises Unbalanced when they do not sum to zero in each currency and money_type, or when fewer than two are left.
    """
    moved = _merged(tuple(postings))
    totals: defaultdict[tuple[str, MoneyType], int] = defaultdict(int)
    for posting in moved:
        totals[posting.account.currency, posting.account.money_type] += posting.amount
    if len(moved) < 2:
        raise UnbalancedEntry(f"{kind} of event {cause} moves nothing from one account to another.")
    if any(totals.values()):
        raise UnbalancedEntry(f"{kind} of event {cause} does not sum to zero: {dict(totals)}.")
    return NewEntry(kind, cause, moved)


def _merged(given: tuple[NewPosting, ...]) -> tuple[NewPosting, ...]:
    """One posting per account and none of zero; most entries are given like that and stay as they are."""
    amounts: defaultdict[AccountName, int] = defaultdict(int)
    for posting in given:
        amounts[posting.account] += posting.amount
    if len(amounts) == len(given) and all(amounts.values()):
        return given
    return tuple(NewPosting(account, amount) for account, amount in amounts.items() if amount)


def transfer(*, kind: str, cause: int, source: AccountName, target: AccountName, amount: int) -> NewEntry:
    """Build the entry that moves `amount` minor units from source to target. Raises Unbalanced."""
    return build_entry(kind=kind, cause=cause, postings=(NewPosting(source, -amount), NewPosting(target, amount)))


def sandbox_credit(
    *, cause: int, operator: UUID, player: UUID, money_type: MoneyType, currency: str, amount: int
) -> NewEntry:
    """Build the entry that credits a player's account with money that nobody paid in."""
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
    """Build the entry that takes money from a player's account to the table sat down at."""
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
    """Build the entry that adds money from a player's account to the game balance between rounds."""
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
    """Build the entry that takes money from a game balance back to the player's account."""
    return transfer(
        kind="cash_out",
        cause=cause,
        source=game_account(operator=operator, player=player, table=table, money_type=money_type, currency=currency),
        target=player_account(operator=operator, player=player, money_type=money_type, currency=currency),
        amount=amount,
    )
