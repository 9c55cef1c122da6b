"""Whether a player may wager, sit down, rebuy or deposit now: judged under the lock of the player's real account.

`ASKED` is one statement for all that a move at a table is judged by. Whoever calls holds the table's lock, if any, and
takes the account's here; entries are posted after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.money import Book
from wallet.ledger.accounts import AccountName, debt, player_account
from wallet.ledger.refusals import DebtOutstanding
from wallet.responsible_gaming import projection, release_times, windows
from wallet.responsible_gaming.events import Measure, Period
from wallet.responsible_gaming.limits import Excess, Usage, entry_needs, first_excess, wager_needs
from wallet.responsible_gaming.refusals import LimitReached, PlayerExcluded, PlayerIsStopped
from wallet.responsible_gaming.state import House, Protection, strictest

ASKED: Final = "wallet_standing(%s, %s, %s, %s, %s, %s::timestamptz[], %s)"
COLUMNS: Final = "balance, owed, protection, house, staked, lost, played, slot_counted"
PERIODS: Final = tuple(Period)

_STANDING: Final = f"SELECT {COLUMNS} FROM {ASKED}"  # noqa: S608  (constants)
_USED: Final = "SELECT staked, lost, played, slot_counted FROM wallet_play_used(%s, %s::timestamptz[], true, true)"
_DEPOSITED: Final = """
    SELECT coalesce(sum(amount) FILTER (WHERE requested_at > %s), 0)::bigint,
           coalesce(sum(amount) FILTER (WHERE requested_at > %s), 0)::bigint, coalesce(sum(amount), 0)::bigint
      FROM wallet_deposit WHERE player_id = %s AND requested_at > %s AND status <> 'failed'
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a player stands: the purse and the debt in minor units, what protects the player, and what is used of it."""

    account: AccountName
    now: datetime
    balance: int
    owed: int
    protection: Protection
    house: House
    usage: Usage

    def require_not_stopped(self) -> None:
        """Check that the house does not hold the player back. Raises PlayerIsStopped."""
        stopped = self.protection.stopped
        if stopped is not None:
            raise PlayerIsStopped(replace(stopped, says=crypto_shredding.told(stopped.says)))

    def require_playing(self) -> None:
        """Check that the player is neither held back nor away. Raises PlayerIsStopped, PlayerExcluded."""
        self.require_not_stopped()
        exclusion = self.protection.excluded(self.now)
        if exclusion is not None:
            raise PlayerExcluded(exclusion)

    def require_wager(self, staked: int) -> None:
        """Hold a wager of so many minor units against debts, exclusions and limits.

        Raises DebtOutstanding, PlayerExcluded, LimitReached.
        """
        self._require(wager_needs(staked=staked, real=self._real, usage=self.usage))

    def require_entry(self, moved: int) -> None:
        """Hold sitting down with, or adding, so many minor units against the same: some wager has to fit.

        Raises DebtOutstanding, PlayerExcluded, LimitReached.
        """
        self._require(entry_needs(moved=moved, real=self._real, usage=self.usage))

    @property
    def _real(self) -> bool:
        return self.account.book is Book.REAL

    def _require(self, needs: Mapping[Measure, int]) -> None:
        self.require_playing()
        if self.owed:
            raise DebtOutstanding(owed=self.owed, currency=self.account.currency)
        limits = strictest(self.protection, self.house)
        excess = first_excess(limits, self.usage.used, needs)
        if excess is not None:
            raise _reached(excess, player=_player(self.account), currency=self.account.currency, now=self.now)


def standing(account: AccountName, *, now: datetime) -> Standing:
    """Lock a player's real account and read how the player stands, `account` being the purse, in one go."""
    (row,) = fetch(_STANDING, asked(account, now))
    return of_row(account, now, row)


def asked(account: AccountName, now: datetime) -> list[Any]:
    """Return the parameters of ASKED for a purse: the player's account or the game balance at a table."""
    player, operator, currency = _player(account), account.operator, account.currency
    real = account.book is Book.REAL
    lock = player_account(operator=operator, player=player, book=Book.REAL, currency=currency)
    owing = debt(operator=operator, player=player, book=Book.REAL, currency=currency).id if real else None
    return [account.id, lock.id, owing, player, operator, starts(now), real]


def of_row(account: AccountName, now: datetime, row: Sequence[Any]) -> Standing:
    balance, owed, protection, house, staked, lost, played, slot_counted = row
    usage = Usage(_by_period(staked, lost, played), bool(slot_counted))
    return Standing(account, now, balance, owed, projection.protection(protection), projection.house(house), usage)


def starts(now: datetime) -> list[datetime]:
    """Return when the windows that end now began, the longest last."""
    return [windows.start(period, now) for period in PERIODS]


def usage(*, player: UUID, now: datetime) -> Usage:
    """Read all that a player has used of limits, whether there are any or not, without a lock."""
    ((staked, lost, played, slot_counted),) = fetch(_USED, [player, starts(now)])
    used = _by_period(staked, lost, played)
    return Usage({**used, **_deposited(player, now)}, slot_counted)


def usage_since(*, player: UUID, since: datetime) -> Usage:
    """Read what a player has used since a moment; it stands under every period alike."""
    ((staked, lost, played, slot_counted),) = fetch(_USED, [player, [since] * len(PERIODS)])
    return Usage(_by_period(staked, lost, played), slot_counted)


def require_deposit(*, operator: UUID, player: UUID, currency: str, amount: int, now: datetime) -> None:
    """Hold a deposit of so many minor units against exclusions and limits.

    What was asked for counts unless it failed, whether it has arrived or not. Call it under the lock of the player's
    real account. Raises PlayerExcluded, LimitReached.
    """
    protection, _ = projection.load(operator=operator, player=player)
    house, _ = projection.load_house(operator=operator)
    exclusion = protection.excluded(now)
    if exclusion is not None:
        raise PlayerExcluded(exclusion)
    limits = strictest(protection, house)
    if any(measure is Measure.DEPOSIT for measure, _ in limits):
        excess = first_excess(limits, _deposited(player, now), {Measure.DEPOSIT: amount})
        if excess is not None:
            raise _reached(excess, player=player, currency=currency, now=now)


def _reached(excess: Excess, *, player: UUID, currency: str, now: datetime) -> LimitReached:
    frees_at = release_times.frees_at(excess, player=player, now=now)
    return LimitReached(limit=excess.limit, used=excess.used, currency=currency, frees_at=frees_at)


def _deposited(player: UUID, now: datetime) -> dict[tuple[Measure, Period], int]:
    day, week, month = starts(now)
    ((*sums,),) = fetch(_DEPOSITED, [day, week, player, month])
    return {(Measure.DEPOSIT, period): amount for period, amount in zip(PERIODS, sums, strict=True)}


def _by_period(
    staked: Sequence[int] | None, lost: Sequence[int] | None, played: Sequence[int] | None
) -> dict[tuple[Measure, Period], int]:
    found = ((Measure.STAKE, staked), (Measure.LOSS, lost), (Measure.TIME, played))
    return {
        (measure, period): amount
        for measure, amounts in found
        if amounts is not None
        for period, amount in zip(PERIODS, amounts, strict=True)
    }


def _player(account: AccountName) -> UUID:
    if account.player is None:
        raise ValueError(f"A {account.kind} account is no player's.")
    return account.player
