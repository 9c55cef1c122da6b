"""Post entries and read balances and statements. All access to the ledger's tables goes through here.

Amounts are integers in minor units. Entries are posted in the caller's transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn
from uuid import UUID

from django.db import DatabaseError

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.ledger.entries import NewEntry
from wallet.ledger.refusals import InsufficientFunds, UnknownAccount

OVERDRAFT_SQLSTATE: Final = "WLT01"
CONFLICTING_ENTRY_SQLSTATE: Final = "WLT02"


class ConflictingEntry(Exception):
    """An event that has an entry was posted with a different one. A bug, not a refusal."""


@dataclass(frozen=True, slots=True)
class RunningBalance:
    """The balance after a posting, in minor units, and the posting's number; 0 before the first."""

    sequence: int = 0
    balance: int = 0


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One posting on an account, with the balance after it; both in minor units."""

    sequence: int
    kind: str
    amount: int
    balance: int
    cause: int
    recorded_at: datetime
    entry: int


def open_accounts(names: Iterable[AccountName]) -> None:
    """Open accounts that are not open yet, in one statement; a concurrent call for the same accounts waits."""
    texts = {name.id: name.text for name in names}
    fetch("SELECT wallet_open(%s::uuid[], %s::text[])", [_array(texts), _array(texts.values())])


def lock(names: Iterable[AccountName]) -> None:
    """Lock balances until the transaction ends, in the order of their ids; unknown accounts are opened."""
    texts = {name.id: name.text for name in names}
    fetch("SELECT wallet_lock(%s::uuid[], %s::text[])", [_array(texts), _array(texts.values())])


def require_open(account: AccountName) -> None:
    """Check that an account was opened. Raises UnknownAccount."""
    if not fetch("SELECT FROM wallet_account WHERE id = %s", [account.id]):
        raise UnknownAccount


def database_now() -> datetime:
    """Return the database's time."""
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


def post(entries: Sequence[NewEntry]) -> None:
    """Post entries in order, each once per cause, in one round trip; unknown accounts are opened.

    An entry that was posted before for the same cause is skipped; ConflictingEntry is raised when it differs.
    Raises InsufficientFunds when an account that may not go below zero would, after any single entry. The
    transaction is then broken and the caller's atomic block has to end.
    """
    by_cause = {entry.cause: entry for entry in entries}
    if any(by_cause[entry.cause] != entry for entry in entries):
        raise ConflictingEntry("Two different entries of one batch have the same cause.")
    if not by_cause:
        return
    names = {posting.account.id: posting.account for entry in by_cause.values() for posting in entry.postings}
    try:
        fetch(_POST, _parameters(list(by_cause.values()), names))
    except DatabaseError as error:
        _refuse(error, names)


def balances(names: Iterable[AccountName]) -> dict[AccountName, int]:
    """Return each account's balance in minor units, 0 for unknown accounts."""
    by_id = {name.id: name for name in names}
    result = dict.fromkeys(by_id.values(), 0)
    for account, balance in fetch(_BALANCES, [_array(by_id)]):
        result[by_id[account]] = balance
    return result


def balances_of_player(*, operator: UUID, player: UUID) -> dict[AccountName, int]:
    """Return a player's accounts with their balances in minor units, by kind and money type."""
    return {
        AccountName(AccountKind(kind), operator, MoneyType(money_type), currency, player, table): balance
        for kind, money_type, currency, table, balance in fetch(_OF_PLAYER, [player, operator])
    }


def balances_of_players(*, players: Sequence[UUID]) -> dict[UUID, dict[AccountName, int]]:
    """Return the accounts of several players with their balances in minor units, in one query."""
    result: dict[UUID, dict[AccountName, int]] = {player: {} for player in players}
    for kind, operator, money_type, currency, player, table, balance in fetch(_OF_PLAYERS, [_array(result)]):
        result[player][AccountName(AccountKind(kind), operator, MoneyType(money_type), currency, player, table)] = (
            balance
        )
    return result


def statement(
    account: AccountName,
    *,
    after: int | None = None,
    before: int | None = None,
    above: int = 0,
    kinds: Sequence[str] = (),
    limit: int = 50,
) -> list[StatementLine]:
    """List an account's postings, newest first, or oldest first when `after` is given.

    `after`, `before` and, for either order, `above` are exclusive sequence numbers. Lists at most `limit` lines, of
    these kinds of entries or of all.
    """
    order = "DESC" if after is None else "ASC"
    lowest, end = max(after or 0, above), _LAST if before is None else before
    parameters = [account.id, lowest, end, list(kinds), list(kinds), limit]
    return [StatementLine(*row) for row in fetch(f"{_STATEMENT} ORDER BY sequence {order} LIMIT %s", parameters)]


def balance_at(account: AccountName, *, before: datetime | None = None) -> RunningBalance:
    """Return the balance after the last posting before a moment, or now.

    Numbers ascend with times, so the query scans back from the newest posting and recent moments are cheap.
    """
    rows = fetch(_BALANCE_AT, [account.id, before, before])
    return RunningBalance(*rows[0]) if rows else RunningBalance()


def sum_postings(account: AccountName, *, after: int, before: int, kinds: Sequence[str]) -> int:
    """Sum the postings of these kinds of entries between two exclusive sequence numbers."""
    return int(fetch(_SUM, [account.id, after, before, list(kinds), list(kinds)])[0][0])


_LAST: Final = 2**63 - 1
_POST: Final = """SELECT wallet_post(%s::uuid[], %s::text[], %s::text[], %s::bigint[],
    %s::int[], %s::uuid[], %s::bigint[])"""
_BALANCES: Final = "SELECT account_id, balance FROM wallet_balance WHERE account_id = ANY (%s::uuid[])"
_OF_PLAYER: Final = """SELECT kind, money_type, currency, table_id, balance
    FROM wallet_account JOIN wallet_balance ON account_id = id
    WHERE player_id = %s AND operator_id = %s ORDER BY kind, money_type, currency, table_id"""
_OF_PLAYERS: Final = """SELECT kind, operator_id, money_type, currency, player_id, table_id, balance
    FROM wallet_account JOIN wallet_balance ON account_id = id
    WHERE player_id = ANY (%s::uuid[]) ORDER BY player_id, kind, money_type, currency, table_id"""
_LINES: Final = """
    FROM wallet_posting JOIN wallet_entry ON wallet_entry.id = entry_id
    WHERE account_id = %s AND sequence > %s AND sequence < %s
      AND (cardinality(%s::text[]) = 0 OR kind = ANY (%s::text[]))"""
_STATEMENT: Final = f"SELECT sequence, kind, amount, balance, cause, recorded_at, wallet_entry.id {_LINES}"
_SUM: Final = f"SELECT coalesce(sum(amount), 0)::bigint {_LINES}"
_BALANCE_AT: Final = """SELECT sequence, balance FROM wallet_posting JOIN wallet_entry ON wallet_entry.id = entry_id
    WHERE account_id = %s AND (%s::timestamptz IS NULL OR recorded_at < %s::timestamptz)
    ORDER BY sequence DESC LIMIT 1"""


def _array(items: Iterable[object]) -> str:
    # As PostgreSQL's array text: one parameter type whatever the values, so that one prepared plan serves.
    return "{" + ",".join(map(str, items)) + "}"


def _parameters(entries: list[NewEntry], names: dict[UUID, AccountName]) -> list[object]:
    moves = [(place, posting) for place, entry in enumerate(entries, 1) for posting in entry.postings]
    return [
        _array(names),
        _array(name.text for name in names.values()),
        [entry.kind for entry in entries],
        _array(entry.cause for entry in entries),
        _array(place for place, _ in moves),
        _array(posting.account.id for _, posting in moves),
        _array(posting.amount for _, posting in moves),
    ]


def _refuse(error: DatabaseError, names: dict[UUID, AccountName]) -> NoReturn:
    diagnosis = getattr(error.__cause__, "diag", None)
    state = getattr(diagnosis, "sqlstate", None)
    detail = str(getattr(diagnosis, "message_detail", ""))
    if state == CONFLICTING_ENTRY_SQLSTATE:
        raise ConflictingEntry(str(error)) from error
    if state == OVERDRAFT_SQLSTATE:
        account, balance, needed = detail.split()
        raise InsufficientFunds(account=names[UUID(account)], balance=int(balance), needed=int(needed)) from None
    raise error
