"""The rounds of an operator that can have a part in an interval, found without reading another operator's."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from casino.events.sql import fetch


def _first_id(moment: str) -> str:
    """Return the SQL of the lowest round id of a moment: ids begin with their milliseconds."""
    return f"rpad(lpad(to_hex(floor(extract(epoch FROM {moment}) * 1000)::bigint), 12, '0'), 32, '0')::uuid"


_BEGIN: Final = _first_id("%(since)s::timestamptz - interval '1 day'")
_END: Final = _first_id("%(until)s::timestamptz + interval '1 day'")
OPENED: Final = f"operator_id = %(operator)s AND id >= {_BEGIN} AND id < {_END}"
"""The condition of rounds that opened in an interval, with a day more on both sides."""
VOIDED: Final = "operator_id = %(operator)s AND flag = 'voided'"
PLAYED: Final = f"""
    SELECT id FROM baccarat_round WHERE {OPENED}
     UNION
    SELECT last.id FROM baccarat_table AS own CROSS JOIN LATERAL (
           SELECT round.id FROM baccarat_round AS round WHERE round.table_id = own.id AND round.id < {_BEGIN}
            ORDER BY round.number DESC LIMIT 1) AS last
     WHERE own.operator_id = %(operator)s
"""  # noqa: S608  (constants)
"""The ids of rounds that were open in an interval: a table has one at a time, so of those before only the last."""
_WAGERS: Final = """
    SELECT event.id, wager.id FROM events_event event
      JOIN baccarat_wager wager ON wager.round_id = substr(event.stream, 7)::uuid AND wager.player_id = %s
     WHERE event.id = ANY (%s::bigint[])
"""


def wagers_of(causes: Sequence[int], player: UUID | None) -> dict[int, UUID]:
    """Return the wagers of a player that events of rounds are about, by the events' ids."""
    return dict(fetch(_WAGERS, [player, list(causes)]))
