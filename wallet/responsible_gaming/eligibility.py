"""Read what a player may wager and buy in for now, and check deposits, under the lock of the player's real account.

ELIGIBILITY_CALL_SQL reads everything for a move at a table in one statement. The caller holds the table's lock, if
any; the account's is taken here, and entries are posted afterwards.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators.limits_groups import GroupLimits
from wallet.ledger.accounts import AccountName, debt_account, player_account
from wallet.responsible_gaming import limits, projection
from wallet.responsible_gaming.allowance import Allowance
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import SLOT_MINUTES, ExceededLimit, Usage, find_exceeded_limit
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayerIsBlocked, PlayLimitReached
from wallet.responsible_gaming.state import (
    BLOCKED_MESSAGE,
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


@contextmanager
def say_when(account: AccountName, *, now: datetime) -> Iterator[None]:
    """Add to a refusal by a limit when the amount would fit."""
    try:
        yield
    except PlayLimitReached as refusal:
        fits_at = available_at(refusal.excess, player=player_of(account), currency=account.currency, now=now)
        raise PlayLimitReached(refusal.excess, currency=account.currency, available_at=fits_at) from refusal


def load_allowance(account: AccountName, *, now: datetime) -> Allowance:
    """Lock a player's real account and read what may be spent from `account`, in one statement."""
    (row,) = fetch(_ELIGIBILITY, eligibility_parameters(account, now))
    return allowance_from_row(account, now, row)


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


def allowance_from_row(account: AccountName, now: datetime, row: Sequence[Any]) -> Allowance:
    balance, owed, restrictions_text, operator_limits_text, group_text, staked, lost, played, slot_counted = row
    restrictions = projection.decode_restrictions(restrictions_text)
    group = GroupLimits() if group_text is None else _decode_group(group_text)
    operator_limits, of_group = (
        projection.decode_operator_limits(operator_limits_text),
        _group_limits(group, account, now),
    )
    return Allowance(
        available=balance,
        currency=account.currency,
        real_money=account.money_type is MoneyType.REAL,
        block=_block(restrictions),
        exclusion=restrictions.active_exclusion(now),
        owed=owed,
        minimum=group.minimum,
        maximum=group.maximum,
        limits=strictest_limits(restrictions, operator_limits, account.currency, of_group),
        usage=Usage(_by_period(staked, lost, played), bool(slot_counted)),
    )


def _block(restrictions: PlayerRestrictionsState) -> PlayerBlock | None:
    """Return the block of a player. Who is frozen is not told of that, but the words of any block."""
    if restrictions.frozen_at is not None:
        return PlayerBlock(BLOCKED_MESSAGE, restrictions.frozen_at)
    block = restrictions.block
    return block and replace(block, player_message=crypto_shredding.decrypt_text(block.player_message))


def _group_limits(group: GroupLimits, account: AccountName, now: datetime) -> list[PlayLimit]:
    caps = ((LimitType.STAKE, group.stake_day), (LimitType.LOSS, group.loss_day))
    return [
        PlayLimit(Initiator.OPERATOR, kind, LimitPeriod.DAY, cap, now, account.currency)
        for kind, cap in caps
        if cap is not None
    ]


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
            fits_at = available_at(excess, player=player, currency=currency, now=now)
            raise PlayLimitReached(excess, currency=currency, available_at=fits_at)


def require_money_in(*, operator: UUID, player: UUID, now: datetime) -> PlayerRestrictionsState:
    """Check that no freeze and no exclusion keeps a player's money out. Raises PlayerIsBlocked, PlayerExcluded."""
    restrictions, _ = projection.load_restrictions(operator=operator, player=player)
    if restrictions.frozen_at is not None:
        raise PlayerIsBlocked(PlayerBlock(BLOCKED_MESSAGE, restrictions.frozen_at))
    exclusion = restrictions.active_exclusion(now)
    if exclusion is not None:
        raise PlayerExcluded(exclusion)
    return restrictions


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
