"""Reads of players. Every query names the operator."""

from uuid import UUID

from casino.crypto import crypto_shredding
from casino.operators.models import Player
from casino.operators.refusals import UnknownPlayer


def find_player(*, operator: UUID, player: UUID) -> Player:
    """Return an operator's player. Raises UnknownPlayer, also for another operator's."""
    found = Player.objects.filter(operator_id=operator, id=player).first()
    if found is None:
        raise UnknownPlayer
    crypto_shredding.decrypt_rows([found])
    return found


def require_player(*, operator: UUID, player: UUID) -> None:
    """Check that an operator has this player, without decrypting personal data. Raises UnknownPlayer."""
    if not Player.objects.filter(operator_id=operator, id=player).exists():
        raise UnknownPlayer


def list_players(*, operator: UUID, after: UUID | None, limit: int) -> list[Player]:
    """List an operator's players in the order they were registered, after this id."""
    players = Player.objects.filter(operator_id=operator)
    if after is not None:
        players = players.filter(id__gt=after)
    found = list(players.order_by("id")[:limit])
    crypto_shredding.decrypt_rows(found)
    return found
