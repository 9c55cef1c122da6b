"""Players' preferences: one row each, replaced whole. A player who never changed them has the defaults."""

from typing import Annotated, Any, Final
from uuid import UUID

from django.db.models import Case, F, When
from msgspec import Meta

from baccarat.storage.models import PlayerPreferences, Style
from casino.api.shapes import Shape

__all__ = ["Preferences", "Style", "load_preferences", "save_preferences"]


class Preferences(Shape):
    """A player's preferences."""

    sound: bool
    voice: bool
    animation: Annotated[bool, Meta(description="As chosen: it holds from the next session on.")]
    animation_in_session: Annotated[bool, Meta(description="As it holds in this session.")]
    full_screen: bool
    instant: bool
    style: Style


_CHOICES: Final = tuple(name for name in Preferences.__struct_fields__ if name != "animation_in_session")


def load_preferences(*, player: UUID, session: bytes) -> Preferences:
    """Return a player's preferences as they are in this session."""
    row = PlayerPreferences.objects.filter(pk=player).first() or PlayerPreferences(changed_in=b"")
    changed_now = bytes(row.changed_in) == session
    choices = {name: getattr(row, name) for name in _CHOICES}
    return Preferences(
        **{**choices, "style": Style(row.style)},
        animation_in_session=row.animation_at_entry if changed_now else row.animation,
    )


def save_preferences(*, operator: UUID, player: UUID, session: bytes, choices: dict[str, Any]) -> Preferences:
    """Replace a player's preferences; sending the same ones again changes nothing."""
    at_entry = Case(When(changed_in=session, then=F("animation_at_entry")), default=F("animation"))
    newcomer = PlayerPreferences(player_id=player, operator_id=operator, changed_in=session)
    PlayerPreferences.objects.bulk_create([newcomer], ignore_conflicts=True)
    PlayerPreferences.objects.filter(pk=player).update(animation_at_entry=at_entry, changed_in=session, **choices)
    return load_preferences(player=player, session=session)
