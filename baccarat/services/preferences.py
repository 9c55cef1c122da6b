"""Players' preferences: one row each, replaced as a whole. Players without a row have the defaults."""

from typing import Any
from uuid import UUID

from django.db.models import Case, F, When

from baccarat.storage.models import PlayerPreferences, Style

__all__ = ["PlayerPreferences", "Style", "load_preferences", "save_preferences"]


def load_preferences(*, player: UUID) -> PlayerPreferences:
    return PlayerPreferences.objects.filter(pk=player).first() or PlayerPreferences(player_id=player, changed_in=b"")


def save_preferences(*, operator: UUID, player: UUID, session: bytes, choices: dict[str, Any]) -> PlayerPreferences:
    """Replace a player's preferences. Saving the same values again changes nothing."""
    at_entry = Case(When(changed_in=session, then=F("animation_at_entry")), default=F("animation"))
    newcomer = PlayerPreferences(player_id=player, operator_id=operator, changed_in=session)
    PlayerPreferences.objects.bulk_create([newcomer], ignore_conflicts=True)
    PlayerPreferences.objects.filter(pk=player).update(animation_at_entry=at_entry, changed_in=session, **choices)
    return load_preferences(player=player)
