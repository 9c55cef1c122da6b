"""Players' preferences: one row each, replaced as a whole. Players without a row have the defaults."""

from typing import Any
from uuid import UUID

from baccarat.domain.tables.refusals import NicknameConfusable
from baccarat.queries.nicknames import nickname_is_confusable
from baccarat.storage.models import PlayerPreferences, Style
from casino.operators.services import check_nickname, find_player

__all__ = ["PlayerPreferences", "Style", "load_preferences", "save_preferences"]


def load_preferences(*, player: UUID) -> PlayerPreferences:
    return PlayerPreferences.objects.filter(pk=player).first() or PlayerPreferences(player_id=player)


def save_preferences(*, operator: UUID, player: UUID, choices: dict[str, Any]) -> PlayerPreferences:
    """Replace a player's preferences. Saving the same values again changes nothing.

    Refuses to begin to show a nickname that other players must not see, or could take for that of somebody at the
    player's tables (NicknameConfusable).
    """
    if choices["show_nickname"] and not load_preferences(player=player).show_nickname:
        nickname = find_player(operator=operator, player=player).nickname
        check_nickname(operator=operator, nickname=nickname)
        if nickname_is_confusable(nickname, player=player):
            raise NicknameConfusable
    row = PlayerPreferences(player_id=player, operator_id=operator, **choices)
    PlayerPreferences.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["player_id"], update_fields=[*choices]
    )
    return row
