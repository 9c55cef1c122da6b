"""Limits on stakes as an audit follows them: what held from when to when, and every wager that was over it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.findings import Finding
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.state import OperatorLimitsState, PlayerRestrictionsState, strictest_limits

Span = tuple[UUID, LimitPeriod, int, datetime, datetime]
FOREVER: Final = datetime.max.replace(tzinfo=UTC)

# The windows are those of wallet.responsible_gaming.windows, in UTC.
_OVERSTAKED: Final = """
    SELECT 'event ' || entry.cause, span.most::text, sums.staked::text
      FROM unnest(%s::uuid[], %s::text[], %s::bigint[], %s::timestamptz[], %s::timestamptz[])
           AS span (player, period, most, since, until)
      JOIN wallet_account account ON account.player_id = span.player AND account.kind = 'game' AND account.money_type = 'real'
      JOIN wallet_posting posting ON posting.account_id = account.id
      JOIN wallet_entry entry ON entry.id = posting.entry_id AND entry.kind = 'wager'
           AND entry.recorded_at > span.since AND entry.recorded_at <= span.until
     CROSS JOIN LATERAL (
         SELECT CASE span.period
                     WHEN 'day' THEN entry.recorded_at - interval '24 hours'
                     WHEN 'week' THEN entry.recorded_at - interval '168 hours'
                     ELSE CASE date_part('day', entry.recorded_at - interval '1 month')
                          WHEN date_part('day', entry.recorded_at) THEN entry.recorded_at - interval '1 month'
                          ELSE date_trunc('month', entry.recorded_at) END
                END AS start) its
     CROSS JOIN LATERAL (
         SELECT wallet_play_total(span.player, entry.recorded_at, false)
              - wallet_play_total(span.player, its.start, false) AS staked) sums
     WHERE sums.staked > span.most ORDER BY entry.cause
"""


class StakeLimitTraces:
    """Each player's limits on stakes: what holds, since when; and what held, from when to when."""

    def __init__(self) -> None:
        self._holds: dict[tuple[UUID, LimitPeriod], tuple[int, datetime]] = {}
        self._held: list[Span] = []

    def replay(self, player: UUID, state: PlayerRestrictionsState, at: datetime) -> None:
        """Note what holds for a player from now on."""
        limits = strictest_limits(state, OperatorLimitsState())
        for period in LimitPeriod:
            limit, before = limits.get((LimitType.STAKE, period)), self._holds.get((player, period))
            most = None if limit is None else limit.limit
            if most == (None if before is None else before[0]):
                continue
            if before is not None:
                self._held.append((player, period, *before, at))
            if most is None:
                del self._holds[player, period]
            else:
                self._holds[player, period] = most, at

    def violations(self) -> Iterator[Finding]:
        """Yield every wager that was over the limit which held for its player then."""
        spans = [*self._held, *((*key, *held, FOREVER) for key, held in self._holds.items())]
        if spans:
            columns = [list(column) for column in zip(*spans, strict=True)]
            for where, most, staked in fetch(_OVERSTAKED, columns):
                yield Finding("staked over a limit", where, f"{most} at most", staked)
