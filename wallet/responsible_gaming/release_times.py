"""When something fits under a limit again, if nothing else is played meanwhile: read only once it was refused."""

from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from wallet.responsible_gaming import windows
from wallet.responsible_gaming.events import LimitType
from wallet.responsible_gaming.limits import SLOT_MINUTES, ExceededLimit

_ASKED: Final = "WITH asked AS (SELECT %s::uuid AS player, %s::timestamptz AS start, %s::bigint AS over)"
_STAKES: Final = f"{_ASKED} SELECT wallet_play_leaving(player, start, over, false) FROM asked"  # noqa: S608  (constants)
_LOSSES: Final = f"{_ASKED} SELECT wallet_play_leaving(player, start, over, true) FROM asked"  # noqa: S608  (constants)
_DEPOSITS: Final = f"""{_ASKED}
    SELECT min(at) FROM (
        SELECT requested_at AS at, over, sum(amount) OVER (ORDER BY requested_at, id) AS freed
          FROM asked JOIN wallet_deposit ON player_id = player AND requested_at > start AND status <> 'failed'
    ) leaving WHERE freed >= over
"""  # noqa: S608  (constants)
_TIME: Final = f"""{_ASKED}
    SELECT min(slot) + interval '{SLOT_MINUTES} minutes' FROM (
        SELECT slot, over, {SLOT_MINUTES} * row_number() OVER (ORDER BY slot) AS freed
          FROM asked JOIN wallet_played ON player_id = player AND slot > start - interval '{SLOT_MINUTES} minutes'
    ) leaving WHERE freed >= over
"""  # noqa: S608  (constants)
_ASK: Final = {
    LimitType.DEPOSIT: _DEPOSITS,
    LimitType.STAKE: _STAKES,
    LimitType.LOSS: _LOSSES,
    LimitType.TIME: _TIME,
}


def available_at(excess: ExceededLimit, *, player: UUID, now: datetime) -> datetime | None:
    """Return when what was refused would fit, None if it is more than the whole limit.

    Losses come and go, so that it may fit earlier for a while.
    """
    if excess.needed > excess.limit.limit:
        return None
    period = excess.limit.period
    ((at,),) = fetch(_ASK[excess.limit.limit_type], [player, windows.start(period, now), excess.shortfall])
    return None if at is None else windows.leaves_window_at(period, at)
