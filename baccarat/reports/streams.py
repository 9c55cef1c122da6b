"""Which round an event is of, told by its stream, for statements about events."""

from typing import Final

# PostgreSQL may join before it filters: a cast by itself would meet streams of other things, and fail at them.
ROUND_ID_SQL: Final = "CASE WHEN starts_with(event.stream, 'round-') THEN substring(event.stream FROM 7)::uuid END"
"""The id of the round whose `event` it is; nothing for the events of anything else."""
