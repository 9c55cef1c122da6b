"""Redacts events of tables and rounds for a viewer. Pure."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

SPECTATOR: Final = UUID(int=0)
"""The viewer who only watches: no player has this id."""

STAFF_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "RoundSuspended": ("reason",),
    "RoundResumed": ("by",),
    "RulesDrafted": ("rules", "returns", "return_floor", "acknowledgement", "reason", "by"),
    "RulesRejected": ("reason", "by"),
    "RulesPublished": ("drafted_by", "by"),
    "RulesRetired": ("reason", "by"),
    "PlayStopped": ("by", "reason"),
    "PlayResumed": ("by", "reason"),
    "TableClosureAnnounced": ("by", "reason"),
    "TableClosed": ("by", "reason"),
    "RoundVoided": ("requested_by", "approved_by", "note"),
    "ChatMessageSent": ("operator", "digest"),
    "WagerNotTaken": ("operator",),
    "ComplaintAnswered": ("operator",),
    "CardsForced": ("cards",),
}
"""Fields that no player sees: which member of staff acted, and staff texts."""

PLAYER_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "SeatTaken": ("buy_in",),
    "Rebought": ("amount",),
    "SeatLeft": ("returned", "commission_collected"),
    "SeatReleased": ("returned", "commission_collected", "last_seen_at"),
}
"""Fields that only the event's own player sees: money brought to the table or taken from it."""

PER_PLAYER_LISTS: Final[Mapping[str, str]] = {"RoundVoided": "seats", "ShoeEnded": "collected"}
"""Lists of which each player sees only their own entries."""


def redact_for(*, type: str, data: Mapping[str, Any], viewer: UUID | None) -> dict[str, Any]:  # noqa: A002  (the name in the log)
    """Return recorded data as `viewer` may see it: all for an operator (None), nothing of other players for a player.

    `data` is the event as JSON has it; amounts are unchanged. SPECTATOR sees what everyone at the table may see.
    """
    if viewer is None:
        return dict(data)
    own = str(viewer)
    hidden = set(STAFF_ONLY.get(type, ()))
    if data.get("player") != own:
        hidden.update(PLAYER_ONLY.get(type, ()))
    visible = {name: value for name, value in data.items() if name not in hidden}
    lines = PER_PLAYER_LISTS.get(type)
    if lines is not None:
        visible[lines] = [line for line in visible[lines] if line["player"] == own]
    redacted: dict[str, Any] = _without_others(visible, own)
    return redacted


def mentioned_players(data: Any) -> set[str]:
    """Return the ids of all players that an event names, anywhere in its data."""
    players: set[str] = set()
    _collect_players(data, players)
    return players


def _without_others(value: Any, viewer: str) -> Any:
    if isinstance(value, list):
        return [_without_others(item, viewer) for item in value]
    if isinstance(value, dict):
        return {
            name: _without_others(item, viewer) for name, item in value.items() if not _is_other(name, item, viewer)
        }
    return value


def _is_other(name: str, item: Any, viewer: str) -> bool:
    """Return whether the item is another player's id; a stake on the spot `player` is an amount, not an id."""
    return name == "player" and isinstance(item, str) and item != viewer


def _collect_players(value: Any, players: set[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect_players(item, players)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == "player" and isinstance(item, str):
                players.add(item)
            elif isinstance(item, (dict, list)):
                _collect_players(item, players)
