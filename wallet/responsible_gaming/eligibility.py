"""Check whether a player may wager, buy in or deposit now, under the lock of the player's real account.

ELIGIBILITY_CALL_SQL reads everything for a move at a table in one statement. The caller holds the table's lock, if
any; the account's is taken here, and entries are posted afterwards.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators.limits_groups import GroupLimits
from wallet.ledger.accounts import AccountName, debt_account, player_account
from wallet.ledger.refusals import DebtOutstanding
from wallet.responsible_gaming import limits, projection
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import (
    SLOT_MINUTES,
    ExceededLimit,
    Usage,
    buy_in_usage,
    find_exceeded_limit,
    wager_usage,
)
from wallet.responsible_gaming.refusals import (
    OverGroupMaximum,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    UnderGroupMinimum,
)
from wallet.responsible_gaming.state import (
    BLOCKED_MESSAGE,
    OperatorLimitsState,
    PlayerBlock,
    PlayerRestrictionsState,
    PlayLimit,
    strictest_limits,
)

_PARAMETERS: Final = (
    "WITH parameters AS (SELECT %s::uuid AS player, %s::text AS unit, %s::timestamptz AS start, %s::bigint AS over)"
)
_STAKES: Final = f"{_PARAMETERS} SELECT wallet_play_leaving(player, unit, start, over, false) FROM parameters"  # noqa: S608  (constants)
_LOSSES: Final = f"{_PARAMETERS} SELECT wallet_play_leaving(player, unit, start, over, true) FROM parameters"  # noqa: S608  (constants)
_DEPOSITS: Final = f"""{_PARAMETERS}
    SELECT min(at) FROM (
        SELECT requested_at AS at, over, sum(amount) OVER (ORDER BY requested_at, id) AS freed
          FROM parameters JOIN wallet_deposit ON player_id = player AND currency = unit AND requested_at > start
               AND status <> 'failed'
    ) leaving WHERE freed >= over
"""  # noqa: S608  (constants)
_TIME: Final = f"""{_PARAMETERS}
    SELECT min(slot) + interval '{SLOT_MINUTES} minutes' FROM (
        SELECT slot, over, {SLOT_MINUTES} * row_number() OVER (ORDER BY slot) AS freed
          FROM parameters JOIN wallet_played ON player_id = player AND slot > start - interval '{SLOT_MINUTES} minutes'
    ) leaving WHERE freed >= over
"""  # noqa: S608  (constants)
_QUERIES: Final = {
    LimitType.DEPOSIT: _DEPOSITS,
    LimitType.STAKE: _STAKES,
    LimitType.LOSS: _LOSSES,
    LimitType.TIME: _TIME,
}


def available_at(excess: ExceededLimit, *, player: UUID, currency: str, now: datetime) -> datetime | None:
    """Return when the refused amount would fit, None if it is more than the whole limit.

    Losses may fall and rise, so it may fit earlier for a while.
    """
    if excess.needed > excess.limit.limit:
        return None
    period = excess.limit.period
    query, start = _QUERIES[excess.limit.limit_type], limits.window_start(period, now)
    ((at,),) = fetch(query, [player, currency, start, excess.shortfall])
    return None if at is None else limits.leaves_window_at(period, at)


ELIGIBILITY_CALL_SQL: Final = "wallet_eligibility(%s, %s, %s, %s, %s, %s, %s::timestamptz[], %s)"
ELIGIBILITY_COLUMNS: Final = (
    "balance, owed, restrictions, operator_limits, group_limits, staked, lost, played, slot_counted"
)
PERIODS: Final = tuple(LimitPeriod)
_decode_group: Final = msgspec.json.Decoder(GroupLimits).decode

_ELIGIBILITY: Final = f"SELECT {ELIGIBILITY_COLUMNS} FROM {ELIGIBILITY_CALL_SQL}"  # noqa: S608  (constants)
_USED: Final = "SELECT staked, lost, played, slot_counted FROM wallet_play_used(%s, %s, %s::timestamptz[], true, true)"
_DEPOSITED: Final = """
    SELECT coalesce(sum(amount) FILTER (WHERE requested_at > %s), 0)::bigint,
           coalesce(sum(amount) FILTER (WHERE requested_at > %s), 0)::bigint, coalesce(sum(amount), 0)::bigint
      FROM wallet_deposit
     WHERE player_id = %s AND currency = %s AND requested_at > %s AND status <> 'failed'
"""


@dataclass(frozen=True, slots=True)
class PlayerEligibility:
    """A player's balance and debt in minor units, restrictions, and usage of limits."""

    account: AccountName
    now: datetime
    balance: int
    owed: int
    restrictions: PlayerRestrictionsState
    operator_limits: OperatorLimitsState
    usage: Usage
    group: GroupLimits | None = None

    def require_not_blocked(self) -> None:
        """Check that staff have not blocked the player, nor frozen the account. Raises PlayerIsBlocked.

        A player is not told of a freeze, but the words of any block.
        """
        if self.restrictions.frozen_at is not None:
            raise PlayerIsBlocked(PlayerBlock(BLOCKED_MESSAGE, self.restrictions.frozen_at))
        block = self.restrictions.block
        if block is not None:
            raise PlayerIsBlocked(replace(block, player_message=crypto_shredding.decrypt_text(block.player_message)))

    def require_may_play(self) -> None:
        """Check that the player is neither blocked nor excluded. Raises PlayerIsBlocked, PlayerExcluded."""
        self.require_not_blocked()
        exclusion = self.restrictions.active_exclusion(self.now)
        if exclusion is not None:
            raise PlayerExcluded(exclusion)

    def require_wager(self, staked: int) -> None:
        """Check a wager of minor units against debts, exclusions and limits.

        Raises DebtOutstanding, PlayerExcluded, PlayLimitReached.
        """
        self._require(wager_usage(staked=staked, real_money=self._real, usage=self.usage))

    def require_buy_in(self, amount: int) -> None:
        """Check a buy-in or rebuy of minor units: the smallest wager has to fit the limits.

        Raises DebtOutstanding, PlayerExcluded, PlayLimitReached.
        """
        self._require(buy_in_usage(amount=amount, real_money=self._real, usage=self.usage))

    def require_stakes(self, stakes: Collection[int], *, confirmed: bool) -> None:
        """Check stakes on spots, in minor units, against the player's limits group.

        The minimum applies once they are confirmed. Raises OverGroupMaximum, UnderGroupMinimum.
        """
        group, currency = self.group, self.account.currency
        if group is None or not stakes:
            return
        if group.maximum is not None and max(stakes) > group.maximum:
            raise OverGroupMaximum(limit=group.maximum, currency=currency)
        if confirmed and group.minimum is not None and min(stakes) < group.minimum:
            raise UnderGroupMinimum(limit=group.minimum, currency=currency)

    def _group_limits(self) -> list[PlayLimit]:
        if self.group is None:
            return []
        caps = ((LimitType.STAKE, self.group.stake_day), (LimitType.LOSS, self.group.loss_day))
        return [
            PlayLimit(Initiator.OPERATOR, kind, LimitPeriod.DAY, cap, self.now, self.account.currency)
            for kind, cap in caps
            if cap is not None
        ]

    @property
    def _real(self) -> bool:
        return self.account.money_type is MoneyType.REAL

    def _require(self, needs: Mapping[LimitType, int]) -> None:
        self.require_may_play()
        if self.owed:
            raise DebtOutstanding(owed=self.owed, currency=self.account.currency)
        currency = self.account.currency
        limits = strictest_limits(self.restrictions, self.operator_limits, currency, self._group_limits())
        excess = find_exceeded_limit(limits, self.usage.used, needs)
        if excess is not None:
            raise _limit_reached(excess, player=player_of(self.account), currency=currency, now=self.now)


def load_eligibility(account: AccountName, *, now: datetime) -> PlayerEligibility:
    """Lock a player's real account and read the eligibility to spend from `account`, in one statement."""
    (row,) = fetch(_ELIGIBILITY, eligibility_parameters(account, now))
    return eligibility_from_row(account, now, row)


def eligibility_parameters(account: AccountName, now: datetime) -> list[Any]:
    """Return the parameters of ELIGIBILITY_CALL_SQL for a player's account or game balance."""
    player, operator, currency = player_of(account), account.operator, account.currency
    real = account.money_type is MoneyType.REAL
    lock = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    debt = (
        debt_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency).id
        if real
        else None
    )
    return [account.id, lock.id, debt, player, operator, currency, window_starts(now), real]


def eligibility_from_row(account: AccountName, now: datetime, row: Sequence[Any]) -> PlayerEligibility:
    balance, owed, restrictions, operator_limits, group, staked, lost, played, slot_counted = row
    usage = Usage(_by_period(staked, lost, played), bool(slot_counted))
    return PlayerEligibility(
        account,
        now,
        balance,
        owed,
        projection.decode_restrictions(restrictions),
        projection.decode_operator_limits(operator_limits),
        usage,
        None if group is None else _decode_group(group),
    )


def window_starts(now: datetime) -> list[datetime]:
    """Return the starts of the windows that end now, the longest last."""
    return [limits.window_start(period, now) for period in PERIODS]


def usage(*, player: UUID, currency: str, now: datetime) -> Usage:
    """Read a player's usage of all limit types, without a lock: money in one currency, time in all."""
    ((staked, lost, played, slot_counted),) = fetch(_USED, [player, currency, window_starts(now)])
    used = _by_period(staked, lost, played)
    return Usage({**used, **_deposited(player, currency, now)}, slot_counted)


def usage_since(*, player: UUID, currency: str, since: datetime) -> Usage:
    """Read a player's usage since a moment, the same for every period."""
    ((staked, lost, played, slot_counted),) = fetch(_USED, [player, currency, [since] * len(PERIODS)])
    return Usage(_by_period(staked, lost, played), slot_counted)


def require_deposit(*, operator: UUID, player: UUID, currency: str, amount: int, now: datetime) -> None:
    """Check a deposit of minor units against a freeze, exclusions and limits.

    Requested deposits count unless they failed. Call it under the lock of the player's real account.
    Raises PlayerIsBlocked, PlayerExcluded, PlayLimitReached.
    """
    restrictions = require_money_in(operator=operator, player=player, now=now)
    operator_limits, _ = projection.load_operator_limits(operator=operator)
    limits = strictest_limits(restrictions, operator_limits, currency)
    if any(limit_type is LimitType.DEPOSIT for limit_type, _ in limits):
        excess = find_exceeded_limit(limits, _deposited(player, currency, now), {LimitType.DEPOSIT: amount})
        if excess is not None:
            raise _limit_reached(excess, player=player, currency=currency, now=now)


def require_money_in(*, operator: UUID, player: UUID, now: datetime) -> PlayerRestrictionsState:
    """Check that no freeze and no exclusion keeps a player's money out. Raises PlayerIsBlocked, PlayerExcluded."""
    restrictions, _ = projection.load_restrictions(operator=operator, player=player)
    if restrictions.frozen_at is not None:
        raise PlayerIsBlocked(PlayerBlock(BLOCKED_MESSAGE, restrictions.frozen_at))
    exclusion = restrictions.active_exclusion(now)
    if exclusion is not None:
        raise PlayerExcluded(exclusion)
    return restrictions


def _limit_reached(excess: ExceededLimit, *, player: UUID, currency: str, now: datetime) -> PlayLimitReached:
    fits_at = available_at(excess, player=player, currency=currency, now=now)
    return PlayLimitReached(limit=excess.limit, used=excess.used, currency=currency, available_at=fits_at)


def _deposited(player: UUID, currency: str, now: datetime) -> dict[tuple[LimitType, LimitPeriod], int]:
    day, week, month = window_starts(now)
    ((*sums,),) = fetch(_DEPOSITED, [day, week, player, currency, month])
    return {(LimitType.DEPOSIT, period): amount for period, amount in zip(PERIODS, sums, strict=True)}


def _by_period(
    staked: Sequence[int] | None, lost: Sequence[int] | None, played: Sequence[int] | None
) -> dict[tuple[LimitType, LimitPeriod], int]:
    usage = ((LimitType.STAKE, staked), (LimitType.LOSS, lost), (LimitType.TIME, played))
    return {
        (limit_type, period): amount
        for limit_type, amounts in usage
        if amounts is not None
        for period, amount in zip(PERIODS, amounts, strict=True)
    }


def player_of(account: AccountName) -> UUID:
    """Return whose account it is. Raises ValueError for an account of nobody."""
    if account.player is None:
        raise ValueError(f"A {account.kind} account does not belong to a player.")
    return account.player
