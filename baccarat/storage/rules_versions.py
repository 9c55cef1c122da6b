"""Rows of every version of every table's rules: values, returns, author, and period in force.

One pure mapping from events, used on write, by every rebuild and by the audit.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as e
from baccarat.domain.tables.events import TableOpened
from baccarat.storage.models import RulesVersion
from casino.events.projections import ProjectionTable, Row
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonicalize_cached
from casino.kernel.text import isolate

DRAFT: Final = "draft"
REJECTED: Final = "rejected"
PUBLISHED: Final = "published"
IN_FORCE: Final = "in_force"
RETIRED: Final = "retired"
STATUSES: Final = (DRAFT, REJECTED, PUBLISHED, IN_FORCE, RETIRED)
EVENT_TYPES: Final = (
    TableOpened,
    e.RulesDrafted,
    e.RulesRejected,
    e.RulesPublished,
    e.RulesTookEffect,
    e.RulesRetired,
)
_encode: Final = msgspec.json.Encoder(order="sorted").encode
decode_rules: Final = msgspec.json.Decoder(TableRules).decode


VERSIONS: Final = ProjectionTable.of(RulesVersion)
_NAMES: Final = ", ".join(f"{name}::text" if kind == "jsonb" else name for name, kind in VERSIONS.columns)
_OF_TABLES: Final = f"SELECT {_NAMES} FROM baccarat_rulesversion WHERE table_id = ANY (%s::uuid[])"  # noqa: S608
_JSON: Final = tuple(place for place, (_, kind) in enumerate(VERSIONS.columns) if kind == "jsonb")

_OF_DIGEST: Final = "SELECT rules::text FROM baccarat_rulesversion WHERE digest = %s LIMIT 1"
_SPOT_NAMES: Final = """
SELECT spot->>'name'
  FROM baccarat_rulesversion
 CROSS JOIN LATERAL jsonb_array_elements(rules->'spots') WITH ORDINALITY AS listed (spot, place)
 WHERE %(operators)s::uuid[] IS NULL OR operator_id = ANY (%(operators)s::uuid[])
 GROUP BY 1 ORDER BY min(place), 1
"""
_REACHED: Final = """
SELECT digest, label, count(*) FILTER (WHERE plays), coalesce(min(name) FILTER (WHERE plays), '')
  FROM (SELECT version.digest, version.label, played_at.name, version.status IN ('in_force', 'published')
               AND played_at.state->>'closed' = 'false' AS plays
          FROM baccarat_rulesversion version JOIN baccarat_table played_at ON played_at.id = version.table_id
         WHERE %(digest)s::text IS NULL OR version.digest = %(digest)s) versions
 GROUP BY digest, label ORDER BY label, digest
"""


@lru_cache(maxsize=1024)
def recorded_rules(digest: str) -> TableRules:
    """Return the rules of this digest. Raises LookupError if no table has had them."""
    rows = fetch(_OF_DIGEST, [digest])
    if not rows:
        raise LookupError(f"no table has had the rules {digest}")
    return decode_rules(rows[0][0])


def spot_names(operators: Collection[UUID] | None) -> list[str]:
    """Return the names of the spots that the rules of these operators' tables have or had, None for all operators."""
    values = {"operators": None if operators is None else list(operators)}
    return [name for (name,) in fetch(_SPOT_NAMES, values)]


VersionRows = dict[int, Row]
"""The versions of one table, by number."""


class Reach(NamedTuple):
    """Rules as people choose them: their digest and label, and the tables with them, with the name of the first."""

    digest: str
    label: str
    tables: int
    first_table: str

    def __str__(self) -> str:
        others = "" if self.tables < 2 else f" and {self.tables - 1} more"
        place = f"at {isolate(self.first_table)}{others}" if self.tables else "at no table now"
        return f"{self.label} ({self.digest[:12]}) {place}"


def reaches(digest: str | None = None) -> list[Reach]:
    """Return what a stop of each rules would reach, or of these: tables that have them in force or published."""
    return [Reach(*row) for row in fetch(_REACHED, {"digest": digest})]


def apply_events(rows: VersionRows, events: Iterable[object], facts: TableOpened) -> VersionRows:
    """Apply a table's events to its rows, and return the rows that changed."""
    changed: VersionRows = {}
    for event in events:
        for row in _rows_of(event, rows, facts):
            rows[row.version] = changed[row.version] = row
    return changed


def load(tables: Iterable[UUID]) -> dict[UUID, VersionRows]:
    versions: dict[UUID, VersionRows] = {table: {} for table in tables}
    for values in fetch(_OF_TABLES, [list(versions)]):
        row = VERSIONS.row(*_canonical(values))
        versions[row.table_id][row.version] = row
    return versions


def _canonical(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the row with its JSON as canonical text, as the mapping writes it. Cached: many tables share rules."""
    row = list(values)
    for place in _JSON:
        row[place] = recanonicalize_cached(row[place]).decode()
    return tuple(row)


def _rows_of(event: object, rows: VersionRows, facts: TableOpened) -> list[Row]:
    match event:
        case TableOpened():
            return [_first(event)]
        case e.RulesDrafted():
            return [_drafted(event, facts)]
        case e.RulesTookEffect():
            return _took_effect(event, rows)
        case e.RulesRejected() | e.RulesPublished() | e.RulesRetired():
            return _decided(event, rows)
        case _:
            return []


def _decided(event: e.RulesRejected | e.RulesPublished | e.RulesRetired, rows: VersionRows) -> list[Row]:
    row = rows[event.version]
    if isinstance(event, e.RulesRetired):
        return [row._replace(status=RETIRED, until=event.at, ended_by=event.by, reason=event.reason)]
    row = row._replace(decided_by=event.by, decided_at=event.at)
    if isinstance(event, e.RulesRejected):
        return [row._replace(status=REJECTED, reason=event.reason)]
    return [*_overtaken(rows, event), row._replace(status=PUBLISHED, effective_from=event.effective_from.value)]


def _overtaken(rows: VersionRows, event: e.RulesPublished) -> list[Row]:
    """Return versions that another publication replaced before they took effect."""
    return [
        row._replace(status=RETIRED, until=event.at, ended_by=event.by)
        for row in rows.values()
        if row.status == PUBLISHED
    ]


def _took_effect(event: e.RulesTookEffect, rows: VersionRows) -> list[Row]:
    row = rows[event.version]
    ended = [
        old._replace(status=RETIRED, until=event.at, ended_by=row.decided_by)
        for old in rows.values()
        if old.status == IN_FORCE
    ]
    return [*ended, row._replace(status=IN_FORCE, since=event.at, first_round=event.first_round)]


def _first(event: TableOpened) -> Row:
    row = _row(event.rules, facts=event, returns=_encode(event.returns).decode(), at=event.opened_at)
    return row._replace(
        return_floor=event.return_floor,
        acknowledgement=event.acknowledgement,
        status=IN_FORCE,
        first_round=1,
        since=event.opened_at,
    )


def _drafted(event: e.RulesDrafted, facts: TableOpened) -> Row:
    row = _row(event.rules, facts=facts, returns=_encode(event.returns).decode(), at=event.at)
    return row._replace(
        return_floor=event.return_floor,
        acknowledgement=event.acknowledgement,
        change_reason=event.reason,
        drafted_by=event.by,
    )


def _row(recorded: RecordedRules, *, facts: TableOpened, returns: str, at: datetime) -> Row:
    rules = recorded.decoded
    return VERSIONS.row(
        id=f"{facts.table}/{rules.version}",
        table_id=facts.table,
        operator_id=facts.operator,
        version=rules.version,
        label=rules.label,
        digest=recorded.digest,
        rules=_encode(recorded.values).decode(),
        returns=returns,
        return_floor=0,
        acknowledgement="",
        change_reason="",
        status=DRAFT,
        drafted_by="",
        drafted_at=at,
        decided_by="",
        decided_at=None,
        effective_from="",
        reason="",
        first_round=None,
        since=None,
        until=None,
        ended_by="",
    )
