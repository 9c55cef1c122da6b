"""The log in shares: tables in groups, each with its rounds, and all else in one. Which is whose, PostgreSQL tells.

A row's share follows from its type and from the first event of its stream, so what was tampered with lands in one share
as well. Switches are everybody's; wagers and voids are shown to the share of the wallets too.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from baccarat.audit.steps import CONFIRMED, ROUND_STEPS, SWITCH_KINDS, TABLE_STEPS
from casino.events.drafts import Recorded, Sealed
from casino.events.rows import fetch
from casino.events.store import recorded

OF_TABLES: Final = sorted({*ROUND_STEPS, *TABLE_STEPS, "RoundOpened", "TableOpened"})
SHOWN: Final = sorted([CONFIRMED, "RoundVoided"])
"""What the share of the wallets follows of rounds: who wagered when, and who owes since a void."""
CHUNK: Final = 1000

_COLUMNS: Final = """event.id, event.stream, event.version, event.type, event.schema, event.data::text,
       event.metadata::text, event.recorded_at"""
_TABLE: Final = """
(event.type = ANY (%s::text[]) AND abs(hashtext(coalesce((
    SELECT opened.data->>'table' FROM events_event AS opened WHERE opened.stream = event.stream AND opened.version = 1
), event.stream))::bigint) %% %s = %s)
"""
_SEALED: Final = """
SELECT seal.position, seal.digest, {columns}
FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
WHERE seal.position > %s AND seal.position <= %s AND ({mine})
ORDER BY seal.position
"""
_WAITING: Final = """
SELECT {columns}
FROM events_unsealed AS queued JOIN events_event AS event ON event.id = queued.event_id
WHERE ({mine})
ORDER BY event.id
"""


class Share(NamedTuple):
    """The group-th of `groups` of tables; or, without groups, everything but tables."""

    groups: int
    group: int

    @property
    def others(self) -> bool:
        """Whether this is the share of wallets, chats and all else."""
        return self.groups == 0


def sealed(share: Share, *, upto: int) -> Iterator[Sequence[Sealed]]:
    """This will yield the share's sealed events up to a position, in order, by stretches of the log."""
    mine, parameters = _mine(share)
    statement = _SEALED.format(columns=_COLUMNS, mine=mine)
    stretch = CHUNK * max(1, share.groups)
    for start in range(0, upto, stretch):
        rows = fetch(statement, [start, min(upto, start + stretch), *parameters])
        yield [Sealed._make((*each[:7], each[7].encode(), each[8].encode(), each[9])) for each in rows]


def waiting(share: Share) -> list[Recorded]:
    """This will return the share's committed events that are not sealed yet, oldest first."""
    mine, parameters = _mine(share)
    return recorded(fetch(_WAITING.format(columns=_COLUMNS, mine=mine), parameters))


def _mine(share: Share) -> tuple[str, list[Any]]:
    if share.others:
        return "event.type <> ALL (%s::text[]) OR event.type = ANY (%s::text[])", [OF_TABLES, SHOWN]
    return f"{_TABLE} OR event.type = ANY (%s::text[])", [OF_TABLES, share.groups, share.group, sorted(SWITCH_KINDS)]
