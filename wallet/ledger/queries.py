"""Read balances, statements and entries, always within one operator."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.periods import PeriodReversed
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators.services import require_player
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.ledger.entries import EntryKind
from wallet.ledger.store import RunningBalance, StatementLine

PAGE: Final = 500
_ENTRIES: Final = """
SELECT entry.cause, entry.kind, entry.recorded_at, account.id, account.kind, account.money_type,
       account.currency, account.player_id, posting.amount, posting.balance, posting.sequence
FROM wallet_entry AS entry
JOIN wallet_posting AS posting ON posting.entry_id = entry.cause
JOIN wallet_account AS account ON account.id = posting.account_id
WHERE entry.cause = ANY (%s::bigint[]) ORDER BY entry.cause, account.id
"""

FindWagers = Callable[[Sequence[int], UUID | None], Mapping[int, UUID]]
"""Returns, by the causes of entries, the wagers of a player whose money they moved."""
_wagers: Final[dict[EntryKind, FindWagers]] = {}


def register_wagers(*kinds: EntryKind, find: FindWagers) -> None:
    """Say whose money entries of these kinds move; call it in AppConfig.ready()."""
    _wagers.update(dict.fromkeys(kinds, find))


def player_balances(*, operator: UUID, player: UUID) -> dict[AccountName, int]:
    """Return the balances of an operator's player in minor units. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    return store.balances_of_player(operator=operator, player=player)


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """One account over one period, in minor units; lines name the wager that they are of.

    `net_change` is the sum of the lines of the chosen kinds; for all kinds it is the change in balance.
    """

    account: AccountName
    opening: RunningBalance
    closing: RunningBalance
    kinds: tuple[str, ...]
    net_change: int

    def lines(self, *, before: int | None, limit: int) -> list[StatementLine]:
        """List the lines before a sequence number, newest first."""
        end = self.closing.sequence + 1 if before is None else min(before, self.closing.sequence + 1)
        lines = store.statement(self.account, above=self.opening.sequence, before=end, kinds=self.kinds, limit=limit)
        return self._with_wagers(lines)

    def pages(self) -> Iterator[list[StatementLine]]:
        """Yield all lines, oldest first, in pages."""
        after, end = self.opening.sequence, self.closing.sequence + 1
        while page := store.statement(self.account, after=after, before=end, kinds=self.kinds, limit=PAGE):
            after = page[-1].sequence
            yield self._with_wagers(page)

    def _with_wagers(self, lines: Sequence[StatementLine]) -> list[StatementLine]:
        causes: defaultdict[FindWagers, list[int]] = defaultdict(list)
        for line in lines:
            if line.kind in _wagers:
                causes[_wagers[line.kind]].append(line.cause)
        found: dict[int, UUID] = {}
        for find, some in causes.items():
            found |= find(some, self.account.player)
        return [replace(line, wager=found.get(line.cause)) for line in lines]


def player_statement(
    *,
    operator: UUID,
    player: UUID,
    kind: AccountKind,
    money_type: MoneyType,
    currency: str,
    table: UUID | None,
    since: datetime | None,
    until: datetime | None,
    kinds: Sequence[str],
) -> AccountStatement:
    """Return the statement of a player's account, `since` included and `until` excluded; None has no bound.

    Raises UnknownPlayer, PeriodReversed.
    """
    if since is not None and until is not None and since >= until:
        raise PeriodReversed
    require_player(operator=operator, player=player)
    account = AccountName(kind, operator, money_type, currency, player, table)
    closing = store.balance_at(account, before=until)
    opening = RunningBalance() if since is None else store.balance_at(account, before=since)
    net_change = closing.balance - opening.balance
    if kinds:
        net_change = store.sum_postings(account, after=opening.sequence, before=closing.sequence + 1, kinds=kinds)
    return AccountStatement(account, opening, closing, tuple(kinds), net_change)


@dataclass(frozen=True, slots=True)
class PostingLine:
    """One posting in minor units with the balance after it; `sequence` is its gapless number on the account."""

    account: UUID
    kind: str
    money_type: str
    currency: str
    player: UUID | None
    amount: int
    balance: int
    sequence: int


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One entry of the ledger, named by the id of the event that caused it."""

    cause: int
    kind: str
    recorded_at: datetime
    postings: tuple[PostingLine, ...]


def list_entries(*, causes: Sequence[int]) -> list[EntryLine]:
    """List the entries caused by these events, oldest first, with all postings."""
    entries: dict[int, tuple[tuple[str, datetime], list[PostingLine]]] = {}
    for cause, kind, recorded, *posting in fetch(_ENTRIES, [list(causes)]):
        entries.setdefault(cause, ((kind, recorded), []))[1].append(PostingLine(*posting))
    return [EntryLine(cause, *header, tuple(postings)) for cause, (header, postings) in entries.items()]
