"""Nicknames that players have chosen to show to others."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.sql import fetch

_SHOWN: Final = """
SELECT player.id, player.nickname, player.reference
FROM baccarat_playerpreferences AS preferences JOIN operators_player AS player ON player.id = preferences.player_id
WHERE preferences.player_id = ANY (%s::uuid[]) AND preferences.show_nickname
"""
_OWN: Final = "SELECT nickname FROM operators_player WHERE id = %s"


def shown_nicknames(*, players: Collection[UUID]) -> dict[UUID, str]:
    """Map players to the nicknames that others may see: of those who opted in, never the operator's reference.

    One query, and one more for the keys where anybody opted in.
    """
    rows = fetch(_SHOWN, [list(players)]) if players else []
    texts = crypto_shredding.decrypt_many([text for _, *encrypted in rows for text in encrypted])
    return {
        player: nickname
        for (player, *_), nickname, reference in zip(rows, texts[::2], texts[1::2], strict=True)
        if nickname and reference and nickname != crypto_shredding.ERASED
        if nickname.casefold() != reference.casefold()
    }


def own_nickname(*, player: UUID) -> str:
    """Return the nickname that a player's operator registered."""
    return crypto_shredding.decrypt_text(fetch(_OWN, [player])[0][0])
