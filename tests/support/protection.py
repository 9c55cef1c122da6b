"""Limits and exclusions, set on players of a house on a real database; and time that passes for what they played."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from casino.events.sql import execute, fetch
from tests.support.house import House
from wallet.responsible_gaming import projection, services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import PlayerRestrictionsState


def on(house: House, player: UUID) -> PlayerContext:
    return PlayerContext(operator=house.operator, player=player, currency="EUR", metadata=house.metadata)


def limited(
    house: House, player: UUID, measure: LimitType, most: int | None, period: LimitPeriod = LimitPeriod.DAY
) -> PlayerRestrictionsState:
    """Set the player's own limit, in cents or minutes."""
    return services.set_limit(
        context=on(house, player), by=Initiator.PLAYER, limit_type=measure, period=period, limit=most
    )


def all_limited(house: House, measure: LimitType, most: int | None, period: LimitPeriod = LimitPeriod.DAY) -> None:
    """Set the operator's limit on all its players."""
    services.set_operator_wide_limit(
        operator=house.operator, currency="EUR", limit_type=measure, period=period, limit=most, metadata=house.metadata
    )


def away(house: House, player: UUID, hours: int = 24) -> PlayerRestrictionsState:
    return services.cool_off(context=on(house, player), by=Initiator.PLAYER, hours=hours)


def age_play(player: UUID, by: timedelta) -> None:
    """Move what a player has staked, lost and played back in time."""
    execute(
        "UPDATE wallet_turnover SET at = at - %s"
        " WHERE account_id IN (SELECT id FROM wallet_account WHERE player_id = %s)",
        [by, player],
    )
    execute("UPDATE wallet_played SET slot = slot - %s WHERE player_id = %s", [by, player])


def age_wishes(player: UUID, by: timedelta) -> None:
    """Move requests for higher limits and the start of exclusions back in time."""
    ((operator, text, version),) = fetch(
        "SELECT operator_id, state::text, version FROM wallet_playerrestrictions WHERE player_id = %s", [player]
    )
    state = projection.decode_restrictions(text)
    aged = replace(
        state,
        pending_increases=tuple(_earlier(each, by) for each in state.pending_increases),
        own_exclusion=state.own_exclusion and _earlier(state.own_exclusion, by),
        house_exclusion=state.house_exclusion and _earlier(state.house_exclusion, by),
    )
    projection.save_restrictions(operator=operator, player=player, state=aged, version=version)


def _earlier(value: Any, by: timedelta) -> Any:
    moments = {
        name: getattr(value, name) - by for name in value.__slots__ if isinstance(getattr(value, name), datetime)
    }
    others = {name: getattr(value, name) for name in value.__slots__ if name not in moments}
    return type(value)(**others, **moments)
