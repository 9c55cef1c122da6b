"""How much a player staked on what was decided: without pushes, voids, and rounds that are not over."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.events.ids import first_id
from casino.events.sql import fetch

_OPEN_FOR: Final = timedelta(days=7)
"""No round is open for longer; the ids of rounds tell when they opened, and an index has them by player."""
_STAKED: Final = """
    SELECT width_bucket(confirmed_at, %(since)s::timestamptz[]) AS place, sum(staked - pushed)::bigint
      FROM baccarat_wager
     WHERE player_id = %(player)s AND round_id >= %(first)s AND currency = %(currency)s
       AND money_type = 'real' AND settled_at IS NOT NULL AND voided_at IS NULL
     GROUP BY 1
"""


def staked_between(player: UUID, currency: str, since: Sequence[datetime]) -> Sequence[int]:
    """Return what was staked from each of these times, ascending, until the next, in minor units."""
    values = {"player": player, "currency": currency, "since": list(since), "first": first_id(since[0] - _OPEN_FOR)}
    staked = dict(fetch(_STAKED, values))
    return [staked.get(place, 0) for place in range(1, len(since) + 1)]
