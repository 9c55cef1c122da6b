"""What protects players as rows: projections of the streams protection-{player} and house-{operator}."""

from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events.sql import execute, fetch
from wallet.responsible_gaming.state import House, Protection

PLAYERS: Final = "wallet_protection"
HOUSES: Final = "wallet_house"
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_protection: Final = msgspec.json.Decoder(Protection).decode
_house: Final = msgspec.json.Decoder(House).decode

_SAVE: Final = """
    INSERT INTO wallet_protection (player_id, operator_id, state, measures, excluded_until, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET state = excluded.state, measures = excluded.measures, excluded_until = excluded.excluded_until,
        version = excluded.version
"""
_SAVE_HOUSE: Final = """
    INSERT INTO wallet_house (operator_id, currency, state, measures, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s)
    ON CONFLICT (operator_id) DO UPDATE
    SET currency = excluded.currency, state = excluded.state, measures = excluded.measures, version = excluded.version
"""
_LOAD: Final = "SELECT state::text, version FROM wallet_protection WHERE player_id = %s AND operator_id = %s"
_ALL: Final = "SELECT player_id, operator_id, state::text, version FROM wallet_protection"
_ALL_HOUSES: Final = "SELECT operator_id, currency, state::text, version FROM wallet_house"
_LOAD_HOUSE: Final = "SELECT state::text, version FROM wallet_house WHERE operator_id = %s"


def save(*, operator: UUID, player: UUID, state: Protection, version: int) -> None:
    """Add a player's row or bring it up to date."""
    until = None if state.exclusion is None else state.exclusion.until
    execute(_SAVE, [player, operator, _encode(state).decode(), _measures(state), until, version])


def save_house(*, operator: UUID, currency: str, state: House, version: int) -> None:
    """Add an operator's row or bring it up to date."""
    execute(_SAVE_HOUSE, [operator, currency, _encode(state).decode(), _measures(state), version])


def load(*, operator: UUID, player: UUID) -> tuple[Protection, int]:
    """Read what protects a player, with the version of its stream: nothing and 0 where nothing was said."""
    found = fetch(_LOAD, [player, operator])
    return (protection(found[0][0]), found[0][1]) if found else (Protection(), 0)


def load_house(*, operator: UUID) -> tuple[House, int]:
    """Read what holds for an operator's players, with the version of its stream."""
    found = fetch(_LOAD_HOUSE, [operator])
    return (house(found[0][0]), found[0][1]) if found else (House(), 0)


def protection(text: str | None) -> Protection:
    """Read a stored state, None for none."""
    return Protection() if text is None else _protection(text)


def house(text: str | None) -> House:
    """Read a stored state, None for none."""
    return House() if text is None else _house(text)


def all_players() -> dict[UUID, tuple[UUID, Protection, int]]:
    """Read every player's row: operator, state, version."""
    return {player: (operator, protection(state), version) for player, operator, state, version in fetch(_ALL)}


def all_houses() -> dict[UUID, tuple[str, House, int]]:
    """Read every operator's row: currency, state, version."""
    return {operator: (currency, house(state), version) for operator, currency, state, version in fetch(_ALL_HOUSES)}


def _measures(state: Protection | House) -> list[Any]:
    return sorted({limit.measure.value for limit in state.limits})
