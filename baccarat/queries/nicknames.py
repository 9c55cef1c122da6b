"""Nicknames that players have chosen to show to others."""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final
from uuid import UUID

from baccarat.queries.table_view import Place
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.kernel.lookalikes import looks

# Those who sit at the tables in the order in which they took their seats, then those who left.
_SHOWN: Final = """
SELECT sitting.table_id, sitting.player_id, player.nickname, player.reference
FROM baccarat_sitting AS sitting
JOIN baccarat_playerpreferences AS preferences ON preferences.player_id = sitting.player_id
JOIN operators_player AS player ON player.id = sitting.player_id
WHERE preferences.show_nickname AND (
    sitting.table_id = ANY (%s::uuid[]) AND sitting.seat IS NOT NULL OR sitting.id = ANY (%s::text[]))
ORDER BY sitting.seat IS NULL, sitting.at, sitting.id
"""
_BESIDE: Final = """
SELECT other.table_id, other.player_id, other.seat FROM baccarat_sitting AS own JOIN baccarat_sitting AS other
    ON other.table_id = own.table_id AND other.seat IS NOT NULL AND other.id <> own.id
WHERE own.player_id = %s AND own.seat IS NOT NULL
"""
_OWN: Final = "SELECT nickname FROM operators_player WHERE id = %s"
_ENDS_LIKE_A_SEAT: Final = re.compile("(?<=\\S)\\s*[·•∙⋅‧・･⸱]\\s*[\\dIlOo|]{1,2}$")


def shown_nicknames(*, places: Collection[Place]) -> dict[Place, str]:
    """Map places to the nicknames that others may see: of players who opted in, never the operator's reference.

    One that could be taken for that of somebody who sat down at the table earlier has the seat added. One query, and
    one more for the keys where anybody opted in.
    """
    names: dict[tuple[UUID, UUID], tuple[str, bool]] = {}
    taken: dict[UUID, set[str]] = {}
    for table, player, nickname in _shown(places):
        plain = _ENDS_LIKE_A_SEAT.sub("", nickname)
        others, forms = taken.setdefault(table, set()), looks(plain)
        names[table, player] = nickname, plain == nickname and others.isdisjoint(forms)
        others |= forms
    shown = {}
    for table, player, seat in places:
        if (table, player) in names:
            nickname, is_plain = names[table, player]
            shown[table, player, seat] = nickname if is_plain else f"{nickname} · {seat}"
    return shown


def nickname_is_confusable(nickname: str, *, player: UUID) -> bool:
    """Tell whether a nickname could be taken for one that is shown beside the player, at any table."""
    beside = [(table, other, seat) for table, other, seat in fetch(_BESIDE, [player])]
    return any(not looks(nickname).isdisjoint(looks(shown)) for _, other, shown in _shown(beside) if other != player)


def own_nickname(*, player: UUID) -> str:
    """Return the nickname that a player's operator registered."""
    return crypto_shredding.decrypt_text(fetch(_OWN, [player])[0][0])


def _shown(places: Collection[Place]) -> Iterator[tuple[UUID, UUID, str]]:
    """Yield tables, players and the nicknames they show: of those who sit at the tables, then of others in places."""
    tables, ids = {table for table, *_ in places}, [f"{table}/{player}" for table, player, _ in places]
    rows: list[Any] = fetch(_SHOWN, [list(tables), ids]) if places else []
    texts = crypto_shredding.decrypt_many([text for _, _, *encrypted in rows for text in encrypted])
    for (table, player, *_), nickname, reference in zip(rows, texts[::2], texts[1::2], strict=True):
        erased = crypto_shredding.ERASED in {nickname, reference}
        if nickname and reference and not erased and nickname.casefold() != reference.casefold():
            yield table, player, nickname
