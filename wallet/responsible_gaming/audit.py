"""Audit of responsible gaming: decides every change again, and recomputes usage and stakes over limits from entries."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.findings import Finding
from casino.kernel.money import MAX_AMOUNT
from wallet.responsible_gaming import decider, projection
from wallet.responsible_gaming import events as e
from wallet.responsible_gaming.decider import WalletOwner
from wallet.responsible_gaming.events import (
    Initiator,
    LimitPeriod,
    LimitType,
    TableLimitSet,
    operator_limits_stream,
    responsible_gaming_stream,
    table_limit_stream,
)
from wallet.responsible_gaming.projection import PLAYED, TURNOVER
from wallet.responsible_gaming.state import (
    Exclusion,
    OperatorLimitsState,
    PlayerRestrictionsState,
    evolve,
    evolve_operator_limits,
    strictest_limits,
)
from wallet.responsible_gaming.table_limit import WEEK
from wallet.responsible_gaming.table_limit_services import TABLE_LIMITS, table_limit_row

_Span = tuple[UUID, str, LimitPeriod, int, datetime, datetime]
_FOREVER: Final = datetime.max.replace(tzinfo=UTC)

# The windows are those of wallet.responsible_gaming.limits, in UTC.
_OVERSTAKED: Final = """
    SELECT 'event ' || entry.cause, span.most::text, sums.staked::text
      FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::bigint[], %s::timestamptz[], %s::timestamptz[])
           AS span (player, currency, period, most, since, until)
      JOIN wallet_account account ON account.player_id = span.player AND account.kind = 'game'
           AND account.money_type = 'real' AND account.currency = span.currency
      JOIN wallet_posting posting ON posting.account_id = account.id
      JOIN wallet_entry entry ON entry.cause = posting.entry_id AND entry.kind = 'wager'
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
         SELECT wallet_play_total(span.player, span.currency, entry.recorded_at, false)
              - wallet_play_total(span.player, span.currency, its.start, false) AS staked) sums
     WHERE sums.staked > span.most AND entry.cause > %s AND entry.cause <= %s ORDER BY entry.cause
"""
_HOUR: Final = timedelta(hours=1)
_COUNTED: Final = {
    "turnover differs from entries": (
        "account_id || ' posting ' || sequence",
        "at || ' staked ' || staked || ' lost ' || lost",
        TURNOVER,
        "wallet_turnover",
    ),
    "time played differs from entries": ("player_id || ' ' || slot", "'five minutes'", PLAYED, "wallet_played"),
}
_DIFFERENCES: Final = """
    SELECT coalesce(due.place, has.place), coalesce(due.content, 'none'), coalesce(has.content, 'none')
      FROM (SELECT {place} AS place, {content} AS content FROM ({expected}) counted) due
      FULL JOIN (SELECT {place} AS place, {content} AS content FROM {table}) has ON has.place = due.place
     WHERE due.content IS DISTINCT FROM has.content ORDER BY 1
"""


_RANGE_TURNOVER: Final = """
    SELECT 'wallet_turnover ' || posting.account_id || ' posting ' || posting.sequence,
           greatest(before.at, entry.recorded_at)
               || ' staked ' || coalesce(before.staked, 0) - CASE entry.kind WHEN 'wager' THEN posting.amount ELSE 0 END
               || ' lost ' || coalesce(before.lost, 0) - posting.amount,
           coalesce(has.at || ' staked ' || has.staked || ' lost ' || has.lost, 'none')
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.cause = posting.entry_id AND entry.kind IN ('wager', 'settlement', 'void')
      JOIN wallet_account account ON account.id = posting.account_id
           AND account.kind IN ('game', 'account', 'debt') AND account.money_type = 'real'
      LEFT JOIN LATERAL (
          SELECT * FROM wallet_turnover total WHERE total.account_id = account.id AND total.at >= entry.recorded_at
             AND total.sequence = posting.sequence ORDER BY at LIMIT 1) has ON true
      LEFT JOIN LATERAL (
          SELECT * FROM wallet_turnover total WHERE total.account_id = account.id
             AND (total.at, total.sequence) < (coalesce(has.at, entry.recorded_at), posting.sequence)
           ORDER BY at DESC, sequence DESC LIMIT 1) before ON true
     WHERE posting.entry_id > %(first)s AND posting.entry_id <= %(last)s
       AND (has.at, has.staked, has.lost) IS DISTINCT FROM (
           greatest(before.at, entry.recorded_at),
           coalesce(before.staked, 0) - CASE entry.kind WHEN 'wager' THEN posting.amount ELSE 0 END,
           coalesce(before.lost, 0) - posting.amount)
     ORDER BY 1
"""
_RANGE_PLAYED: Final = f"""
    SELECT 'wallet_played ' || due.player_id || ' ' || due.slot, 'five minutes', 'none'
      FROM ({PLAYED} WHERE entry.cause > %(first)s AND entry.cause <= %(last)s) due
      LEFT JOIN wallet_played has ON has.player_id = due.player_id AND has.slot = due.slot
     WHERE has.player_id IS NULL ORDER BY 1
"""  # noqa: S608  (constants)


def check_usage(first: int, last: int) -> Iterator[Finding]:
    """Compare turnover and time played of the entries with causes above `first`, up to `last`, with their rows."""
    for name, statement in zip(_COUNTED, (_RANGE_TURNOVER, _RANGE_PLAYED), strict=True):
        for where, due, actual in fetch(statement.replace("%(first)s", "%s").replace("%(last)s", "%s"), [first, last]):
            yield Finding(name, where, due, actual)


class ResponsibleGamingTraces:
    """Restrictions of players and limits of operators as of the events replayed, with versions."""

    def __init__(self) -> None:
        self._stakes = StakeLimitTraces()
        self._players: dict[UUID, tuple[UUID, PlayerRestrictionsState, int]] = {}
        self._operators: dict[UUID, tuple[OperatorLimitsState, int]] = {}

    def replay(
        self, event: e.ResponsibleGamingEvent, *, operator: UUID | None, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Replay an event and yield violations; `operator` is that of the player's accounts."""
        if isinstance(event, e.OperatorLimitSet | e.PlayMoneyCapSet):
            yield from self._replay_operator_limits(event, stream=stream, version=version, where=where)
            return
        _, state, before = self._players.get(event.player, (event.operator, PlayerRestrictionsState(), 0))
        if operator != event.operator:
            yield Finding("responsible gaming of another wallet", where, str(operator), str(event.operator))
        yield from _check_position(stream, responsible_gaming_stream(event.player), version, before, where)
        yield from _check_restriction(state, event, where)
        after = evolve(state, event)
        self._players[event.player] = event.operator, after, version
        if isinstance(event, e.PlayLimitEvent) and event.limit_type is LimitType.STAKE:
            self._stakes.replay(event.player, event.currency, after, event.at)

    def _replay_operator_limits(
        self, event: e.OperatorLimitEvent, *, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        state, before = self._operators.get(event.operator, (OperatorLimitsState(), 0))
        yield from _check_position(stream, operator_limits_stream(event.operator), version, before, where)
        yield from _check_operator_limit(state, event, where)
        self._operators[event.operator] = evolve_operator_limits(state, event), version

    def exclusion_at(self, player: UUID, *, at: datetime) -> Exclusion | None:
        """Return the exclusion that a wager or deposit at this time violates, if any."""
        known = self._players.get(player)
        active = () if known is None else known[1].active_exclusions(at)
        return next((each for each in active if each.since < at), None)

    def is_blocked(self, player: UUID) -> bool:
        """Return whether staff have blocked the player."""
        known = self._players.get(player)
        return known is not None and (known[1].block is not None or known[1].frozen_at is not None)

    def check_state(self, *, entries: tuple[int, int] | None = None) -> Iterator[Finding]:
        """Compare rows with the result of the events, and usage with the entries.

        With `entries`, only with entries whose causes lie above the first number, up to the second.
        """
        players = {player: (operator, state, version) for player, (operator, state, version) in self._players.items()}
        yield from _compare(projection.RESTRICTIONS_TABLE, players, projection.load_all_restrictions())
        yield from _compare(
            projection.OPERATOR_LIMITS_TABLE, dict(self._operators), projection.load_all_operator_limits()
        )
        for where, due, actual in projection.find_wrong_columns():
            yield Finding("row differs", where, due, actual)
        if entries is not None:
            yield from check_usage(*entries)
            yield from self._stakes.violations(*entries)
            return
        for name, (place, content, expected, table) in _COUNTED.items():
            statement = _DIFFERENCES.format(place=place, content=content, expected=expected, table=table)
            for where, due, actual in fetch(statement):
                yield Finding(name, f"{table} {where}", due, actual)
        yield from self._stakes.violations()


class StakeLimitTraces:
    """The stake limits of each player, current and past, with their times."""

    def __init__(self) -> None:
        self._current: dict[tuple[UUID, str, LimitPeriod], tuple[int, datetime]] = {}
        self._past: list[_Span] = []

    def replay(self, player: UUID, currency: str, state: PlayerRestrictionsState, at: datetime) -> None:
        """Record a player's stake limits in a currency from now on."""
        limits = strictest_limits(state, OperatorLimitsState(), currency)
        for period in LimitPeriod:
            key = (player, currency, period)
            limit, before = limits.get((LimitType.STAKE, period)), self._current.get(key)
            amount = None if limit is None else limit.limit
            if amount == (None if before is None else before[0]):
                continue
            if before is not None:
                self._past.append((*key, *before, at))
            if amount is None:
                del self._current[key]
            else:
                self._current[key] = amount, at

    def violations(self, first: int = 0, last: int = 2**63 - 1) -> Iterator[Finding]:
        """Yield every wager that exceeded its limit at the time, of entries with causes above `first`, up to `last`."""
        spans = [*self._past, *((*key, *limit, _FOREVER) for key, limit in self._current.items())]
        if spans:
            columns = [list(column) for column in zip(*spans, strict=True)]
            for where, limit, staked in fetch(_OVERSTAKED, [*columns, first, last]):
                yield Finding("staked over a limit", where, f"{limit} at most", staked)


class TableLimitTraces:
    """The last change of every player's table limit in each currency, with its version."""

    def __init__(self) -> None:
        self._last: dict[tuple[UUID, str], tuple[TableLimitSet, int]] = {}

    def replay(
        self, event: TableLimitSet, *, operator: UUID | None, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Replay a change and yield violations; `operator` is that of the player's accounts."""
        key = (event.player, event.currency)
        last, before = self._last.get(key, (None, 0))
        self._last[key] = event, version
        yield from _check_position(stream, table_limit_stream(*key), version, before, where)
        if operator != event.operator:
            yield Finding("limit of another wallet", where, str(operator), str(event.operator))
        if event.amount is not None and not 0 < event.amount < MAX_AMOUNT:
            yield Finding("amount out of range", where, f"1 to {MAX_AMOUNT - 1}", str(event.amount))
        if not event.at < event.next_change_at <= event.at + WEEK:
            yield Finding("betting week differs", where, "an end within seven days", str(event.next_change_at))
        if last is not None and event.at < last.next_change_at:
            yield Finding("limit changed twice in a week", where, f"{last.next_change_at} or later", str(event.at))

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with those that the events have led to; `partial` if only some streams were replayed."""
        rows = (table_limit_row(event, version) for event, version in self._last.values())
        yield from TABLE_LIMITS.compare(rows, partial=partial)


def _check_position(stream: str, due_stream: str, version: int, before: int, where: str) -> Iterator[Finding]:
    if stream != due_stream:
        yield Finding("stream differs", where, due_stream, stream)
    if version != before + 1:
        yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")


def _check_restriction(
    state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent, where: str
) -> Iterator[Finding]:
    try:
        expected = _decide(state, event)
    except Refusal as refusal:
        yield Finding("responsible gaming changed against the rules", where, refusal.code, str(event))
        return
    if expected != event:
        yield Finding("responsible gaming changed against the rules", where, str(expected), str(event))


def _check_operator_limit(state: OperatorLimitsState, event: e.OperatorLimitEvent, where: str) -> Iterator[Finding]:
    if isinstance(event, e.PlayMoneyCapSet):
        return
    try:
        decider.set_operator_wide_limit(
            state,
            operator=event.operator,
            currency=event.currency,
            limit_type=event.limit_type,
            period=event.period,
            limit=event.limit,
            now=event.at,
        )
    except Refusal as refusal:
        yield Finding("responsible gaming changed against the rules", where, refusal.code, str(event))


def _decide(state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent) -> e.PlayerRestrictionEvent:
    """Decide again with the state of that time. Raises Refusal."""
    owner = WalletOwner(event.operator, event.player, getattr(event, "currency", ""))
    now = event.at
    match event:
        case e.PlayLimitSet(by=by, limit_type=limit_type, period=period, limit=limit):
            return decider.set_limit(
                state, owner=owner, by=by, limit_type=limit_type, period=period, limit=limit, now=now
            )
        case e.PlayLimitIncreaseRequested(limit_type=limit_type, period=period, limit=limit):
            by = Initiator.PLAYER
            return decider.set_limit(
                state, owner=owner, by=by, limit_type=limit_type, period=period, limit=limit, now=now
            )
        case e.PlayLimitIncreased(limit_type=limit_type, period=period):
            return decider.confirm_increase(state, owner=owner, limit_type=limit_type, period=period, now=now)
        case e.PlayLimitIncreaseCancelled(limit_type=limit_type, period=period):
            return decider.cancel_increase(state, owner=owner, limit_type=limit_type, period=period, now=now)
        case _:
            return _decide_exclusion(state, event, owner)


def _decide_exclusion(state: PlayerRestrictionsState, event: Any, owner: WalletOwner) -> e.PlayerRestrictionEvent:
    match event:
        case e.CoolingOffStarted(by=by, until=until, at=now):
            return decider.cool_off(state, owner=owner, by=by, hours=(until - now) // _HOUR, now=now)
        case e.SelfExcluded(by=by, until=until, at=now):
            months = None if until is None else decider.months_between(now, until)
            return decider.self_exclude(state, owner=owner, by=by, months=months, now=now)
        case e.SelfExclusionEnded(at=now):
            return decider.end_exclusion(state, owner=owner, now=now)
        case _:
            return _decide_block(state, event, owner)


def _decide_block(state: PlayerRestrictionsState, event: Any, owner: WalletOwner) -> e.PlayerRestrictionEvent:
    match event:
        case e.PlayerBlocked(player_message=message, at=now):
            return decider.block_player(state, owner=owner, player_message=message, now=now)
        case e.PlayerUnblocked(at=now):
            return decider.unblock_player(state, owner=owner, now=now)
        case e.PlayerFrozen(reason=reason, by=staff, at=now):
            return decider.freeze_player(state, owner=owner, reason=reason, by=staff, now=now)
        case e.PlayerUnfrozen(by=persons, at=now):
            return decider.unfreeze_player(state, owner=owner, by=persons, now=now)
        case _:
            return decider.set_reality_check(owner=owner, minutes=event.minutes, now=event.at)


def _compare(table: str, expected: dict[UUID, Any], stored: dict[UUID, Any]) -> Iterator[Finding]:
    for key in sorted(expected.keys() | stored.keys()):
        due, actual = expected.get(key), stored.get(key)
        if due is None:
            yield Finding("row is extra", f"{table} {key}", "none", "a row")
        elif actual is None:
            yield Finding("row is missing", f"{table} {key}", "a row", "none")
        elif due != actual:
            yield Finding("row differs", f"{table} {key}", str(due), str(actual))
