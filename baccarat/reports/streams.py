"""Finds the round of an event from its stream, for SQL statements about events."""

from typing import Final

# PostgreSQL may join before it filters: a bare cast would fail on the streams of other aggregates.
ROUND_ID_SQL: Final = "CASE WHEN starts_with(event.stream, 'round-') THEN substring(event.stream FROM 7)::uuid END"
"""The id of the round of an `event`, NULL for events of other streams."""
