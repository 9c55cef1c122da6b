"""Which tables are for a caller: a brand's players and keys see those for all, and those for their brand.

A player also sees a table, with its rounds, at which they have had a seat.
"""

from typing import Final
from uuid import UUID

from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.state import TableState
from casino.events.sql import fetch
from casino.operators.principals import OperatorPrincipal, Principal

_OFFERED: Final = """
kept.operator_id = %(operator)s AND (
    kept.brands = '' OR %(brand)s::text = ANY (string_to_array(kept.brands, ','))
    OR EXISTS (SELECT FROM baccarat_sitting WHERE id = kept.id || '/' || %(player)s::text))
"""
_TABLE: Final = f"SELECT FROM baccarat_table AS kept WHERE kept.id = %(table)s AND {_OFFERED}"
_ROUND: Final = f"""
SELECT FROM baccarat_round AS round JOIN baccarat_table AS kept ON kept.id = round.table_id
WHERE round.id = %(round)s AND {_OFFERED}
"""


def brand_of(caller: Principal) -> UUID | None:
    """Return the brand under which a caller plays or asks, if any."""
    return None if caller.brand is None else caller.brand.id


def require_offered(caller: Principal, *, table: UUID | None = None, round_: UUID | None = None) -> None:
    """Check that a table, and a round, are for a caller; for an operator's own key all are.

    Raises UnknownTable, UnknownRound: what is another brand's is as unknown as what never was.
    """
    if isinstance(caller, OperatorPrincipal):
        if caller.brand is None:
            return
        player = None
    else:
        player = caller.player
    who = {"operator": caller.operator, "brand": brand_of(caller), "player": player}
    if table is not None and not fetch(_TABLE, {**who, "table": table}):
        raise UnknownTable
    if round_ is not None and not fetch(_ROUND, {**who, "round": round_}):
        raise UnknownRound


def is_seated_or_offered(state: TableState, *, player: UUID, brand: UUID | None) -> bool:
    """Return whether a player has a seat at a table, or may take one under this brand."""
    brands = state.require_opened().brands
    return not brands or brand in brands or state.seat_of(player) is not None
