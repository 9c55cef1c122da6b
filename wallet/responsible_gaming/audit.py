"""What protects players as an audit follows it: each change judged again, wagers and deposits held against exclusions,
and what was used worked out anew from the entries.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.findings import Finding
from wallet.responsible_gaming import decider, projection
from wallet.responsible_gaming import events as e
from wallet.responsible_gaming.decider import WalletOwner
from wallet.responsible_gaming.events import Initiator, operator_limits_stream, responsible_gaming_stream
from wallet.responsible_gaming.stake_limit_audit import StakeLimitTraces
from wallet.responsible_gaming.state import (
    Exclusion,
    OperatorLimitsState,
    PlayerRestrictionsState,
    evolve,
    evolve_operator_limits,
)
from wallet.responsible_gaming.usage import PLAYED, TURNOVER

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
      FROM (SELECT {place} AS place, {content} AS content FROM ({wanted}) counted) due
      FULL JOIN (SELECT {place} AS place, {content} AS content FROM {table}) has ON has.place = due.place
     WHERE due.content IS DISTINCT FROM has.content ORDER BY 1
"""


class ResponsibleGamingTraces:
    """What the log so far says of each player's protection and of each operator's, with the versions."""

    def __init__(self) -> None:
        self._stakes = StakeLimitTraces()
        self._players: dict[UUID, tuple[UUID, PlayerRestrictionsState, int]] = {}
        self._houses: dict[UUID, tuple[str, OperatorLimitsState, int]] = {}

    def replay(
        self, event: e.ResponsibleGamingEvent, *, wallet: tuple[UUID, str] | None, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Follow an event and yield what contradicts the rules.

        `opened` is the operator and the currency that the player's wallet was opened with.
        """
        if isinstance(event, e.OperatorLimitSet | e.PlayMoneyCapSet):
            yield from self._follow_house(event, stream=stream, version=version, where=where)
            return
        _, state, before = self._players.get(event.player, (event.operator, PlayerRestrictionsState(), 0))
        if wallet is None or wallet[0] != event.operator:
            yield Finding("responsible gaming of another wallet", where, str(wallet), str(event.operator))
        yield from _place(stream, responsible_gaming_stream(event.player), version, before, where)
        yield from _judged(state, event, where)
        after = evolve(state, event)
        self._players[event.player] = event.operator, after, version
        self._stakes.replay(event.player, after, event.at)

    def _follow_house(self, event: e.OperatorLimitEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        _, state, before = self._houses.get(event.operator, ("", OperatorLimitsState(), 0))
        yield from _place(stream, operator_limits_stream(event.operator), version, before, where)
        yield from _judged_house(state, event, where)
        self._houses[event.operator] = event.currency, evolve_operator_limits(state, event), version

    def exclusion_at(self, player: UUID, *, at: datetime) -> Exclusion | None:
        """Return the exclusion that a wager or deposit at this time goes against, if there is one."""
        known = self._players.get(player)
        exclusion = None if known is None else known[1].active_exclusion(at)
        return exclusion if exclusion is not None and exclusion.since < at else None

    def is_blocked(self, player: UUID) -> bool:
        """Tell whether the house holds the player back from play now."""
        known = self._players.get(player)
        return known is not None and known[1].block is not None

    def check_state(self) -> Iterator[Finding]:
        """Compare the rows with what the events have led to, and what was used with the entries."""
        players = {player: (operator, state, version) for player, (operator, state, version) in self._players.items()}
        yield from _compare(projection.RESTRICTIONS_TABLE, players, projection.load_all_restrictions())
        yield from _compare(projection.OPERATOR_LIMITS_TABLE, dict(self._houses), projection.load_all_operator_limits())
        for what, (place, content, wanted, table) in _COUNTED.items():
            statement = _DIFFERENCES.format(place=place, content=content, wanted=wanted, table=table)
            for where, due, has in fetch(statement):
                yield Finding(what, f"{table} {where}", due, has)
        yield from self._stakes.violations()


def _place(stream: str, right: str, version: int, before: int, where: str) -> Iterator[Finding]:
    if stream != right:
        yield Finding("stream differs", where, right, stream)
    if version != before + 1:
        yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")


def _judged(state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent, where: str) -> Iterator[Finding]:
    try:
        right = _again(state, event)
    except Refusal as refusal:
        yield Finding("responsible gaming changed against the rules", where, refusal.code, str(event))
        return
    if right != event:
        yield Finding("responsible gaming changed against the rules", where, str(right), str(event))


def _judged_house(state: OperatorLimitsState, event: e.OperatorLimitEvent, where: str) -> Iterator[Finding]:
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


def _again(state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent) -> e.PlayerRestrictionEvent:
    """The event that the rules would have led to at that time. Raises Refusal."""
    whose = WalletOwner(event.operator, event.player, getattr(event, "currency", ""))
    now = event.at
    match event:
        case e.PlayLimitSet(by=by, limit_type=limit_type, period=period, limit=limit):
            return decider.set_limit(
                state, owner=whose, by=by, limit_type=limit_type, period=period, limit=limit, now=now
            )
        case e.PlayLimitIncreaseRequested(limit_type=limit_type, period=period, limit=limit):
            by = Initiator.PLAYER
            return decider.set_limit(
                state, owner=whose, by=by, limit_type=limit_type, period=period, limit=limit, now=now
            )
        case e.PlayLimitIncreased(limit_type=limit_type, period=period):
            return decider.confirm_increase(state, owner=whose, limit_type=limit_type, period=period, now=now)
        case e.PlayLimitIncreaseCancelled(limit_type=limit_type, period=period):
            return decider.cancel_increase(state, owner=whose, limit_type=limit_type, period=period, now=now)
        case _:
            return _exclusion_again(state, event, whose)


def _exclusion_again(state: PlayerRestrictionsState, event: Any, whose: WalletOwner) -> e.PlayerRestrictionEvent:
    match event:
        case e.CoolingOffStarted(by=by, until=until, at=now):
            return decider.cool_off(state, owner=whose, by=by, hours=(until - now) // _HOUR, now=now)
        case e.SelfExcluded(by=by, until=until, at=now):
            months = decider.months_between(now, until)
            return decider.self_exclude(state, owner=whose, by=by, months=months, now=now)
        case e.SelfExclusionEnded(at=now):
            return decider.end_exclusion(state, owner=whose, now=now)
        case e.PlayerBlocked(player_message=message, at=now):
            return decider.block_player(state, owner=whose, player_message=message, now=now)
        case e.PlayerUnblocked(at=now):
            return decider.unblock_player(state, owner=whose, now=now)
        case _:
            return decider.set_reality_check(owner=whose, minutes=event.minutes, now=event.at)


def _compare(table: str, wanted: dict[UUID, Any], found: dict[UUID, Any]) -> Iterator[Finding]:
    for key in sorted(wanted.keys() | found.keys()):
        due, has = wanted.get(key), found.get(key)
        if due is None:
            yield Finding("row is extra", f"{table} {key}", "none", "a row")
        elif has is None:
            yield Finding("row is missing", f"{table} {key}", "a row", "none")
        elif due != has:
            yield Finding("row differs", f"{table} {key}", str(due), str(has))
