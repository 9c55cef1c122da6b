"""Compute when a refused request fits a limit again, if nothing else is played meanwhile."""

from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from wallet.responsible_gaming import windows
from wallet.responsible_gaming.events import LimitType
from wallet.responsible_gaming.limits import SLOT_MINUTES, ExceededLimit

_PARAMETERS: Final = "WITH parameters AS (SELECT %s::uuid AS player, %s::timestamptz AS start, %s::bigint AS over)"
_STAKES: Final = f"{_PARAMETERS} SELECT wallet_play_leaving(player, start, over, false) FROM parameters"  # noqa: S608  (constants)
_LOSSES: Final = f"{_PARAMETERS} SELECT wallet_play_leaving(player, start, over, true) FROM parameters"  # noqa: S608  (constants)
_DEPOSITS: Final = f"""{_PARAMETERS}
    SELECT min(at) FROM (
        SELECT requested_at AS at, over, sum(amount) OVER (ORDER BY requested_at, id) AS freed
          FROM parameters JOIN wallet_deposit ON player_id = player AND requested_at > start AND status <> 'failed'
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


def available_at(excess: ExceededLimit, *, player: UUID, now: datetime) -> datetime | None:
    """Return when the refused amount would fit, None if it is more than the whole limit.

    Losses may fall and rise, so it may fit earlier for a while.
    """
    if excess.needed > excess.limit.limit:
        return None
    period = excess.limit.period
    ((at,),) = fetch(_QUERIES[excess.limit.limit_type], [player, windows.start(period, now), excess.shortfall])
    return None if at is None else windows.leaves_window_at(period, at)
