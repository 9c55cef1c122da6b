"""Reads which tables use or need witnesses' chains, and the chains' headers and ends from the tables' events."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from baccarat.domain.tables.state import OpenClosing, TableState
from baccarat.storage import projections
from baccarat.storage.event_registry import CATALOGUE
from casino.events.sql import fetch
from casino.witness.client import SignedHeader
from casino.witness.statements import ChainHeader

_HEADERS: Final = (
    "SELECT type, schema, data::text FROM events_event WHERE type = 'WitnessChainOpened' AND stream = ANY (%s::text[])"
)
_ENDED: Final = (
    "SELECT type, schema, data::text FROM events_event WHERE type = 'WitnessChainsReplaced' "
    "AND stream = ANY (%s::text[])"
)
_WITHOUT_CHAIN: Final = """
SELECT id, operator_id FROM baccarat_table, LATERAL (
    SELECT count(DISTINCT chain->>'release_key') AS witnesses, bool_or(chain->>'release_key' = %(key)s) AS is_own,
           bool_or(chain->>'release_key' = %(key)s
               AND (chain->>'next_index')::bigint < (chain->>'size')::bigint * (1 - %(part)s::float8)) AS has_many
      FROM jsonb_array_elements((state->'chains')::jsonb) AS chain) AS used
 WHERE NOT (state->>'closed')::boolean AND has_many IS NOT TRUE AND (is_own OR witnesses < %(wanted)s)
 ORDER BY id LIMIT %(limit)s
"""
_WITH_CHAIN: Final = """
SELECT id, operator_id, state::text FROM baccarat_table
 WHERE NOT (state->>'closed')::boolean
   AND (state->'chains')::jsonb @> jsonb_build_array(jsonb_build_object('release_key', %s::text)) ORDER BY id LIMIT %s
"""
_WAITING: Final = """
SELECT kept.id, kept.operator_id, kept.state::text
  FROM baccarat_duetable AS due JOIN baccarat_table AS kept ON kept.id = due.table_id
 WHERE due.links_due_at <= statement_timestamp() - %s ORDER BY due.links_due_at LIMIT 50
"""
_STANDING: Final = """
SELECT kept.id, array(SELECT chain->>'release_key' FROM jsonb_array_elements((kept.state->'chains')::jsonb) AS chain),
       due.links_due_at,
       CASE WHEN kept.round_state->>'phase' = 'closed' AND kept.round_state #>> '{releases}' = '[]'
            THEN (kept.round_state->>'closed_at')::timestamptz END
  FROM baccarat_table AS kept JOIN baccarat_duetable AS due ON due.table_id = kept.id
"""
_UNANSWERED: Final = f"{_STANDING} WHERE due.links_due_at < statement_timestamp() - make_interval(secs => %s)"
_USING: Final = f"""{_STANDING} WHERE NOT (kept.state->>'closed')::boolean AND EXISTS (
    SELECT FROM jsonb_array_elements((kept.state->'chains')::jsonb) AS chain
     WHERE chain->>'release_key' = ANY (%s::text[]))"""
_LATE: Final = """
SELECT id, state::text FROM baccarat_table
 WHERE (state->'open_closings')::jsonb @> '[{"is_late": true}]' ORDER BY id LIMIT 256
"""


class WaitingTable(NamedTuple):
    """A table, the release keys of its witnesses, when their links were due, and when its round closed if it waits."""

    table: UUID
    release_keys: Sequence[str]
    links_due_at: datetime | None
    closed_at: datetime | None


_known: Final[dict[str, SignedHeader]] = {}
"""Headers of the chains that this process has sent closings for, by chain id in hex. None ever changes."""


def headers_for(closings: Mapping[UUID, Sequence[OpenClosing]]) -> Mapping[str, SignedHeader]:
    """Return the headers of the chains that closings of tables wait for, by chain id in hex; others may be with them.

    Reads nothing for a table whose chains are known: its stream grows with every seat taken.
    """
    unknown = [
        table
        for table, waiting in closings.items()
        if not all(place.chain in _known for each in waiting for place in each.witnesses)
    ]
    if unknown:
        _known.update(read_headers(unknown))
    return _known


def read_headers(tables: Sequence[UUID]) -> dict[str, SignedHeader]:
    """Return the headers of all chains of these tables, by chain id in hex."""
    headers = {}
    for row in fetch(_HEADERS, [[f"table-{table}" for table in tables]]):
        event = CATALOGUE.decode(*row)
        header = ChainHeader.parse(bytes.fromhex(event.header))
        headers[header.chain.hex()] = SignedHeader(header, bytes.fromhex(event.signature))
    return headers


def read_replaced(tables: Sequence[UUID]) -> set[str]:
    """Return the chains of these tables that are not used any more, because their witness was replaced."""
    events = (CATALOGUE.decode(*row) for row in fetch(_ENDED, [[f"table-{table}" for table in tables]]))
    return {each.chain for event in events for each in event.ended}


def list_without_chain(release_key: str, part: float, wanted: int, limit: int) -> list[tuple[UUID, UUID]]:
    """Return tables, with their operators, that have no chain of a witness with more than this part of it left.

    Tables that have never used this witness are among them if they have fewer witnesses than wanted.
    """
    values = {"key": release_key, "part": part, "wanted": wanted, "limit": limit}
    return [(table, operator) for table, operator in fetch(_WITHOUT_CHAIN, values)]


def list_with_chain(release_key: str, limit: int) -> list[tuple[UUID, UUID, TableState]]:
    """Return tables that use a chain of a witness, with their operators and states."""
    return _states(fetch(_WITH_CHAIN, [release_key, limit]))


def list_waiting(limit: timedelta) -> list[tuple[UUID, UUID, TableState]]:
    """Return tables that have waited for links for longer than a limit, with their operators and states."""
    return _states(fetch(_WAITING, [limit]))


def list_standing(silent: Sequence[str], seconds: float) -> list[WaitingTable]:
    """Return tables whose links have been due for so long, and those that use a witness with one of these keys."""
    rows = fetch(_UNANSWERED, [seconds]) + (fetch(_USING, [list(silent)]) if silent else [])
    return list({row[0]: WaitingTable(*row) for row in rows}.values())


def read_late_closings() -> dict[UUID, tuple[OpenClosing, ...]]:
    """Return the closings of tables at some of which a replaced witness was waited for."""
    return {table: projections.decode_table(state).open_closings for table, state in fetch(_LATE)}


def _states(rows: Sequence[tuple[UUID, UUID, str]]) -> list[tuple[UUID, UUID, TableState]]:
    return [(table, operator, projections.decode_table(state)) for table, operator, state in rows]
