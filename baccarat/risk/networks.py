"""From which networks players follow tables, as keyed digests: whether two players share one can be asked, no more."""

import hmac
from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.http import HttpRequest

from casino.api.client_ip import client_network
from casino.crypto.derived_keys import derive_keys
from casino.events.sql import execute, fetch

_PURPOSE: Final = b"casino.risk.networks.v1"
# A stream opens while a standby is away, so this commit does not wait for it; the row may be lost.
_REMEMBER: Final = """
    WITH unconfirmed AS (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO risk_playernetwork AS stored (player_id, network) SELECT %s::uuid, %s::bytea FROM unconfirmed
    ON CONFLICT (player_id, network) DO UPDATE SET last_used_at = clock_timestamp()
     WHERE stored.last_used_at < clock_timestamp() - interval '1 hour'
"""
_SHARED: Final = """
    SELECT DISTINCT pair.one, pair.other
      FROM unnest(%s::uuid[], %s::uuid[]) AS pair (one, other)
      JOIN risk_playernetwork AS used ON used.player_id = pair.one
      JOIN risk_playernetwork AS shared ON shared.player_id = pair.other AND shared.network = used.network
"""
_OTHERS: Final = """
    SELECT DISTINCT shared.player_id, player.operator_id FROM risk_playernetwork AS used
      JOIN risk_playernetwork AS shared ON shared.network = used.network AND shared.player_id <> used.player_id
      JOIN operators_player AS player ON player.id = shared.player_id
     WHERE used.player_id = %(player)s
       AND (%(operators)s::uuid[] IS NULL OR player.operator_id = ANY (%(operators)s::uuid[]))
     ORDER BY 1 LIMIT %(limit)s
"""


def remember(*, player: UUID, request: HttpRequest) -> None:
    """Record the network that a player's request comes from, if it is known."""
    address = client_network(request)
    if address is not None:
        execute(_REMEMBER, [player, digest(address)])


def digest(address: str) -> bytes:
    """Return the digest of a network's address."""
    return hmac.digest(derive_keys(_PURPOSE)[0], address.encode(), "sha256")


def sharing(pairs: list[tuple[UUID, UUID]]) -> set[tuple[UUID, UUID]]:
    """Return the pairs of players who used the same network."""
    return set(fetch(_SHARED, [[one for one, _ in pairs], [other for _, other in pairs]])) if pairs else set()


def players_nearby(player: UUID, *, operators: Collection[UUID] | None, limit: int) -> list[tuple[UUID, UUID]]:
    """Return other players of these operators (None: all) who used a network of this player, with their operators."""
    wanted = None if operators is None else list(operators)
    return fetch(_OTHERS, {"player": player, "operators": wanted, "limit": limit})
