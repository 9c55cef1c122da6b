"""Restrictions of players and limits of operators as rows, and the rebuild of everything derived from play."""

from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events.projections import RebuildResult, encode, rebuild, stream_histories
from casino.events.sql import execute, fetch
from wallet.ledger.recording import event_group
from wallet.responsible_gaming.events import PlayerRequestEvent, ResponsibleGamingEvent, entry_for
from wallet.responsible_gaming.state import OperatorLimitsState, PlayerRestrictionsState, fold, fold_operator_limits
from wallet.responsible_gaming.usage import PLAYED, TURNOVER

RESTRICTIONS_TABLE: Final = "wallet_playerrestrictions"
OPERATOR_LIMITS_TABLE: Final = "wallet_operatorlimits"
RESPONSIBLE_GAMING_EVENTS: Final = event_group(ResponsibleGamingEvent | PlayerRequestEvent, entry_for)
_decode_restrictions: Final = msgspec.json.Decoder(PlayerRestrictionsState).decode
_decode_operator_limits: Final = msgspec.json.Decoder(OperatorLimitsState).decode

_FIRST_OF_PLAYER: Final = ("PlayLimitSet", "CoolingOffStarted", "SelfExcluded", "RealityCheckSet", "PlayerBlocked")
_FIRST_OF_OPERATOR: Final = ("OperatorLimitSet", "PlayMoneyCapSet")
_SAVE: Final = """
    INSERT INTO wallet_playerrestrictions (player_id, operator_id, state, limit_types, excluded_until, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET state = excluded.state, limit_types = excluded.limit_types, excluded_until = excluded.excluded_until,
        version = excluded.version
"""
_SAVE_OPERATOR: Final = """
    INSERT INTO wallet_operatorlimits (operator_id, currency, state, limit_types, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s)
    ON CONFLICT (operator_id) DO UPDATE
    SET currency = excluded.currency, state = excluded.state, limit_types = excluded.limit_types,
        version = excluded.version
"""
_LOAD: Final = "SELECT state::text, version FROM wallet_playerrestrictions WHERE player_id = %s AND operator_id = %s"
_ALL: Final = "SELECT player_id, operator_id, state::text, version FROM wallet_playerrestrictions"
_ALL_OPERATORS: Final = "SELECT operator_id, currency, state::text, version FROM wallet_operatorlimits"
_LOAD_OPERATOR: Final = "SELECT state::text, version FROM wallet_operatorlimits WHERE operator_id = %s"


def save_restrictions(*, operator: UUID, player: UUID, state: PlayerRestrictionsState, version: int) -> None:
    """Insert or update a player's row."""
    until = None if state.exclusion is None else state.exclusion.until
    execute(_SAVE, [player, operator, encode(state).decode(), _limit_types(state), until, version])


def save_operator_limits(*, operator: UUID, currency: str, state: OperatorLimitsState, version: int) -> None:
    """Insert or update an operator's row."""
    execute(_SAVE_OPERATOR, [operator, currency, encode(state).decode(), _limit_types(state), version])


def load_restrictions(*, operator: UUID, player: UUID) -> tuple[PlayerRestrictionsState, int]:
    """Read a player's restrictions with the version of their stream, 0 where there is none."""
    rows = fetch(_LOAD, [player, operator])
    return (decode_restrictions(rows[0][0]), rows[0][1]) if rows else (PlayerRestrictionsState(), 0)


def load_operator_limits(*, operator: UUID) -> tuple[OperatorLimitsState, int]:
    """Read the limits for all players of an operator, with the version of their stream."""
    rows = fetch(_LOAD_OPERATOR, [operator])
    return (decode_operator_limits(rows[0][0]), rows[0][1]) if rows else (OperatorLimitsState(), 0)


def decode_restrictions(text: str | None) -> PlayerRestrictionsState:
    """Decode a stored state; None is the initial one."""
    return PlayerRestrictionsState() if text is None else _decode_restrictions(text)


def decode_operator_limits(text: str | None) -> OperatorLimitsState:
    """Decode a stored state; None is the initial one."""
    return OperatorLimitsState() if text is None else _decode_operator_limits(text)


def load_all_restrictions() -> dict[UUID, tuple[UUID, PlayerRestrictionsState, int]]:
    """Read every player's row: operator, state, version."""
    return {player: (operator, decode_restrictions(state), version) for player, operator, state, version in fetch(_ALL)}


def load_all_operator_limits() -> dict[UUID, tuple[str, OperatorLimitsState, int]]:
    """Read every operator's row: currency, state, version."""
    return {
        operator: (currency, decode_operator_limits(state), version)
        for operator, currency, state, version in fetch(_ALL_OPERATORS)
    }


def _limit_types(state: PlayerRestrictionsState | OperatorLimitsState) -> list[Any]:
    return sorted({limit.limit_type.value for limit in state.limits})


def rebuild_responsible_gaming(*, compare: bool = False) -> RebuildResult:
    """Rebuild restrictions and operators' limits from events, turnover and time played from entries."""
    tables = {
        RESTRICTIONS_TABLE: "player_id",
        OPERATOR_LIMITS_TABLE: "operator_id",
        "wallet_turnover": "account_id || ' ' || sequence",
        "wallet_played": "player_id || ' ' || slot",
    }
    return rebuild(tables, _fill, compare=compare)


def _fill() -> None:
    registry = RESPONSIBLE_GAMING_EVENTS.registry
    for chunk in stream_histories(registry, *_FIRST_OF_PLAYER):
        for events in chunk:
            first = events[0]
            save_restrictions(operator=first.operator, player=first.player, state=fold(events), version=len(events))
    for chunk in stream_histories(registry, *_FIRST_OF_OPERATOR):
        for events in chunk:
            last, state = events[-1], fold_operator_limits(events)
            save_operator_limits(operator=last.operator, currency=last.currency, state=state, version=len(events))
    execute(f"INSERT INTO wallet_turnover (account_id, at, sequence, staked, lost) {TURNOVER}")
    execute(f"INSERT INTO wallet_played (player_id, slot) {PLAYED}")
