"""Record events with their entries, post entries, read balances and statements, and derive balances again.

Only this module writes the ledger's tables. Amounts are integers in minor units; entries are posted in the caller's
transaction.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NoReturn, get_args
from uuid import UUID

from django.db import DatabaseError

from casino.events.codec import EventRegistry, EventType
from casino.events.rebuild import Projector
from casino.events.sql import execute, fetch
from casino.events.store import Append, Metadata, append, read
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.ledger.entries import EntryKind, NewEntry
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
    kind: EntryKind
    amount: int
    balance: int
    cause: int
    recorded_at: datetime
    wager: UUID | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """New events of one stream, encoded and as they are, and the function that turns one into its entry."""

    append: Append
    events: Sequence[Any]
    entry_for: Callable[[Any, int], NewEntry | None]


def record(recordings: Sequence[Recording]) -> list[NewEntry]:
    """Append events in one statement, and return their entries, to be posted in the same transaction.

    Raises VersionConflict.
    """
    ids = append([each.append for each in recordings]) if recordings else []
    entries = (
        each.entry_for(event, cause)
        for each, causes in zip(recordings, ids, strict=True)
        for event, cause in zip(each.events, causes, strict=True)
    )
    return [entry for entry in entries if entry is not None]


@dataclass(frozen=True, slots=True)
class EventGroup:
    """The events of one part of the wallet, and the function that turns one into its entry, if it moves money."""

    registry: EventRegistry
    entry_for: Callable[[Any, int], NewEntry | None]

    def record(self, stream: str, *, version: int, events: Sequence[object], metadata: Metadata) -> None:
        """Append events after `version` of a stream and post their entries.

        Raises VersionConflict, InsufficientFunds.
        """
        self.record_many([(stream, version, events, metadata)])

    def record_many(self, streams: Sequence[tuple[str, int, Sequence[object], Metadata]]) -> None:
        """Append events after versions of streams and post their entries, in two statements.

        Raises VersionConflict, InsufficientFunds.
        """
        post(record([self.recording(*stream) for stream in streams]))

    def recording(self, stream: str, version: int, events: Sequence[object], metadata: Metadata) -> Recording:
        """Return events after a version of a stream as `record` takes them."""
        encoded = tuple(self.registry.encode(event) for event in events)
        return Recording(Append(stream, version, encoded, metadata), events, self.entry_for)

    def history(self, stream: str) -> list[Any]:
        """Read the events of a stream, in order."""
        return [self.registry.decode(event.type, event.schema, event.data) for event in read(stream)]


def event_group(union: Any, entry_for: Callable[[Any, int], NewEntry | None]) -> EventGroup:
    """Group the events of a union of classes."""
    return EventGroup(EventRegistry([EventType(event) for event in get_args(union)]), entry_for)


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
    """Return a player's accounts with the balances that they show, in minor units, by kind and money type."""
    return {
        AccountName(AccountKind(kind), operator, MoneyType(money_type), currency, player, table): balance
        for kind, money_type, currency, table, balance in fetch(_OF_PLAYER, [player, operator])
    }


def balances_of_players(*, players: Sequence[UUID]) -> dict[UUID, dict[AccountName, int]]:
    """Return the accounts of several players with the balances that they show, in minor units, in one query."""
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


# Where the operator's own wallet holds the money, accounts and game balances show what it told last.
DISPLAYED: Final = """coalesce(told.balance, held.balance)
    FROM wallet_account account JOIN wallet_balance held ON held.account_id = account.id
    LEFT JOIN wallet_told_balance told ON told.player_id = account.player_id AND told.currency = account.currency
         AND account.money_type = 'real' AND account.kind IN ('account', 'game')"""
# Postings of an account are committed in the order of their numbers, so everything after its row's number is new.
_PROJECT_BALANCES: Final = """
    INSERT INTO wallet_balance (account_id, balance, sequence, floor)
    SELECT account.id, coalesce(before.balance, 0) + sum(posting.amount), coalesce(before.sequence, 0) + count(*),
           account.kind IN ('account', 'game', 'rack', 'stakes', 'hold', 'returning')
      FROM (SELECT DISTINCT moved.account_id
              FROM wallet_entry caused JOIN wallet_posting moved ON moved.entry_id = caused.cause
             WHERE caused.cause IN (SELECT unnest(%s::bigint[]))) touched
      JOIN wallet_account account ON account.id = touched.account_id
      LEFT JOIN wallet_balance before ON before.account_id = account.id
      JOIN wallet_posting posting ON posting.account_id = account.id
           AND posting.sequence > coalesce(before.sequence, 0)
     GROUP BY account.id, before.account_id
     ORDER BY account.id
        ON CONFLICT (account_id) DO UPDATE SET balance = excluded.balance, sequence = excluded.sequence
"""
_ADD_UNUSED_ACCOUNTS: Final = """
    INSERT INTO wallet_balance (account_id, floor)
    SELECT id, kind IN ('account', 'game', 'rack', 'stakes', 'hold', 'returning') FROM wallet_account account
     WHERE NOT EXISTS (SELECT FROM wallet_balance held WHERE held.account_id = account.id)
"""
BALANCES: Final = Projector(
    {"wallet_balance": "account_id"},
    lambda events: execute(_PROJECT_BALANCES, [[event.id for event in events]]),
    finish=lambda: execute(_ADD_UNUSED_ACCOUNTS),
)
"""Derives balances from the postings of events."""
_LAST: Final = 2**63 - 1
_POST: Final = """SELECT wallet_post(%s::uuid[], %s::text[], %s::text[], %s::bigint[],
    %s::int[], %s::uuid[], %s::bigint[])"""
_BALANCES: Final = "SELECT account_id, balance FROM wallet_balance WHERE account_id = ANY (%s::uuid[])"
_OF_PLAYER: Final = f"""SELECT kind, money_type, account.currency, table_id, {DISPLAYED}
    WHERE account.player_id = %s AND account.operator_id = %s
    ORDER BY kind, money_type, account.currency, table_id"""
_OF_PLAYERS: Final = f"""SELECT kind, account.operator_id, money_type, account.currency, account.player_id, table_id,
    {DISPLAYED} WHERE account.player_id = ANY (%s::uuid[])
    ORDER BY account.player_id, kind, money_type, account.currency, table_id"""
_LINES: Final = """
    FROM wallet_posting JOIN wallet_entry ON cause = entry_id
    WHERE account_id = %s AND sequence > %s AND sequence < %s
      AND (cardinality(%s::text[]) = 0 OR kind = ANY (%s::text[]))"""
_STATEMENT: Final = f"SELECT sequence, kind, amount, balance, cause, recorded_at {_LINES}"
_SUM: Final = f"SELECT coalesce(sum(amount), 0)::bigint {_LINES}"
_BALANCE_AT: Final = """SELECT sequence, balance FROM wallet_posting JOIN wallet_entry ON cause = entry_id
    WHERE account_id = %s AND (%s::timestamptz IS NULL OR recorded_at < %s::timestamptz)
    ORDER BY sequence DESC LIMIT 1"""


def _array(items: Iterable[object]) -> str:
    # PostgreSQL's text form of an array: the parameter type never varies, so one prepared plan is reused.
    return "{" + ",".join(map(str, items)) + "}"


def _parameters(entries: list[NewEntry], names: dict[UUID, AccountName]) -> list[object]:
    postings = [(number, posting) for number, entry in enumerate(entries, 1) for posting in entry.postings]
    return [
        _array(names),
        _array(name.text for name in names.values()),
        _array(entry.kind for entry in entries),
        _array(entry.cause for entry in entries),
        _array(number for number, _ in postings),
        _array(posting.account.id for _, posting in postings),
        _array(posting.amount for _, posting in postings),
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
