"""Audit of stake limits: the limits in effect over time, and the wagers that exceeded them."""

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
      JOIN wallet_account account ON account.player_id = span.player AND account.kind = 'game'
           AND account.money_type = 'real'
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
    """The stake limits of each player, current and past, with their times."""

    def __init__(self) -> None:
        self._current: dict[tuple[UUID, LimitPeriod], tuple[int, datetime]] = {}
        self._past: list[Span] = []

    def replay(self, player: UUID, state: PlayerRestrictionsState, at: datetime) -> None:
        """Record a player's stake limits from now on."""
        limits = strictest_limits(state, OperatorLimitsState())
        for period in LimitPeriod:
            limit, before = limits.get((LimitType.STAKE, period)), self._current.get((player, period))
            amount = None if limit is None else limit.limit
            if amount == (None if before is None else before[0]):
                continue
            if before is not None:
                self._past.append((player, period, *before, at))
            if amount is None:
                del self._current[player, period]
            else:
                self._current[player, period] = amount, at

    def violations(self) -> Iterator[Finding]:
        """Yield every wager that exceeded its player's limit at the time."""
        spans = [*self._past, *((*key, *limit, FOREVER) for key, limit in self._current.items())]
        if spans:
            columns = [list(column) for column in zip(*spans, strict=True)]
            for where, limit, staked in fetch(_OVERSTAKED, columns):
                yield Finding("staked over a limit", where, f"{limit} at most", staked)
