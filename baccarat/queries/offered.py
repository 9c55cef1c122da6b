"""Which tables are for a caller: a brand's players and keys see those for all, and those for their brand.

A player also sees a table, with its rounds, at which they have had a seat.
"""

from functools import lru_cache
from typing import Final
from uuid import UUID

from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.state import TableState
from casino.events.sql import fetch
from casino.operators import brands
from casino.operators.models import Player
from casino.operators.principals import OperatorPrincipal, Principal
from casino.operators.refusals import UnknownPlayer

_TABLE: Final = "SELECT operator_id, string_to_array(brands, ',')::uuid[] FROM baccarat_table WHERE id = %s"
_ROUND: Final = "SELECT table_id FROM baccarat_round WHERE id = %s"
_SEATED: Final = "SELECT FROM baccarat_sitting WHERE id = %s"
_CACHED: Final = 4096


def brand_of(caller: Principal) -> UUID | None:
    """Return the brand under which a caller plays or asks, if any."""
    return None if caller.brand is None else caller.brand.id


def lobby_owner(caller: Principal, player: UUID | None) -> tuple[UUID | None, UUID | None]:
    """Return whose lobby a caller asks for, None for the operator's, and the brand under which its tables are offered.

    Raises UnknownPlayer.
    """
    if not isinstance(caller, OperatorPrincipal):
        if player not in {None, caller.player}:
            raise UnknownPlayer
        return caller.player, brand_of(caller)
    if player is None:
        return None, brand_of(caller)
    brands.require_player(caller, player)
    own = list(Player.objects.filter(operator_id=caller.operator, id=player).values_list("brand_id", flat=True))
    if not own:
        raise UnknownPlayer
    return player, brand_of(caller) or own[0]


def require_offered(caller: Principal, *, table: UUID | None = None, round_: UUID | None = None) -> None:
    """Check that a table, and a round, are for a caller; for an operator's own key all are.

    Raises UnknownTable, UnknownRound: what is another brand's is as unknown as what never was.
    """
    if isinstance(caller, OperatorPrincipal) and caller.brand is None:
        return
    if table is not None and not _is_offered(caller, table):
        raise UnknownTable
    try:
        offered = round_ is None or _is_offered(caller, _table_of(round_))
    except LookupError:
        offered = False
    if not offered:
        raise UnknownRound


def _is_offered(caller: Principal, table: UUID) -> bool:
    """Return whether a table is for a caller, who may be a player that has had a seat there."""
    try:
        operator, brands = _audience(table)
    except LookupError:
        return False
    if operator != caller.operator:
        return False
    if not brands or brand_of(caller) in brands:
        return True
    return not isinstance(caller, OperatorPrincipal) and bool(fetch(_SEATED, [f"{table}/{caller.player}"]))


@lru_cache(maxsize=_CACHED)
def _audience(table: UUID) -> tuple[UUID, frozenset[UUID]]:
    """Return a table's operator and brands, which never change. Raises LookupError, which is not remembered."""
    rows = fetch(_TABLE, [table])
    if not rows:
        raise LookupError(table)
    operator, brands = rows[0]
    return operator, frozenset(brands)


@lru_cache(maxsize=_CACHED)
def _table_of(round_: UUID) -> UUID:
    """Return a round's table. Raises LookupError, which is not remembered."""
    rows = fetch(_ROUND, [round_])
    if not rows:
        raise LookupError(round_)
    table: UUID = rows[0][0]
    return table


def is_seated_or_offered(state: TableState, *, player: UUID, brand: UUID | None) -> bool:
    """Return whether a player has a seat at a table, or may take one under this brand."""
    brands = state.require_opened().brands
    return not brands or brand in brands or state.seat_of(player) is not None
