"""What protects players as rows: projections of the streams responsible-gaming-{player} and operator-limits-{operator}."""

from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events.projections import RebuildResult, encode, rebuild, stream_histories
from casino.events.sql import execute, fetch
from wallet.ledger.recording import event_group
from wallet.responsible_gaming.events import PlayerRequestEvent, ResponsibleGamingEvent
from wallet.responsible_gaming.postings import entry_for
from wallet.responsible_gaming.state import OperatorLimitsState, PlayerRestrictionsState, fold, fold_operator_limits
from wallet.responsible_gaming.usage import PLAYED, TURNOVER

RESTRICTIONS_TABLE: Final = "wallet_playerrestrictions"
OPERATOR_LIMITS_TABLE: Final = "wallet_operatorlimits"
RESPONSIBLE_GAMING_EVENTS: Final = event_group(ResponsibleGamingEvent | PlayerRequestEvent, entry_for)
_protection: Final = msgspec.json.Decoder(PlayerRestrictionsState).decode
_house: Final = msgspec.json.Decoder(OperatorLimitsState).decode

_FIRST_OF_PLAYER: Final = ("PlayLimitSet", "CoolingOffStarted", "SelfExcluded", "RealityCheckSet", "PlayerBlocked")
_FIRST_OF_OPERATOR: Final = ("OperatorLimitSet", "PlayMoneyCapSet")
_SAVE: Final = """
    INSERT INTO wallet_playerrestrictions (player_id, operator_id, state, limit_types, excluded_until, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET state = excluded.state, limit_types = excluded.limit_types, excluded_until = excluded.excluded_until,
        version = excluded.version
"""
_SAVE_HOUSE: Final = """
    INSERT INTO wallet_operatorlimits (operator_id, currency, state, limit_types, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s)
    ON CONFLICT (operator_id) DO UPDATE
    SET currency = excluded.currency, state = excluded.state, limit_types = excluded.limit_types, version = excluded.version
"""
_LOAD: Final = "SELECT state::text, version FROM wallet_playerrestrictions WHERE player_id = %s AND operator_id = %s"
_ALL: Final = "SELECT player_id, operator_id, state::text, version FROM wallet_playerrestrictions"
_ALL_HOUSES: Final = "SELECT operator_id, currency, state::text, version FROM wallet_operatorlimits"
_LOAD_HOUSE: Final = "SELECT state::text, version FROM wallet_operatorlimits WHERE operator_id = %s"


def save_restrictions(*, operator: UUID, player: UUID, state: PlayerRestrictionsState, version: int) -> None:
    """Add a player's row or bring it up to date."""
    until = None if state.exclusion is None else state.exclusion.until
    execute(_SAVE, [player, operator, encode(state).decode(), _limit_types(state), until, version])


def save_operator_limits(*, operator: UUID, currency: str, state: OperatorLimitsState, version: int) -> None:
    """Add an operator's row or bring it up to date."""
    execute(_SAVE_HOUSE, [operator, currency, encode(state).decode(), _limit_types(state), version])


def load_restrictions(*, operator: UUID, player: UUID) -> tuple[PlayerRestrictionsState, int]:
    """Read what protects a player, with the version of its stream: nothing and 0 where nothing was said."""
    found = fetch(_LOAD, [player, operator])
    return (decode_restrictions(found[0][0]), found[0][1]) if found else (PlayerRestrictionsState(), 0)


def load_operator_limits(*, operator: UUID) -> tuple[OperatorLimitsState, int]:
    """Read what holds for an operator's players, with the version of its stream."""
    found = fetch(_LOAD_HOUSE, [operator])
    return (decode_operator_limits(found[0][0]), found[0][1]) if found else (OperatorLimitsState(), 0)


def decode_restrictions(text: str | None) -> PlayerRestrictionsState:
    """Read a stored state, None for none."""
    return PlayerRestrictionsState() if text is None else _protection(text)


def decode_operator_limits(text: str | None) -> OperatorLimitsState:
    """Read a stored state, None for none."""
    return OperatorLimitsState() if text is None else _house(text)


def load_all_restrictions() -> dict[UUID, tuple[UUID, PlayerRestrictionsState, int]]:
    """Read every player's row: operator, state, version."""
    return {player: (operator, decode_restrictions(state), version) for player, operator, state, version in fetch(_ALL)}


def load_all_operator_limits() -> dict[UUID, tuple[str, OperatorLimitsState, int]]:
    """Read every operator's row: currency, state, version."""
    return {
        operator: (currency, decode_operator_limits(state), version)
        for operator, currency, state, version in fetch(_ALL_HOUSES)
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
